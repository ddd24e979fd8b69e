//! Finds the parts of a large JSON object without reading those that are not needed.
//!
//! Most of a `tokenizer.json` is the list of merges. Passing over it takes a fraction of the time of reading
//! it as JSON. Only the brackets and quotes of the rest are checked. A function here returns `None` for
//! anything unexpected. The caller then reads the whole file by the JSON reader, whose error has the place.

use std::borrow::Cow;

use crate::loaders::entries::Text;

/// Visits the entries of the object that begins at `start`, and returns the offset after it. `visit` takes a
/// key and the offset of its value, and returns the offset after the value.
pub(super) fn object<'a>(
    bytes: &'a [u8],
    start: usize,
    mut visit: impl FnMut(Cow<'a, str>, usize) -> Option<usize>,
) -> Option<usize> {
    let mut at = expect(bytes, start, b'{')?;
    if bytes.get(at) == Some(&b'}') {
        return Some(at + 1);
    }
    loop {
        let (key, after) = text(bytes, at)?;
        at = expect(bytes, after, b':')?;
        at = skip_space(bytes, visit(key, at)?);
        match bytes.get(at)? {
            b',' => at = skip_space(bytes, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

/// Reads the object from texts to numbers that begins at `start`. Also returns the offset after it.
pub(super) fn numbers(bytes: &[u8], start: usize) -> Option<(Vec<(Text<'_>, u64)>, usize)> {
    let mut entries = Vec::new();
    let end = object(bytes, start, |key, start| {
        let (mut number, mut at) = (0u64, start);
        while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
            number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            at += 1;
        }
        // JSON has no numbers with zeros in front.
        if at == start || (at - start > 1 && bytes[start] == b'0') {
            return None;
        }
        entries.push((Text(key), number));
        Some(at)
    })?;
    Some((entries, end))
}

/// Returns the offset after white space.
pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    // Files with indentation have runs of spaces.
    while let Some(b"        ") = bytes.get(at..at + 8) {
        at += 8;
    }
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Passes over white space, a byte, and white space.
fn expect(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = skip_space(bytes, at);
    (bytes.get(at) == Some(&byte)).then(|| skip_space(bytes, at + 1))
}

/// Reads a text, and returns the offset after it.
fn text(bytes: &[u8], at: usize) -> Option<(Cow<'_, str>, usize)> {
    let start = at + 1;
    let (end, has_escapes) = text_end(bytes, at)?;
    if has_escapes {
        return Some((Cow::Owned(serde_json::from_slice(&bytes[at..end]).ok()?), end));
    }
    let content = &bytes[start..end - 1];
    // Control characters must be escaped.
    let is_plain = content.iter().all(|&byte| byte >= b' ');
    is_plain.then_some(()).and_then(|()| Some((Cow::Borrowed(str::from_utf8(content).ok()?), end)))
}

/// Returns the offset after a text, and true if it has escapes.
fn text_end(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let (mut has_escapes, mut at) = (false, at + 1);
    loop {
        while let Some(&eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            match first_mark(eight) {
                Some(index) => {
                    at += index;
                    break;
                }
                None => at += 8,
            }
        }
        match bytes.get(at)? {
            b'"' => return Some((at + 1, has_escapes)),
            b'\\' => {
                has_escapes = true;
                at += 2;
            }
            _ => at += 1,
        }
    }
}

/// Returns the index of the first quote or backslash of eight bytes.
///
/// # Source
///
/// H. Warren, "Hacker's Delight", 2nd edition, 2013, section 6-1: the lowest zero byte of a word.
fn first_mark(eight: [u8; 8]) -> Option<usize> {
    const LOWEST_BITS: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST_BITS: u64 = LOWEST_BITS << 7;
    let zeros = |word: u64| word.wrapping_sub(LOWEST_BITS) & !word & HIGHEST_BITS;
    let word = u64::from_le_bytes(eight);
    // Bits above the lowest one may be wrong.
    let equal = |byte: u8| zeros(word ^ (LOWEST_BITS * u64::from(byte)));
    let marks = equal(b'"') | equal(b'\\');
    (marks != 0).then(|| marks.trailing_zeros() as usize / 8)
}

/// Returns the offset after a value.
pub(super) fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => text_end(bytes, at).map(|(end, _)| end),
        b'[' | b'{' => container_end(bytes, at),
        _ => {
            let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
            let length = bytes[at..].iter().position(is_end)?;
            (length > 0).then_some(at + length)
        }
    }
}

/// Returns the offset after a list or an object.
fn container_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0usize;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = text_end(bytes, at)?.0;
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b' ' | b'\n' => {
                at = skip_space(bytes, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_object_are_found() {
        let file = br#" {"a" : [1, "]\"", {"b": "}"}],  "\u0062": "x\\", "c": null , "d": -1.5e3}"#;
        let mut parts = Vec::new();
        let end = object(file, 0, |key, at| {
            let end = value_end(file, at)?;
            parts.push((key.into_owned(), str::from_utf8(&file[at..end]).unwrap()));
            Some(end)
        });
        assert_eq!(end, Some(file.len()));
        let parts: Vec<(&str, &str)> = parts.iter().map(|(key, value)| (&**key, *value)).collect();
        assert_eq!(
            parts,
            [("a", r#"[1, "]\"", {"b": "}"}]"#), ("b", r#""x\\""#), ("c", "null"), ("d", "-1.5e3")]
        );
        let end = |file: &'static str| object(file.as_bytes(), 0, |_, at| value_end(file.as_bytes(), at));
        assert_eq!(end("{}"), Some(2));
        for damaged in
            ["", "{", "[]", "{\"a\"}", "{\"a\":}", "{\"a\":[", "{\"a\":1", "{\"a\":\"b}", "{\"a\":1 2}"]
        {
            assert_eq!(end(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn numbers_are_read_as_json_has_them() {
        let read = |text: &'static str| {
            let (list, end) = numbers(text.as_bytes(), 0)?;
            assert_eq!(end, text.trim_end().len());
            Some(list.into_iter().map(|(Text(key), id)| (key.into_owned(), id)).collect::<Vec<_>>())
        };
        assert_eq!(read("{}"), Some(vec![]));
        assert_eq!(
            read("{ \"a\" : 0,\n\"\\u00e9\\\"\":18446744073709551615 }"),
            Some(vec![("a".into(), 0), ("\u{e9}\"".into(), u64::MAX)])
        );
        for other in [
            "{\"a\": 01}",
            "{\"a\": -1}",
            "{\"a\": 1.0}",
            "{\"a\": 1e3}",
            "{\"a\": \"1\"}",
            "{\"a\": 1,}",
            "{\"a\" 1}",
            "{\"a\": 18446744073709551616}",
            "{\"a\n\": 1}",
            "{\"\\x\": 1}",
            "[]",
            "{\"a\": }",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
