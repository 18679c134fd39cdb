//! Whatever is said passes unchanged, however bad.

use crate::bench::{Bench, hold, redis_is_here, until};
use nemesis::Moment;
use nemesis::wire::{Occurrence, Rule, Verdict};

/// A rule that fits every command and does nothing to it, so that every message is looked at.
fn look() -> Vec<Rule> {
    let pass = Rule { from: None, to: None, command: None, ..hold("", Moment::Reply, 1) };
    vec![Rule { occurrence: Occurrence::From(1), verdict: Verdict::Delay(std::time::Duration::ZERO), ..pass }]
}

fn array(words: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend(format!("${}\r\n", word.len()).bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// What is said on a connection of its own; the node closes it in the end.
fn conversations() -> Vec<(&'static str, Vec<u8>)> {
    let quit = b"QUIT\r\n".to_vec();
    let pipeline = (0..500).flat_map(|n| array(&[b"SET", format!("k{n}").as_bytes(), b"x"])).collect::<Vec<u8>>();
    let noise: Vec<u8> = (0..100_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    vec![
        ("inline", b"SET a 1\r\nget a\n  \r\n\r\nGET  \"a\"\r\nPING 'x\r\n".to_vec()),
        ("pipeline", [pipeline, quit.clone()].concat()),
        ("transaction", b"MULTI\r\nSET a 2\r\nGET a\r\nNOSUCH\r\nEXEC\r\nMULTI\r\nGET a\r\nEXEC\r\nQUIT\r\n".to_vec()),
        ("watch", b"WATCH a\r\nMULTI\r\nINCR a\r\nEXEC\r\nQUIT\r\n".to_vec()),
        ("blocking", b"BLPOP nothing 0.01\r\nRPUSH l x\r\nBLPOP l 0\r\nQUIT\r\n".to_vec()),
        ("script", [array(&[b"EVAL", b"return {1,{2,{3}},redis.error_reply('E'),false}", b"0"]), quit.clone()].concat()),
        (
            "nested resp3",
            b"HELLO 3 SETNAME x\r\nHSET h f v\r\nHGETALL h\r\nDEBUG PROTOCOL attrib\r\nGET none\r\nQUIT\r\n".to_vec(),
        ),
        (
            "pub/sub",
            b"SUBSCRIBE a b\r\nPING\r\nUNSUBSCRIBE b\r\nUNSUBSCRIBE\r\nGET k1\r\nUNSUBSCRIBE\r\nGET k1\r\nQUIT\r\n".to_vec(),
        ),
        ("muted", b"CLIENT REPLY SKIP\r\nPING\r\nPING\r\nCLIENT REPLY OFF\r\nPING\r\nCLIENT REPLY ON\r\nQUIT\r\n".to_vec()),
        ("empty commands", b"*0\r\n*-1\r\n\r\nPING\r\nQUIT\r\n".to_vec()),
        ("bad count", b"PING\r\n*x\r\n".to_vec()),
        ("bad mark", b"*2\r\n$3\r\nGET\r\n:1\r\n".to_vec()),
        ("bad length", b"*1\r\n$-5\r\n".to_vec()),
        ("huge count", b"*99999999999\r\n".to_vec()),
        ("endless line", vec![b'x'; 100_000]),
        ("binary", [array(&[b"SET", b"\0\r\n$5\r\n*", &noise]), array(&[b"GET", b"\0\r\n$5\r\n*"]), quit].concat()),
        ("noise", noise),
    ]
}

#[tokio::test]
async fn every_conversation_reads_the_same_through_the_wire() {
    if !redis_is_here() {
        return;
    }
    let (direct, wired) = (Bench::new(vec![]).await, Bench::new(look()).await);
    for (name, said) in conversations() {
        let mut heard = vec![];
        for mut caller in [direct.direct().await, wired.call(201).await] {
            // The node may close before it has read all.
            let _ = tokio::io::AsyncWriteExt::write_all(&mut caller.0, &said).await;
            heard.push(without_ids(caller.rest().await.0));
        }
        assert!(!heard[0].is_empty() || name == "noise", "{name} is answered");
        assert_eq!(heard[0], heard[1], "{name}");
    }
}

/// The bytes without the one thing in which two nodes differ: HELLO says the connection's number.
fn without_ids(heard: Vec<u8>) -> String {
    let heard = String::from_utf8_lossy(&heard).into_owned();
    match heard.split_once("$2\r\nid\r\n") {
        Some((before, after)) => before.to_owned() + after.split_once("\r\n").expect("a number's line ends").1,
        None => heard,
    }
}

#[tokio::test]
async fn half_a_command_goes_no_further_than_its_connection() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("SET", Moment::Request, 9)]).await;
    for half in ["*3\r\n$3\r\nSE", "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$5\r\nab", "SET a", "*", "*2\r\n$1000000\r\nx"] {
        let mut caller = bench.call(201).await;
        assert_eq!(caller.ask("PING").await, "+PONG\r\n");
        caller.send(half).await;
        drop(caller);
        bench.until_gone(201).await;
        assert_eq!(bench.call(201).await.ask("GET a").await, "$-1\r\n");
    }
}

#[tokio::test]
async fn a_huge_bulk_is_streamed() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![]).await;
    let huge: Vec<u8> = (0..64 * 1024 * 1024u32).map(|n| (n >> 7) as u8).collect();
    let mut caller = bench.call(201).await;
    caller.send(array(&[b"SET", b"huge", &huge])).await;
    caller.hear("+OK\r\n").await;
    caller.send("GET huge\r\nQUIT\r\n").await;
    let (heard, _) = caller.rest().await;
    let expected = [format!("${}\r\n", huge.len()).as_bytes(), &huge, b"\r\n+OK\r\n"].concat();
    assert!(heard == expected, "{} bytes came back", heard.len());
}

#[tokio::test]
async fn a_push_is_no_reply() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("GET", Moment::Reply, 1), hold("SUBSCRIBE", Moment::Reply, 1)]).await;
    let mut caller = bench.call(201).await;
    caller.send("HELLO 3\r\n").await;
    until(async || {
        let mut seen = [0; 4096];
        caller.0.peek(&mut seen).await.is_ok_and(|read| seen[..read].ends_with(b"modules\r\n*0\r\n"))
    })
    .await;
    caller.0.try_read(&mut [0; 4096]).expect("the greeting");
    caller.send("SUBSCRIBE news\r\n").await;
    let subscribed = bench.sighting().await;
    assert_eq!(subscribed.pattern, 1);
    assert!(caller.has_heard_nothing());
    bench.wire.let_pass(subscribed);
    caller.hear(">3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n").await;
    assert_eq!(bench.direct().await.ask("PUBLISH news hot").await, ":1\r\n");
    caller.hear(">3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$3\r\nhot\r\n").await;
    caller.send("GET a\r\n").await;
    let sighting = bench.sighting().await;
    assert!(caller.has_heard_nothing());
    bench.wire.let_pass(sighting);
    caller.hear("_\r\n").await;
}
