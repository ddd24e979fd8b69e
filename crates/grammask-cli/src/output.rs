//! Buffered output to stdout, which ignores a closed pipe.

pub(crate) mod histogram;
pub(crate) mod listing;
pub(crate) mod progress;

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use serde_json::{Value, json};

/// Standard output. If the reader closes the pipe, further output is dropped without an error.
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    json: bool,
    closed: bool,
}

impl Output {
    /// Creates the output. `json` is true if the answer is to be JSON.
    pub(crate) fn new(json: bool) -> Self {
        Self { writer: BufWriter::new(io::stdout().lock()), json, closed: false }
    }

    /// Returns true if the answer is to be JSON.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Returns true if the reader has closed the pipe.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes a text as it is.
    pub(crate) fn text(&mut self, text: impl Display) -> io::Result<()> {
        self.attempt(|writer| write!(writer, "{text}"))
    }

    /// Writes a text and a line break.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        self.attempt(|writer| writeln!(writer, "{text}"))
    }

    /// Writes bytes as they are, and flushes them.
    pub(crate) fn stream(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.attempt(|writer| writer.write_all(bytes).and_then(|()| writer.flush()))
    }

    /// Writes a JSON value and a line break.
    pub(crate) fn json(&mut self, value: &Value) -> io::Result<()> {
        self.line(value)
    }

    /// Writes the buffered output.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.attempt(Write::flush)
    }

    /// Writes, unless the pipe is closed.
    fn attempt(
        &mut self,
        write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match write(&mut self.writer) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result,
        }
    }
}

/// Converts bytes to JSON: their text, and the bytes as well if they are not UTF-8.
pub(crate) fn bytes_to_json(bytes: &[u8]) -> Value {
    match str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "text": String::from_utf8_lossy(bytes), "bytes": bytes }),
    }
}

/// Returns bytes in double quotes. Printable UTF-8 is unchanged, everything else is escaped.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' => text.push('\''),
                character => text.extend(character.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_written_as_text_and_bytes() {
        assert_eq!(bytes_to_json(b"ab"), json!({ "text": "ab" }));
        assert_eq!(bytes_to_json(b"a\xff"), json!({ "text": "a\u{fffd}", "bytes": [97, 255] }));
    }

    #[test]
    fn quoted_bytes_are_printable() {
        assert_eq!(quoted("a\n\"'é\u{7f}".as_bytes()), "\"a\\n\\\"'é\\u{7f}\"");
        assert_eq!(quoted(b"\xc3("), "\"\\xc3(\"");
    }
}
