//! The arguments, as they are typed. What they mean is decided in `options`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::exit::EXIT_CODES;
use crate::verify::Path;

/// Shows which GPUs of this machine can access each other's memory, and proves it.
///
/// Runs on the machine's GPUs where there are some. Where there is no CUDA
/// runtime, driver or device it runs on a simulated machine, and every screen says
/// SIMULATED.
#[derive(Debug, Parser)]
#[command(name = "cuda-p2p", version, after_help = EXIT_CODES, verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show the devices, who can access whom, and by which link
    #[command(after_help = EXIT_CODES, next_line_help = true)]
    Topo {
        /// Where it runs.
        #[command(flatten)]
        machine: MachineArguments,
        /// How it is shown.
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Prove peer access, ordered pair by pair, from the owner's side
    #[command(after_help = EXIT_CODES, next_line_help = true)]
    Verify {
        /// What is verified.
        #[command(flatten)]
        verify: VerifyArguments,
        /// Where it runs.
        #[command(flatten)]
        machine: MachineArguments,
        /// How it is shown.
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Measure bandwidths and latencies of each ordered pair
    #[command(after_help = EXIT_CODES, next_line_help = true)]
    Bench {
        /// What is measured.
        #[command(flatten)]
        bench: BenchArguments,
        /// Where it runs.
        #[command(flatten)]
        machine: MachineArguments,
        /// How it is shown.
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Say why a pair does not work, or crawls, and what to do about it
    #[command(after_help = EXIT_CODES, next_line_help = true)]
    Doctor {
        /// What is looked at.
        #[command(flatten)]
        doctor: DoctorArguments,
        /// Where it runs.
        #[command(flatten)]
        machine: MachineArguments,
        /// How it is shown.
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Write one HTML file: machine, proof, findings and speeds
    #[command(after_help = EXIT_CODES, next_line_help = true)]
    Report {
        /// What is shown.
        #[command(flatten)]
        report: ReportArguments,
        /// Where it runs.
        #[command(flatten)]
        machine: MachineArguments,
        /// How it is shown.
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Print completions for a shell: put them where it looks for them
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page: 'cuda-p2p man | man -l -'
    Man,
    /// One job of one of the above, in a process of its own, because bad peer access hangs or kills
    #[command(name = crate::worker::VERB, hide = true)]
    Child {
        /// The job, as JSON.
        job: String,
    },
}

/// Which machine it runs on.
#[derive(Debug, Args)]
pub(crate) struct MachineArguments {
    /// Use real devices or fail: never simulate
    #[arg(long, conflicts_with = "sim")]
    pub(crate) real: bool,
    /// Simulate a machine, as CUDA_P2P_SIM would: on, "devices=4 islands=2"
    #[arg(long, value_name = "SPEC")]
    pub(crate) sim: Option<String>,
    /// A step that takes longer counts as hung and is killed
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, allow_negative_numbers = true)]
    pub(crate) deadline: f64,
}

/// How the result is shown.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OutputArguments {
    /// Print the result as one JSON object, in base units
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the last line only
    #[arg(long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// Show no progress bar; there never is one without a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// What the doctor looks at.
#[derive(Clone, Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Write what was read to this file; nothing private is in it
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Read a file of --save instead of this machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["real", "sim", "deadline", "save", "look_only"])]
    pub(crate) from: Option<PathBuf>,
    /// What 'cuda-p2p bench --json' printed: says where staging is faster
    #[arg(long, value_name = "FILE")]
    pub(crate) bench: Option<PathBuf>,
    /// Only look: do not try whether data arrives
    #[arg(long)]
    pub(crate) look_only: bool,
}

/// What a report shows, and where it goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportArguments {
    /// Show what --json of topo, verify, bench or doctor printed into this
    /// file (not of a soak), and not this machine; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["real", "sim", "deadline"], verbatim_doc_comment)]
    pub(crate) from: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "cuda-p2p-report.html")]
    pub(crate) out: PathBuf,
    /// Write each picture into this folder too, as SVG
    #[arg(long, value_name = "FOLDER")]
    pub(crate) svg: Option<PathBuf>,
    /// Write each picture into this folder too, as PNG, light and dark
    #[cfg(feature = "png")]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) png: Option<PathBuf>,
}

/// The text of `--paths` before the list of them.
pub(crate) const PATHS_HELP: &str = "Paths to prove [default: all]";

/// What is verified.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Sizes to move: bytes, KiB, MiB or GiB; a soak draws sizes between the
    /// smallest and the largest [default: 1,4097,4KiB,64MiB; simulated: 1MiB]
    #[arg(long, value_name = "LIST", value_delimiter = ',', verbatim_doc_comment)]
    pub(crate) sizes: Vec<String>,
    /// Ordered pairs with access, accessor:owner, e.g. 0:1,1:0 [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) pairs: Vec<String>,
    /// Seed of the random data, which is always printed [default: drawn]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Paths to prove, e.g. engine,ipc; '--help' lists them [default: all]
    // The line of them all is wider than a screen, and clap breaks none.
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true, long_help = paths_help())]
    pub(crate) paths: Vec<Path>,
    /// Soak: prove the pairs in turn for so long, with ever other data and
    /// sizes, and count errors per path
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true, verbatim_doc_comment)]
    pub(crate) minutes: Option<f64>,
}

/// The text of `--paths`: each by name, and what it is.
fn paths_help() -> String {
    let mut text = PATHS_HELP.to_owned() + "\n\nPossible values:";
    for value in Path::value_variants().iter().filter_map(ValueEnum::to_possible_value) {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        text += &format!("\n- {:<10}{help}", format!("{}:", value.get_name()));
    }
    text
}

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Bytes of a large copy: bytes, KiB, MiB or GiB
    #[arg(long, value_name = "SIZE", default_value = "512MiB")]
    pub(crate) bytes: String,
    /// Measure copies of these sizes as well
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) sizes: Vec<String>,
    /// Ordered pairs, accessor:owner, e.g. 0:1,1:0 [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) pairs: Vec<String>,
    /// Samples of each measurement, of which the median is shown
    #[arg(long, value_name = "COUNT", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) samples: u32,
    /// Seed of the random data [default: drawn]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Run other tools too, where they are, and show their figures
    ///
    /// nvbandwidth, p2pBandwidthLatencyTest, NCCL's sendrecv_perf and this
    /// project's raw_peer (tests/raw), from PATH, or named by
    /// CUDA_P2P_NVBANDWIDTH, CUDA_P2P_P2PBANDWIDTHLATENCYTEST,
    /// CUDA_P2P_SENDRECV_PERF and CUDA_P2P_RAW_PEER.
    #[arg(long, verbatim_doc_comment)]
    pub(crate) compare: bool,
}
