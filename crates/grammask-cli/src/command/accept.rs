//! `grammask accept`: whether a text is in the language. Without a vocabulary, byte by byte.

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
    let config = config(reading);
    let source = Source::read(&arguments.file, reading, &config)?;
    let mut reading = Reading::new(source.compile(&config)?.recognizer(&config));
    match (&text.text, text_file) {
        (Some(text), _) => drop(reading.read(text.as_encoded_bytes())?),
        (None, Some(path)) if path == stdin => reading.read_all(std::io::stdin().lock(), path)?,
        (None, Some(path)) => {
            let file = File::open(path).map_err(|error| unreadable(path, &error))?;
            reading.read_all(BufReader::with_capacity(1 << 16, file), path)?;
        }
        (None, None) => {}
    }
    let at = reading.offset;
    let (verdict, status) = if reading.state.is_dead() {
        ("reject", Status::No)
    } else if reading.state.completes() {
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

/// A text that is being read.
struct Reading {
    recognizer: Recognizer,
    state: SetId,
    /// How many bytes were taken.
    offset: u64,
    /// Fresh tables are made only when those in use hold more bytes than this, as a state may by itself need more than
    /// their budget.
    room: usize,
}

impl Reading {
    fn new(recognizer: Recognizer) -> Self {
        Self { state: recognizer.initial(), recognizer, offset: 0, room: 0 }
    }

    /// Takes bytes up to the first after which nothing goes on; says whether it took all.
    fn read(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        let limit = |offset: u64| move |error| Failure::other(format!("after {offset} bytes: {error}"));
        for &byte in bytes {
            self.state = self.recognizer.step(self.state, byte).map_err(limit(self.offset))?;
            if self.state.is_dead() {
                return Ok(false);
            }
            self.offset += 1;
            if self.recognizer.is_over_budget() && self.recognizer.bytes_used() > self.room {
                let fresh = self.recognizer.successor();
                self.state = fresh.import(&self.recognizer, self.state).map_err(limit(self.offset))?;
                self.recognizer = fresh;
                self.room = 2 * self.recognizer.bytes_used();
            }
        }
        Ok(true)
    }

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
