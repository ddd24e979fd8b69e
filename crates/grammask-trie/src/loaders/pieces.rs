//! Converts the pieces of a `tokenizer.json` to bytes by the decoder of the file, as a list of steps.

use std::borrow::Cow;

use serde_json::Value;

use crate::{Error, Limit, LimitExceeded, Limits};

/// The part of the decoder of a tokenizer that does not depend on neighboring pieces.
#[derive(Debug)]
pub(super) struct PieceDecoder {
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Replaces each occurrence of a text by another text.
    Replace { pattern: String, content: String },
    /// Converts a piece `<0xHH>` to the byte HH.
    ByteFallback,
    /// Converts each character to a byte, in the alphabet of GPT-2.
    ByteLevel,
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
        let mut steps = if decoder.is_null() {
            invert_encoder(pre_tokenizer, normalizer)?
        } else {
            read_decoder(decoder)?
        };
        if byte_fallback && !steps.contains(&Step::ByteFallback) {
            steps.insert(0, Step::ByteFallback);
        }
        let decoder = Self { steps };
        decoder.check_limits(limits)?;
        Ok(decoder)
    }

    /// Returns true if pieces are written in the byte-level alphabet.
    pub(super) fn is_byte_level(&self) -> bool {
        self.steps.contains(&Step::ByteLevel)
    }

    /// Returns the bytes of a piece: at most `max_decoder_growth` times as many as the piece has.
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
                    // A piece with characters outside of the alphabet is taken literally.
                    if let Some(bytes) = text.chars().map(alphabet_byte).collect() {
                        return bytes;
                    }
                }
            }
        }
        text.into_owned().into_bytes()
    }

    /// Checks the limits that bound the time for a piece.
    fn check_limits(&self, limits: &Limits) -> Result<(), Error> {
        let growth = self.steps.iter().fold(1usize, |growth, step| match step {
            Step::Replace { pattern, content } => {
                growth.saturating_mul(content.len().div_ceil(pattern.len()).max(1))
            }
            Step::ByteFallback | Step::ByteLevel => growth,
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

/// Returns the steps that undo a pre-tokenizer and a normalizer.
fn invert_encoder(pre_tokenizer: &Value, normalizer: &Value) -> Result<Vec<Step>, Error> {
    let mut steps = Vec::new();
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
    Ok(steps)
}

/// Returns the steps of a decoder.
fn read_decoder(decoder: &Value) -> Result<Vec<Step>, Error> {
    let mut steps = Vec::new();
    let mut is_fused = false;
    for part in parts(decoder) {
        match kind(part) {
            "ByteLevel" => steps.push(Step::ByteLevel),
            "Metaspace" => steps.push(metaspace(part)?),
            "ByteFallback" => steps.push(Step::ByteFallback),
            "Replace" => match (pattern(part), part["content"].as_str()) {
                (Some(pattern), Some(content)) => steps.push(replace(pattern, content)?),
                _ => return Err(unsupported("a decoder that replaces anything but a text by a text")),
            },
            "Fuse" => is_fused = true,
            // After `Fuse`, `Strip` affects only the ends of the whole text and not a single piece.
            "Strip" if is_fused => {}
            "Strip" => return Err(unsupported("a decoder that strips every piece")),
            kind => return Err(unsupported(&format!("the decoder {kind:?}"))),
        }
    }
    Ok(steps)
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

/// Returns the pattern of a `Replace`. Returns `None` if the pattern is a regex.
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

/// Maximum length of the description in [`Error::Unsupported`], in characters. The rest is cut off.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// Returns an error for an unsupported feature. `what` may contain texts of the file.
pub(super) fn unsupported(what: &str) -> Error {
    let mut description: String = what.chars().take(MAX_DESCRIPTION_CHARS).collect();
    if description.len() < what.len() {
        description.push_str("...");
    }
    Error::Unsupported { what: description }
}

/// Returns the byte of a piece `<0xHH>`. Returns `None` for other pieces.
fn fallback_byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_byte = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_byte { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// Returns the byte of a character in the byte-level alphabet. Returns `None` for other characters.
///
/// The alphabet has a visible character for each byte: the printable characters of Latin-1 represent
/// themselves, and the characters from U+0100 on represent the other 68 bytes, in ascending order.
///
/// # Source
///
/// A. Radford et al., "Language models are unsupervised multitask learners" (2019): the encoder of GPT-2,
/// which byte-level BPE has used since.
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
    fn alphabet_has_each_byte_once() {
        let mut bytes: Vec<u8> =
            (0..=0x10_ffff).filter_map(char::from_u32).filter_map(alphabet_byte).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!(['Ġ', 'Ċ', 'ĉ', 'A', 'é'].map(alphabet_byte), [b' ', b'\n', b'\t', b'A', 0xe9].map(Some));
    }

    #[test]
    fn fallback_bytes_have_exactly_two_hexadecimal_digits() {
        assert_eq!(fallback_byte("<0x0A>"), Some(10));
        assert_eq!(fallback_byte("<0xff>"), Some(255));
        for piece in ["<0x+A>", "<0xA>", "<0x00A>", "0x0A", "<0x0A", "", "<0xé>"] {
            assert_eq!(fallback_byte(piece), None, "{piece}");
        }
    }
}
