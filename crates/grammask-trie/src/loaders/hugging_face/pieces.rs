//! Converts the pieces of a `tokenizer.json` to bytes by the decoder of the file, as a list of steps.

use std::borrow::Cow;

use serde_json::Value;

use crate::loaders::spelling::{byte_level, fallback_byte};
use crate::loaders::unsupported;
use crate::{Error, Limit, LimitExceeded, Limits};

/// The part of the decoder of a tokenizer that does not depend on neighboring pieces.
#[derive(Debug)]
pub(super) struct PieceDecoder {
    steps: Vec<Step>,
    /// True if the decoder removes one space at the beginning of a text.
    pub(super) strips_first_space: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Replaces each occurrence of a text by another text.
    Replace { pattern: String, content: String },
    /// Converts a piece `<0xHH>` to the byte HH.
    ByteFallback,
    /// Converts each character to a byte, in the alphabet of GPT-2.
    ByteLevel,
    /// Removes a character at the ends of a piece, at most this many times.
    Strip { content: char, start: usize, stop: usize },
    /// Removes the prefix of a piece that continues a word, and adds a space before all others.
    WordPiece { prefix: String, cleans_up: bool },
}

/// Replacements of the `cleanup` of the decoder `WordPiece`, in their order.
const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// The steps of a decoder, and what it does at the beginning of a text.
#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    strips_first_space: bool,
}

impl PieceDecoder {
    /// Reads the steps from the decoder of a file. If it has no decoder, inverts its pre-tokenizer and
    /// normalizer.
    pub(super) fn find(
        decoder: &Value,
        pre_tokenizer: &Value,
        normalizer: &Value,
        byte_fallback: bool,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let Steps { mut steps, strips_first_space } = if decoder.is_null() {
            invert_encoder(pre_tokenizer, normalizer)?
        } else {
            read_decoder(decoder)?
        };
        if byte_fallback && !steps.contains(&Step::ByteFallback) {
            steps.insert(0, Step::ByteFallback);
        }
        let decoder = Self { steps, strips_first_space };
        decoder.check_limits(limits)?;
        Ok(decoder)
    }

    /// Returns true if the decoder removes the prefix of pieces that continue a word.
    pub(super) fn is_word_piece(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::WordPiece { .. }))
    }

    /// Returns the bytes of a piece: at most `max_decoder_growth` times as many as the piece has, and
    /// one more.
    pub(super) fn bytes<'p>(&self, piece: &'p str) -> Cow<'p, [u8]> {
        let mut text = Cow::Borrowed(piece);
        for step in &self.steps {
            match step {
                Step::Replace { pattern, content } => {
                    if text.contains(pattern.as_str()) {
                        text = Cow::Owned(text.replace(pattern.as_str(), content));
                    }
                }
                Step::ByteFallback => {
                    if let Some(byte) = fallback_byte(&text) {
                        return Cow::Owned(vec![byte]);
                    }
                }
                // A piece with characters outside of the alphabet is taken literally.
                Step::ByteLevel => {
                    if let Cow::Owned(bytes) = byte_level(&text) {
                        return Cow::Owned(bytes);
                    }
                }
                Step::Strip { content, start, stop } => {
                    text = Cow::Owned(stripped(&text, *content, *start, *stop).to_owned());
                }
                Step::WordPiece { prefix, cleans_up } => {
                    text = Cow::Owned(word_piece(&text, prefix, *cleans_up));
                }
            }
        }
        match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// Checks the limits that bound the time for a piece.
    fn check_limits(&self, limits: &Limits) -> Result<(), Error> {
        let growth = self.steps.iter().fold(1usize, |growth, step| match step {
            Step::Replace { pattern, content } => {
                growth.saturating_mul(content.len().div_ceil(pattern.len()).max(1))
            }
            // `WordPiece` adds one space to a piece, which the limit on tokens bounds.
            Step::ByteFallback | Step::ByteLevel | Step::Strip { .. } | Step::WordPiece { .. } => growth,
        });
        let check = |limit, value: u32, found: usize| {
            if found <= value as usize {
                return Ok(());
            }
            let exceeded = LimitExceeded { limit, value: value.into(), found: Some(found as u64) };
            Err(Error::LimitExceeded { id: None, exceeded })
        };
        check(Limit::MaxDecoderSteps, limits.max_decoder_steps, self.steps.len())?;
        check(Limit::MaxDecoderGrowth, limits.max_decoder_growth, growth)
    }
}

/// Returns a piece without a character at its ends.
fn stripped(mut text: &str, content: char, start: usize, stop: usize) -> &str {
    for _ in 0..start.min(text.len()) {
        let Some(rest) = text.strip_prefix(content) else { break };
        text = rest;
    }
    for _ in 0..stop.min(text.len()) {
        let Some(rest) = text.strip_suffix(content) else { break };
        text = rest;
    }
    text
}

/// Returns the text of a piece that is not the first of a text.
fn word_piece(piece: &str, prefix: &str, cleans_up: bool) -> String {
    let mut text = match piece.strip_prefix(prefix) {
        Some(rest) => rest.to_owned(),
        None => format!(" {piece}"),
    };
    if cleans_up {
        for (pattern, content) in CLEANUP {
            if text.contains(pattern) {
                text = text.replace(pattern, content);
            }
        }
    }
    text
}

