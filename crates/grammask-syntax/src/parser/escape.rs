//! Decodes the escapes in quoted forms.

use crate::error::ErrorKind;

/// A decoded backslash sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    Character(char),
    Wrong(ErrorKind),
    /// A backslash at the very end of the text.
    Unfinished,
}

/// Decodes the sequence at the beginning of `text`, which begins with a backslash. Also returns its length in
/// bytes: at least 1, and up to a character boundary.
///
/// `\xHH` and the octal forms are code points, not bytes. An octal number has up to three digits, or up to
/// two if the first digit is above 3, so that it is at most 255.
pub(crate) fn read_escape(text: &str, in_regex: bool) -> (Escape, usize) {
    let Some(character) = text[1..].chars().next() else { return (Escape::Unfinished, 1) };
    let simple = match character {
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{B}',
        '\'' | '"' | '\\' | '/' => character,
        '0'..='7' => return octal(text),
        'x' => return fixed(text, 2, r"\xHH"),
        'u' if text[2..].starts_with('{') => return braced(text),
        'u' => return utf16(text),
        'U' => return fixed(text, 8, r"\UHHHHHHHH"),
        _ => {
            return (
                Escape::Wrong(ErrorKind::UnknownEscape { character, in_regex }),
                1 + character.len_utf8(),
            );
        }
    };
    (Escape::Character(simple), 2)
}

/// Decodes an octal number.
fn octal(text: &str) -> (Escape, usize) {
    let digits = &text.as_bytes()[1..];
    let max_digits = if digits[0] <= b'3' { 3 } else { 2 };
    let length = digits.iter().take(max_digits).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let code = digits[..length].iter().fold(0, |code, digit| code * 8 + u32::from(digit - b'0'));
    (code_point(code), 1 + length)
}

/// Decodes `\x` or `\U` and exactly `count` hexadecimal digits. `expected` is the complete form for an error.
fn fixed(text: &str, count: usize, expected: &'static str) -> (Escape, usize) {
    match hexadecimal(text, count) {
        Ok(code) => (code_point(code), 2 + count),
        Err(length) => (Escape::Wrong(ErrorKind::IncompleteEscape { expected }), length),
    }
}

/// Returns the number of `count` hexadecimal digits after a prefix of two characters. If there are fewer
/// digits, returns the length of the prefix with them.
fn hexadecimal(text: &str, count: usize) -> Result<u32, usize> {
    let digits = text.bytes().skip(2).take(count).take_while(u8::is_ascii_hexdigit).count();
    let code = u32::from_str_radix(&text[2..2 + digits], 16);
    if digits == count { code.map_err(|_| 2 + digits) } else { Err(2 + digits) }
}

/// Decodes `\uHHHH`, or two of them that are a surrogate pair.
fn utf16(text: &str) -> (Escape, usize) {
    const LENGTH: usize = r"\uHHHH".len();
    let high = match hexadecimal(text, 4) {
        Ok(code) => code,
        Err(length) => return (Escape::Wrong(ErrorKind::IncompleteEscape { expected: r"\uHHHH" }), length),
    };
    if (0xD800..0xDC00).contains(&high)
        && text[LENGTH..].starts_with(r"\u")
        && let Ok(low @ 0xDC00..0xE000) = hexadecimal(&text[LENGTH..], 4)
    {
        return (code_point(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 2 * LENGTH);
    }
    (code_point(high), LENGTH)
}

/// Decodes `\u{H...}` with any number of digits.
fn braced(text: &str) -> (Escape, usize) {
    const PREFIX: usize = r"\u{".len();
    let digits = text.bytes().skip(PREFIX).take_while(u8::is_ascii_hexdigit).count();
    let end = PREFIX + digits;
    if digits == 0 || text.as_bytes().get(end) != Some(&b'}') {
        return (Escape::Wrong(ErrorKind::IncompleteEscape { expected: r"\u{H...}" }), end);
    }
    let number = text[PREFIX..end].trim_start_matches('0');
    let code = if number.is_empty() { 0 } else { u32::from_str_radix(number, 16).unwrap_or(u32::MAX) };
    (code_point(code), end + 1)
}

/// Converts a code point to a character, or to an error if it is a surrogate or too large.
fn code_point(code: u32) -> Escape {
    match char::from_u32(code) {
        Some(character) => Escape::Character(character),
        None if code <= 0xFFFF => Escape::Wrong(ErrorKind::LoneSurrogate { code }),
        None => Escape::Wrong(ErrorKind::CodePointTooLarge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Escape, usize) {
        read_escape(text, false)
    }

    #[test]
    fn escapes_decode_to_their_characters() {
        let cases = [
            (r"\b", '\u{8}'),
            (r"\f", '\u{C}'),
            (r"\n", '\n'),
            (r"\r", '\r'),
            (r"\t", '\t'),
            (r"\v", '\u{B}'),
            (r"\'", '\''),
            (r#"\""#, '"'),
            (r"\\", '\\'),
            (r"\/", '/'),
            (r"\0", '\0'),
            (r"\12", '\n'),
            (r"\377", 'ÿ'),
            (r"\77", '?'),
            (r"\x41", 'A'),
            (r"\xe9", 'é'),
            (r"\u20AC", '€'),
            (r"\uD83D\uDE00", '😀'),
            (r"\ud83d\ude00", '😀'),
            (r"\U0001F600", '😀'),
            (r"\u{1F600}", '😀'),
            (r"\u{0}", '\0'),
            (r"\u{00000000041}", 'A'),
        ];
        for (text, character) in cases {
            assert_eq!(read(text), (Escape::Character(character), text.len()), "{text}");
            let longer = format!("{text}zz");
            assert_eq!(read(&longer), (Escape::Character(character), text.len()), "{longer}");
        }
    }

    #[test]
    fn octal_numbers_are_at_most_255() {
        assert_eq!(read(r"\400"), (Escape::Character(' '), 3));
        assert_eq!(read(r"\0123"), (Escape::Character('\n'), 4));
        assert_eq!(read(r"\08"), (Escape::Character('\0'), 2));
    }

    #[test]
    fn surrogates_are_valid_in_pairs_only() {
        for text in [r"\uD83D", r"\uD83Dx", r"\uD83D\n", r"\uD83D\uD83D", r"\uD83D\uDE", r"\uDE00\uD83D"] {
            let (escape, length) = read(text);
            assert!(matches!(escape, Escape::Wrong(ErrorKind::LoneSurrogate { .. })), "{text}");
            assert_eq!(length, 6, "{text}");
        }
        assert!(matches!(read(r"\u{D800}").0, Escape::Wrong(ErrorKind::LoneSurrogate { code: 0xD800 })));
        assert!(matches!(read(r"\U0000DFFF").0, Escape::Wrong(ErrorKind::LoneSurrogate { code: 0xDFFF })));
    }

    #[test]
    fn wrong_escapes_end_at_a_character_boundary() {
        for text in [r"\é", r"\x4é", r"\u12é", r"\U0010é", r"\u{12é}", r"\u{}", r"\q", r"\8", "\\\n", r"\u"]
        {
            let (escape, length) = read(text);
            assert!(matches!(escape, Escape::Wrong(_)), "{text}");
            assert!(text.is_char_boundary(length) && length >= 2, "{text}");
        }
        assert_eq!(read(r"\U00110000").0, Escape::Wrong(ErrorKind::CodePointTooLarge));
        assert_eq!(read(r"\u{FFFFFFFFFFFFFFFFF}").0, Escape::Wrong(ErrorKind::CodePointTooLarge));
        assert_eq!(read("\\"), (Escape::Unfinished, 1));
    }
}
