//! Finite languages in JSON strings: a few texts between fixed bytes, such as keys and enumerated values of a
//! schema, or all texts except a few.
//!
//! A caller that knows the texts can follow them without derivatives.

use crate::analysis::first_bytes::first_bytes;
use crate::construct::length::any_character;
use crate::construct::length::as_length;
use crate::json::string::is_raw;
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{Error, Escapes, Store};
use grammask_work::count;

/// A language of JSON spellings of known texts, or of all other texts. See [`finite_language`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteLanguage {
    /// The bytes before the spelling.
    pub before: Vec<u8>,
    /// The texts, ascending and distinct; at least one.
    pub texts: Vec<Vec<u8>>,
    /// True if the language contains the spellings of all texts except these.
    pub is_complement: bool,
    /// The bytes after the spelling; not empty.
    pub after: Vec<u8>,
    /// The spellings of the characters.
    pub escapes: Escapes,
}

impl FiniteLanguage {
    fn new(around: Quotes, mut texts: Vec<Vec<u8>>, is_complement: bool) -> Self {
        let Quotes { before, after, escapes } = around;
        texts.sort_unstable();
        texts.dedup();
        Self { before, texts, is_complement, after, escapes }
    }
}

/// The bytes around a spelling, and the spellings of its characters.
struct Quotes {
    before: Vec<u8>,
    after: Vec<u8>,
    escapes: Escapes,
}

/// Factor on the limit of the number of texts if they are an interned word list, such as the keys of a large
/// object. The list only has to be copied.
const WORD_LIST_FACTOR: usize = 16;

/// Maximum depth of nested operands that are examined.
const MAX_TEXTS_DEPTH: u32 = 16;

/// The greatest number of texts, and the bytes of the longest.
#[derive(Clone, Copy)]
struct TextLimits {
    texts: usize,
    bytes: usize,
}

impl TextLimits {
    /// Returns limits with one bound for both.
    const fn of(most: usize) -> Self {
        Self { texts: most, bytes: most }
    }
}

/// Returns `a` as a [`FiniteLanguage`]: all JSON spellings of some texts, with fixed bytes before and after.
/// There are at most `most` texts of at most `most` bytes, or 16 times as many texts from a list of words.
///
/// If `a` contains the spellings of all texts except a few, the result has these few texts. In this case, the
/// first byte of `after` cannot continue a spelling. Returns `None` if `a` has neither form.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// O(`most`²) at most, for sorting the texts.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let quote = store.literal(b"\"")?;
/// let names = store.regex("no|yes")?;
/// let names = store.json_text(names)?;
/// let key = store.concat(&[quote, names, quote])?;
/// let spelled = analysis::finite_language(&mut store, key, 64)?.expect("these are two texts");
/// assert_eq!((spelled.before, spelled.texts, spelled.after), (vec![b'"'], vec![b"no".to_vec(), b"yes".to_vec()], vec![b'"']));
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn finite_language(
    store: &mut Store,
    a: RegularId,
    most: usize,
) -> Result<Option<FiniteLanguage>, Error> {
    let Some((text, around)) = split_spelling(store, a, most) else { return Ok(None) };
    let Some((_, few)) = as_excluded_texts(store, text)? else {
        return Ok(positive_finite_language(store, a, most));
    };
    let Some(mut texts) = finite_texts(store, few, TextLimits::of(most)) else { return Ok(None) };
    // A string that is not UTF-8 has no spelling, so excluding it has no effect.
    texts.retain(|text| std::str::from_utf8(text).is_ok());
    // The byte after the spelling must not continue it, as a closing quote never does.
    let ends = |byte: &u8| !(is_raw(*byte) || *byte == b'\\');
    let is_spelled = !texts.is_empty() && around.after.first().is_some_and(ends);
    Ok(is_spelled.then(|| FiniteLanguage::new(around, texts, true)))
}

/// As [`finite_language`], but returns `None` if the language contains the spellings of all texts except a
/// few.
///
/// # Complexity
/// As [`finite_language`].
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let (key, quote) = (store.literal(b"key")?, store.literal(b"\"")?);
/// let key = store.json_text(key)?;
/// let key = store.concat(&[key, quote])?;
/// assert_eq!(analysis::positive_finite_language(&store, key, 64).map(|spelled| spelled.texts), Some(vec![b"key".to_vec()]));
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn positive_finite_language(store: &Store, a: RegularId, most: usize) -> Option<FiniteLanguage> {
    let (text, around) = split_spelling(store, a, most)?;
    let texts = finite_texts(store, text, TextLimits::of(most))?;
    let is_spelled = !texts.is_empty() && !around.after.is_empty();
    is_spelled.then(|| FiniteLanguage::new(around, texts, false))
}