/// Returns the steps that undo a pre-tokenizer and a normalizer.
fn invert_encoder(pre_tokenizer: &Value, normalizer: &Value) -> Result<Steps, Error> {
    let mut steps = Steps::default();
    for part in parts(pre_tokenizer) {
        match kind(part) {
            "ByteLevel" => steps.steps.push(Step::ByteLevel),
            "Metaspace" => steps.add_metaspace(part)?,
            _ => {}
        }
    }
    for part in parts(normalizer) {
        match (kind(part), pattern(part), part["content"].as_str()) {
            ("Replace", Some(" "), Some(mark)) => steps.steps.push(replace(mark, " ")?),
            ("Prepend", ..) => steps.strips_first_space = true,
            _ => {}
        }
    }
    if steps.steps.is_empty() {
        return Err(unsupported("a tokenizer that does not say how to decode its pieces"));
    }
    Ok(steps)
}

/// Returns the steps of a decoder.
fn read_decoder(decoder: &Value) -> Result<Steps, Error> {
    let mut steps = Steps::default();
    let mut is_fused = false;
    for part in parts(decoder) {
        match kind(part) {
            "Fuse" => is_fused = true,
            // After `Fuse`, `Strip` affects only the ends of the whole text and not a single piece.
            "Strip" if is_fused => steps.strips_first_space |= strip(part)?.1 > 0,
            "Strip" => {
                let (content, start, stop) = strip(part)?;
                steps.steps.push(Step::Strip { content, start, stop });
            }
            "Replace" => {
                let step = match (pattern(part), part["content"].as_str()) {
                    (Some(pattern), Some(content)) => replace(pattern, content)?,
                    _ => return Err(unsupported("a decoder that replaces anything but a text by a text")),
                };
                // Pieces of one character are in one token, fused or not.
                if is_fused && pattern(part).is_some_and(|pattern| pattern.chars().nth(1).is_some()) {
                    return Err(unsupported("a decoder that replaces a text across tokens"));
                }
                steps.steps.push(step);
            }
            kind if is_fused => return Err(unsupported(&format!("the decoder {kind:?} after \"Fuse\""))),
            "ByteLevel" => steps.steps.push(Step::ByteLevel),
            "Metaspace" => steps.add_metaspace(part)?,
            "ByteFallback" => steps.steps.push(Step::ByteFallback),
            "WordPiece" => {
                let prefix = part["prefix"].as_str().unwrap_or("##").to_owned();
                let cleans_up = part["cleanup"].as_bool().unwrap_or(true);
                steps.steps.push(Step::WordPiece { prefix, cleans_up });
                steps.strips_first_space = true;
            }
            kind => return Err(unsupported(&format!("the decoder {kind:?}"))),
        }
    }
    Ok(steps)
}

/// Returns the character of a `Strip`, and how often it is removed at the beginning and the end.
fn strip(part: &Value) -> Result<(char, usize, usize), Error> {
    let count = |key: &str| part[key].as_u64().and_then(|count| usize::try_from(count).ok());
    let mut content = part["content"].as_str().unwrap_or("").chars();
    match (content.next(), content.next(), count("start"), count("stop")) {
        (Some(content), None, Some(start), Some(stop)) => Ok((content, start, stop)),
        _ => Err(unsupported("a decoder that strips anything but a character, a number of times")),
    }
}

impl Steps {
    /// Adds the step of a `Metaspace`: its mark becomes a space.
    fn add_metaspace(&mut self, part: &Value) -> Result<(), Error> {
        self.steps.push(replace(part["replacement"].as_str().unwrap_or("\u{2581}"), " ")?);
        // Files have one of these keys, depending on their age.
        self.strips_first_space |= match (part["prepend_scheme"].as_str(), part["add_prefix_space"].as_bool())
        {
            (Some(scheme), _) => scheme != "never",
            (None, adds) => adds.unwrap_or(true),
        };
        Ok(())
    }
}

/// Returns the parts of a decoder, pre-tokenizer or normalizer in order, with nested sequences flattened.
fn parts(whole: &Value) -> Vec<&Value> {
    let mut parts = Vec::new();
    let mut open = vec![whole];
    while let Some(part) = open.pop() {
        let members =
            ["decoders", "pretokenizers", "normalizers"].into_iter().find_map(|key| part[key].as_array());
        match members {
            Some(members) if kind(part) == "Sequence" => open.extend(members.iter().rev()),
            _ if part.is_null() => {}
            _ => parts.push(part),
        }
    }
    parts
}

/// Returns the `type` of a part. Returns an empty text if it has none.
fn kind(part: &Value) -> &str {
    part["type"].as_str().unwrap_or("")
}

/// Returns the pattern of a `Replace`. Returns `None` if the pattern is a regex with operators.
fn pattern(part: &Value) -> Option<&str> {
    let is_literal = |regex: &&str| !regex.contains(|c: char| r"\.+*?()|[]{}^$#&-~".contains(c));
    let pattern = &part["pattern"];
    pattern["String"].as_str().or_else(|| pattern["Regex"].as_str().filter(is_literal))
}

fn replace(pattern: &str, content: &str) -> Result<Step, Error> {
    if pattern.is_empty() {
        return Err(unsupported("a decoder that replaces the empty text"));
    }
    Ok(Step::Replace { pattern: pattern.to_owned(), content: content.to_owned() })
}
