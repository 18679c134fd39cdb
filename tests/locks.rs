//! Each lock against a real Redis: what it grants, refuses, gives back and lengthens, and the failure it is known for.

mod support;

use fencepost::client::Answer;
use fencepost::client::real::RealNode;
use fencepost::lock::facts::{self, Expiry, Extension, Facts, OwnerCheck};
use fencepost::plan::{Deadline, LockKind, LockSpec, Repair};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use support::between::Between;
use support::server::{Server, server_or_skip};
use support::{Client, KEY, no, ok, send, spec};

/// The locks that this server can run.
async fn locks(server: &Server) -> Vec<&'static Facts> {
    let mut possible = Vec::new();
    for lock in &facts::ALL {
        let mut client = Client::unprepared("probe", RealNode::new(server.address), &spec(lock.kind));
        match client.session.prepare().await {
            Ok(()) => possible.push(lock),
            Err(why) => eprintln!("SKIPPED {}: {why}", lock.name),
        }
    }
    assert!(possible.len() >= facts::ALL.len() - 1);
    possible
}

async fn forget(server: &Server) {
    send::<()>(server, &["DEL", KEY]).await;
}

async fn pttl(server: &Server) -> i64 {
    send(server, &["PTTL", KEY]).await
}

/// Gets `c2` the lock after `c1`'s grant has expired; gives both tokens.
async fn expired(c1: &mut Client, c2: &mut Client) -> (String, String) {
    let begun = Instant::now();
    let first = ok(c1.acquire(50).await).token.unwrap();
    let second = c2.granted(60_000).await;
    assert!(begun.elapsed() >= Duration::from_millis(49), "granted {:?} into a TTL of 50 ms", begun.elapsed());
    (first, second)
}

#[tokio::test]
async fn each_is_granted_to_one_refused_to_another_and_free_after_its_release() {
    let server = server_or_skip!();
    for lock in locks(&server).await {
        let mut c1 = Client::of("c1", &server, &spec(lock.kind)).await;
        let mut c2 = Client::of("c2", &server, &spec(lock.kind)).await;
        let first = ok(c1.acquire(60_000).await);
        let measures = lock.kind == LockKind::Redlock;
        assert!(first.told_at.is_some() && [first.valid_until.is_some(), first.valid_for_ms.is_some()] == [measures; 2]);
        let first = first.token.unwrap();
        let refused = no(c2.acquire(60_000).await).token.unwrap();
        assert_ne!(first, refused, "{}", lock.name);
        assert!(c1.holds(&first).await && !c2.holds(&refused).await, "{}", lock.name);
        ok(c1.release(&first).await);
        assert!(!c1.holds(&first).await, "{}", lock.name);
        let second = ok(c2.acquire(60_000).await).token.unwrap();
        assert_ne!(first, second, "{}", lock.name);
        ok(c2.release(&second).await);
        assert!(no(c2.release(&second).await).why.is_some(), "{}: released twice", lock.name);
    }
}

#[tokio::test]
async fn each_expires_as_it_says() {
    let server = server_or_skip!();
    for lock in locks(&server).await {
        forget(&server).await;
        let mut c1 = Client::of("c1", &server, &spec(lock.kind)).await;
        if lock.expiry == Expiry::Never {
            ok(c1.acquire(50).await);
            assert_eq!(pttl(&server).await, -1, "{}", lock.name);
            continue;
        }
        let mut c2 = Client::of("c2", &server, &spec(lock.kind)).await;
        let (first, second) = expired(&mut c1, &mut c2).await;
        assert!(!c1.holds(&first).await && c2.holds(&second).await, "{}", lock.name);
        let ttl = if lock.expiry == Expiry::Server { 50_000..=60_000 } else { -1..=-1 };
        assert!(ttl.contains(&pttl(&server).await), "{}", lock.name);
    }
}

