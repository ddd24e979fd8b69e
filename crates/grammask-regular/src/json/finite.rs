//! Languages that are few texts, as they are spelled in JSON strings, between fixed bytes: keys and values of a schema. Or all other texts.
//! Whoever knows the texts can follow them without derivatives.

use crate::store::node::{Kind, RegularId, Spelling, UNBOUNDED};
use crate::{Error, Store};

/// A language of spellings in a JSON string. See [`Store::spelled`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelled {
    /// What stands before the spelling.
    pub before: Vec<u8>,
    /// The texts that are spelled, ascending, each once; at least one.
    pub texts: Vec<Vec<u8>>,
    /// Whether the language holds the spellings of all texts but these.
    pub is_complement: bool,
    /// What stands behind the spelling; not empty.
    pub after: Vec<u8>,
}

impl Spelled {
    fn new(before: Vec<u8>, mut texts: Vec<Vec<u8>>, is_complement: bool, after: Vec<u8>) -> Self {
        texts.sort_unstable();
        texts.dedup();
        Self { before, texts, is_complement, after }
    }
}

/// So many times as many texts are few where they are a list of words, which only has to be copied: the keys of a large object.
const LISTED: usize = 16;

/// How deep an expression is looked into.
const DEPTH: u32 = 16;

/// Up to how many texts are few, of up to how many bytes.
#[derive(Clone, Copy)]
struct Few {
    texts: usize,
    bytes: usize,
}

impl Few {
    /// So many of so many bytes.
    const fn of(most: usize) -> Self {
        Self { texts: most, bytes: most }
    }
}

