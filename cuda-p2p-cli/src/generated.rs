//! What is made from the description of the arguments: completions and the manual page.

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Arguments, PATHS_HELP};

/// The command, as the arguments describe it.
fn command() -> Command {
    Arguments::command()
}

/// A script that completes the command's arguments.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "cuda-p2p", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page, in roff: the command, then each verb.
pub(crate) fn manual() -> String {
    let mut page = Vec::new();
    // A page breaks lines by itself, so the list of paths is clap's there.
    let paths = |paths: Arg| paths.hide_possible_values(false).long_help(PATHS_HELP);
    let command = command().mut_subcommand("verify", |verify| verify.mut_arg("paths", paths));
    // Writing to memory does not fail.
    let mut render = |man: clap_mangen::Man, whole: bool| {
        let done = if whole { man.render(&mut page) } else { verb(&man, &mut page) };
        debug_assert!(done.is_ok());
    };
    render(clap_mangen::Man::new(command.clone()), true);
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let verb = verb.clone().bin_name(format!("cuda-p2p {}", verb.get_name()));
        render(clap_mangen::Man::new(verb), false);
    }
    one_page(&String::from_utf8_lossy(&page), &command)
}

/// Names the verbs as they are called, and not as pages of their own, which there are none of, and keeps the lines of the exit
/// statuses apart.
fn one_page(page: &str, command: &Command) -> String {
    let page = page.replacen(".SH EXTRA\n", ".SH \"EXIT STATUS\"\n.nf\n", 1).replacen(
        ".SH VERSION\n",
        ".fi\n.SH VERSION\n",
        1,
    );
    let names = command.get_subcommands().map(Command::get_name).chain(["help"]);
    names.fold(page, |page, name| {
        page.replace(&format!("cuda\\-p2p\\-{name}(1)"), &format!("cuda\\-p2p {name}"))
    })
}

/// The sections of one verb, after those of the command.
fn verb(man: &clap_mangen::Man, page: &mut Vec<u8>) -> std::io::Result<()> {
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)
}
