//! Slots of Redis Cluster: which slot a key is in, and which words of a command are keys.

/// How many slots there are.
pub const COUNT: u16 = 16_384;

/// The slot of a key: CRC16 (XMODEM) of its hash tag, the text between the first `{` and the next `}`, or of all of it where there is none.
/// Source: the Redis Cluster specification.
pub fn of(key: &[u8]) -> u16 {
    crc16(tag(key).unwrap_or(key)) % COUNT
}

/// The first and last slot of each of so many masters: shares as equal as they can be.
pub fn shares(masters: usize) -> Vec<(u16, u16)> {
    // Rounded to the nearest, as `redis-cli --cluster create` does.
    let first = |share: usize| (2 * share * usize::from(COUNT) + masters) / (2 * masters);
    (0..masters).map(|share| (first(share) as u16, (first(share + 1) - 1) as u16)).collect()
}

fn tag(key: &[u8]) -> Option<&[u8]> {
    let opened = key.iter().position(|byte| *byte == b'{')? + 1;
    let length = key[opened..].iter().position(|byte| *byte == b'}')?;
    (length > 0).then(|| &key[opened..opened + length])
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 })
    })
}

/// The words of a command, its name first, that are keys.
pub fn keys<'a, W: AsRef<[u8]> + ?Sized>(words: &'a [&'a W]) -> Vec<&'a [u8]> {
    let word = |at: usize| words.get(at).map(|word| (*word).as_ref());
    let counted = |count: usize, first: usize| {
        let count = word(count).and_then(|count| std::str::from_utf8(count).ok()?.parse().ok()).unwrap_or(0);
        (first..).map_while(word).take(count).collect()
    };
    let Some(name) = word(0) else { return Vec::new() };
    match name.to_ascii_lowercase().as_slice() {
        b"eval" | b"evalsha" => counted(2, 3),
        b"zinterstore" => word(1).into_iter().chain(counted(2, 3)).collect(),
        b"del" | b"exists" | b"mget" | b"unlink" | b"watch" => (1..).map_while(word).collect(),
        b"mset" => (1..).step_by(2).map_while(word).collect(),
        b"asking" | b"client" | b"cluster" | b"command" | b"config" | b"dbsize" | b"debug" | b"discard" | b"echo" | b"exec"
        | b"flushall" | b"flushdb" | b"hello" | b"info" | b"keys" | b"multi" | b"ping" | b"publish" | b"replicaof" | b"role"
        | b"script" | b"select" | b"subscribe" | b"time" | b"unsubscribe" | b"unwatch" | b"wait" => Vec::new(),
        _ => word(1).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(crc16(b"123456789"), 0x31C3);
        assert_eq!(of(b"foo"), 12182);
        for (key, tag) in [("{user1000}.following", "user1000"), ("foo{bar}{zap}", "bar"), ("foo{{bar}}zap", "{bar")] {
            assert_eq!(of(key.as_bytes()), of(tag.as_bytes()), "{key}");
        }
        assert_eq!(of(b"foo{}{bar}"), crc16(b"foo{}{bar}") % COUNT);
    }

    #[test]
    fn shares_are_equal_and_leave_nothing_out() {
        assert_eq!(shares(3), [(0, 5460), (5461, 10922), (10923, 16383)]);
        for masters in 1..20 {
            let shares = shares(masters);
            assert_eq!((shares[0].0, shares[masters - 1].1), (0, COUNT - 1));
            assert!(shares.windows(2).all(|two| two[0].1 + 1 == two[1].0), "{shares:?}");
        }
    }

    #[test]
    fn keys_are_found_where_each_command_has_them() {
        let of = |command: &str| {
            let words: Vec<&str> = command.split(' ').collect();
            keys(&words).iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect::<Vec<_>>().join(" ")
        };
        for (command, found) in [
            ("SET a 1 NX PX 5", "a"),
            ("evalsha hash 2 a b 3", "a b"),
            ("EVAL text 0 a", ""),
            ("EVAL text x a", ""),
            ("MSET a 1 b 2", "a b"),
            ("DEL a b c", "a b c"),
            ("ZINTERSTORE to 2 a b WEIGHTS 1 2", "to a b"),
            ("WAIT 1 100", ""),
            ("SET", ""),
        ] {
            assert_eq!(of(command), found, "{command}");
        }
        assert!(keys::<str>(&[]).is_empty());
    }
}
