//! The `edge` command.

fn main() -> edge::cli::Exit {
    edge::cli::main()
}