/// Returns the language of the spellings of all texts, with the same bytes before and after.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in these bytes.
pub fn universal_language(store: &mut Store, spelled: &FiniteLanguage) -> Result<RegularId, Error> {
    let character = any_character(store)?;
    let text = store.repeat(character, 0, None)?;
    let text = store.json_text_with(text, spelled.escapes)?;
    let (before, after) = (store.literal(&spelled.before)?, store.literal(&spelled.after)?);
    store.concat(&[before, text, after])
}

/// Returns the language of all texts and the excluded language, if `a` consists of all texts except some.
pub(crate) fn as_excluded_texts(
    store: &mut Store,
    a: RegularId,
) -> Result<Option<(RegularId, RegularId)>, Error> {
    let Kind::And(list) = store.node(a).kind else { return Ok(None) };
    let [one, other] = *store.list(list) else { return Ok(None) };
    match (store.node(one).kind, store.node(other).kind) {
        (_, Kind::Not(some)) if is_any_text(store, one)? => Ok(Some((one, some))),
        (Kind::Not(some), _) if is_any_text(store, other)? => Ok(Some((other, some))),
        _ => Ok(None),
    }
}

/// A language without a few strings. See [`excluded_strings`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedStrings {
    /// The language with these strings.
    pub all: RegularId,
    /// The beginnings of the excluded strings, ascending and distinct.
    pub texts: Vec<Vec<u8>>,
    /// The ends of all strings.
    pub ends: RegularId,
}

/// Returns `a` as a loop over some characters without a few of its strings, before some ends. An example are
/// the keys that differ from the named ones, before a quote. There are at most `most` excluded texts of at
/// most `most` bytes. Returns `None` if `a` has another form.
///
/// After a prefix of an excluded text, the two languages have the same next strings, except for the rest of
/// the text before an end. The reason is that the loop always goes on, and never with the first byte of an
/// end.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the bytes of the texts.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let [letters, named, ends] = ["[a-z]*", "id|name", "\" ?:"].map(|pattern| store.regex(pattern));
/// let (letters, ends) = (letters?, ends?);
/// let others = store.complement(named?)?;
/// let others = store.intersection(&[letters, others])?;
/// let key = store.concat(&[others, ends])?;
/// let excluded = analysis::excluded_strings(&mut store, key, 64)?.expect("two names are excluded");
/// assert_eq!((excluded.texts, excluded.ends), (vec![b"id".to_vec(), b"name".to_vec()], ends));
/// assert_eq!(excluded.all, store.concat(&[letters, ends])?);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn excluded_strings(
    store: &mut Store,
    a: RegularId,
    most: usize,
) -> Result<Option<ExcludedStrings>, Error> {
    let (head, ends) = match store.node(a).kind {
        Kind::Concat(head, ends) => (head, ends),
        _ => (a, RegularId::EPSILON),
    };
    let Kind::And(list) = store.node(head).kind else { return Ok(None) };
    let mut members = store.list(list).to_vec();
    let mut texts = Vec::new();
    members.retain(|&member| {
        let Kind::Not(few) = store.node(member).kind else { return true };
        let Some(mut few) = finite_texts(store, few, TextLimits::of(most)) else { return true };
        texts.append(&mut few);
        false
    });
    let &[all] = &members[..] else { return Ok(None) };
    let Kind::Repeat { base, min: min @ (0 | 1), max: UNBOUNDED } = store.node(all).kind else {
        return Ok(None);
    };
    if texts.is_empty() || texts.len() > most {
        return Ok(None);
    }
    let all = store.repeat(base, 0, None)?;
    if min == 1 {
        texts.push(Vec::new());
    }
    if ends != RegularId::EPSILON {
        let Some(first) = first_bytes(store, ends) else { return Ok(None) };
        for byte in first.iter() {
            if store.derivative(all, byte)? != RegularId::EMPTY {
                return Ok(None);
            }
        }
    }
    for text in &texts {
        if store.derivative_by_text(all, text)? != all {
            return Ok(None);
        }
    }
    texts.sort_unstable();
    texts.dedup();
    Ok(Some(ExcludedStrings { all: store.concat(&[all, ends])?, texts, ends }))
}

