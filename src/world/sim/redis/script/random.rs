//! The generator behind `math.random`, `lrand48` as in Redis. Redis seeds it once; here every script begins anew, so that no run depends
//! on the runs before it.

/// A 48-bit linear congruential generator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lrand48(u64);

impl Lrand48 {
    pub fn seeded(seed: i32) -> Self {
        Lrand48(u64::from(seed as u32) << 16 | 0x330E)
    }

    /// The next number of 31 bits.
    pub fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & 0xFFFF_FFFF_FFFF;
        (self.0 >> 17) as u32
    }
}
