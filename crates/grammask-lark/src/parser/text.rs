//! Values of texts, regexes and `%regex`.

use std::ops::Range;

use serde_json::Value;

/// Returns the value of a text with its quotes, and true if case does not matter.
///
/// # Errors
/// The bytes of a wrong escape, and a message.
pub(super) fn decode(source: &str) -> Result<(String, bool), (Range<usize>, String)> {
    let ignore_case = source.ends_with('i');
    let inner = &source[1..source.len() - 1 - usize::from(ignore_case)];
    let mut value = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        let start = inner.len() - rest.len() + at;
        let escape = &inner[start..];
        let (decoded, length) = self::escape(escape).map_err(|(length, message)| {
            let end =
                escape.char_indices().map(|(at, _)| at).find(|&at| at >= length).unwrap_or(escape.len());
            (1 + start..1 + start + end, message)
        })?;
        value.push(decoded);
        rest = &escape[length..];
    }
    value.push_str(rest);
    Ok((value, ignore_case))
}

/// Returns the character of the escape that a text begins with, and the length of the escape.
fn escape(text: &str) -> Result<(char, usize), (usize, String)> {
    let hex = |from: usize, digits: usize| {
        let piece = text.get(from..from + digits)?;
        piece.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(piece, 16).ok())?
    };
    let simple = |value| Ok((value, 2));
    match text.as_bytes().get(1) {
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'b') => simple('\x08'),
        Some(b'f') => simple('\x0c'),
        Some(&sign @ (b'\\' | b'"' | b'/' | b'\'')) => simple(char::from(sign)),
        Some(b'x') => match hex(2, 2).and_then(char::from_u32) {
            Some(value) => Ok((value, 4)),
            None => Err((2, "`\\x` needs two hexadecimal digits".to_owned())),
        },
        Some(b'u') => match hex(2, 4) {
            None => Err((2, "`\\u` needs four hexadecimal digits".to_owned())),
            Some(high @ 0xD800..=0xDBFF) => {
                let low = text[6..].starts_with("\\u").then(|| hex(8, 4)).flatten();
                match low.filter(|low| (0xDC00..=0xDFFF).contains(low)) {
                    Some(low) => {
                        let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                        Ok((char::from_u32(code).unwrap_or('\u{fffd}'), 12))
                    }
                    None => Err((6, "a surrogate without its other half".to_owned())),
                }
            }
            Some(code) => match char::from_u32(code) {
                Some(value) => Ok((value, 6)),
                None => Err((6, "a surrogate without its other half".to_owned())),
            },
        },
        _ => {
            let shown: String = text.chars().take(2).collect();
            Err((2, format!("unknown escape `{shown}`")))
        }
    }
}

/// Returns the pattern and the flags of a regex with its slashes. Escaped slashes become slashes.
pub(super) fn regex(source: &str) -> (String, &str) {
    let end = source.rfind('/').unwrap_or(0);
    (source[1..end.max(1)].to_owned(), &source[end + 1..])
}

/// Returns the chunks that `%regex {…}` describes.
///
/// # Errors
/// If the value does not have exactly one of the known keys, or one of another type.
pub(super) fn chunks(json: &str) -> Result<Vec<String>, String> {
    let value: Value = serde_json::from_str(json).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(object) = value else { return Err("expected a JSON object".to_owned()) };
    let known = ["substring_chars", "substring_words", "substring_chunks"];
    if let Some(key) = object.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("unknown key `{key}`: known are {}", known.join(", ")));
    }
    let mut entries = object.into_iter().filter(|(_, value)| !value.is_null());
    let (Some((key, value)), None) = (entries.next(), entries.next()) else {
        return Err(format!("expected exactly one of {}", known.join(", ")));
    };
    match (key.as_str(), value) {
        ("substring_chars", Value::String(text)) => Ok(text.chars().map(String::from).collect()),
        ("substring_words", Value::String(text)) => Ok(words(&text)),
        ("substring_chunks", Value::Array(chunks)) => chunks
            .into_iter()
            .map(|chunk| match chunk {
                Value::String(chunk) => Ok(chunk),
                other => Err(format!("a chunk is a text, not {other}")),
            })
            .collect(),
        (key, _) => Err(format!("`{key}` has a value of the wrong type")),
    }
}

/// Returns the longest runs of white space, of word characters, and of other characters.
fn words(text: &str) -> Vec<String> {
    let class = |char: char| match char {
        _ if char.is_whitespace() => 0,
        '_' => 1,
        _ if char.is_alphanumeric() => 1,
        _ => 2,
    };
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for char in text.chars() {
        match words.last_mut() {
            Some(word) if last == Some(class(char)) => word.push(char),
            _ => words.push(char.into()),
        }
        last = Some(class(char));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{chunks, decode, regex};

    #[test]
    fn escapes_of_texts_are_those_of_json_and_hexadecimal_ones() {
        assert_eq!(decode(r#""a\n\"\\\/""#), Ok(("a\n\"\\/".to_owned(), false)));
        assert_eq!(decode(r#""\xe9\u00e9\uD83D\uDE00"i"#), Ok(("éé😀".to_owned(), true)));
        assert_eq!(decode(r#""a\dé""#).unwrap_err().0, 2..4);
        assert_eq!(decode(r#""\é""#).unwrap_err().0, 1..4);
        assert_eq!(decode(r#""\uD83Dx""#).unwrap_err().0, 1..7);
        assert_eq!(decode(r#""\x4""#).unwrap_err().0, 1..3);
    }

    #[test]
    fn a_regex_has_flags() {
        assert_eq!(regex(r"/a\/b/is"), (r"a\/b".to_owned(), "is"));
    }

    #[test]
    fn words_are_runs_of_one_kind() {
        let words = chunks(r#"{"substring_words": "foo bar. baz"}"#).unwrap();
        assert_eq!(words, ["foo", " ", "bar", ".", " ", "baz"]);
        assert_eq!(chunks(r#"{"substring_chunks": ["ab", "c"]}"#).unwrap(), ["ab", "c"]);
        assert!(chunks(r#"{"substring_chars": "a", "substring_words": "a"}"#).is_err());
        assert!(chunks(r#"{"substring_lines": "a"}"#).unwrap_err().contains("substring_lines"));
    }
}
