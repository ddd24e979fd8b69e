//! `json!`: decodes JSON strings, and runs an automaton on the decoded text.

use rustc_hash::FxHashMap;

use super::dfa::{Dfa, TooLarge};

/// The state of decoding a JSON string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reader {
    /// Outside of escapes: the number of missing bytes of a character, the range of the next one, and the
    /// state of the text.
    Text(u8, u8, u8, u32),
    /// Inside an escape, at this step.
    Escape(usize),
}

const fn plain(state: u32) -> Reader {
    Reader::Text(0, 0, 0, state)
}

/// Returns the contents of JSON strings that decode to a string of `text`.
pub(super) fn spellings(text: &Dfa) -> Result<Dfa, TooLarge> {
    let mut escapes =
        Escapes { text, steps: Vec::new(), ids: FxHashMap::default(), known: FxHashMap::default() };
    let dfa = Dfa::explore(
        plain(0),
        |&reader| matches!(reader, Reader::Text(0, _, _, state) if text.is_accepting(state)),
        |&reader, byte| escapes.next(reader, byte),
    )?;
    Ok(dfa.trimmed())
}

/// The rest of an escape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// None: the text is in this state.
    End(u32),
    /// One of these letters, each with the next step.
    Letters(Vec<(u8, usize)>),
}

/// The escapes that are possible in each state of a text. Steps are hash-consed, because there are a million
/// characters.
struct Escapes<'a> {
    text: &'a Dfa,
    steps: Vec<Step>,
    ids: FxHashMap<Step, usize>,
    /// By block of characters with a common prefix in UTF-8: its size, its offset, and the state after the
    /// prefix.
    known: FxHashMap<(u32, u32, u32), Option<usize>>,
}

impl Escapes<'_> {
    fn next(&mut self, reader: Reader, byte: u8) -> Option<Reader> {
        let (missing, low, high, state) = match reader {
            Reader::Text(missing, low, high, state) => (missing, low, high, state),
            Reader::Escape(step) => {
                let Step::Letters(letters) = &self.steps[step] else { return None };
                let &(_, next) = letters.iter().find(|&&(letter, _)| letter == byte)?;
                return Some(self.reader(next));
            }
        };
        if missing == 0 && byte == b'\\' {
            return self.escape(state).map(Reader::Escape);
        }
        let (missing, low, high) = match (missing, byte) {
            (0, b'"' | 0..=0x1F | 0x80..=0xC1 | 0xF5..) => return None,
            (0, 0x20..=0x7F) => (0, 0, 0),
            (0, 0xC2..=0xDF) => (1, 0x80, 0xBF),
            (0, 0xE0) => (2, 0xA0, 0xBF),
            (0, 0xED) => (2, 0x80, 0x9F),
            (0, 0xE1..=0xEF) => (2, 0x80, 0xBF),
            (0, 0xF0) => (3, 0x90, 0xBF),
            (0, 0xF4) => (3, 0x80, 0x8F),
            (0, 0xF1..=0xF3) => (3, 0x80, 0xBF),
            _ if !(low..=high).contains(&byte) => return None,
            (1, _) => (0, 0, 0),
            _ => (missing - 1, 0x80, 0xBF),
        };
        Some(Reader::Text(missing, low, high, self.text.next(state, byte)?))
    }

    fn reader(&self, step: usize) -> Reader {
        match self.steps[step] {
            Step::End(state) => plain(state),
            Step::Letters(_) => Reader::Escape(step),
        }
    }

    fn step(&mut self, step: Step) -> usize {
        *self.ids.entry(step).or_insert_with_key(|step| {
            self.steps.push(step.clone());
            self.steps.len() - 1
        })
    }

    fn letters(&mut self, letters: Vec<(u8, usize)>) -> Option<usize> {
        if letters.is_empty() { None } else { Some(self.step(Step::Letters(letters))) }
    }

    /// Returns a step of hexadecimal digits from `least` on, in both cases, each with its target.
    fn digits(&mut self, least: u8, targets: &[Option<usize>]) -> Option<usize> {
        let mut letters = Vec::new();
        for (digit, target) in (least..).zip(targets) {
            let Some(target) = *target else { continue };
            let letter = char::from_digit(digit.into(), 16).expect("a digit");
            letters.push((letter as u8, target));
            if letter.is_ascii_alphabetic() {
                letters.push((letter.to_ascii_uppercase() as u8, target));
            }
        }
        self.letters(letters)
    }

    /// Returns the step after a backslash.
    fn escape(&mut self, state: u32) -> Option<usize> {
        let mut letters = Vec::new();
        for (letter, byte) in b"\"\\/bfnrt".iter().zip(b"\"\\/\x08\x0c\n\r\t") {
            if let Some(next) = self.text.next(state, *byte) {
                letters.push((*letter, self.step(Step::End(next))));
            }
        }
        let mut under_d: Vec<Option<usize>> =
            (0..8).map(|i| self.block(state, 8, 0xD000 + (i << 8))).collect();
        under_d.extend((0..4).map(|i| self.block(state, 18, 0x1_0000 + (i << 18))).collect::<Vec<_>>());
        let mut first: Vec<Option<usize>> = Vec::new();
        for i in 0..16 {
            first.push(if i == 0xD { self.digits(0, &under_d) } else { self.block(state, 12, i << 12) });
        }
        if let Some(digits) = self.digits(0, &first) {
            letters.push((b'u', digits));
        }
        self.letters(letters)
    }

    /// Returns the step for the remaining digits of the 2^`bits` characters from `low` on.
    fn block(&mut self, state: u32, bits: u32, low: u32) -> Option<usize> {
        if bits == 0 {
            let end = self.text.after(state, char::from_u32(low)?.encode_utf8(&mut [0; 4]).as_bytes())?;
            return Some(self.step(Step::End(end)));
        }
        let mut key = None;
        if bits <= 12 && low >= 0x1000 && low >> 12 != 0xD {
            let mut bytes = [0; 4];
            let bytes = char::from_u32(low)?.encode_utf8(&mut bytes).as_bytes();
            let after_prefix = self.text.after(state, &bytes[..bytes.len() - 2])?;
            key = Some((bits, low & 0xFFF, after_prefix));
            if let Some(&known) = key.and_then(|key| self.known.get(&key)) {
                return known;
            }
        }
        // The digits of surrogate pairs, and of single code units.
        let (rest, least) = match bits {
            18 => (14, 0),
            14 => (10, 0),
            10 => (8, 0xC),
            bits => (bits - 4, 0),
        };
        let targets: Vec<Option<usize>> =
            (0..1 << (bits - rest)).map(|i| self.block(state, rest, low + (i << rest))).collect();
        let mut found = self.digits(least, &targets);
        if bits == 10 {
            found = found.and_then(|low| self.digits(0xD, &[Some(low)]));
            for letter in [b'u', b'\\'] {
                found = found.and_then(|next| self.letters(vec![(letter, next)]));
            }
        }
        if let Some(key) = key {
            self.known.insert(key, found);
        }
        found
    }
}
