//! Distinct values: removes one value from a language, and tests how many values a language has.

use crate::json::string::is_raw;
use rustc_hash::FxHashMap;

use crate::json::escapes::SHORT_ESCAPES;
use crate::store::node::{JsonPosition, Kind, RegularId};
use crate::{ByteSet, Comparison, Error, Escapes, Store};

/// Maximum length of prefixes that are counted, in bytes, and maximum number of states after them.
const MAX_PREFIX_BYTES: usize = 64;
const MAX_PREFIX_STATES: usize = 512;

/// A number of distinct values that exceeds the length of a list in any text.
pub const MORE_THAN_ANY_LIST: u64 = u32::MAX as u64;

/// Returns the strings of `a` whose value differs from that of `text`.
///
/// Two JSON strings, in their quotes, have equal values if they spell the same text. Two JSON numbers have
/// equal values if they are the same number; this compares the forms of [`Store::compared`], up to
/// 400 digits without exponent. All other strings have equal values only if they are equal.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the text and in the values that have been excluded before.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let any = store.regex("\"(a|b|\\\\u0061)*\"")?;
/// let rest = analysis::exclude_value(&mut store, any, b"\"ab\"")?;
/// for (text, is_left) in [("\"ab\"", false), ("\"\\u0061b\"", false), ("\"ba\"", true)] {
///     let end = text.bytes().try_fold(rest, |state, byte| store.derivative(state, byte))?;
///     assert_eq!(store.is_nullable(end), is_left);
/// }
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn exclude_value(store: &mut Store, a: RegularId, text: &[u8]) -> Result<RegularId, Error> {
    let Some(value) = json_value(text) else {
        let same = match Number::parse(text) {
            Some(number) => number.spellings(store)?,
            None => store.literal(text)?,
        };
        return exclude_from_others(store, a, same);
    };
    let value = store.literal(&value)?;
    let members = members(store, a);
    let mut left = Vec::with_capacity(members.len());
    for member in members {
        // The content of the quotes stays one language, so that its states are shared with other languages of
        // "any text except these".
        left.push(match json_string_value(store, member) {
            Some((inner, escapes)) => {
                let others = difference(store, inner, value)?;
                json_string(store, others, escapes)?
            }
            None => {
                let same = store.json_string(value)?;
                difference(store, member, same)?
            }
        });
    }
    store.union(&left)
}

/// As [`exclude_value`] for a language in which no two numbers have equal values, as
/// [`has_one_spelling_per_number`] proves. The results are smaller.
///
/// # Errors
/// If a limit is exceeded.
pub fn exclude_spelling(store: &mut Store, a: RegularId, text: &[u8]) -> Result<RegularId, Error> {
    if Number::parse(text).is_none() {
        return exclude_value(store, a, text);
    }
    let same = store.literal(text)?;
    exclude_from_others(store, a, same)
}

/// Returns `a` without `same`, which contains no JSON string.
fn exclude_from_others(store: &mut Store, a: RegularId, same: RegularId) -> Result<RegularId, Error> {
    let members = members(store, a);
    let mut left = Vec::with_capacity(members.len());
    for member in members {
        left.push(match json_string_value(store, member) {
            Some(_) => member,
            None => difference(store, member, same)?,
        });
    }
    store.union(&left)
}

/// Returns the members of a union, or the language itself.
fn members(store: &Store, a: RegularId) -> Vec<RegularId> {
    match store.node(a).kind {
        Kind::Or(list) => store.list(list).to_vec(),
        _ => vec![a],
    }
}

/// A JSON number in one of the forms of [`Store::compared`].
struct Number {
    is_negative: bool,
    /// The absolute value without exponent.
    numeral: String,
}

impl Number {
    /// Digits of a number without exponent, beyond which it is compared as a text.
    const MAX_DIGITS: usize = 400;

