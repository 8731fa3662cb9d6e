//! The `skills` program: everything it does lives in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    skills::cli::main()
}
