//! `grammask accept`: tests if a text is in the language, byte by byte and without a vocabulary.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::Path;

use grammask_earley::{Recognizer, SetId};
use grammask_syntax::line_column;
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
    let Some(compiled) = source.compile_unless_empty(&config)? else {
        let answer = json!({ "verdict": "reject", "at": 0, "line": 1, "column": 1, "expected": [] });
        if out.is_json() {
            out.json(&answer)?;
        } else {
            out.line("reject at byte 0")?;
        };
        return Ok(Status::No);
    };
    let mut test = TextTest::new(compiled.recognizer(&config));
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
    let expected = if status == Status::No { test.expected()? } else { Vec::new() };
    if out.is_json() {
        let mut answer = json!({ "verdict": verdict });
        answer[if status == Status::No { "at" } else { "length" }] = json!(at);
        if status == Status::No {
            let place = line_column(&test.line, test.line.len());
            answer["line"] = json!(test.lines + place.line as u64);
            answer["column"] = json!(test.cut + place.column as u64);
            answer["expected"] = json!(expected);
        }
        out.json(&answer)?;
    } else if status == Status::No {
        out.line(format_args!("reject at byte {at}"))?;
        // Best effort: the verdict is the answer.
        let _ = writeln!(std::io::stderr(), "{}", test.report(&expected));
    } else {
        out.line(verdict)?;
    }
    Ok(status)
}

/// Length of a line that is kept for a report, in bytes. Of a longer one, the first characters are dropped.
const MAX_LINE_BYTES: usize = 1 << 12;

/// Number of characters before the rejected one in a report.
const SHOWN_BEFORE: usize = 60;

/// Number of characters from the rejected one on in a report.
const SHOWN_AFTER: usize = 20;

/// Number of expected bytes and tokens that a report lists.
const MAX_LISTED: usize = 16;

/// Returns a byte for a message.
fn byte_text(byte: u8) -> String {
    match byte {
        b'\n' => "a line break".to_owned(),
        b'\t' => "a tab".to_owned(),
        b' '..=b'~' => format!("`{}`", char::from(byte)),
        _ => format!("byte {byte:#04x}"),
    }
}

/// Progress of testing a text.
struct TextTest {
    recognizer: Recognizer,
    state: SetId,
    /// Number of accepted bytes.
    offset: u64,
    /// The state before the rejected byte.
    before: SetId,
    /// Number of complete lines.
    lines: u64,
    /// The accepted bytes of the current line, without its first characters if it is long.
    line: Vec<u8>,
    /// Number of characters that `line` lacks.
    cut: u64,
    /// Bytes from the rejected one on, up to the end of the line or of what was read.
    rest: Vec<u8>,
    /// Bytes of the tables below which they are not replaced, even above their budget: a single state may
    /// need more than the budget.
    min_replaced_bytes: usize,
}

impl TextTest {
    fn new(recognizer: Recognizer) -> Self {
        let state = recognizer.initial();
        Self {
            state,
            before: state,
            recognizer,
            offset: 0,
            lines: 0,
            line: Vec::new(),
            cut: 0,
            rest: Vec::new(),
            min_replaced_bytes: 0,
        }
    }

    /// Accepts bytes up to the first that cannot follow. Returns true if it accepted all.
    fn read(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        let limit = |offset: u64| move |error| Failure::other(format!("after {offset} bytes: {error}"));
        for (place, &byte) in bytes.iter().enumerate() {
            self.before = self.state;
            self.state = self.recognizer.step(self.state, byte).map_err(limit(self.offset))?;
            if self.state.is_dead() {
                let line = bytes[place..].split(|&byte| byte == b'\n').next().unwrap_or_default();
                self.rest = line[..line.len().min(MAX_LINE_BYTES)].to_vec();
                return Ok(false);
            }
            self.offset += 1;
            self.extend_line(byte);
            if self.recognizer.is_over_budget() && self.recognizer.bytes_used() > self.min_replaced_bytes {
                let fresh = self.recognizer.successor();
                self.state = fresh.import(&self.recognizer, self.state).map_err(limit(self.offset))?;
                self.before = self.state;
                self.recognizer = fresh;
                self.min_replaced_bytes = 2 * self.recognizer.bytes_used();
            }
        }
        Ok(true)
    }

    /// Adds an accepted byte to the current line.
    fn extend_line(&mut self, byte: u8) {
        if byte == b'\n' {
            self.lines += 1;
            self.line.clear();
            self.cut = 0;
            return;
        }
        self.line.push(byte);
        if self.line.len() > 2 * MAX_LINE_BYTES {
            // Keep whole characters: a byte that continues one is never the first.
            let is_start = |&at: &usize| self.line[at] & 0xC0 != 0x80;
            let keep = (MAX_LINE_BYTES..self.line.len()).find(is_start).unwrap_or(MAX_LINE_BYTES);
            let removed: Vec<u8> = self.line.drain(..keep).collect();
            self.cut += (line_column(&removed, removed.len()).column - 1) as u64;
        }
    }

    /// Returns what may follow the accepted bytes: bytes and ranges of bytes, special tokens, the end.
    fn expected(&self) -> Result<Vec<String>, Failure> {
        let mut expected = Vec::new();
        let bytes: Vec<u8> = self.recognizer.live_bytes(self.before)?.iter().collect();
        for run in bytes.chunk_by(|low, high| low.checked_add(1) == Some(*high)) {
            let (low, high) = (run[0], run[run.len() - 1]);
            match run.len() {
                1..=3 => expected.extend(run.iter().map(|&byte| byte_text(byte))),
                _ => expected.push(format!("{} to {}", byte_text(low), byte_text(high))),
            }
        }
        let network = self.recognizer.network();
        for (index, special) in network.specials.iter().enumerate() {
            if !self.recognizer.step_class(self.before, network.class_of_special(index))?.is_dead() {
                expected.push(special.to_string());
            }
        }
        if self.before.completes() {
            expected.push("the end".to_owned());
        }
        Ok(expected)
    }

    /// Returns the line of the rejected byte with a caret, and what was expected.
    fn report(&self, expected: &[String]) -> String {
        let place = line_column(&self.line, self.line.len());
        let number = (self.lines + place.line as u64).to_string();
        let column = self.cut + place.column as u64;
        let before = String::from_utf8_lossy(&self.line);
        let shown: Vec<char> = before.chars().collect();
        let from = shown.len().saturating_sub(SHOWN_BEFORE);
        let visible = |character: char| if character.is_control() { '\u{FFFD}' } else { character };
        let start: String = shown[from..].iter().copied().map(visible).collect();
        let after = String::from_utf8_lossy(&self.rest);
        let end: String = after.chars().take(SHOWN_AFTER).map(visible).collect();
        let (margin, indent) = (" ".repeat(number.len()), " ".repeat(start.chars().count()));
        let mut listed: Vec<String> = expected.iter().take(MAX_LISTED).cloned().collect();
        if expected.len() > MAX_LISTED {
            listed.push(format!("{} more", expected.len() - MAX_LISTED));
        }
        format!(
            "{margin}--> line {number}, column {column}\n{margin} |\n{number} | {start}{end}\n{margin} | {indent}^\n{margin} = expected: {}",
            listed.join(", ")
        )
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