#[tokio::test]
async fn a_late_release_hits_another_only_where_nobody_compares() {
    let server = server_or_skip!();
    for lock in locks(&server).await.into_iter().filter(|lock| lock.expiry != Expiry::Never) {
        forget(&server).await;
        let mut c1 = Client::of("c1", &server, &spec(lock.kind)).await;
        let mut c2 = Client::of("c2", &server, &spec(lock.kind)).await;
        let (first, second) = expired(&mut c1, &mut c2).await;
        match c1.release(&first).await {
            Answer::Ok(_) => assert_eq!(lock.owner, OwnerCheck::None, "{}", lock.name),
            Answer::No(_) => assert_ne!(lock.owner, OwnerCheck::None, "{}", lock.name),
            other => panic!("{}: {other:?}", lock.name),
        }
        assert_eq!(c2.holds(&second).await, lock.owner != OwnerCheck::None, "{}", lock.name);
    }
}

#[tokio::test]
async fn an_extension_lengthens_the_own_lease_and_no_other() {
    let server = server_or_skip!();
    for lock in locks(&server).await {
        forget(&server).await;
        let mut c1 = Client::of("c1", &server, &spec(lock.kind)).await;
        let token = ok(c1.acquire(10_000).await).token.unwrap();
        if lock.extension == Extension::None {
            assert!(no(c1.extend(&token, 60_000).await).why.is_some());
            continue;
        }
        no(c1.extend("another", 60_000).await);
        assert!(pttl(&server).await <= 10_000, "{}", lock.name);
        ok(c1.extend(&token, 60_000).await);
        assert!(pttl(&server).await > 50_000, "{}", lock.name);
    }
}

#[tokio::test]
async fn a_ttl_of_nothing_is_refused_and_leaves_nothing() {
    let server = server_or_skip!();
    for lock in locks(&server).await.into_iter().filter(|lock| lock.expiry != Expiry::Never) {
        let mut c1 = Client::of("c1", &server, &spec(lock.kind)).await;
        no(c1.acquire(0).await);
        assert!(!send::<bool>(&server, &["EXISTS", KEY]).await, "{}", lock.name);
    }
}

#[tokio::test]
async fn a_release_survives_a_flush_of_the_scripts() {
    let server = server_or_skip!();
    for lock in locks(&server).await {
        let mut c1 = Client::of("c1", &server, &spec(lock.kind)).await;
        let token = ok(c1.acquire(60_000).await).token.unwrap();
        send::<()>(&server, &["SCRIPT", "FLUSH"]).await;
        ok(c1.release(&token).await);
    }
}

#[tokio::test]
async fn a_loser_repairs_a_key_without_ttl_only_by_the_corrected_test() {
    let server = server_or_skip!();
    for (repair, heals) in [(Repair::None, false), (Repair::AsPrinted, false), (Repair::Corrected, true)] {
        send::<()>(&server, &["SET", KEY, "crashed"]).await;
        let mut c1 = Client::of("c1", &server, &LockSpec { repair, ..spec(LockKind::SetnxExpire) }).await;
        no(c1.acquire(60_000).await);
        assert_eq!(pttl(&server).await > 0, heals, "{repair:?}");
    }
}

#[tokio::test]
async fn the_repair_as_printed_lengthens_the_last_half_second_of_a_healthy_lease() {
    let server = server_or_skip!();
    for (repair, lengthens) in [(Repair::None, false), (Repair::AsPrinted, true), (Repair::Corrected, false)] {
        let mut c1 = Client::of("c1", &server, &LockSpec { repair, ..spec(LockKind::SetnxExpire) }).await;
        // Less than the half second that TTL rounds to 0; where it is over before the loser came, once more.
        loop {
            send::<()>(&server, &["SET", KEY, "healthy", "PX", "450"]).await;
            match c1.acquire(60_000).await {
                Answer::Ok(_) => forget(&server).await,
                other => break drop(no(other)),
            }
        }
        assert_eq!(pttl(&server).await > 450, lengthens, "{repair:?}");
        forget(&server).await;
    }
}

#[tokio::test]
async fn get_then_del_deletes_what_another_took_between_the_two() {
    let server = server_or_skip!();
    let address = server.address;
    let node = Between::before(RealNode::new(address), "DEL", move || async move {
        let taken: () = redis::cmd("SET").arg(KEY).arg("another").query_async(&mut RealNode::new(address)).await.unwrap();
        taken
    });
    let mut c1 = Client::over("c1", node, &spec(LockKind::SetNxPxGetDel)).await;
    let token = ok(c1.acquire(60_000).await).token.unwrap();
    ok(c1.release(&token).await);
    assert!(!send::<bool>(&server, &["EXISTS", KEY]).await);
}

