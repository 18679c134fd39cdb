//! Hash maps by small whole numbers, many times faster than the standard hasher; nobody outside chooses the numbers to collide on purpose
//! but the author of a history, who harms only themselves.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from an operation's id. Never iterated, so its order cannot matter.
pub type ById<T> = HashMap<u64, T, BuildHasherDefault<Multiply>>;

/// Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
#[derive(Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
