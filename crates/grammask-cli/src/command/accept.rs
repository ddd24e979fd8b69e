//! `grammask accept`: tests if a text is in the language, byte by byte and without a vocabulary.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use grammask_earley::{Recognizer, SetId};
use serde_json::json;

use crate::Status;
use crate::args::{Accept, ReadingArgs};
use crate::failure::Failure;
use crate::input::source::{Source, config, unreadable};
use crate::output::Output;

pub(crate) fn run(arguments: &Accept, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    let stdin = Path::new("-");
    let text = &arguments.text;
    let text_file = match (&text.text, &text.text_file) {
        (Some(_), _) => None,
        (None, Some(file)) => Some(file.as_path()),
        (None, None) => Some(stdin),
    };
    if arguments.file == stdin && text_file == Some(stdin) {
        return Err(Failure::other("the grammar and the text cannot both come from stdin"));
    }
    let config = config(reading)?;
    let source = Source::read(&arguments.file, reading, &config)?;
    let mut test = TextTest::new(source.compile(&config)?.recognizer(&config));
    match (&text.text, text_file) {
        (Some(text), _) => drop(test.read(text.as_encoded_bytes())?),
        (None, Some(path)) if path == stdin => test.read_all(std::io::stdin().lock(), path)?,
        (None, Some(path)) => {
            let file = File::open(path).map_err(|error| unreadable(path, &error))?;
            test.read_all(BufReader::with_capacity(1 << 16, file), path)?;
        }
        (None, None) => {}
    }
    let at = test.offset;
    let (verdict, status) = if test.state.is_dead() {
        ("reject", Status::No)
    } else if test.state.completes() {
        ("accept", Status::Yes)
    } else {
        ("live prefix", Status::LivePrefix)
    };
    if out.is_json() {
        let mut answer = json!({ "verdict": verdict });
        answer[if status == Status::No { "at" } else { "length" }] = json!(at);
        out.json(&answer)?;
    } else if status == Status::No {
        out.line(format_args!("reject at byte {at}"))?;
    } else {
        out.line(verdict)?;
    }
    Ok(status)
}

/// Progress of testing a text.
struct TextTest {
    recognizer: Recognizer,
    state: SetId,
    /// Number of accepted bytes.
    offset: u64,
    /// Bytes of the tables below which they are not replaced, even above their budget: a single state may
    /// need more than the budget.
    min_replaced_bytes: usize,
}

impl TextTest {
    fn new(recognizer: Recognizer) -> Self {
        Self { state: recognizer.initial(), recognizer, offset: 0, min_replaced_bytes: 0 }
    }

    /// Accepts bytes up to the first that cannot follow. Returns true if it accepted all.
    fn read(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        let limit = |offset: u64| move |error| Failure::other(format!("after {offset} bytes: {error}"));
        for &byte in bytes {
            self.state = self.recognizer.step(self.state, byte).map_err(limit(self.offset))?;
            if self.state.is_dead() {
                return Ok(false);
            }
            self.offset += 1;
            if self.recognizer.is_over_budget() && self.recognizer.bytes_used() > self.min_replaced_bytes {
                let fresh = self.recognizer.successor();
                self.state = fresh.import(&self.recognizer, self.state).map_err(limit(self.offset))?;
                self.recognizer = fresh;
                self.min_replaced_bytes = 2 * self.recognizer.bytes_used();
            }
        }
        Ok(true)
    }

    /// As [`read`](Self::read), for a whole file.
    fn read_all(&mut self, mut from: impl BufRead, path: &Path) -> Result<(), Failure> {
        loop {
            let bytes = match from.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(path, &error)),
            };
            let length = bytes.len();
            if length == 0 || !self.read(bytes)? {
                return Ok(());
            }
            from.consume(length);
        }
    }
}