impl Store {
    /// The texts of which a language holds all spellings in JSON strings, if it is such a language, with fixed bytes before and
    /// behind: at most `most` texts of at most `most` bytes, or 16 times as many that are known as a list of words. Where the language
    /// holds the spellings of all texts but a few, these few are given; what stands behind begins with a byte then that no spelling holds.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// O(`most`²) at most, for sorting the texts.
    ///
    /// ```
    /// # use grammask_regular::{Config, Store};
    /// let mut store = Store::new(&Config::default());
    /// let quote = store.literal(b"\"")?;
    /// let names = store.regex("no|yes")?;
    /// let names = store.json_text(names)?;
    /// let key = store.concat(&[quote, names, quote])?;
    /// let spelled = store.spelled(key, 64)?.expect("these are two texts");
    /// assert_eq!((spelled.before, spelled.texts, spelled.after), (vec![b'"'], vec![b"no".to_vec(), b"yes".to_vec()], vec![b'"']));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn spelled(&mut self, a: RegularId, most: usize) -> Result<Option<Spelled>, Error> {
        let Some((before, text, after)) = self.spelling(a, most) else { return Ok(None) };
        let Some((_, few)) = self.all_texts_but(text)? else { return Ok(self.spelled_texts(a, most)) };
        let Some(mut texts) = self.texts(few, Few::of(most)) else { return Ok(None) };
        // What is no text is not missing from all texts.
        texts.retain(|text| std::str::from_utf8(text).is_ok());
        // What follows must not be a part of a spelling, as a closing quote never is.
        let ends = |byte: &u8| !(Self::is_raw(*byte) || *byte == b'\\');
        let is_spelled = !texts.is_empty() && after.first().is_some_and(ends);
        Ok(is_spelled.then(|| Spelled::new(before, texts, true, after)))
    }

    /// The same, only where the language holds the spellings of few texts, and not where of all others.
    ///
    /// # Complexity
    /// As [`spelled`](Self::spelled).
    ///
    /// ```
    /// # use grammask_regular::{Config, Store};
    /// let mut store = Store::new(&Config::default());
    /// let (key, quote) = (store.literal(b"key")?, store.literal(b"\"")?);
    /// let key = store.json_text(key)?;
    /// let key = store.concat(&[key, quote])?;
    /// assert_eq!(store.spelled_texts(key, 64).map(|spelled| spelled.texts), Some(vec![b"key".to_vec()]));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn spelled_texts(&self, a: RegularId, most: usize) -> Option<Spelled> {
        let (before, text, after) = self.spelling(a, most)?;
        let texts = self.texts(text, Few::of(most))?;
        let is_spelled = !texts.is_empty() && !after.is_empty();
        is_spelled.then(|| Spelled::new(before, texts, false, after))
    }

    /// The language of the spellings of all texts, with the same bytes before and behind.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in these bytes.
    pub fn spelled_all(&mut self, spelled: &Spelled) -> Result<RegularId, Error> {
        let character = self.character()?;
        let text = self.repeat(character, 0, None)?;
        let text = self.json_text(text)?;
        let (before, after) = (self.literal(&spelled.before)?, self.literal(&spelled.after)?);
        self.concat(&[before, text, after])
    }

    /// Where a language is written as that of all texts but some: all texts, and these.
    pub(crate) fn all_texts_but(&mut self, a: RegularId) -> Result<Option<(RegularId, RegularId)>, Error> {
        let Kind::And(list) = self.node(a).kind else { return Ok(None) };
        let [one, other] = *self.list(list) else { return Ok(None) };
        match (self.node(one).kind, self.node(other).kind) {
            (_, Kind::Not(some)) if self.is_any_text(one)? => Ok(Some((one, some))),
            (Kind::Not(some), _) if self.is_any_text(other)? => Ok(Some((other, some))),
            _ => Ok(None),
        }
    }

    /// Whether a language may be one of spellings, by a look at how it is written.
    ///
    /// # Complexity
    /// O(1).
    ///
    /// ```
    /// # use grammask_regular::{Config, Store};
    /// let mut store = Store::new(&Config::default());
    /// let (key, quote) = (store.literal(b"key")?, store.literal(b"\"")?);
    /// assert!(!store.may_be_spelled(key));
    /// let key = store.json_text(key)?;
    /// let key = store.concat(&[key, quote])?;
    /// assert!(store.may_be_spelled(key));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn may_be_spelled(&self, a: RegularId) -> bool {
        let mut rest = a;
        // Before the spelling stand a quote and little else.
        for _ in 0..4 {
            let Kind::Concat(head, tail) = self.node(rest).kind else { return false };
            if let Kind::Json { at, .. } = self.node(head).kind {
                return at == Spelling::Text;
            }
            rest = tail;
        }
        false
    }

    fn is_any_text(&mut self, a: RegularId) -> Result<bool, Error> {
        Ok(self.text_bounds(a)? == Some((0, UNBOUNDED)))
    }

    /// What is spelled in a JSON string, and the bytes before and behind it.
    fn spelling(&self, a: RegularId, most: usize) -> Option<(Vec<u8>, RegularId, Vec<u8>)> {
        let (mut before, mut rest) = (Vec::new(), a);
        loop {
            let Kind::Concat(head, tail) = self.node(rest).kind else { return None };
            rest = tail;
            if let Kind::Json { text, at } = self.node(head).kind {
                let mut after = Vec::new();
                self.append_only_text(rest, most, &mut after)?;
                return (at == Spelling::Text).then_some((before, text, after));
            }
            self.append_only_text(head, most, &mut before)?;
            if before.len() > most {
                return None;
            }
        }
    }

    /// Appends the one text of a language, if it has no other.
    fn append_only_text(&self, a: RegularId, most: usize, to: &mut Vec<u8>) -> Option<()> {
        let len = to.len();
        if self.append_one_text(a, most, to).is_some() {
            return Some(());
        }
        to.truncate(len);
        match &self.texts(a, Few { texts: 1, bytes: most })?[..] {
            [text] => {
                to.extend_from_slice(text);
                Some(())
            }
            _ => None,
        }
    }

    /// The texts of a language, in no order, if that shows on the surface of its expression: a few short ones, or one of any length that is
    /// written out. Long repetitions are left as they are: a count takes less room than a text.
    pub(crate) fn few_texts(&self, a: RegularId) -> Option<Vec<Vec<u8>>> {
        const FEW: usize = 64;
        if let Some(texts) = self.texts(a, Few::of(FEW)) {
            return Some(texts);
        }
        Some(vec![self.one_text(a, usize::MAX)?])
    }

    /// The one text of a language that is written out, if it has at most so many bytes.
    fn one_text(&self, a: RegularId, most: usize) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        self.append_one_text(a, most, &mut text)?;
        Some(text)
    }

    /// Appends it. Where there is none, something may have been appended.
    fn append_one_text(&self, a: RegularId, most: usize, text: &mut Vec<u8>) -> Option<()> {
        let mut room = most;
        let mut rest = a;
        while rest != RegularId::EPSILON {
            let (head, tail) = match self.node(rest).kind {
                Kind::Concat(head, tail) => (head, tail),
                _ => (rest, RegularId::EPSILON),
            };
            let byte;
            let more = match self.node(head).kind {
                Kind::Bytes(set) => {
                    byte = self.byte_set(set).single_byte()?;
                    std::slice::from_ref(&byte)
                }
                Kind::Words { range, depth } => match self.ranges[range as usize] {
                    (list, word, end) if word + 1 == end => {
                        &self.words[list as usize].word(word)[depth as usize..]
                    }
                    _ => return None,
                },
                _ => return None,
            };
            // A word may be megabytes.
            room = room.checked_sub(more.len())?;
            text.extend_from_slice(more);
            rest = tail;
        }
        Some(())
    }

    /// The texts of a language, in no order, if these are few and show on the surface of its expression.
    fn texts(&self, a: RegularId, most: Few) -> Option<Vec<Vec<u8>>> {
        if let Some(text) = self.one_text(a, most.bytes) {
            return Some(vec![text]);
        }
        let mut texts = vec![Vec::new()];
        self.append_texts(a, most, DEPTH, &mut texts).then_some(texts)
    }

    /// Puts each of the texts of a language behind each of some texts; says whether these are few.
    fn append_texts(&self, a: RegularId, most: Few, depth: u32, texts: &mut Vec<Vec<u8>>) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let mut rest = a;
        // Concatenations are as long as texts.
        while let Kind::Concat(head, tail) = self.node(rest).kind {
            if !self.append_texts(head, most, depth, texts) {
                return false;
            }
            rest = tail;
        }
        match self.node(rest).kind {
            Kind::Epsilon => {}
            Kind::Bytes(set) => {
                let set = self.byte_set(set);
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
                if !self.words_of(state, Few { texts: most.texts / texts.len(), ..most }, &mut words) {
                    return false;
                }
                *texts = extended(texts, &words);
            }
            Kind::Words { range, depth } => {
                let (list, start, end) = self.ranges[range as usize];
                // Who asks for the only text wants no list.
                let few = if texts.len() == 1 && most.texts > 1 {
                    most.texts * LISTED
                } else {
                    most.texts / texts.len()
                };
                if (end - start) as usize > few {
                    return false;
                }
                let list = &self.words[list as usize];
                let words: Vec<&[u8]> = (start..end).map(|word| &list.word(word)[depth as usize..]).collect();
                if words.iter().any(|word| word.len() > most.bytes) {
                    return false;
                }
                *texts = extended(texts, &words);
            }
            Kind::Or(list) => {
                let mut all = Vec::new();
                for &member in self.list(list) {
                    let mut some = texts.clone();
                    if !self.append_texts(member, most, depth, &mut some) {
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
                    if times > 0 && !self.append_texts(base, most, depth, texts) {
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

    /// The words that are accepted from a state of the acyclic automaton, if these are few.
    fn words_of(&self, state: u32, most: Few, words: &mut Vec<Vec<u8>>) -> bool {
        if self.acyclic.longest(state) as usize > most.bytes {
            return false;
        }
        let mut open = vec![(state, Vec::new())];
        while let Some((state, word)) = open.pop() {
            if self.acyclic.is_final(state) {
                words.push(word.clone());
            }
            for edge in self.acyclic.edges(state) {
                for byte in edge.first..=edge.last {
                    let mut longer = word.clone();
                    longer.push(byte);
                    open.push((edge.target, longer));
                }
            }
            // Whatever is open leads to a word.
            if words.len() + open.len() > most.texts {
                return false;
            }
        }
        true
    }
}

/// Each text, with each of some others behind it.
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
    use crate::Config;

    /// The texts of a pattern in a JSON string, by `spelled`.
    fn spelled(store: &mut Store, pattern: &str, is_complement: bool) -> Result<Option<Spelled>, Error> {
        let any = store.regex("(?s:.)*")?;
        let mut text = store.regex(pattern)?;
        if is_complement {
            let others = store.complement(text)?;
            text = store.intersection(&[any, others])?;
        }
        let quote = store.literal(b"\"")?;
        let spelling = store.json_text(text)?;
        let all = store.concat(&[quote, spelling, quote])?;
        let found = store.spelled(all, 16)?;
        if let Some(found) = &found {
            let any = store.json_text(any)?;
            let any = store.concat(&[quote, any, quote])?;
            assert_eq!(store.spelled_all(found)?, any);
        }
        Ok(found)
    }

    #[test]
    fn few_texts_are_found_however_they_are_written() {
        let mut store = Store::new(&Config::default());
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
                let found = spelled(&mut store, pattern, is_complement).unwrap().expect(pattern);
                assert_eq!(found.is_complement, is_complement, "{pattern}");
                let mut expected: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
                expected.sort_unstable();
                assert_eq!(found.texts, expected, "{pattern}");
                assert_eq!((&found.before[..], &found.after[..]), (&b"\""[..], &b"\""[..]));
            }
        }
    }

    #[test]
    fn what_follows_all_other_texts_is_no_part_of_one() {
        let mut store = Store::new(&Config::default());
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
                let found = store.spelled(all, 16).unwrap();
                assert_eq!(found.is_some(), is_found || !is_complement, "{}", store.display(all));
            }
        }
    }

    #[test]
    fn what_is_no_text_is_not_missing() {
        let mut store = Store::new(&Config::default());
        let any = store.regex("(?s:.)*").unwrap();
        let few = store.literals([&b"\xC3"[..], "é".as_bytes()]).unwrap();
        let others = store.complement(few).unwrap();
        let others = store.intersection(&[any, others]).unwrap();
        let (spelling, quote) = (store.json_text(others).unwrap(), store.literal(b"\"").unwrap());
        let all = store.concat(&[spelling, quote]).unwrap();
        let texts = store.spelled(all, 16).unwrap().map(|spelled| spelled.texts);
        assert_eq!(texts, Some(vec!["é".as_bytes().to_vec()]));
    }

    #[test]
    fn of_listed_words_more_are_few() {
        let mut store = Store::new(&Config::default());
        let quote = store.literal(b"\"").unwrap();
        for (count, is_found) in [(16 * LISTED, true), (16 * LISTED + 1, false)] {
            let words: Vec<String> = (0..count).map(|index| format!("key {index:03}")).collect();
            let list = store.literals(words.iter().map(String::as_bytes)).unwrap();
            let spelling = store.json_text(list).unwrap();
            let key = store.concat(&[quote, spelling, quote]).unwrap();
            let texts = store.spelled(key, 16).unwrap().map(|spelled| spelled.texts);
            let words: Vec<Vec<u8>> = words.into_iter().map(String::into_bytes).collect();
            assert_eq!(texts, is_found.then_some(words));
        }
    }

    #[test]
    fn many_and_long_texts_are_not_looked_for() {
        let mut store = Store::new(&Config::default());
        for pattern in ["[a-z]", "a*", "a{17}", "[ab]{5}", "a{2,}", "(?s:.)"] {
            assert_eq!(spelled(&mut store, pattern, false).unwrap(), None, "{pattern}");
        }
    }
}
