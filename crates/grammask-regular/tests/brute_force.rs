//! Random expressions against the plain meaning: sets of all strings up to a length.

mod automaton;

use automaton::explore;
use grammask_regular::{ByteClasses, ByteSet, Error, Limits, RegularId, Store, analysis};
use grammask_testkit::random::Rng;
use std::collections::BTreeSet;

/// Strings over `abc` are looked at up to this length.
const LENGTH: usize = 5;

type Words = BTreeSet<Vec<u8>>;

/// A language in the plain sense, cut off at [`LENGTH`]. Bytes beside a, b, c are not looked at.
#[derive(Clone, Debug)]
enum Language {
    Bytes(Vec<u8>),
    Literals(Vec<Vec<u8>>),
    Regex(&'static str, fn(&[u8]) -> bool),
    Concat(Vec<Language>),
    Union(Vec<Language>),
    Intersection(Vec<Language>),
    Complement(Box<Language>),
    Repeat(Box<Language>, u32, Option<u32>),
    NonEmpty(Box<Language>),
    Early(Box<Language>),
    Without(Box<Language>),
    Except(Vec<Vec<u8>>, Option<u64>),
    Substrings(Vec<u8>),
}

fn universe() -> Words {
    let mut all = Words::from([vec![]]);
    let mut last = vec![vec![]];
    for _ in 0..LENGTH {
        last = last.iter().flat_map(|word: &Vec<u8>| b"abc".map(|b| [&word[..], &[b]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn product(a: &Words, b: &Words) -> Words {
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    pairs.filter(|(x, y)| x.len() + y.len() <= LENGTH).map(|(x, y)| [&x[..], y].concat()).collect()
}

fn contains_any(word: &[u8], parts: impl Fn(&[u8]) -> bool) -> bool {
    (0..=word.len()).any(|start| (start..=word.len()).any(|end| parts(&word[start..end])))
}

impl Language {
    /// The meaning, straight from the definitions.
    fn words(&self, all: &Words) -> Words {
        let cut =
            |words: &[Vec<u8>]| words.iter().filter(|word| all.contains(*word)).cloned().collect::<Words>();
        match self {
            Self::Bytes(bytes) => bytes.iter().map(|&byte| vec![byte]).collect(),
            Self::Literals(words) => cut(words),
            Self::Regex(_, accepts) => all.iter().filter(|word| accepts(word)).cloned().collect(),
            Self::Concat(parts) => {
                parts.iter().fold(Words::from([vec![]]), |words, part| product(&words, &part.words(all)))
            }
            Self::Union(parts) => parts.iter().flat_map(|part| part.words(all)).collect(),
            Self::Intersection(parts) => {
                parts.iter().fold(all.clone(), |words, part| &words & &part.words(all))
            }
            Self::Complement(a) => all - &a.words(all),
            Self::Repeat(a, min, max) => {
                let base = a.words(all);
                let mut power = Words::from([vec![]]);
                let mut result = Words::new();
                // Beyond min + LENGTH + 1 times nothing new comes: each further time adds a byte, or nothing.
                for times in 0..=max.unwrap_or(u32::MAX).min(min + LENGTH as u32 + 1) {
                    if times >= *min {
                        result.extend(power.iter().cloned());
                    }
                    power = product(&power, &base);
                }
                result
            }
            Self::NonEmpty(a) => a.words(all).into_iter().filter(|word| !word.is_empty()).collect(),
            Self::Early(a) => {
                let words = a.words(all);
                let is_first = |word: &&Vec<u8>| (1..word.len()).all(|end| !words.contains(&word[..end]));
                words.iter().filter(|word| !word.is_empty()).filter(is_first).cloned().collect()
            }
            Self::Without(a) => {
                let words = a.words(all);
                let is_free =
                    |word: &&Vec<u8>| !word.is_empty() && !contains_any(word, |part| words.contains(part));
                all.iter().filter(is_free).cloned().collect()
            }
            Self::Except(texts, max) => {
                let is_free = |word: &&Vec<u8>| {
                    !word.is_empty()
                        && max.is_none_or(|max| max == 0 || word.len() as u64 <= max)
                        && !contains_any(word, |part| texts.iter().any(|text| text == part))
                };
                all.iter().filter(is_free).cloned().collect()
            }
            Self::Substrings(text) => {
                let is_part = |word: &&Vec<u8>| contains_any(text, |part| part == &word[..]);
                all.iter().filter(is_part).cloned().collect()
            }
        }
    }

    fn build(&self, store: &mut Store) -> Result<RegularId, Error> {
        let all = |store: &mut Store, parts: &[Self]| {
            parts.iter().map(|part| part.build(store)).collect::<Result<Vec<_>, _>>()
        };
        match self {
            Self::Bytes(bytes) => Ok(store.bytes(bytes.iter().copied().collect())),
            Self::Literals(words) => store.literals(words.iter().map(Vec::as_slice)),
            Self::Regex(pattern, _) => store.regex(pattern),
            Self::Concat(parts) => all(store, parts).and_then(|parts| store.concat(&parts)),
            Self::Union(parts) => all(store, parts).and_then(|parts| store.union(&parts)),
            Self::Intersection(parts) => all(store, parts).and_then(|parts| store.intersection(&parts)),
            Self::Complement(a) => a.build(store).and_then(|a| store.complement(a)),
            Self::Repeat(a, min, max) => a.build(store).and_then(|a| store.repeat(a, *min, *max)),
            Self::NonEmpty(a) => a.build(store).and_then(|a| store.non_empty(a)),
            Self::Early(a) => a.build(store).and_then(|a| store.shortest_match(a)),
            Self::Without(a) => a.build(store).and_then(|a| store.without_substring(a)),
            Self::Except(texts, max) => {
                store.except(&texts.iter().map(Vec::as_slice).collect::<Vec<_>>(), *max)
            }
            Self::Substrings(text) => store.substrings(text),
        }
    }
}

/// Random expressions, equal in each run.
struct Random(Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Rng::new(seed))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0.below(end as usize) as u64
    }

    fn word(&mut self, longest: u64) -> Vec<u8> {
        (0..self.below(longest + 1)).map(|_| b'a' + self.below(3) as u8).collect()
    }

    fn words(&mut self, most: u64) -> Vec<Vec<u8>> {
        (0..self.below(most + 1)).map(|_| self.word(3)).collect()
    }

    fn parts(&mut self, depth: u32) -> Vec<Language> {
        (0..1 + self.below(3)).map(|_| self.language(depth - 1)).collect()
    }

    fn language(&mut self, depth: u32) -> Language {
        let inner = |this: &mut Self| Box::new(this.language(depth - 1));
        match self.below(if depth == 0 { 6 } else { 20 }) {
            0 | 1 => Language::Bytes((b'a'..=b'c').filter(|_| self.below(2) == 0).collect()),
            2 => Language::Literals(self.words(12)),
            3 => match self.below(4) {
                0 => Language::Regex("[ab]*c?", |word| {
                    let end = word.iter().take_while(|&&byte| byte != b'c').count();
                    end + 1 >= word.len()
                }),
                1 => Language::Regex(".*", |_| true),
                2 => Language::Regex("a|b{2,3}|", |word| matches!(word, b"" | b"a" | b"bb" | b"bbb")),
                _ => Language::Regex("(?s)[^a]+", |word| !word.is_empty() && !word.contains(&b'a')),
            },
            4 => Language::Except(self.words(3), [None, Some(0), Some(2), Some(3)][self.below(4) as usize]),
            5 => Language::Substrings(self.word(7)),
            6..=8 => Language::Concat(self.parts(depth)),
            9..=11 => Language::Union(self.parts(depth)),
            12 => Language::Intersection(self.parts(depth)),
            13 => Language::Complement(inner(self)),
            14..=16 => {
                let min = self.below(4) as u32;
                let max = (self.below(3) > 0).then(|| min + self.below(4) as u32);
                Language::Repeat(inner(self), min, max)
            }
            17 => Language::NonEmpty(inner(self)),
            18 => Language::Early(inner(self)),
            _ => Language::Without(inner(self)),
        }
    }
}

fn accepts(store: &mut Store, start: RegularId, word: &[u8]) -> bool {
    let end = word.iter().try_fold(start, |state, &byte| store.derivative(state, byte)).unwrap();
    store.is_nullable(end)
}

/// Everything that must hold for one expression.
fn check(store: &mut Store, other: &mut Store, language: &Language, all: &Words) {
    let words = language.words(all);
    let start = language.build(store).unwrap();
    for word in all {
        assert_eq!(accepts(store, start, word), words.contains(word), "{language:?}: {word:?}");
    }
    assert_eq!(store.is_nullable(start), words.contains(&vec![]), "{language:?}");
    if !words.is_empty() {
        assert!(!store.is_empty(start).unwrap(), "{language:?}");
    }
    let copy = other.import(store, start).unwrap();
    assert_eq!(other.import(store, start), Ok(copy), "{language:?}");
    for word in all {
        assert_eq!(accepts(other, copy, word), words.contains(word), "imported {language:?}: {word:?}");
    }
    check_states(store, start, language);
}

/// Liveness is exact in every state, and bytes of one class are alike.
fn check_states(store: &mut Store, start: RegularId, language: &Language) {
    let whole = explore(store, start, 20_000);
    let inhabited = whole.inhabited();
    for (index, &state) in whole.states.iter().enumerate() {
        let shown = store.display(state).to_string();
        assert_eq!(store.is_empty(state), Ok(!inhabited[index]), "{language:?}: {shown}");
        assert!(index == 0 || inhabited[index] || state == RegularId::EMPTY, "{language:?}: {shown}");
        let next: Vec<usize> = whole.rows[index].clone();
        let more = next.iter().any(|&next| inhabited[next]);
        assert_eq!(store.has_nonempty_string(state), Ok(more), "{language:?}: {shown}");
        let live = store.live_bytes(state).unwrap();
        for byte in (0..=255).step_by(5).chain(*b"abc") {
            let class = whole.classes.class_of(byte);
            let target = next[usize::from(class)];
            assert_eq!(store.derivative(state, byte), Ok(whole.states[target]), "{language:?}: {shown}");
            assert_eq!(live.contains(byte), inhabited[target], "{language:?}: {shown} {byte}");
        }
    }
}

#[test]
fn random_expressions_mean_what_their_definitions_say() {
    let all = universe();
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for round in 0..40 {
        let mut store = Store::new(&Limits::default());
        let mut other = Store::new(&Limits::default());
        // A shifted numbering in the other store.
        other.regex("[x-z]+(foo|bar)").unwrap();
        for _ in 0..25 {
            let language = random.language(1 + round % 3);
            check(&mut store, &mut other, &language, &all);
        }
        store.check().unwrap();
        other.check().unwrap();
    }
}

#[test]
fn syntactic_proofs_hold() {
    let all = universe();
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    let (mut common, mut within, mut needy, mut kernels, mut without) = (0, 0, 0, 0, 0);
    for round in 0..60 {
        let mut store = Store::new(&Limits::default());
        // Languages, and what they become: these have parts in common.
        let mut states = Vec::new();
        for _ in 0..3 {
            let tail = random.language(1);
            let parts = vec![random.language(1 + round % 3), tail.clone()];
            for language in [Language::Concat(parts), tail] {
                let start = language.build(&mut store).unwrap();
                states.extend(explore(&mut store, start, 20_000).states.into_iter().take(6));
            }
        }
        let words: Vec<Words> = states
            .iter()
            .map(|&state| all.iter().filter(|word| accepts(&mut store, state, word)).cloned().collect())
            .collect();
        let loops = ["[a-c]*", "(?:ab?|c)*"].map(|pattern| store.regex(pattern).unwrap());
        for (&a, of_a) in states.iter().zip(&words) {
            let shown = store.display(a).to_string();
            let others = store.complement(a).unwrap();
            for all_of in loops {
                let rest = store.intersection(&[all_of, others]).unwrap();
                let kernel = analysis::invariant_subset(&mut store, rest).unwrap();
                for word in &all {
                    let is_right = !of_a.contains(word) && accepts(&mut store, all_of, word);
                    assert!(is_right || !accepts(&mut store, kernel, word), "{shown}: {word:?}");
                }
                for ((&b, of_b), large) in
                    states.iter().zip(&words).flat_map(|some| [(some, rest), (some, others)])
                {
                    let is_within = analysis::is_syntactic_subset(&store, b, large);
                    let holds = of_b.iter().all(|word| accepts(&mut store, large, word));
                    assert!(holds || !is_within, "{} within {}", store.display(b), store.display(large));
                    without += usize::from(is_within && b != RegularId::EMPTY);
                }
                kernels += usize::from(
                    kernel != RegularId::EMPTY && analysis::is_syntactic_subset(&store, kernel, rest),
                );
            }
            let alphabet = analysis::alphabet(&store, a);
            assert!(of_a.iter().flatten().all(|&byte| alphabet.contains(byte)), "{shown}: {alphabet}");
            for bytes in [&b"a"[..], b"b", b"ab", b"bc"] {
                let bytes: ByteSet = bytes.iter().copied().collect();
                let needs = analysis::requires_byte_outside(&store, a, &bytes);
                let holds = of_a.iter().all(|word| word.iter().any(|&byte| !bytes.contains(byte)));
                assert!(holds || !needs, "{shown} needs no other than {bytes}");
                needy += usize::from(needs && a != RegularId::EMPTY);
            }
            for (&b, of_b) in states.iter().zip(&words) {
                let other = store.display(b).to_string();
                let both = analysis::common_subset(&mut store, a, b).unwrap();
                assert_eq!(analysis::common_subset(&mut store, b, a), Ok(both), "{shown} and {other}");
                for word in all.iter().filter(|word| accepts(&mut store, both, word)) {
                    assert!(of_a.contains(word) && of_b.contains(word), "{shown} and {other}: {word:?}");
                }
                let is_within = analysis::is_syntactic_subset(&store, a, b);
                assert!(!is_within || of_a.is_subset(of_b), "{shown} within {other}");
                assert!(analysis::is_syntactic_subset(&store, both, both));
                common += usize::from(a != b && both != RegularId::EMPTY && both != RegularId::EPSILON);
                within += usize::from(a != b && is_within && a != RegularId::EMPTY);
            }
        }
        store.check().unwrap();
    }
    // That much is seen; else this would show nothing.
    assert!(
        common > 500 && within > 500 && needy > 200 && kernels > 100 && without > 1_000,
        "{common} {within} {needy} {kernels} {without}"
    );
}

#[test]
fn laws_of_the_algebra_hold_as_equal_ids() {
    let mut store = Store::new(&Limits::default());
    let [a, b, c] = ["a+b", "[b-d]*", "x{2,5}"].map(|pattern| store.regex(pattern).unwrap());
    let everything = store.complement(RegularId::EMPTY).unwrap();
    let not_a = store.complement(a).unwrap();
    assert_eq!(store.complement(not_a), Ok(a));
    assert_eq!(store.union(&[a, not_a]), Ok(everything));
    assert_eq!(store.intersection(&[a, not_a]), Ok(RegularId::EMPTY));
    assert_eq!(store.union(&[]), Ok(RegularId::EMPTY));
    assert_eq!(store.intersection(&[]), Ok(everything));
    assert_eq!(store.concat(&[]), Ok(RegularId::EPSILON));
    let ab = store.union(&[a, b]).unwrap();
    let bc = store.union(&[c, b]).unwrap();
    assert_eq!(store.union(&[ab, c]), store.union(&[a, bc]));
    let (ab, bc) = (store.concat(&[a, b]).unwrap(), store.concat(&[b, c]).unwrap());
    assert_eq!(store.concat(&[ab, c]), store.concat(&[a, bc]));
    assert_eq!(store.concat(&[a, RegularId::EMPTY, b]), Ok(RegularId::EMPTY));
    let star = store.repeat(a, 0, None).unwrap();
    assert_eq!(store.repeat(star, 3, Some(8)), Ok(star));
    assert_eq!(store.concat(&[star, star]), Ok(star));
    assert_eq!(store.repeat(a, 3, Some(2)), Ok(RegularId::EMPTY));
    assert_eq!(store.regex("a{2}a{3}"), store.regex("a{5}"));
    assert_eq!(store.regex("|(xy)+"), store.regex("(xy)*"));
    assert_eq!(store.regex("x*|(xy)+"), store.regex("(xy)*|x*"));
    assert_eq!(store.bytes(ByteSet::EMPTY), RegularId::EMPTY);
}

#[test]
fn refining_keeps_earlier_classes_separate() {
    let mut store = Store::new(&Limits::default());
    let name = store.regex("[a-z]+").unwrap();
    let mut classes = ByteClasses::new();
    classes.split(&ByteSet::single(b'q'));
    store.refine([name], &mut classes);
    assert_eq!(classes.len(), 3);
    assert_ne!(classes.class_of(b'q'), classes.class_of(b'r'));
    assert_eq!(classes.class_of(b'0'), classes.class_of(0xFF));
}