    /// Returns the number that a text spells. Returns `None` for other texts.
    fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(a, b)| (a, Some(b)));
        let is_numeral = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_numeral(whole) || fraction.is_some_and(|fraction| !is_numeral(fraction)) {
            return None;
        }
        if whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        let fraction = fraction.unwrap_or_default();
        let shift = match exponent {
            None => 0,
            Some(_) if whole.len() > 1 || whole == "0" || fraction.len() > 20 => return None,
            Some(exponent) => {
                let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
                let shift = digits.parse::<i32>().ok().filter(|_| is_numeral(digits))?;
                if exponent.starts_with('-') { -shift } else { shift }
            }
        };
        let digits = [whole, fraction].concat();
        let point = i64::try_from(whole.len()).ok()? + i64::from(shift);
        let most = i64::try_from(Self::MAX_DIGITS).ok()?;
        if digits.len() > Self::MAX_DIGITS || !(-most..=most).contains(&point) {
            return None;
        }
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
        let digits_count = i64::try_from(digits.len()).ok()?;
        let padded = [zeros(1 - point), digits, zeros(point - digits_count)].concat();
        let (whole, fraction) = padded.split_at(usize::try_from(point.max(1)).ok()?);
        let fraction = fraction.trim_end_matches('0');
        let numeral = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
        Some(Self { is_negative: text.starts_with('-'), numeral })
    }

    /// Returns all spellings of the number.
    fn spellings(&self, store: &mut Store) -> Result<RegularId, Error> {
        let unsigned = store.compared(Comparison::Equal, &self.numeral)?;
        let minus = store.literal(b"-")?;
        let sign = match (&*self.numeral, self.is_negative) {
            ("0", _) => store.repeat(minus, 0, Some(1))?,
            (_, true) => minus,
            (_, false) => RegularId::EPSILON,
        };
        store.concat(&[sign, unsigned])
    }
}

/// Numbers in the one spelling that is counted: without exponent, without a zero at the end of the fraction,
/// and zero without a sign.
const CANONICAL_NUMBERS: &str = r"0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9]";

/// Numbers in all the forms that are compared by value.
const COMPARED_NUMBERS: &str = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|-?[1-9](?:\.[0-9]{1,20})?[eE][+-]?[0-9]+";

/// Returns the numbers that are not in their canonical spelling.
fn other_spellings(store: &mut Store) -> Result<RegularId, Error> {
    let (compared, canonical) = (store.regex(COMPARED_NUMBERS)?, store.regex(CANONICAL_NUMBERS)?);
    difference(store, compared, canonical)
}

/// Returns true if each number of `a` is known to be in its canonical spelling. Other strings do not count.
///
/// The canonical spelling has no exponent and no zero at the end of the fraction. Zero has no sign.
///
/// # Errors
/// If a limit is exceeded other than that of the search.
///
/// # Complexity
/// A search for a number in another spelling. The result is kept.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// for (pattern, is_one) in [("0|[1-9][0-9]*", true), ("[1-9](\\.0)?", false), ("-?[0-9]", false)] {
///     let language = store.regex(pattern)?;
///     assert_eq!(analysis::has_one_spelling_per_number(&mut store, language)?, is_one);
/// }
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn has_one_spelling_per_number(store: &mut Store, a: RegularId) -> Result<bool, Error> {
    if let Some(&known) = store.memos.one_spelling.get(&a) {
        return Ok(known);
    }
    let others = other_spellings(store)?;
    let others = store.intersection(&[a, others])?;
    // Beyond the limit of the search, the answer is unknown.
    let has_one = match store.is_empty(others) {
        Err(Error::Stopped(stopped)) => return Err(stopped.into()),
        result => result.unwrap_or(false),
    };
    store.leaves.bytes += 16;
    store.memos.one_spelling.insert(a, has_one);
    Ok(has_one)
}

fn difference(store: &mut Store, a: RegularId, b: RegularId) -> Result<RegularId, Error> {
    let others = store.complement(b)?;
    store.intersection(&[a, others])
}

