//! What `json!` and `multiple!` mean: a reader of JSON strings that runs an automaton on what it reads, and long division.

use super::dfa::{Dfa, TooLarge};

/// Where a reader of a JSON string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reader {
    /// In plain text: how many bytes of a character are missing, and the range of the next of them.
    Text(u8, u8, u8),
    Backslash,
    /// Behind `\u` and some digits: how many, their value, and the high surrogate before them, or 0.
    Digits(u8, u32, u32),
    /// Behind a high surrogate.
    High(u32),
    HighBackslash(u32),
}

const PLAIN: Reader = Reader::Text(0, 0, 0);

/// What may stand between the quotes of a JSON string that stands for a string of `text`.
pub(super) fn spellings(text: &Dfa) -> Result<Dfa, TooLarge> {
    let dfa = Dfa::explore(
        (PLAIN, 0),
        |&(reader, state)| reader == PLAIN && text.is_accepting(state),
        |&(reader, state), byte| {
            let (reader, read) = read(reader, byte)?;
            Some((reader, text.after(state, &read)?))
        },
    )?;
    Ok(dfa.trimmed())
}

/// The reader after a byte, and what has been read by then.
fn read(reader: Reader, byte: u8) -> Option<(Reader, Vec<u8>)> {
    let next = match reader {
        Reader::Text(0, ..) => match byte {
            b'\\' => Reader::Backslash,
            b'"' | 0..=0x1F | 0x80..=0xC1 | 0xF5.. => return None,
            0x20..=0x7F => return Some((PLAIN, vec![byte])),
            0xC2..=0xDF => return Some((Reader::Text(1, 0x80, 0xBF), vec![byte])),
            0xE0 => return Some((Reader::Text(2, 0xA0, 0xBF), vec![byte])),
            0xED => return Some((Reader::Text(2, 0x80, 0x9F), vec![byte])),
            0xE1..=0xEF => return Some((Reader::Text(2, 0x80, 0xBF), vec![byte])),
            0xF0 => return Some((Reader::Text(3, 0x90, 0xBF), vec![byte])),
            0xF4 => return Some((Reader::Text(3, 0x80, 0x8F), vec![byte])),
            0xF1..=0xF3 => return Some((Reader::Text(3, 0x80, 0xBF), vec![byte])),
        },
        Reader::Text(missing, low, high) => {
            let next = if missing == 1 { PLAIN } else { Reader::Text(missing - 1, 0x80, 0xBF) };
            return (low..=high).contains(&byte).then(|| (next, vec![byte]));
        }
        Reader::Backslash => {
            let read = match byte {
                b'"' | b'\\' | b'/' => byte,
                b'b' => 8,
                b'f' => 12,
                b'n' => 10,
                b'r' => 13,
                b't' => 9,
                b'u' => return Some((Reader::Digits(0, 0, 0), Vec::new())),
                _ => return None,
            };
            return Some((PLAIN, vec![read]));
        }
        Reader::Digits(count, value, high) => {
            let value = value * 16 + char::from(byte).to_digit(16)?;
            match (count, value, high) {
                (0..=2, ..) => Reader::Digits(count + 1, value, high),
                (_, 0xD800..=0xDBFF, 0) => Reader::High(value),
                _ => {
                    let units = [high as u16, value as u16];
                    let units = if high == 0 { &units[1..] } else { &units };
                    return Some((PLAIN, String::from_utf16(units).ok()?.into_bytes()));
                }
            }
        }
        Reader::High(high) if byte == b'\\' => Reader::HighBackslash(high),
        Reader::HighBackslash(high) if byte == b'u' => Reader::Digits(0, 0, high),
        Reader::High(_) | Reader::HighBackslash(_) => return None,
    };
    Some((next, Vec::new()))
}

/// Behind the point: how many digits were read, and whether there was a point at all.
type Behind = Option<u8>;

/// The numerals of the multiples of a number: what was read is divided by the number's digits, with as many zeros behind it as digits are
/// still missing behind the point.
pub(super) fn multiples(numeral: &str) -> Result<Dfa, TooLarge> {
    let (whole, fraction) = numeral.split_once('.').unwrap_or((numeral, ""));
    let Ok(divisor) = format!("{whole}{fraction}").parse::<u128>() else { return Err(TooLarge) };
    // Room for ten times the divisor.
    if divisor == 0 || divisor > u128::from(u64::MAX) {
        return Err(TooLarge);
    }
    let places = fraction.len() as u8;
    let is_multiple = |remainder: u128, read: u8| {
        (read..places).fold(remainder, |remainder, _| remainder * 10 % divisor) == 0
    };
    let start: (bool, Behind, u128) = (false, None, 0);
    let dfa = Dfa::explore(
        start,
        |&(has_digit, behind, remainder)| has_digit && is_multiple(remainder, behind.unwrap_or(0)),
        |&(has_digit, behind, remainder), byte| match (byte, behind) {
            (b'.', None) if has_digit => Some((false, Some(0), remainder)),
            // Digits behind the last place that counts are zeros.
            (b'0', Some(read)) if read == places => Some((true, behind, remainder)),
            (b'1'..=b'9', Some(read)) if read == places => None,
            (b'0'..=b'9', _) => {
                let next = (remainder * 10 + u128::from(byte - b'0')) % divisor;
                Some((true, behind.map(|read| read + 1), next))
            }
            _ => None,
        },
    )?;
    Ok(dfa.trimmed())
}
