//! Reads a stream in a thread of its own, a little ahead of whoever uses it.
//!
//! Reading a line costs more than judging it, so of a long history the one hides behind the other. The order of the items stays, and
//! there are never more than a few batches of them. What was used goes back and is dropped where it was made: that spares both threads
//! the locks of the allocator.

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

/// How many items are handed over at once; a stream that is not longer needs no thread.
const BATCH: usize = 256;

/// How many batches may wait.
const AHEAD: usize = 8;

/// Hands the items of a stream over in their order, batch by batch, until it is over or fails. What is left in a batch is dropped.
///
/// # Errors
/// The first of the stream; what came before it was handed over.
pub fn read_ahead<T, E>(stream: impl Iterator<Item = Result<T, E>> + Send, mut see: impl FnMut(&mut Vec<T>)) -> Result<(), E>
where
    T: Send,
    E: Send,
{
    let mut stream = stream;
    let mut next = |batch: &mut Vec<T>| fill(&mut stream, batch);
    let mut first = Vec::new();
    let rest = next(&mut first);
    see(&mut first);
    if let Break(end) = rest {
        return end;
    }
    thread::scope(|scope| {
        let (hand_over, full) = sync_channel(AHEAD);
        let (give_back, used) = channel();
        give_back.send(first).expect("its other end is here");
        scope.spawn(move || {
            loop {
                let mut batch: Vec<T> = used.try_recv().unwrap_or_default();
                batch.clear();
                let rest = next(&mut batch);
                let is_last = rest.is_break();
                if hand_over.send((batch, rest)).is_err() || is_last {
                    return;
                }
            }
        });
        for (mut batch, rest) in full {
            see(&mut batch);
            if let Break(end) = rest {
                return end;
            }
            // Nobody takes it back once the last batch is read.
            let _ = give_back.send(batch);
        }
        unreachable!("a batch that is not the last is followed by another, unless the stream panicked, which the scope passes on")
    })
}

/// Fills a batch; breaks with how the stream ended where there is no more.
fn fill<T, E>(stream: &mut impl Iterator<Item = Result<T, E>>, batch: &mut Vec<T>) -> ControlFlow<Result<(), E>> {
    while batch.len() < BATCH {
        match stream.next() {
            Some(Ok(item)) => batch.push(item),
            Some(Err(error)) => return Break(Err(error)),
            None => return Break(Ok(())),
        }
    }
    Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(items: usize, fails: bool) -> (Vec<usize>, Result<(), String>) {
        let end = fails.then(|| Err("torn".to_string()));
        let mut seen = Vec::new();
        let result = read_ahead((0..items).map(Ok).chain(end), |batch| seen.append(batch));
        (seen, result)
    }

    #[test]
    fn everything_comes_in_its_order_and_then_the_error() {
        for items in [0, 1, BATCH - 1, BATCH, BATCH + 1, 100 * BATCH + 7] {
            for fails in [false, true] {
                let (seen, result) = read(items, fails);
                assert!(seen.into_iter().eq(0..items), "{items}");
                assert_eq!(result.is_err(), fails, "{items}");
            }
        }
    }

    #[test]
    fn what_panics_does_not_hang() {
        let used = std::panic::catch_unwind(|| {
            let _ = read_ahead((0..100_000).map(Ok::<_, ()>), |batch| assert!(batch[0] < 50_000));
        });
        let made = std::panic::catch_unwind(|| {
            let stream = (0..100_000).map(|n| if n < 50_000 { Ok::<_, ()>(n) } else { panic!("broken") });
            let _ = read_ahead(stream, |_| {});
        });
        assert!(used.is_err() && made.is_err());
    }
}
