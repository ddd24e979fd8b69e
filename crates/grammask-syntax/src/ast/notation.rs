//! The bounds of the notation, and the forms of numerals and special names. They belong to the language: each
//! [`Ast`](super::Ast) obeys them, so they are not configurable.

/// Maximum bound of a repetition such as `x{2,5}`. Bounds have 32 bits in all later stages.
pub const MAX_REPETITIONS: u32 = 1_000_000_000;

/// Maximum number of digits of the numeral in `multiple!`. Later stages accept at most 2^64 - 1 without the
/// point, or 1, 2 or 5 times a power of ten.
pub const MAX_MULTIPLE_DIGITS: usize = 40;

/// Maximum number of digits of the numeral in a comparison such as `atleast!`. It bounds the automaton of a
/// comparison, which grows with the number of digits.
pub const MAX_COMPARISON_DIGITS: usize = 10_000;

/// Returns true if `multiple!` takes this numeral: digits, optionally a point and more digits. At most
/// [`MAX_MULTIPLE_DIGITS`] digits are allowed, and one of them is not 0.
///
/// # Example
///
/// ```
/// assert!(grammask_syntax::is_multiple_numeral("0.25") && !grammask_syntax::is_multiple_numeral(".5"));
/// ```
pub fn is_multiple_numeral(text: &str) -> bool {
    is_decimal(text, MAX_MULTIPLE_DIGITS) && text.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
}

/// Returns true if a comparison such as `atleast!` takes this numeral: digits, optionally a point and more
/// digits. At most [`MAX_COMPARISON_DIGITS`] digits are allowed.
///
/// # Example
///
/// ```
/// assert!(grammask_syntax::is_comparison_numeral("0") && !grammask_syntax::is_comparison_numeral("-1"));
/// ```
pub fn is_comparison_numeral(text: &str) -> bool {
    is_decimal(text, MAX_COMPARISON_DIGITS)
}

/// Returns true if `text` is a decimal numeral of at most `max_digits` digits, without sign and exponent.
fn is_decimal(text: &str, max_digits: usize) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction) && text.bytes().filter(u8::is_ascii_digit).count() <= max_digits
}

/// Returns true if a grammar can name a special token like this: `<|`, then a non-empty text without white
/// space and `<`, then the first `|>` after it.
///
/// # Complexity
/// Linear in the length.
///
/// ```
/// use grammask_syntax::is_special_name;
///
/// assert!(is_special_name("<|end|>"));
/// assert!(!is_special_name("</s>") && !is_special_name("<|the end|>"));
/// ```
pub fn is_special_name(name: &str) -> bool {
    let inside = name.strip_prefix("<|").and_then(|rest| rest.strip_suffix("|>"));
    inside.is_some_and(|inside| {
        // The parser ends the token at the first `|>`.
        !inside.is_empty()
            && !inside.contains(|c: char| c.is_whitespace() || c == '<')
            && name[2..].find("|>") == Some(inside.len())
    })
}

/// Returns the length of the JSON value at the beginning of a text, in bytes. Only brackets, quotes and
/// escapes are looked at, so the value need not be valid. Returns `None` if the text ends inside of it, or if
/// there is none.
///
/// # Complexity
/// Linear in the length of the value.
pub(crate) fn json_value_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut depth = 0usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
            b'}' | b']' => (depth, at) = (depth.checked_sub(1)?, at + 1),
            byte if depth == 0 => {
                let is_scalar = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = bytes.iter().take_while(|byte| is_scalar(byte)).count();
                return (is_scalar(byte) && length > 0).then_some(length);
            }
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Returns the offset after the JSON string that begins at an offset.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
