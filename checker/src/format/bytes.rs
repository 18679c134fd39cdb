//! Bytes of histories: decompressed where they are compressed, line by line, never more than a bound at once.

use super::ReadError;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// The input of a reader.
pub type Input = Box<dyn BufRead + Send>;

/// The longest line that is read.
const LONGEST_LINE: u64 = 16 << 20;

/// The largest file of a format that must be read as a whole.
const LARGEST_WHOLE: u64 = 1 << 30;

/// Puts a decompressor in front of bytes that begin like gzip or Zstandard, and takes away a byte order mark, which some editors put before a text.
pub(super) fn decompressed(input: impl Read + Send + 'static) -> io::Result<Input> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut magic = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut magic)?;
    let starts = [&magic[..2.min(magic.len())] == b"\x1f\x8b", magic == [0x28, 0xb5, 0x2f, 0xfd]];
    let whole = io::Cursor::new(magic).chain(input);
    unmarked(match starts {
        [true, _] => Box::new(BufReader::with_capacity(1 << 16, flate2::bufread::MultiGzDecoder::new(whole))),
        [_, true] => Box::new(BufReader::with_capacity(1 << 16, zstd(whole)?)),
        _ => Box::new(whole),
    })
}

/// UTF-8's byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

fn unmarked(mut input: Input) -> io::Result<Input> {
    let mut begin = Vec::with_capacity(MARK.len());
    input.by_ref().take(MARK.len() as u64).read_to_end(&mut begin)?;
    if begin == MARK {
        begin.clear();
    }
    Ok(Box::new(io::Cursor::new(begin).chain(input)))
}

fn zstd(input: impl BufRead + Send + 'static) -> io::Result<impl Read + Send> {
    Frames { input: Some(Box::new(input)), frame: None }.primed()
}

type Frame = ruzstd::decoding::StreamingDecoder<Box<dyn BufRead + Send>, ruzstd::decoding::FrameDecoder>;

/// One Zstandard frame after the other: `cat a.zst b.zst` is a file too.
struct Frames {
    input: Option<Box<dyn BufRead + Send>>,
    frame: Option<Frame>,
}

impl Frames {
    fn primed(mut self) -> io::Result<Self> {
        self.next_frame()?;
        Ok(self)
    }

    fn next_frame(&mut self) -> io::Result<()> {
        let Some(mut input) = self.input.take() else { return Ok(()) };
        if !input.fill_buf()?.is_empty() {
            self.frame = Some(Frame::new(input).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?);
        }
        Ok(())
    }
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let read = frame.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            self.input = self.frame.take().map(Frame::into_inner);
            self.next_frame()?;
        }
        Ok(0)
    }
}

/// Lines with their numbers, in a buffer that is used again.
pub(super) struct Lines {
    input: Input,
    file: Arc<str>,
    line: u64,
    buffer: Vec<u8>,
}

impl Lines {
    pub(super) fn new(input: Input, file: Arc<str>) -> Self {
        Lines { input, file, line: 0, buffer: Vec::new() }
    }

    pub(super) fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// The next line that is not blank, with its number and without its end.
    pub(super) fn next(&mut self) -> Option<Result<(u64, &[u8]), ReadError>> {
        loop {
            self.buffer.clear();
            self.line += 1;
            match self.input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.buffer) {
                Ok(0) => return None,
                Ok(_) if self.buffer.len() as u64 == LONGEST_LINE => {
                    return self
                        .broken(io::Error::new(io::ErrorKind::InvalidData, format!("line {} is longer than 16 MiB", self.line)));
                }
                Ok(_) if self.buffer.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => return Some(Ok((self.line, self.buffer.trim_ascii()))),
                Err(source) => return self.broken(source),
            }
        }
    }

    /// After an error of the bytes themselves nothing follows.
    fn broken<T>(&mut self, source: io::Error) -> Option<Result<T, ReadError>> {
        self.input = Box::new(io::empty());
        Some(Err(ReadError::Io { file: self.file.clone(), source }))
    }
}

/// Everything that is left.
pub(super) fn whole(input: Input, file: &Arc<str>) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = input.take(LARGEST_WHOLE + 1).read_to_end(&mut bytes);
    let read = read.and_then(|_| match bytes.len() as u64 > LARGEST_WHOLE {
        true => Err(io::Error::new(io::ErrorKind::InvalidData, "larger than 1 GiB; give operations as JSONL")),
        false => Ok(()),
    });
    read.map(|()| bytes).map_err(|source| ReadError::Io { file: file.clone(), source })
}
