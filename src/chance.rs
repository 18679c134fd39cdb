//! Randomness: one stream an actor, all from the plan's seed, so that what one actor draws changes nothing for another.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The stream of one actor: ChaCha8, since `StdRng` may be another generator in another version; the stream's number is the FNV-1a hash
/// of the actor's name, the same in every version and on every machine.
pub fn stream(seed: u64, actor: &str) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(
        actor.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
    );
    rng
}
