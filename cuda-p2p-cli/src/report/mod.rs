//! `report`: one HTML file that holds what the other verbs found, with pictures. Needs nothing but a browser, and no network.
//!
//! It works on the documents that `--json` prints, which can be saved on one machine and looked at on another. Without any, the
//! verbs are run first.

mod charts;
mod documents;
mod examine;
mod figure;
mod heat;
mod markup;
mod page;
#[cfg(feature = "png")]
mod png;
mod sections;
mod sweep;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub(crate) use documents::Documents;
pub(crate) use examine::examine;

use crate::cli::ReportArguments;
use crate::error::{CliError, UsageError};

/// What is to be written.
#[derive(Clone, Debug)]
pub(crate) struct ReportOptions {
    /// Where the page goes.
    pub(crate) out: PathBuf,
    /// Folder for the pictures, one SVG file each.
    pub(crate) svg: Option<PathBuf>,
    /// Folder for the pictures, two PNG files each: light and dark.
    #[cfg(feature = "png")]
    pub(crate) png: Option<PathBuf>,
}

impl From<&ReportArguments> for ReportOptions {
    fn from(arguments: &ReportArguments) -> Self {
        Self {
            out: arguments.out.clone(),
            svg: arguments.svg.clone(),
            #[cfg(feature = "png")]
            png: arguments.png.clone(),
        }
    }
}

impl ReportOptions {
    /// The folders for pictures, with the options that name them.
    fn folders(&self) -> Vec<(&'static str, &Path)> {
        let mut folders = Vec::from_iter(self.svg.as_deref().map(|folder| ("--svg", folder)));
        #[cfg(feature = "png")]
        folders.extend(self.png.as_deref().map(|folder| ("--png", folder)));
        folders
    }
}

/// Version of the JSON's shape. A field that goes, or changes its meaning, makes a new one.
const SCHEMA: &str = "cuda-p2p.report/1";

/// What was written, as `report --json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct Written {
    /// Name and version of this shape.
    pub(crate) schema: &'static str,
    /// Version of the command.
    pub(crate) version: &'static str,
    /// Whether what is shown was simulated.
    pub(crate) simulated: bool,
    /// The files: the page, then the pictures.
    pub(crate) files: Vec<PathBuf>,
    /// Why there are no pictures, if they were asked for and there are none.
    pub(crate) no_pictures_because: Option<&'static str>,
}

/// Makes sure that the files can be written, before there is something to write.
///
/// # Errors
/// [`UsageError::File`].
pub(crate) fn check_writable(options: &ReportOptions) -> Result<(), CliError> {
    crate::files::check_writable("--out", &options.out)?;
    for (option, folder) in options.folders() {
        // It is made only if there is something to put into it.
        match std::fs::metadata(folder) {
            Ok(found) if !found.is_dir() => {
                return Err(file(option, folder, "it is a file; name a folder".to_owned()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes the page, and the pictures if they are asked for.
///
/// # Errors
/// [`UsageError::File`].
pub(crate) fn write_all(documents: &Documents, options: &ReportOptions) -> Result<Written, CliError> {
    let charts = charts::charts(documents);
    let wanted = !options.folders().is_empty();
    let no_pictures_because = charts.is_empty().then(|| charts::none_because(documents)).filter(|_| wanted);
    write("--out", &options.out, page::page(documents, &charts).as_bytes())?;
    let files = if charts.is_empty() { vec![options.out.clone()] } else { write_pictures(&charts, options)? };
    let (version, simulated) = (env!("CARGO_PKG_VERSION"), documents.is_simulated());
    Ok(Written { schema: SCHEMA, version, simulated, files, no_pictures_because })
}

/// Gives the files, the page among them, which is written.
fn write_pictures(charts: &[figure::Figure], options: &ReportOptions) -> Result<Vec<PathBuf>, CliError> {
    let mut written = vec![options.out.clone()];
    if let Some(folder) = &options.svg {
        std::fs::create_dir_all(folder).map_err(|error| file("--svg", folder, error.to_string()))?;
        for chart in charts {
            let path = folder.join(format!("{}.svg", chart.name));
            write("--svg", &path, chart.standalone().as_bytes())?;
            written.push(path);
        }
    }
    #[cfg(feature = "png")]
    if let Some(folder) = &options.png {
        written.extend(write_pngs(folder, charts)?);
    }
    Ok(written)
}

/// Each picture, light and dark.
#[cfg(feature = "png")]
fn write_pngs(folder: &Path, charts: &[figure::Figure]) -> Result<Vec<PathBuf>, CliError> {
    std::fs::create_dir_all(folder).map_err(|error| file("--png", folder, error.to_string()))?;
    let mut written = Vec::new();
    for chart in charts {
        for (theme, ending) in [(figure::Theme::Light, ""), (figure::Theme::Dark, "-dark")] {
            let path = folder.join(format!("{}{ending}.png", chart.name));
            let pixels = png::png(chart, theme).map_err(|error| file("--png", &path, error))?;
            write("--png", &path, &pixels)?;
            written.push(path);
        }
    }
    Ok(written)
}

fn write(option: &'static str, path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    std::fs::write(path, bytes).map_err(|error| file(option, path, error.to_string()))
}

fn file(option: &'static str, path: &Path, problem: String) -> CliError {
    UsageError::File { option, path: path.to_owned(), problem }.into()
}