/// Returns false if the first operands of `a` show that [`finite_language`] will return `None`.
///
/// # Complexity
/// O(1).
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let (key, quote) = (store.literal(b"key")?, store.literal(b"\"")?);
/// assert!(!analysis::may_be_finite(&store, key));
/// let key = store.json_text(key)?;
/// let key = store.concat(&[key, quote])?;
/// assert!(analysis::may_be_finite(&store, key));
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn may_be_finite(store: &Store, a: RegularId) -> bool {
    let mut rest = a;
    // Few operands precede the spelling, usually a quote.
    for _ in 0..4 {
        let Kind::Concat(head, tail) = store.node(rest).kind else { return false };
        if let Kind::Json { at, .. } = store.node(head).kind {
            return at == JsonPosition::Character;
        }
        rest = tail;
    }
    false
}

fn is_any_text(store: &mut Store, a: RegularId) -> Result<bool, Error> {
    Ok(as_length(store, a)? == Some((0, UNBOUNDED)))
}

/// Returns the language that is spelled in a JSON string, and what is around it.
fn split_spelling(store: &Store, a: RegularId, most: usize) -> Option<(RegularId, Quotes)> {
    let (mut before, mut rest) = (Vec::new(), a);
    loop {
        let Kind::Concat(head, tail) = store.node(rest).kind else { return None };
        rest = tail;
        if let Kind::Json { text, escapes, at } = store.node(head).kind {
            let mut after = Vec::new();
            append_single_text(store, rest, most, &mut after)?;
            return (at == JsonPosition::Character).then_some((text, Quotes { before, after, escapes }));
        }
        append_single_text(store, head, most, &mut before)?;
        if before.len() > most {
            return None;
        }
    }
}

/// Appends the only text of a language. Returns `None` if it has several, or may have.
fn append_single_text(store: &Store, a: RegularId, most: usize, to: &mut Vec<u8>) -> Option<()> {
    let len = to.len();
    if append_literal(store, a, most, to).is_some() {
        return Some(());
    }
    to.truncate(len);
    match &finite_texts(store, a, TextLimits { texts: 1, bytes: most })?[..] {
        [text] => {
            to.extend_from_slice(text);
            Some(())
        }
        _ => None,
    }
}

/// Returns the texts of a language, in no order, if the expression lists them. These are at most 64 texts of
/// at most 64 bytes, 16 times as many from a list of words, or one literal. Long repetitions are not
/// expanded, because a counter takes less memory than a text.
pub(crate) fn listed_texts(store: &Store, a: RegularId) -> Option<Vec<Vec<u8>>> {
    const MAX_LISTED_TEXTS: usize = 64;
    if let Some(texts) = finite_texts(store, a, TextLimits::of(MAX_LISTED_TEXTS)) {
        return Some(texts);
    }
    Some(vec![single_literal(store, a, usize::MAX)?])
}

/// Returns the only text of a language that is a literal of at most `most` bytes.
fn single_literal(store: &Store, a: RegularId, most: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    append_literal(store, a, most, &mut text)?;
    Some(text)
}

/// Appends the text of a literal of at most `most` bytes. Returns `None` if `a` is not such a literal, and
/// leaves `text` in an unspecified state.
fn append_literal(store: &Store, a: RegularId, most: usize, text: &mut Vec<u8>) -> Option<()> {
    let mut room = most;
    let mut rest = a;
    while rest != RegularId::EPSILON {
        let (head, tail) = match store.node(rest).kind {
            Kind::Concat(head, tail) => (head, tail),
            _ => (rest, RegularId::EPSILON),
        };
        let byte;
        let more = match store.node(head).kind {
            Kind::Bytes(set) => {
                byte = store.byte_set(set).single_byte()?;
                std::slice::from_ref(&byte)
            }
            Kind::Words { range, depth } => &store.leaves.only_word(range)?[depth as usize..],
            _ => return None,
        };
        // Tested before copying, because a word may have megabytes.
        room = room.checked_sub(more.len())?;
        text.extend_from_slice(more);
        rest = tail;
    }
    Some(())
}

/// Returns the texts of a language, in no order. Returns `None` if they exceed the limits, or if the
/// expression does not list them.
fn finite_texts(store: &Store, a: RegularId, most: TextLimits) -> Option<Vec<Vec<u8>>> {
    if let Some(text) = single_literal(store, a, most.bytes) {
        return Some(vec![text]);
    }
    let mut texts = vec![Vec::new()];
    append_each(store, a, most, MAX_TEXTS_DEPTH, &mut texts).then_some(texts)
}

