//! P2: registers in a SQLite table, one row each, fenced by `UPDATE … WHERE last_token < ?`: one row or none.

use super::Written;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a statement waits for another process to finish its own.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lower than every fencing token: a row that has taken none.
const NO_TOKEN: i64 = -1;

/// A SQLite database with registers. Several processes may have it open.
pub struct Sqlite(Connection);

impl Sqlite {
    /// Opens a database, and makes it where there is none: a path, or a URI such as `file:run-1?mode=memory&cache=shared`, which names
    /// a database in memory that lives as long as somebody has it open.
    ///
    /// # Errors
    /// It cannot be opened or written.
    pub fn open(path: &str) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        // The switch to WAL does not wait for others who make it at the same moment, as every other statement does.
        let begun = Instant::now();
        while let Err(error) = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
            if !is_busy(&error) || begun.elapsed() > PATIENCE {
                return Err(error);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        connection.execute_batch(
            "PRAGMA synchronous = NORMAL;
             CREATE TABLE IF NOT EXISTS register (name TEXT PRIMARY KEY, value INTEGER, last_token INTEGER NOT NULL) WITHOUT ROWID;
             CREATE TABLE IF NOT EXISTS drawn (lock TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;",
        )?;
        Ok(Sqlite(connection))
    }

    /// The name of a database in memory that nobody else in this process has.
    pub fn private_memory() -> String {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        format!("file:fencepost-{}?mode=memory&cache=shared", NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// What is in a register; `None` if it was never written.
    ///
    /// # Errors
    /// As SQLite.
    pub fn read(&self, name: &str) -> rusqlite::Result<Option<i64>> {
        let mut select = self.0.prepare_cached("SELECT value FROM register WHERE name = ?")?;
        Ok(select.query_row([name], |row| row.get(0)).optional()?.flatten())
    }

    /// The next fencing token of a lock.
    ///
    /// # Errors
    /// As SQLite.
    pub fn draw(&self, lock: &str) -> rusqlite::Result<u64> {
        let mut count = self.0.prepare_cached(
            "INSERT INTO drawn (lock, last) VALUES (?, 1) ON CONFLICT (lock) DO UPDATE SET last = last + 1 RETURNING last",
        )?;
        count.query_row([lock], |row| row.get(0)).map(i64::unsigned_abs)
    }

    /// Writes a register.
    pub fn write(&mut self, name: &str, value: i64) -> Written {
        let written = self.in_transaction(|connection| {
            ensure_row(connection, name)?;
            connection.prepare_cached("UPDATE register SET value = ? WHERE name = ?")?.execute(params![value, name])?;
            Ok(Written::Yes)
        });
        written.unwrap_or_else(|error| failed(&error))
    }

    /// Writes a register, unless it has taken a token as high as `fence` or higher.
    pub fn write_fenced(&mut self, name: &str, value: i64, fence: u64) -> Written {
        let Ok(token) = i64::try_from(fence) else {
            return Written::No(format!("{fence} is more than SQLite can keep as a fencing token"));
        };
        let written = self.in_transaction(|connection| {
            ensure_row(connection, name)?;
            let mut update =
                connection.prepare_cached("UPDATE register SET value = ?, last_token = ? WHERE name = ? AND last_token < ?")?;
            if update.execute(params![value, token, name, token])? == 1 {
                return Ok(Written::Yes);
            }
            let mut select = connection.prepare_cached("SELECT last_token FROM register WHERE name = ?")?;
            let last: i64 = select.query_row([name], |row| row.get(0))?;
            Ok(Written::FencedOff(u64::try_from(last).unwrap_or(0)))
        });
        written.unwrap_or_else(|error| failed(&error))
    }

    /// Takes the write lock first, so that what is read is still so when it is written.
    fn in_transaction<T>(&mut self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = act(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

fn ensure_row(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO register (name, value, last_token) VALUES (?, NULL, ?)")?;
    insert.execute(params![name, NO_TOKEN]).map(drop)
}

/// A transaction that failed was rolled back; only a failing disk leaves doubt.
fn failed(error: &rusqlite::Error) -> Written {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure | ErrorCode::DatabaseCorrupt) => Written::Unknown(format!("UPDATE: {error}")),
        _ => Written::No(format!("UPDATE: {error}")),
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