/// See [`Store::json_string`].
pub(crate) fn json_string(store: &mut Store, texts: RegularId, escapes: Escapes) -> Result<RegularId, Error> {
    let (quote, spelled) = (store.single_byte(b'"'), store.json_text_with(texts, escapes)?);
    store.concat(&[quote, spelled, quote])
}

/// Returns the arguments of an expression that is `json_string(texts, escapes)`. Returns `None` for other
/// expressions.
fn json_string_value(store: &Store, a: RegularId) -> Option<(RegularId, Escapes)> {
    let is_quote = |a: RegularId| match store.node(a).kind {
        Kind::Bytes(set) => store.byte_set(set).single_byte() == Some(b'"'),
        _ => false,
    };
    let Kind::Concat(open, after) = store.node(a).kind else { return None };
    let Kind::Concat(spelled, close) = store.node(after).kind else { return None };
    match store.node(spelled).kind {
        Kind::Json { text, escapes, at: JsonPosition::Character } if is_quote(open) && is_quote(close) => {
            Some((text, escapes))
        }
        _ => None,
    }
}

/// Returns true if `a` is known to contain at least `least` strings of distinct values, as [`exclude_value`]
/// compares them. False means that it may contain fewer.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Some thousand derivatives at most.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let some = store.regex("[ab]{1,3}")?;
/// assert!(analysis::has_distinct_values(&mut store, some, 14)? && !analysis::has_distinct_values(&mut store, some, 15)?);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn has_distinct_values(store: &mut Store, a: RegularId, least: u64) -> Result<bool, Error> {
    if a == RegularId::EMPTY {
        return Ok(least == 0);
    }
    // Numbers have several spellings, of which one is counted.
    let others = other_spellings(store)?;
    let a = difference(store, a, others)?;
    // Without a backslash, different strings in quotes have different values. Usually ASCII suffices, and
    // leads to few states.
    let plain = ByteSet::range(b'\\', b'\\').complement();
    let ascii = ByteSet::range(0, 0x7F).intersection(&plain);
    Ok(has_strings_among(store, a, least, &ascii)?
        || has_strings_among(store, a, least, &plain)?
        || has_cycle(store, a, &plain)?)
}

/// Returns true if `a` has at least `least` strings with different beginnings over the bytes `among`. False
/// may mean that the count stopped at a limit.
fn has_strings_among(store: &mut Store, a: RegularId, least: u64, among: &ByteSet) -> Result<bool, Error> {
    // Prefixes of one length have different completions, which exist because the states are not empty. So it
    // is enough to count prefixes of one length, and shorter strings.
    let (mut complete, mut layer) = (0u64, FxHashMap::from_iter([(a, 1u64)]));
    for _ in 0..MAX_PREFIX_BYTES {
        let live = layer.values().fold(0u64, |sum, &count| sum.saturating_add(count));
        if complete.saturating_add(live) >= least {
            return Ok(true);
        }
        let mut next: FxHashMap<RegularId, u64> = FxHashMap::default();
        for (state, count) in layer {
            if store.is_nullable(state) {
                complete = complete.saturating_add(count);
            }
            for (bytes, after) in steps_among(store, state, among)? {
                let more = next.entry(after).or_default();
                *more = more.saturating_add(count.saturating_mul(bytes as u64));
            }
        }
        if next.is_empty() || next.len() > MAX_PREFIX_STATES {
            break;
        }
        layer = next;
    }
    Ok(false)
}

/// Returns true if a cycle of states by the bytes `among` is found, so that the language is infinite.
fn has_cycle(store: &mut Store, a: RegularId, among: &ByteSet) -> Result<bool, Error> {
    // For each visited state, true if it is on the path. The path has the successors that are left to visit.
    let mut is_on_path = FxHashMap::from_iter([(a, true)]);
    let mut path = vec![(a, steps_among(store, a, among)?)];
    while let Some((state, steps)) = path.last_mut() {
        let Some((_, after)) = steps.pop() else {
            is_on_path.insert(*state, false);
            path.pop();
            continue;
        };
        match is_on_path.get(&after) {
            Some(true) => return Ok(true),
            Some(false) => {}
            None if is_on_path.len() == MAX_PREFIX_STATES => return Ok(false),
            None => {
                is_on_path.insert(after, true);
                path.push((after, steps_among(store, after, among)?));
            }
        }
    }
    Ok(false)
}

