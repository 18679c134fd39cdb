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

/// A hash tag whose keys are in these slots: the first number that has one there.
pub fn tag_within((first, last): (u16, u16)) -> String {
    let mut tags = (0u32..).map(|number| format!("{{{number}}}"));
    tags.find(|tag| (first..=last).contains(&of(tag.as_bytes()))).unwrap_or_default()
}

/// The words of a command, its name first, that are keys.
pub fn keys<'a>(words: &[&'a [u8]]) -> Vec<&'a [u8]> {
    places(words).into_iter().map(|place| words[place]).collect()
}

/// Which words of a command, its name first, are keys.
pub fn places(words: &[&[u8]]) -> Vec<usize> {
    let counted = |count: usize, first: usize| {
        let count = words.get(count).and_then(|count| std::str::from_utf8(count).ok()?.parse().ok()).unwrap_or(0);
        (first..words.len()).take(count)
    };
    let first = usize::from(words.len() > 1);
    let Some(name) = words.first() else { return Vec::new() };
    match name.to_ascii_lowercase().as_slice() {
        b"eval" | b"evalsha" => counted(2, 3).collect(),
        b"zinterstore" => (1..=first).chain(counted(2, 3)).collect(),
        b"del" | b"exists" | b"mget" | b"unlink" | b"watch" => (1..words.len()).collect(),
        b"mset" => (1..words.len()).step_by(2).collect(),
        b"asking" | b"client" | b"cluster" | b"command" | b"config" | b"dbsize" | b"debug" | b"discard" | b"echo" | b"exec"
        | b"flushall" | b"flushdb" | b"hello" | b"info" | b"keys" | b"multi" | b"ping" | b"publish" | b"replicaof" | b"role"
        | b"script" | b"select" | b"subscribe" | b"time" | b"unsubscribe" | b"unwatch" | b"wait" => Vec::new(),
        _ => (1..=first).collect(),
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
    fn a_tag_is_found_in_every_share() {
        for share in shares(5) {
            let slot = of(format!("{}key", tag_within(share)).as_bytes());
            assert!((share.0..=share.1).contains(&slot), "{share:?}");
        }
    }

    #[test]
    fn keys_are_found_where_each_command_has_them() {
        let of = |command: &str| {
            let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
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
        assert!(keys(&[]).is_empty());
    }
}
