//! Flags, terminals and exit codes: the only part that knows how the program was started.

pub mod args;
pub mod completions;
pub mod context;
pub mod exit;
pub mod help;
pub mod logging;
pub mod printer;
pub mod progress;
pub mod settings;
pub mod usage;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::args::{Cli, Command};
use crate::cli::context::Context;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::commands;
use crate::output::{exports, github, json};
use crate::skills::model::error::{Error, err};
use crate::skills::put::install::disable::Switch;

/// Parses the command line, runs the command, and turns every outcome into an exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Lay out help only if it is needed.
        Err(error) => {
            return usage::end(help::command().try_get_matches().err().unwrap_or(error));
        }
    };
    printer::use_color(cli.global.color);
    logging::init(cli.global.verbose);
    let printer = Printer::new(cli.global.quiet);
    let wants_json = cli.command.wants_json();
    let lacks_command = lacks_command(&cli.command, std::env::args_os());
    let runs_another = cli.command.runs_another() || lacks_command;
    let evaluated = settings::evaluated_by(&cli.command);
    let annotates = cli.command.annotates();
    let done = if lacks_command { Err(no_command().into()) } else { run(cli, &printer) };
    match done {
        Ok(status) => status.into(),
        Err(failure) if is_broken_pipe(&failure) && !runs_another => ExitStatus::Success.into(),
        Err(failure) => {
            let Ending { error, status } = Ending::of(failure);
            if wants_json {
                printer.error_document(&error, |out| json::error(out, &error));
            } else {
                printer.error(&error);
            }
            if annotates {
                let here = std::env::current_dir().unwrap_or_default();
                let _ = printer.text(|out| github::failure(out, &error, &here));
            }
            if let Some(shell) = evaluated {
                // A shell that evaluates empty output succeeds, and would go on in the real home.
                let _ = printer.text(|out| writeln!(out, "{}", exports::failure(shell)));
            }
            if runs_another { ExitStatus::OWN_FAILURE.into() } else { status.into() }
        }
    }
}

/// Whether `mount` ends with `--`, as it does if a variable of a script is empty.
fn lacks_command(command: &Command, mut args: impl DoubleEndedIterator<Item = OsString>) -> bool {
    matches!(command, Command::Mount(_))
        && !command.runs_another()
        && args.next_back().is_some_and(|last| last == "--")
}

fn no_command() -> Error {
    err!(Usage, "there is no command after `--`")
        .help("add a command, or omit `--` to create a home without running one")
}

fn run(cli: Cli, printer: &Printer) -> anyhow::Result<ExitStatus> {
    let context = Context::resolve(&cli.global, cli.command.network(), *printer)?;
    match cli.command {
        Command::Validate(args) if args.watch => {
            commands::watch::run(&|| settings::ValidateSettings::resolve(&args, &context), printer)
        }
        Command::Validate(args) => {
            commands::validate::run(&settings::ValidateSettings::resolve(&args, &context)?, printer)
        }
        Command::List(args) => {
            commands::list::run(&settings::ListSettings::resolve(&args, &context)?, printer)
        }
        Command::Show(args) => {
            commands::show::run(&settings::ShowSettings::resolve(&args, &context)?, printer)
        }
        Command::Render(args) => {
            commands::render::run(&settings::RenderSettings::resolve(&args, &context)?, printer)
        }
        Command::Serve(args) => {
            commands::serve::run(settings::ServeSource::new(args, context), printer)
        }
        Command::Read(args) => {
            commands::read::run(&settings::ReadSettings::resolve(&args, &context)?, printer)
        }
        Command::Install(args) => {
            commands::install::run(&settings::InstallSettings::resolve(&args, &context)?, printer)
        }
        Command::Sync(args) => {
            commands::sync::run(&settings::SyncSettings::resolve(&args, &context)?, printer)
        }
        Command::Remove(args) => commands::remove::run(&args, &context),
        Command::Disable(args) => commands::disable::run(&args.switch, Switch::Disable, &context),
        Command::Enable(args) => commands::disable::run(&args.switch, Switch::Enable, &context),
        Command::Mount(args) => {
            commands::mount::run(&settings::MountSettings::resolve(&args, &context)?, printer)
        }
        Command::Cache(args) => commands::cache::run(&args, &context),
        Command::Unmount(args) => commands::unmount::run(&args, &context),
        Command::Pack(args) => commands::pack::run(&args, &context),
        Command::Push(args) => {
            commands::push::run(&settings::PushSettings::resolve(&args, &context)?, printer)
        }
        Command::Lock(args) => {
            commands::lock::run(&settings::LockSettings::resolve(&args, &context)?, printer)
        }
        Command::Outdated(args) if settings::is_about_installed(&args) => {
            commands::update::outdated(&args, &context)
        }
        Command::Outdated(args) => {
            commands::lock::outdated(&settings::LockSettings::outdated(&args, &context)?, printer)
        }
        Command::Update(args) => commands::update::run(&args, &context),
        Command::Verify(args) => commands::verify::run(&args, &context),
        Command::Init(args) => commands::init::run(&args, &context),
        Command::Explain(args) => commands::explain::run(&args.rule, printer),
        Command::Rules(args) => commands::rules::run(args.format, printer),
        Command::Schema(args) => commands::schema::run(args.subject, printer),
        Command::Completions(args) => commands::completions::run(args.shell, printer),
        Command::Man(args) => commands::man::run(args.dir.as_deref(), printer),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