/// Returns the successors by some bytes, and the number of bytes for each.
fn steps_among(
    store: &mut Store,
    state: RegularId,
    among: &ByteSet,
) -> Result<Vec<(usize, RegularId)>, Error> {
    let partition = store.node(state).partition;
    let mut steps = Vec::new();
    for class in 0..store.partitions.len(partition) {
        let bytes = store.partitions.class(partition, class).intersection(among);
        if let Some(byte) = bytes.first() {
            let after = store.derivative(state, byte)?;
            if after != RegularId::EMPTY {
                steps.push((bytes.len(), after));
            }
        }
    }
    Ok(steps)
}

/// Returns the value of a JSON string, given with its quotes. `None` for other texts, and for half of a
/// surrogate pair.
///
/// # Source
/// RFC 8259, section 7.
fn json_value(text: &[u8]) -> Option<Vec<u8>> {
    let mut rest = text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut value = Vec::with_capacity(rest.len());
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if is_raw(first) {
            value.push(first);
            continue;
        }
        let (b'\\', Some((&letter, after))) = (first, rest.split_first()) else { return None };
        rest = after;
        if let Some(&(_, short)) = SHORT_ESCAPES.iter().find(|&&(known, _)| known == letter) {
            value.push(short);
            continue;
        }
        let mut unit = || -> Option<u32> {
            let (digits, after) = rest.split_at_checked(4)?;
            rest = after;
            let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
            u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
        };
        let code = match (letter, unit()?) {
            (b'u', high @ 0xD800..=0xDBFF) => {
                rest = rest.strip_prefix(b"\\u")?;
                let (digits, after) = rest.split_at_checked(4)?;
                rest = after;
                let low = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
                0x1_0000 + ((high - 0xD800) << 10) + low.checked_sub(0xDC00).filter(|&low| low < 0x400)?
            }
            (b'u', code) => code,
            _ => return None,
        };
        value.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
    }
    std::str::from_utf8(&value).is_ok().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn json_values_are_those_of_a_parser() {
        for (text, value) in [
            (r#""""#, Some("")),
            (r#""a\u0062\/\"""#, Some("ab/\"")),
            (r#""\ud83d\uDE00é""#, Some("😀é")),
            (r#""\n\t\\""#, Some("\n\t\\")),
            (r#""a"b""#, None),
            (r#""a"#, None),
            (r#"""#, None),
            ("a", None),
            ("\"\n\"", None),
            (r#""\ud83d""#, None),
            (r#""\ud83d\ud83d""#, None),
            (r#""\ud83d\u+e00""#, None),
            (r#""\udc00""#, None),
            (r#""\u12""#, None),
            (r#""\u+123""#, None),
            (r#""\x""#, None),
            (r#""\""#, None),
        ] {
            assert_eq!(json_value(text.as_bytes()), value.map(|value| value.as_bytes().to_vec()), "{text}");
        }
    }

    #[test]
    fn excluded_values_lose_all_their_spellings() {
        let mut store = Store::new(&Limits::default());
        let any = store.regex("(?s:.)*").unwrap();
        let (quote, spelled) = (store.literal(b"\"").unwrap(), store.json_text(any).unwrap());
        let mut rest = store.concat(&[quote, spelled, quote]).unwrap();
        for text in ["\"a\"", "\"b\\u0063\"", "\"\""] {
            rest = exclude_value(&mut store, rest, text.as_bytes()).unwrap();
        }
        let mut holds = |text: &str| {
            let end = text.bytes().try_fold(rest, |state, byte| store.derivative(state, byte)).unwrap();
            store.is_nullable(end)
        };
        for (text, is_left) in [
            (r#""a""#, false),
            (r#""\u0061""#, false),
            (r#""bc""#, false),
            (r#""b\u0063""#, false),
            (r#""""#, false),
            (r#""b""#, true),
            (r#""aa""#, true),
            (r#""\u0062""#, true),
        ] {
            assert_eq!(holds(text), is_left, "{text}");
        }
        let shown = store.display(rest).to_string();
        assert!(shown.starts_with("[\"]json(") && shown.ends_with(")[\"]"), "{shown}");
    }

    #[test]
    fn numbers_are_excluded_with_all_their_spellings() {
        let mut store = Store::new(&Limits::default());
        let all = store.regex(COMPARED_NUMBERS).unwrap();
        for (used, equal, others) in [
            ("1", &["1", "1.0", "1.00", "1e0", "1.0E+00"][..], &["-1", "10", "1.01", "0", "1e1"][..]),
            ("-0.0", &["0", "-0", "0.00"], &["1", "0.01"]),
            ("-1.50e2", &["-150", "-150.0", "-1.5e2", "-1.50E+02"], &["150", "-15", "-1.5e3"]),
            ("2.5e-3", &["0.0025", "2.50E-03"], &["0.025", "0.00250001"]),
            ("10", &["10", "1e1", "10.0"], &["1", "100"]),
        ] {
            let rest = exclude_value(&mut store, all, used.as_bytes()).unwrap();
            let mut holds = |text: &str| {
                let end = text.bytes().try_fold(rest, |state, byte| store.derivative(state, byte)).unwrap();
                store.is_nullable(end)
            };
            for (texts, is_left) in [(equal, false), (others, true)] {
                texts.iter().for_each(|text| assert_eq!(holds(text), is_left, "{text} after {used}"));
            }
        }
        for text in ["01", "1.", ".5", "+1", "1e", "12e1", "0e1", "1e99999999999", "1e401", "", "-", "1e-+1"]
        {
            assert!(Number::parse(text.as_bytes()).is_none(), "{text}");
        }
        // In one spelling, the result stays a list of texts.
        let digits = store.regex("0|[1-9][0-9]*").unwrap();
        assert!(has_one_spelling_per_number(&mut store, digits).unwrap());
        let by_value = exclude_value(&mut store, digits, b"12").unwrap();
        let by_text = exclude_spelling(&mut store, digits, b"12").unwrap();
        for text in ["1", "12", "120", "2"] {
            for rest in [by_value, by_text] {
                let end = store.derivative_by_text(rest, text.as_bytes()).unwrap();
                assert_eq!(store.is_nullable(end), text != "12", "{text}");
            }
        }
    }

    #[test]
    fn distinct_values_are_counted() {
        let mut store = Store::new(&Limits::default());
        for (pattern, count) in [
            ("", 1),
            ("a", 1),
            ("a?b{1,3}", 6),
            ("[a-z]{2}", 676),
            (r#""(a|\\u0061)""#, 1),
            ("[1-9](\\.0)?|1e0", 9),
            ("-?[0-9]", 19),
        ] {
            let language = store.regex(pattern).unwrap();
            assert!(has_distinct_values(&mut store, language, count).unwrap(), "{pattern}");
            assert!(!has_distinct_values(&mut store, language, count + 1).unwrap(), "{pattern}");
        }
        for pattern in [".*", "[ab]{0,40}", "a+b", "(?s:.){5}", "x(yz)*|a"] {
            let language = store.regex(pattern).unwrap();
            assert!(has_distinct_values(&mut store, language, 1 << 32).unwrap(), "{pattern}");
        }
        for pattern in ["a{0,100000}", r#""(\\\\)*""#] {
            let language = store.regex(pattern).unwrap();
            assert!(!has_distinct_values(&mut store, language, 1 << 32).unwrap(), "{pattern}");
        }
        assert!(!has_distinct_values(&mut store, RegularId::EMPTY, 1).unwrap());
    }
}
