//! The command line: arguments → validated request → printing and exit code.

mod args;
mod attacks;
mod bench;
mod budget;
mod compare;
mod correlate;
mod corrupt;
mod costs;
pub mod data;
mod demo;
pub mod devices;
mod eval;
mod exit;
mod facts;
mod inputs;
pub mod inspect;
mod merge;
mod rank;
mod resampling;
mod shard;
mod show;
mod table;
mod words;

use clap::{CommandFactory, Parser};

pub use args::Arguments;
pub use exit::Exit;

use args::Command;

/// Parses the process arguments, runs the command, reports a failure once, on stderr.
pub fn main() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // A closed pipe while printing help is no failure of ours.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::COULD_NOT_RUN
            } else {
                Exit::SUCCESS
            };
        }
    };
    match run(arguments.command) {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => Exit::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            Exit::COULD_NOT_RUN
        }
    }
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Measure(arguments) => bench::run_measurement(&arguments),
        Command::Rank(arguments) => rank::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Correlate(arguments) => correlate::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Data(arguments) => data::run(&arguments),
        Command::Corrupt(arguments) => corrupt::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "edge", &mut out);
            words::print(&String::from_utf8_lossy(&out))?;
            Ok(Exit::SUCCESS)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