/// Replaces `texts` by their concatenations with each text of `a`. Returns false if the result exceeds the
/// limits, or if the expression does not list the texts.
fn append_each(store: &Store, a: RegularId, most: TextLimits, depth: u32, texts: &mut Vec<Vec<u8>>) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let mut rest = a;
    // A loop, because a concatenation may be as long as a text.
    while let Kind::Concat(head, tail) = store.node(rest).kind {
        if !append_each(store, head, most, depth, texts) {
            return false;
        }
        rest = tail;
    }
    match store.node(rest).kind {
        Kind::Epsilon => {}
        Kind::Bytes(set) => {
            let set = store.byte_set(set);
            if texts.len() * set.len() > most.texts {
                return false;
            }
            match (set.len(), set.first()) {
                (1, Some(byte)) => texts.iter_mut().for_each(|text| text.push(byte)),
                _ => {
                    let bytes: Vec<[u8; 1]> = set.iter().map(|byte| [byte]).collect();
                    *texts = extended(texts, &bytes);
                }
            }
        }
        Kind::Acyclic(state) => {
            let mut words = Vec::new();
            if !acyclic_words(
                store,
                state,
                TextLimits { texts: most.texts / texts.len(), ..most },
                &mut words,
            ) {
                return false;
            }
            *texts = extended(texts, &words);
        }
        Kind::Words { range, depth } => {
            let (list, words) = store.leaves.words(range);
            // A caller that needs a single text cannot use a list.
            let few = if texts.len() == 1 && most.texts > 1 {
                most.texts * WORD_LIST_FACTOR
            } else {
                most.texts / texts.len()
            };
            if words.len() > few {
                return false;
            }
            count(UNITS_PER_WORD * words.len() as u64);
            let words: Vec<&[u8]> = (words).map(|word| &list.word(word)[depth as usize..]).collect();
            if words.iter().any(|word| word.len() > most.bytes) {
                return false;
            }
            *texts = extended(texts, &words);
        }
        Kind::Or(list) => {
            let mut all = Vec::new();
            for &member in store.list(list) {
                let mut some = texts.clone();
                if !append_each(store, member, most, depth, &mut some) {
                    return false;
                }
                all.append(&mut some);
                if all.len() > most.texts {
                    return false;
                }
            }
            *texts = all;
        }
        Kind::Repeat { base, min, max } if max as usize <= most.bytes => {
            let mut all = Vec::new();
            for times in 0..=max {
                if times > 0 && !append_each(store, base, most, depth, texts) {
                    return false;
                }
                if times >= min {
                    all.extend_from_slice(texts);
                }
                if all.len() > most.texts {
                    return false;
                }
            }
            *texts = all;
        }
        _ => return false,
    }
    texts.iter().all(|text| text.len() <= most.bytes)
}

/// Collects the words that the acyclic DFA accepts from a state. Returns false if they exceed the limits.
fn acyclic_words(store: &Store, state: u32, most: TextLimits, words: &mut Vec<Vec<u8>>) -> bool {
    if store.leaves.acyclic.longest(state) as usize > most.bytes {
        return false;
    }
    let mut open = vec![(state, Vec::new())];
    while let Some((state, word)) = open.pop() {
        if store.leaves.acyclic.is_final(state) {
            words.push(word.clone());
        }
        for edge in store.leaves.acyclic.edges(state) {
            for byte in edge.first..=edge.last {
                let mut longer = word.clone();
                longer.push(byte);
                open.push((edge.target, longer));
            }
        }
        // Every open state leads to a word.
        if words.len() + open.len() > most.texts {
            return false;
        }
    }
    true
}

/// Work of one word that is copied.
const UNITS_PER_WORD: u64 = 8;

