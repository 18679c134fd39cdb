//! What a file holds, told from its content.

use super::bytes::{Input, decompressed, whole};
use super::initial::initial;
use super::operations::Reader;
use super::{Action, BadLines, Locks, ReadError, Record, console, edn_history};
use crate::history::Value;
use crate::model::Name;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;

/// What a file holds.
pub enum Content {
    /// Event JSONL: the decompressed bytes, from the first.
    Events(Input),
    /// Operations of locks, still to be read.
    Locks(Locks),
    /// Operations of registers or other objects.
    Objects(Objects),
}

/// Operations of registers or other objects.
#[derive(Debug, Clone)]
pub struct Objects {
    /// The operations, in the order of the lines.
    pub records: Vec<Record>,
    /// The model that the content suggests.
    pub model: Name,
    /// The first value that the content suggests.
    pub initial: Value,
    /// How many lines were skipped because they could not be read.
    pub skipped: u64,
}

/// Opens a history; `-` is standard input.
///
/// # Errors
/// Where it cannot be read, or is no history; a bad line of [`Content::Locks`] comes later.
pub fn open(path: &Path, bad: BadLines) -> Result<Content, ReadError> {
    let name: Arc<str> = path.to_string_lossy().into();
    if &*name == "-" {
        return read(io::stdin(), name, bad);
    }
    let file = File::open(path).map_err(|source| ReadError::Io { file: name.clone(), source })?;
    read(file, name, bad)
}

/// Reads a history from any bytes; the name is for the errors.
///
/// # Errors
/// As [`open`].
pub fn read(input: impl Read + Send + 'static, name: impl Into<Arc<str>>, bad: BadLines) -> Result<Content, ReadError> {
    let file: Arc<str> = name.into();
    let failed = |source| ReadError::Io { file: file.clone(), source };
    let mut input = decompressed(input).map_err(failed)?;
    let head = head(&mut input).map_err(failed)?;
    let kind = recognise(&head);
    let input: Input = Box::new(io::Cursor::new(head).chain(input));
    match kind {
        Ok(Kind::Events) => Ok(Content::Events(input)),
        Ok(Kind::Operations) => operations(Reader::new(input, file, bad)),
        Ok(Kind::Edn) => {
            let (records, skipped) = edn_history::read(&whole(input, &file)?, &file, bad)?;
            // This format alone has no way to say that a register was never written.
            let initial = initial(&records);
            Ok(Content::Objects(Objects { initial, ..objects(records, skipped) }))
        }
        Ok(Kind::Console) => {
            let (records, skipped) = console::read(&whole(input, &file)?, &file, bad)?;
            Ok(Content::Objects(objects(records, skipped)))
        }
        Err(problem) => Err(ReadError::Unrecognised { file, problem }),
    }
}

enum Kind {
    Events,
    Operations,
    Edn,
    Console,
}

/// How much is looked through for a line that is not blank. A few bytes of a compressed file can be very many blank lines.
const MOST_BLANK: usize = 16 << 20;

/// Enough of the beginning to recognise it: up to the end of the first line that is not blank.
fn head(input: &mut Input) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        let read = input.by_ref().take(1 << 20).read_until(b'\n', &mut head)?;
        if read == 0 || head.len() > MOST_BLANK || !head[before..].trim_ascii().is_empty() {
            return Ok(head);
        }
    }
}

fn recognise(head: &[u8]) -> Result<Kind, String> {
    let line = head.trim_ascii();
    let Some(first) = line.first() else {
        return Err(if head.len() > MOST_BLANK { "its first 16 MiB are blank" } else { "it is empty" }.into());
    };
    let has = |needle: &str| memchr::memmem::find(line, needle.as_bytes()).is_some();
    let after_brace = line[1..].trim_ascii_start().first();
    match (first, after_brace) {
        (b'{', Some(b'"')) if has("\"fencepost\"") => Ok(Kind::Events),
        (b'{', Some(b'"')) => Ok(Kind::Operations),
        (b'{', Some(b':')) | (b'[' | b'(' | b';' | b'#', _) => Ok(Kind::Edn),
        _ if has(console::MARK) => Ok(Kind::Console),
        _ => Err(format!("it begins with `{}`", String::from_utf8_lossy(&line[..line.len().min(40)]))),
    }
}

/// Reads operations until one of a lock shows what they are about.
fn operations(mut reader: Reader) -> Result<Content, ReadError> {
    let mut records = Vec::new();
    while let Some(record) = reader.next() {
        let record = record?;
        let of_locks = record.action.is_of_locks();
        records.push(record);
        if of_locks {
            reader.put_back(records);
            return Ok(Content::Locks(Locks::new(reader)));
        }
    }
    let skipped = reader.skipped();
    Ok(Content::Objects(objects(records, skipped)))
}

fn objects(records: Vec<Record>, skipped: u64) -> Objects {
    let any = |test: &dyn Fn(&Record) -> bool| records.iter().any(test);
    let model = if any(&|record| record.action == Action::Txn) {
        Name::MultiRegister
    } else if any(&|record| record.action.is_of_locks()) {
        if any(&|record| record.token.is_some()) { Name::FencedMutex } else { Name::Mutex }
    } else if any(&|record| record.action == Action::Cas) {
        Name::CasRegister
    } else if any(&|record| record.action == Action::Write && matches!(record.token, Some(Value::Int(_)))) {
        Name::FencedRegister
    } else {
        Name::Register
    };
    // Tokens are counted from 1, so nobody's is 0.
    let initial = if model == Name::FencedRegister { Value::Int(0) } else { Value::Nil };
    Objects { records, model, initial, skipped }
}
