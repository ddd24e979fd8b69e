//! Cuts Rust source text into code, comments and literals.

use std::ops::Range;

/// A part of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Neither a comment nor a literal.
    Code,
    /// A comment, doc comments included, without the line break that ends it.
    Comment,
    /// A string or character literal.
    Literal,
}

/// Cuts a source text into parts that cover it without gaps, in order. Ranges are byte offsets, half-open.
pub fn segments(text: &str) -> Vec<(Range<usize>, Kind)> {
    let bytes = text.as_bytes();
    let mut found: Vec<(Range<usize>, Kind)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (end, kind) = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'/')) => (line_end(bytes, at), Kind::Comment),
            (b'/', Some(b'*')) => (block_comment_end(bytes, at), Kind::Comment),
            (b'"', _) => (text_end(bytes, at, b'"'), Kind::Literal),
            (b'\'', Some(b'\\')) => (text_end(bytes, at, b'\''), Kind::Literal),
            (b'\'', Some(_)) => (character_end(text, at), Kind::Literal),
            (b'r', Some(b'"' | b'#')) if !continues_name(bytes, at) => {
                (raw_text_end(bytes, at), Kind::Literal)
            }
            _ => (at, Kind::Code),
        };
        let (end, kind) = if end == at { (at + 1, Kind::Code) } else { (end, kind) };
        match found.last_mut() {
            Some((range, Kind::Code)) if kind == Kind::Code => range.end = end,
            _ => found.push((at..end, kind)),
        }
        at = end;
    }
    found
}

/// Returns the code with every comment and literal replaced by blanks. Line breaks stay, so lines keep their
/// numbers.
pub fn code_alone(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    for (range, kind) in segments(text) {
        let part = &text.as_bytes()[range];
        match kind {
            Kind::Code => out.extend_from_slice(part),
            Kind::Comment | Kind::Literal => {
                out.extend(part.iter().map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }));
            }
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Whether the `r` at this place ends a longer name, other than the `b` or `c` of a raw byte text.
fn continues_name(bytes: &[u8], at: usize) -> bool {
    let is_name = |at: usize| bytes[at] == b'_' || bytes[at].is_ascii_alphanumeric();
    match at.checked_sub(1) {
        Some(before) if matches!(bytes[before], b'b' | b'c') => before.checked_sub(1).is_some_and(is_name),
        Some(before) => is_name(before),
        None => false,
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn block_comment_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => (depth, at) = (depth + 1, at + 2),
            (b'*', Some(b'/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Returns the end of a string or character literal with escapes.
fn text_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns the end of a character literal. Returns `at` for a lifetime.
fn character_end(code: &str, at: usize) -> usize {
    let mut rest = code[at + 1..].chars();
    match (rest.next(), rest.next()) {
        (Some(char), Some('\'')) => at + 1 + char.len_utf8() + 1,
        _ => at,
    }
}

/// Returns the end of a raw string literal. Returns `at` for a raw name such as `r#type`.
fn raw_text_end(bytes: &[u8], at: usize) -> usize {
    let hashes = bytes[at + 1..].iter().take_while(|&&byte| byte == b'#').count();
    let start = at + 1 + hashes;
    if bytes.get(start) != Some(&b'"') {
        return at;
    }
    let closes = |place: usize| {
        bytes[place] == b'"'
            && bytes[place + 1..].iter().take(hashes).filter(|&&b| b == b'#').count() == hashes
    };
    (start + 1..bytes.len()).find(|&place| closes(place)).map_or(bytes.len(), |place| place + 1 + hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_text_without_gaps() {
        let text = "fn f<'a>() { g('x', \"// \\\" no\") } // yes\n/* a /* b */ c */ r#\"\"q\"# b'\\''";
        let parts = segments(text);
        assert_eq!(parts.iter().map(|(range, _)| range.len()).sum::<usize>(), text.len());
        let of = |wanted| {
            let wanted = parts.iter().filter(move |(_, kind)| *kind == wanted);
            wanted.map(|(range, _)| &text[range.clone()]).collect::<Vec<_>>()
        };
        assert_eq!(of(Kind::Comment), ["// yes", "/* a /* b */ c */"]);
        assert_eq!(of(Kind::Literal), ["'x'", "\"// \\\" no\"", "r#\"\"q\"#", "'\\''"]);
    }
}
