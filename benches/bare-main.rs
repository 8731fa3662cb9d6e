//! The least a Rust program can do: start and end.

fn main() {}
