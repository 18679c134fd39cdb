//! The judge against definitions that share no code with it, on histories that were made up.

mod anything;
mod brute;
mod enumerate;
mod generate;
mod metamorphic;
mod mutants;
mod orders;
mod random;
mod registers;

/// Whether the long versions are asked for.
fn long() -> bool {
    std::env::var_os("FENCEPOST_LONG").is_some()
}