/// Returns each text followed by each of some others.
fn extended<T: AsRef<[u8]>>(texts: &[Vec<u8>], more: &[T]) -> Vec<Vec<u8>> {
    let behind = |text: &Vec<u8>| {
        let text = text.clone();
        more.iter().map(move |more| [&text[..], more.as_ref()].concat())
    };
    texts.iter().flat_map(behind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    /// Returns the [`finite_language`] of a JSON string whose text matches a pattern.
    fn finite_language_of(
        store: &mut Store,
        pattern: &str,
        is_complement: bool,
    ) -> Result<Option<FiniteLanguage>, Error> {
        let any = store.regex("(?s:.)*")?;
        let mut text = store.regex(pattern)?;
        if is_complement {
            let others = store.complement(text)?;
            text = store.intersection(&[any, others])?;
        }
        let quote = store.literal(b"\"")?;
        let spelling = store.json_text(text)?;
        let all = store.concat(&[quote, spelling, quote])?;
        let found = finite_language(store, all, 16)?;
        if let Some(found) = &found {
            let any = store.json_text(any)?;
            let any = store.concat(&[quote, any, quote])?;
            assert_eq!(universal_language(store, found)?, any);
        }
        Ok(found)
    }

    #[test]
    fn finite_languages_are_found_in_all_forms() {
        let mut store = Store::new(&Limits::default());
        for (pattern, texts) in [
            ("abc", &["abc"][..]),
            ("a|bc|bd", &["a", "bc", "bd"]),
            ("(ab?){2}", &["aa", "aab", "aba", "abab"]),
            ("(no)?thing", &["nothing", "thing"]),
            ("be{2}r|[xy]z", &["beer", "xz", "yz"]),
            ("é|\u{1F600}\n", &["é", "\u{1F600}\n"]),
            ("a text of 16 chs", &["a text of 16 chs"]),
        ] {
            for is_complement in [false, true] {
                let found = finite_language_of(&mut store, pattern, is_complement).unwrap().expect(pattern);
                assert_eq!(found.is_complement, is_complement, "{pattern}");
                let mut expected: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
                expected.sort_unstable();
                assert_eq!(found.texts, expected, "{pattern}");
                assert_eq!((&found.before[..], &found.after[..]), (&b"\""[..], &b"\""[..]));
            }
        }
    }

    #[test]
    fn complement_needs_a_suffix_that_ends_the_string() {
        let mut store = Store::new(&Limits::default());
        let any = store.regex("(?s:.)*").unwrap();
        let text = store.literal(b"a").unwrap();
        let others = store.complement(text).unwrap();
        let others = store.intersection(&[any, others]).unwrap();
        for (after, is_found) in
            [(&b"\""[..], true), (b"\",", true), (b"x", false), (b"\\\"", false), (b"x\"", false)]
        {
            for (text, is_complement) in [(text, false), (others, true)] {
                let (spelling, after) = (store.json_text(text).unwrap(), store.literal(after).unwrap());
                let all = store.concat(&[spelling, after]).unwrap();
                let found = finite_language(&mut store, all, 16).unwrap();
                assert_eq!(found.is_some(), is_found || !is_complement, "{}", store.display(all));
            }
        }
    }

    #[test]
    fn non_utf8_is_not_an_excluded_text() {
        let mut store = Store::new(&Limits::default());
        let any = store.regex("(?s:.)*").unwrap();
        let few = store.literals([&b"\xC3"[..], "é".as_bytes()]).unwrap();
        let others = store.complement(few).unwrap();
        let others = store.intersection(&[any, others]).unwrap();
        let (spelling, quote) = (store.json_text(others).unwrap(), store.literal(b"\"").unwrap());
        let all = store.concat(&[spelling, quote]).unwrap();
        let texts = finite_language(&mut store, all, 16).unwrap().map(|spelled| spelled.texts);
        assert_eq!(texts, Some(vec!["é".as_bytes().to_vec()]));
    }

    #[test]
    fn word_lists_may_have_more_texts() {
        let mut store = Store::new(&Limits::default());
        let quote = store.literal(b"\"").unwrap();
        for (count, is_found) in [(16 * WORD_LIST_FACTOR, true), (16 * WORD_LIST_FACTOR + 1, false)] {
            let words: Vec<String> = (0..count).map(|index| format!("key {index:03}")).collect();
            let list = store.literals(words.iter().map(String::as_bytes)).unwrap();
            let spelling = store.json_text(list).unwrap();
            let key = store.concat(&[quote, spelling, quote]).unwrap();
            let texts = finite_language(&mut store, key, 16).unwrap().map(|spelled| spelled.texts);
            let words: Vec<Vec<u8>> = words.into_iter().map(String::into_bytes).collect();
            assert_eq!(texts, is_found.then_some(words));
        }
    }

    #[test]
    fn large_languages_are_not_listed() {
        let mut store = Store::new(&Limits::default());
        for pattern in ["[a-z]", "a*", "a{17}", "[ab]{5}", "a{2,}", "(?s:.)"] {
            assert_eq!(finite_language_of(&mut store, pattern, false).unwrap(), None, "{pattern}");
        }
    }
}
