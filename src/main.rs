//! The `skills` program: everything it does lives in the library beside it.

fn main() -> std::process::ExitCode {
    skills::main()
}
