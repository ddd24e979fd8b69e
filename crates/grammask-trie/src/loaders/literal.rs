//! Python literals of texts and bytes: a superset of the output of `repr`.

/// Parses a literal to its bytes; those of a text are its UTF-8. Returns `None` if it is not a literal of a
/// text or of bytes.
///
/// The escapes are `\\ \' \" \a \b \f \n \r \t \v`, one to three octal digits, and `\xHH`; texts also have
/// `\uHHHH` and `\UHHHHHHHH`. In a text, octal escapes and `\xHH` are code points. Other escapes, prefixes
/// other than `b`, and triple quotes are not supported.
pub(super) fn parse(literal: &[u8]) -> Option<Vec<u8>> {
    let (is_text, quoted) = match literal {
        [b'b', rest @ ..] => (false, rest),
        rest => (true, rest),
    };
    let (quote, body) = match quoted {
        [first @ (b'\'' | b'"'), body @ .., last] if first == last => (*first, body),
        _ => return None,
    };
    if is_text && str::from_utf8(body).is_err() {
        return None;
    }
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while let [byte, after @ ..] = rest {
        rest = after;
        match *byte {
            b'\\' => {
                let (value, after) = escape(rest, is_text)?;
                rest = after;
                if is_text {
                    let c = char::from_u32(value)?;
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                } else {
                    bytes.push(u8::try_from(value).ok()?);
                }
            }
            byte if byte == quote || (!is_text && !byte.is_ascii()) => return None,
            byte => bytes.push(byte),
        }
    }
    Some(bytes)
}

/// Parses an escape after its backslash. Returns its value and the rest of the input.
fn escape(rest: &[u8], is_text: bool) -> Option<(u32, &[u8])> {
    let (&kind, after) = rest.split_first()?;
    let value = match kind {
        b'\\' | b'\'' | b'"' => kind,
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'x' => return number(after, 2, 16),
        b'u' if is_text => return number(after, 4, 16),
        b'U' if is_text => return number(after, 8, 16),
        b'0'..=b'7' => {
            let digits = rest.iter().take(3).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
            return number(rest, digits, 8);
        }
        _ => return None,
    };
    Some((value.into(), after))
}

/// Parses a number of `count` digits. Returns its value and the rest of the input.
fn number(rest: &[u8], count: usize, radix: u32) -> Option<(u32, &[u8])> {
    let (digits, after) = rest.split_at_checked(count)?;
    let value = digits.iter().try_fold(0u32, |value, &digit| {
        let digit = char::from(digit).to_digit(radix)?;
        value.checked_mul(radix)?.checked_add(digit)
    })?;
    Some((value, after))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn escapes_name_code_points_in_texts_and_bytes_in_bytes() {
        for (literal, bytes) in [
            (&br"'\x80'"[..], &[0xc2, 0x80][..]),
            (br"b'\x80'", &[0x80]),
            (br"'\377'", "ÿ".as_bytes()),
            (br"b'\377a'", b"\xffa"),
            (br"b'\0a\0077'", b"\0a\x077"),
            (br"'\u00e9\U0001F600'", "é😀".as_bytes()),
            (br#""it's""#, b"it's"),
            (br#"'\'"\\\n\t\r\a\b\f\v'"#, b"'\"\\\n\t\r\x07\x08\x0c\x0b"),
            ("'é'".as_bytes(), "é".as_bytes()),
            (b"''", b""),
            (b"b\"\"", b""),
            (b"' '", b" "),
        ] {
            assert_eq!(parse(literal).as_deref(), Some(bytes), "{}", literal.escape_ascii());
        }
    }

    #[test]
    fn other_inputs_are_not_literals() {
        for literal in [
            &b""[..],
            b"'",
            b"b",
            b"b'",
            b"'a",
            b"a'",
            b"'a\"",
            b"'a'b'",
            br"'\'",
            br"'\q'",
            br"'\x8'",
            br"'\ud800'",
            br"b'\u0041'",
            br"b'\400'",
            br"'\U00110000'",
            b"r'a'",
            "b'é'".as_bytes(),
            b"'\xff'",
            b"12",
            br"'\x+1'",
        ] {
            assert_eq!(parse(literal), None, "{}", literal.escape_ascii());
        }
    }
}
