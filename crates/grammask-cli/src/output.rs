//! What is written to stdout: buffered, and without complaint when nobody reads on.

pub(crate) mod histogram;
pub(crate) mod listing;
pub(crate) mod progress;

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use serde_json::{Value, json};

/// Standard output. When its reader has gone, the rest is dropped: that is no error, and no reason to answer otherwise.
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    json: bool,
    closed: bool,
}

impl Output {
    /// `json` says what is to be written.
    pub(crate) fn new(json: bool) -> Self {
        Self { writer: BufWriter::new(io::stdout().lock()), json, closed: false }
    }

    /// Whether the answer is to be JSON.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Whether nobody reads any more.
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

    /// Writes bytes as they are, and does not keep them back.
    pub(crate) fn stream(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.attempt(|writer| writer.write_all(bytes).and_then(|()| writer.flush()))
    }

    /// Writes a JSON value and a line break.
    pub(crate) fn json(&mut self, value: &Value) -> io::Result<()> {
        self.line(value)
    }

    /// Writes what was kept back.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.attempt(Write::flush)
    }

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

/// Bytes for scripts: the text, with replacement characters where it is no UTF-8; then also the bytes.
pub(crate) fn bytes_to_json(bytes: &[u8]) -> Value {
    match str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "text": String::from_utf8_lossy(bytes), "bytes": bytes }),
    }
}

/// Bytes in double quotes: printable UTF-8 as it is, all else escaped.
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
    fn bytes_that_are_no_text_are_told_twice() {
        assert_eq!(bytes_to_json(b"ab"), json!({ "text": "ab" }));
        assert_eq!(bytes_to_json(b"a\xff"), json!({ "text": "a\u{fffd}", "bytes": [97, 255] }));
    }

    #[test]
    fn quoted_bytes_are_printable() {
        assert_eq!(quoted("a\n\"'é\u{7f}".as_bytes()), "\"a\\n\\\"'é\\u{7f}\"");
        assert_eq!(quoted(b"\xc3("), "\"\\xc3(\"");
    }
}
