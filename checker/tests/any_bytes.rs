//! Readers of anybody's bytes neither panic nor hang.

use checker::engine::Limits;
use checker::format::{self, BadLines, Content};
use proptest::prelude::*;
use std::time::Duration;

/// Reads everything there is, and checks what came of it.
fn devour(bytes: Vec<u8>, bad: BadLines) {
    let open = || format::read(std::io::Cursor::new(bytes.clone()), "bytes", bad);
    match open() {
        Ok(Content::Locks(locks)) => {
            for event in locks.events().take(100_000) {
                if event.is_err_and(|error| !error.is_one_line()) {
                    break;
                }
            }
            if let Ok(Content::Locks(locks)) = open()
                && let Ok((records, _)) = locks.records()
            {
                let mut edn = Vec::new();
                format::write_edn(&records, &mut edn).expect("into memory");
            }
        }
        Ok(Content::Objects(objects)) => {
            let limits = Limits { time: Duration::from_millis(200), memory: 1 << 24 };
            for model in checker::model::Name::ALL {
                // A record that makes no sense to the model is an error, never a panic.
                let _ = model.check(&objects.initial, &objects.records, &limits);
            }
        }
        Ok(Content::Events(_)) | Err(_) => {}
    }
}

/// Something like a history, so that the readers are got into deeply.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "{\"client\":1,\"op\":\"acquire\",\"token\":1,\"call\":1,\"return\":2,\"ok\":true}\n",
        "{\"client\":1,\"op\":\"write\",\"value\":[1,{\"a\":2}],\"call\":18446744073709551615,\"return\":null,\"ok\":null}\n",
        "{\"client\":1,\"op\":\"read\",\"call\":0,\"return\":0,\"ok\":true}\n",
        "{\"fencepost\":1}\n",
        "INFO  jepsen.util - 1 :invoke :cas [1 2]\n",
        "INFO  jepsen.util - 1 :ok :cas [1 2]\n",
        "INFO  jepsen.util - 1 :info :write :timed-out\n",
        "{:process 1 :type :invoke :f :txn :value [[:read :x nil] [:w 3 4]]}",
        "{:process 1 :type :ok :f :txn :value [[:read :x 1]]}",
        "{:process 2 :type :invoke :f :write :value 3}",
        "[",
        "]",
        "(",
        "{",
        "}",
        "#_",
        "#",
        "\"",
        "\\",
        ";",
        "\n",
        "#{",
        ":",
        "nil",
        " 1 ",
    ]);
    prop::collection::vec(
        prop_oneof![4 => piece.prop_map(|piece| piece.as_bytes().to_vec()), 1 => prop::collection::vec(any::<u8>(), 0..6)],
        0..12,
    )
    .prop_map(|pieces| pieces.concat())
}

fn bad_lines() -> impl Strategy<Value = BadLines> {
    prop::sample::select(vec![BadLines::Refuse, BadLines::Skip])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400), bad in bad_lines()) {
        devour(bytes, bad);
    }

    #[test]
    fn any_bytes_that_claim_to_be_compressed(bytes in prop::collection::vec(any::<u8>(), 0..200), zstd in any::<bool>()) {
        let magic: &[u8] = if zstd { &[0x28, 0xb5, 0x2f, 0xfd] } else { &[0x1f, 0x8b, 8] };
        devour([magic, &bytes].concat(), BadLines::Refuse);
    }

    #[test]
    fn anything_like_a_history(bytes in pieces(), bad in bad_lines()) {
        devour(bytes, bad);
    }

    #[test]
    fn any_truncation(bytes in pieces(), cut in any::<prop::sample::Index>()) {
        let end = cut.index(bytes.len() + 1);
        devour(bytes[..end].to_vec(), BadLines::Refuse);
    }
}