#[tokio::test]
async fn watch_leaves_what_another_took_before_the_exec() {
    let server = server_or_skip!();
    let address = server.address;
    let node = Between::before(RealNode::new(address), "EXEC", move || async move {
        let taken: () = redis::cmd("SET").arg(KEY).arg("another").query_async(&mut RealNode::new(address)).await.unwrap();
        taken
    });
    let mut c1 = Client::over("c1", node, &spec(LockKind::SetNxPxWatch)).await;
    let token = ok(c1.acquire(60_000).await).token.unwrap();
    no(c1.release(&token).await);
    assert_eq!(send::<String>(&server, &["GET", KEY]).await, "another");
}

#[tokio::test]
async fn a_watch_that_lost_its_connection_does_not_become_a_blind_delete() {
    let server = server_or_skip!();
    let address = server.address;
    let node = Between::before(RealNode::new(address), "EXEC", move || async move {
        let mut other = RealNode::new(address);
        let _: u32 = redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("normal").query_async(&mut other).await.unwrap();
        let taken: () = redis::cmd("SET").arg(KEY).arg("another").query_async(&mut other).await.unwrap();
        taken
    });
    let mut c1 = Client::over("c1", node, &spec(LockKind::SetNxPxWatch)).await;
    let token = ok(c1.acquire(60_000).await).token.unwrap();
    assert!(!matches!(c1.release(&token).await, Answer::Ok(_)));
    assert_eq!(send::<String>(&server, &["GET", KEY]).await, "another");
    no(c1.release(&token).await);
    assert_eq!(send::<String>(&server, &["GET", KEY]).await, "another");
}

#[tokio::test]
async fn a_client_whose_clock_is_ahead_steals_a_live_lock_and_the_owner_deletes_it() {
    let server = server_or_skip!();
    let mut c1 = Client::of("c1", &server, &spec(LockKind::GetsetTimestamp)).await;
    let mut c2 = Client::of("c2", &server, &spec(LockKind::GetsetTimestamp)).await;
    let first = ok(c1.acquire(10_000).await).token.unwrap();
    no(c2.acquire(10_000).await);
    c2.clock.jump(11_000);
    let second = ok(c2.acquire(10_000).await).token.unwrap();
    assert!(c2.holds(&second).await && !c1.holds(&first).await);
    ok(c1.release(&first).await);
    assert!(!c2.holds(&second).await);
}

#[tokio::test]
async fn the_loser_of_a_getset_overwrites_the_owners_stamp() {
    let server = server_or_skip!();
    send::<()>(&server, &["SET", KEY, "1"]).await;
    let mut c1 = Client::of("c1", &server, &spec(LockKind::GetsetTimestamp)).await;
    let (owned, mut owner) = tokio::sync::mpsc::unbounded_channel();
    let address = server.address;
    let node = Between::before(RealNode::new(address), "GETSET", move || async move {
        let far = u64::MAX.to_string();
        let mut other = RealNode::new(address);
        let old: String = redis::cmd("GETSET").arg(KEY).arg(&far).query_async(&mut other).await.unwrap();
        owned.send(old).unwrap();
    });
    let mut c2 = Client::over("c2", node, &spec(LockKind::GetsetTimestamp)).await;
    let refused = no(c2.acquire(60_000).await);
    assert_eq!(owner.try_recv().unwrap(), "1", "the other took over what was expired");
    assert_eq!(send::<Option<String>>(&server, &["GET", KEY]).await, refused.token);
    no(c1.acquire(60_000).await);
}

#[tokio::test]
async fn fencing_tokens_rise_from_grant_to_grant_until_redis_forgets_them() {
    let server = server_or_skip!();
    let mut c1 = Client::of("c1", &server, &spec(LockKind::Fenced)).await;
    let mut fences = Vec::new();
    for _ in 0..3 {
        let grant = ok(c1.acquire(60_000).await);
        no(c1.acquire(60_000).await);
        ok(c1.release(&grant.token.unwrap()).await);
        fences.push(grant.fence.unwrap());
    }
    assert_eq!(fences, [1, 2, 3], "a refused attempt draws none");
    send::<()>(&server, &["FLUSHALL"]).await;
    assert_eq!(ok(c1.acquire(60_000).await).fence, Some(1));
}

