//! The program `liminal`.

fn main() {}
