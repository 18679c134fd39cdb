//! Times todc-utils on the same histories, in process: one line a case, name, the fewest nanoseconds and verdict.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use todc_utils::linearizability::WGLChecker;
use todc_utils::specifications::etcd::{EtcdSpecification, history_from_log};

/// A case is repeated until this long has passed, and at least once.
const REPEAT_FOR: Duration = Duration::from_millis(50);

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("the folder of the peers' corpora")).join("etcd");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "log"));
    paths.sort();
    for path in paths {
        let mut times = Vec::new();
        let mut linearizable = false;
        let began = Instant::now();
        while times.is_empty() || began.elapsed() < REPEAT_FOR {
            // A check consumes its history, so it is read anew, outside the time.
            let history = history_from_log(path.to_string_lossy().into_owned());
            let start = Instant::now();
            linearizable = WGLChecker::<EtcdSpecification>::is_linearizable(history);
            times.push(start.elapsed());
        }
        let fewest = times.iter().min().expect("it ran once").as_nanos();
        let name = path.file_name().expect("a file").to_string_lossy();
        println!("etcd/{name}\t{fewest}\t{}", if linearizable { "valid" } else { "violation" });
    }
}