#[tokio::test]
async fn a_fencing_counter_that_cannot_count_takes_no_lock() {
    let server = server_or_skip!();
    send::<()>(&server, &["SET", &format!("{{{KEY}}}:fence"), "not a number"]).await;
    let mut c1 = Client::of("c1", &server, &spec(LockKind::Fenced)).await;
    no(c1.acquire(60_000).await);
    assert!(!send::<bool>(&server, &["EXISTS", KEY]).await);
}

#[tokio::test]
async fn a_checked_lock_says_how_long_it_holds() {
    let server = server_or_skip!();
    for lock in locks(&server).await {
        forget(&server).await;
        let checked = LockSpec { deadline: Deadline::Checked, ..spec(lock.kind) };
        let mut c1 = Client::of("c1", &server, &checked).await;
        let told = ok(c1.acquire(10_000).await);
        if lock.expiry == Expiry::Never {
            assert_eq!((told.valid_for_ms, told.valid_until), (None, None));
            continue;
        }
        let left = told.valid_for_ms.unwrap();
        assert!((5_000..=10_000 - 100 - 2).contains(&left), "{}: {left}", lock.name);
        assert!(told.valid_until.unwrap() - told.told_at.unwrap() <= left as u64 * 1_000_000 + 999_999);
        if lock.extension != Extension::None {
            let told = ok(c1.extend(&told.token.unwrap(), 60_000).await);
            assert!(told.valid_for_ms.unwrap() > 50_000, "{}", lock.name);
        }
    }
}

#[tokio::test]
async fn a_checked_lock_gives_a_late_grant_back_and_an_unchecked_one_boasts_of_it() {
    let server = server_or_skip!();
    for (deadline, granted) in [(Deadline::Unchecked, true), (Deadline::Checked, false)] {
        let late = || async { tokio::time::sleep(Duration::from_millis(120)).await };
        let node = Between::before(RealNode::new(server.address), "SET", late);
        let mut c1 = Client::over("c1", node, &LockSpec { deadline, ..spec(LockKind::SetNxPx) }).await;
        match c1.acquire(100).await {
            Answer::Ok(_) => assert!(granted),
            Answer::No(told) => {
                assert!(!granted && told.error.unwrap().starts_with("granted too late"));
                assert!(!send::<bool>(&server, &["EXISTS", KEY]).await);
            }
            other => panic!("{other:?}"),
        }
        forget(&server).await;
    }
}

#[tokio::test]
async fn the_servers_own_compare_and_delete_is_used_where_there_is_one_and_else_missed_by_name() {
    let server = server_or_skip!();
    let known: Vec<redis::Value> = send(&server, &["COMMAND", "INFO", "DELEX", "DELIFEQ"]).await;
    let mut client = Client::unprepared("c1", RealNode::new(server.address), &spec(LockKind::SetNxPxDelex));
    let prepared = client.session.prepare().await;
    if known.iter().all(|command| *command == redis::Value::Nil) {
        let why = prepared.unwrap_err().to_string();
        assert!(why.contains("DELEX") && why.contains("DELIFEQ"), "{why}");
    } else {
        prepared.unwrap();
    }
}

#[tokio::test]
async fn no_two_attempts_share_a_token_and_equal_seeds_draw_equal_ones() {
    let server = server_or_skip!();
    let mut tokens = BTreeSet::new();
    for name in ["c1", "c2"] {
        let mut client = Client::of(name, &server, &spec(LockKind::SetNxPx)).await;
        for _ in 0..50 {
            let token = ok(client.acquire(60_000).await).token.unwrap();
            ok(client.release(&token).await);
            assert!(token.len() == 40 && tokens.insert(token));
        }
    }
    let mut again = Client::of("c1", &server, &spec(LockKind::SetNxPx)).await;
    assert!(tokens.contains(&ok(again.acquire(60_000).await).token.unwrap()));
}
