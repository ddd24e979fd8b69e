//! From the pieces of a `tokenizer.json` to bytes: what the file's decoder does to a piece, as a list of steps.

use std::borrow::Cow;

use serde_json::Value;

use crate::Error;

/// The most steps that a decoder may have; those of real files have three.
const MAX_STEPS: usize = 16;

/// How many times as long a decoder may make a piece; those of real files only make them shorter.
const MAX_GROWTH: usize = 8;

/// What a tokenizer's decoder makes of a piece, as far as that does not depend on the pieces around it.
#[derive(Debug)]
pub(super) struct Decoder {
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Every occurrence of a text gives way to another.
    Replace { pattern: String, content: String },
    /// A piece `<0xHH>` is that byte.
    ByteFallback,
    /// Each character stands for a byte.
    ByteLevel,
}

impl Decoder {
    /// Finds the steps in a file: from its decoder; if it has none, from what its pre-tokenizer and normalizer did to the text.
    pub(super) fn find(
        decoder: &Value,
        pre_tokenizer: &Value,
        normalizer: &Value,
        byte_fallback: bool,
    ) -> Result<Self, Error> {
        let mut steps = Vec::new();
        if decoder.is_null() {
            for part in parts(pre_tokenizer) {
                match kind(part) {
                    "ByteLevel" => steps.push(Step::ByteLevel),
                    "Metaspace" => steps.push(metaspace(part)?),
                    _ => {}
                }
            }
            for part in parts(normalizer).into_iter().filter(|part| kind(part) == "Replace") {
                if let (Some(" "), Some(mark)) = (pattern(part), part["content"].as_str()) {
                    steps.push(replace(mark, " ")?);
                }
            }
            if steps.is_empty() {
                return Err(unsupported("a tokenizer that does not say how to decode its pieces"));
            }
        } else {
            let mut fused = false;
            for part in parts(decoder) {
                match kind(part) {
                    "ByteLevel" => steps.push(Step::ByteLevel),
                    "Metaspace" => steps.push(metaspace(part)?),
                    "ByteFallback" => steps.push(Step::ByteFallback),
                    "Replace" => match (pattern(part), part["content"].as_str()) {
                        (Some(pattern), Some(content)) => steps.push(replace(pattern, content)?),
                        _ => {
                            return Err(unsupported("a decoder that replaces anything but a text by a text"));
                        }
                    },
                    "Fuse" => fused = true,
                    // Once the pieces are one text, stripping concerns the text's ends: no token by itself is changed.
                    "Strip" if fused => {}
                    "Strip" => return Err(unsupported("a decoder that strips every piece")),
                    kind => return Err(unsupported(&format!("the decoder {kind:?}"))),
                }
            }
        }
        if byte_fallback && !steps.contains(&Step::ByteFallback) {
            steps.insert(0, Step::ByteFallback);
        }
        let decoder = Self { steps };
        decoder.check_limits()?;
        Ok(decoder)
    }

    /// Whether pieces are written in the byte-level alphabet.
    pub(super) fn is_byte_level(&self) -> bool {
        self.steps.contains(&Step::ByteLevel)
    }

    /// The bytes of a piece; at most [`MAX_GROWTH`] times as many as the piece has. O(piece).
    pub(super) fn bytes(&self, piece: &str) -> Vec<u8> {
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
                        return vec![byte];
                    }
                }
                Step::ByteLevel => {
                    // A piece with other characters is meant as it stands.
                    if let Some(bytes) = text.chars().map(alphabet_byte).collect() {
                        return bytes;
                    }
                }
            }
        }
        text.into_owned().into_bytes()
    }

    /// Refuses what would take more than linear time.
    fn check_limits(&self) -> Result<(), Error> {
        let growth = self.steps.iter().fold(1usize, |growth, step| match step {
            Step::Replace { pattern, content } => {
                growth.saturating_mul(content.len().div_ceil(pattern.len()).max(1))
            }
            Step::ByteFallback | Step::ByteLevel => growth,
        });
        if self.steps.len() > MAX_STEPS {
            return Err(unsupported(&format!("{} decoders, more than {MAX_STEPS}", self.steps.len())));
        }
        if growth > MAX_GROWTH {
            return Err(unsupported(&format!(
                "a decoder that makes a piece more than {MAX_GROWTH} times as long"
            )));
        }
        Ok(())
    }
}

/// The parts of a decoder, pre-tokenizer or normalizer, sequences taken apart, in order.
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

fn kind(part: &Value) -> &str {
    part["type"].as_str().unwrap_or("")
}

/// The pattern of a `Replace`, if it is a text and no regex.
fn pattern(part: &Value) -> Option<&str> {
    part["pattern"]["String"].as_str()
}

fn metaspace(part: &Value) -> Result<Step, Error> {
    replace(part["replacement"].as_str().unwrap_or("\u{2581}"), " ")
}

fn replace(pattern: &str, content: &str) -> Result<Step, Error> {
    if pattern.is_empty() {
        return Err(unsupported("a decoder that replaces the empty text"));
    }
    Ok(Step::Replace { pattern: pattern.to_owned(), content: content.to_owned() })
}

pub(super) fn unsupported(what: &str) -> Error {
    const SHOWN: usize = 200;
    let mut shown: String = what.chars().take(SHOWN).collect();
    if shown.len() < what.len() {
        shown.push_str("...");
    }
    Error::Unsupported { what: shown }
}

/// The byte that `<0xHH>` stands for.
fn fallback_byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_byte = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_byte { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// The byte that a character of the byte-level alphabet stands for.
///
/// The alphabet has a visible character for each byte: the printable ones of Latin-1 are themselves, and the other 68, in order, are
/// the characters from U+0100 on.
///
/// # Source
///
/// The encoder of GPT-2 (Radford et al., 2019), which byte-level BPE has kept since.
fn alphabet_byte(c: char) -> Option<u8> {
    match c as u32 {
        code @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => Some(code as u8),
        // 0x00-0x20, 0x7f-0xa0, 0xad.
        code @ 0x100..=0x120 => Some((code - 0x100) as u8),
        code @ 0x121..=0x142 => Some((code - 0x121 + 0x7f) as u8),
        0x143 => Some(0xad),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{alphabet_byte, fallback_byte};

    #[test]
    fn the_alphabet_has_each_byte_once() {
        let mut bytes: Vec<u8> =
            (0..=0x10_ffff).filter_map(char::from_u32).filter_map(alphabet_byte).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!(['Ġ', 'Ċ', 'ĉ', 'A', 'é'].map(alphabet_byte), [b' ', b'\n', b'\t', b'A', 0xe9].map(Some));
    }

    #[test]
    fn only_two_hexadecimal_digits_make_a_fallback_byte() {
        assert_eq!(fallback_byte("<0x0A>"), Some(10));
        assert_eq!(fallback_byte("<0xff>"), Some(255));
        for piece in ["<0x+A>", "<0xA>", "<0x00A>", "0x0A", "<0x0A", "", "<0xé>"] {
            assert_eq!(fallback_byte(piece), None, "{piece}");
        }
    }
}
