//! Loss of power: what a disk holds is what was synced.

use super::node::Node;
use nemesis::NotInjected;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// A key that is never there.
const MARK: &str = "fencepost:mark";
/// How often a disk is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// What became of a node's files.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// How many bytes are left.
    pub kept: u64,
    /// How many had been written and not synced, and are gone.
    pub lost: u64,
}

/// Cuts every file of a node to what it had synced of it. The node is dead.
///
/// # Errors
/// Nobody knows what it had synced, or a file cannot be cut.
pub fn cut(node: &Node) -> Result<Cut, NotInjected> {
    let mut all = Cut::default();
    for_each_file(node.data(), &mut |file| {
        let seen = file.metadata()?;
        let kept = node.leash.on_disk(seen.ino()).map_err(|why| io::Error::other(why.0))?.min(seen.len());
        if kept < seen.len() {
            std::fs::File::options().write(true).open(file)?.set_len(kept)?;
        }
        all.kept += kept;
        all.lost += seen.len() - kept;
        Ok(())
    })
    .map_err(|error| NotInjected(format!("the files of {} could not be cut to what it synced: {error}", node.name)))?;
    Ok(all)
}

/// How many bytes a node has written, and how many of them it has synced.
///
/// # Errors
/// Its files cannot be looked at.
pub fn written_and_synced(node: &Node) -> Result<(u64, u64), NotInjected> {
    let (mut written, mut synced) = (0, 0);
    for_each_file(node.data(), &mut |file| {
        let seen = file.metadata()?;
        written += seen.len();
        synced += node.leash.on_disk(seen.ino()).map_err(|why| io::Error::other(why.0))?.min(seen.len());
        Ok(())
    })
    .map_err(|error| NotInjected(format!("the files of {} cannot be looked at: {error}", node.name)))?;
    Ok((written, synced))
}

/// Resolves when a node with `appendfsync everysec` has synced everything that it wrote, and will not sync again for most of a second.
///
/// Redis syncs as soon as there is something to sync and the second by its clock is another than when it last did. A first sync may therefore
/// come at any time; a second that follows it comes when a second has just begun. So that there is something to sync, the runner sets a key and
/// deletes it in one transaction, which nobody can see.
///
/// # Errors
/// The library that sees the syncs is not in it.
pub async fn synced(node: &Node) -> Result<(), NotInjected> {
    let mut in_a_row = 0;
    while in_a_row < 2 {
        let (before, _) = written_and_synced(node)?;
        mark(node).await;
        let Some(life) = node.pid() else { continue };
        node.leash.reaches(life)?;
        // While a slow disk still syncs, Redis answers first and writes later: what has not grown yet has not the mark.
        let is_synced = || written_and_synced(node).map(|(written, synced)| written > before && synced >= written);
        let mut synced = is_synced()?;
        while !synced && node.pid() == Some(life) {
            tokio::time::sleep(LOOK_AGAIN).await;
            synced = is_synced()?;
        }
        in_a_row = if synced { in_a_row + 1 } else { 0 };
    }
    Ok(())
}

/// Has a node write something to its append-only file that changes nothing, as soon as it can be asked.
async fn mark(node: &Node) {
    let write = async |connection: &mut _| {
        let mut nothing = redis::pipe();
        nothing.atomic().cmd("SET").arg(MARK).arg("").cmd("DEL").arg(MARK);
        nothing.query_async::<()>(connection).await
    };
    while !matches!(node.with(write).await, Some(Ok(()))) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

fn for_each_file(folder: &Path, what: &mut impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            for_each_file(&entry.path(), what)?;
        } else if kind.is_file() {
            what(&entry.path())?;
        }
    }
    Ok(())
}
