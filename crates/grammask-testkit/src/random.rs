//! Random grammars, texts and vocabularies, which depend only on a seed. They are small, and rich in corner
//! cases.

use grammask_syntax::{Ast, Config, parse};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

use crate::oracle::{Oracle, Run, start_of};

pub mod conditions;
pub mod edits;
pub mod operators;
pub mod tails;
pub mod texts;

/// A seeded generator of random numbers, for all random tests.
///
/// A failing test, `cargo xtask fuzz` and `cargo xtask soak` report the seed, with which the failure repeats
/// on every machine. So the algorithm must not change. It is SplitMix64, which needs no warm-up after similar
/// seeds such as 1, 2, 3.
///
/// # Source
/// G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Returns the next random number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    ///
    /// The remainder is slightly biased, which does not matter for tests.
    #[expect(clippy::cast_possible_truncation, reason = "a remainder is below `limit`")]
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next_u64() % limit as u64) as usize }
    }

    /// Returns true in `times` of `of` cases.
    pub fn chance(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }

    /// Returns one of `values`.
    ///
    /// # Panics
    /// If `values` is empty.
    pub fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }
}

/// The constructs that random grammars use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Greatest number of nonterminals; at least one.
    pub nonterminals: usize,
    /// Greatest depth of nested groups.
    pub depth: usize,
    /// True for `#'…'`, `#e'…'`, `#ex'…'`, `#substrs'…'` and `except!(…)`.
    pub patterns: bool,
    /// True for `x{m,n}`, `x & y`, `~x`, `json!(x)`, `multiple!(n)` and `unordered!(…)`.
    pub extensions: bool,
    /// True for special tokens: `<|end|>`, `<|sep|>`, `<[7]>`.
    pub specials: bool,
    /// True for `%start start?;` in one of four grammars.
    pub empty_output: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            nonterminals: 5,
            depth: 2,
            patterns: true,
            extensions: true,
            specials: false,
            empty_output: false,
        }
    }
}

/// The bytes that most random grammars and texts use.
pub const ALPHABET: &[u8] = b"abc";

/// Contents of text literals, as they are written in KBNF.
const TEXTS: &[&str] = &["a", "a", "b", "b", "c", "ab", "ba", "abc", "aa", "", "c\\n", "\\u00e9", "\\x61"];
/// Patterns of regexes, as they are written in KBNF.
const REGEXES: &[&str] = &[
    "a*",
    "[ab]+",
    "a|ab",
    "(ab)*",
    "a{1,2}",
    "b?",
    "[^a]",
    "c.",
    "^ab$",
    "(?:a|b)*c",
    "a+b?",
    "\\\\w",
    "[a-c]{2}",
    "",
    "(?-u:[^a-c])b",
    "é|a",
    "(?i)AB",
    "ab|abc|b",
];
/// Texts that `except!` excludes.
const EXCLUDED_TEXTS: &[&str] = &["a", "b", "ab", "ba", "aa", "abc", "bb"];
/// Rules that may be named under `&` and `~`.
const REGULAR_RULES: &str = "R0 ::= R1 #'[ab]?' | 'c'; R0 ::= 'a'; R1 ::= (#'[abc]{1,2}' & ~'bb')*;\n";
/// Rules that list texts for `except!`.
const EXCLUDED_TEXT_RULES: &[&str] = &["T0", "T1"];

/// A random grammar with a non-empty language.
#[derive(Clone, Debug)]
pub struct RandomGrammar {
    /// The grammar as KBNF. The start symbol is `start`.
    pub text: String,
    /// The grammar as a tree.
    pub ast: Ast,
    /// Its oracle.
    pub oracle: Oracle,
}

/// Returns a random grammar with a non-empty language.
///
/// ```
/// use grammask_testkit::random::{Rng, Shape, grammar, text};
///
/// let mut rng = Rng::new(1);
/// let grammar = grammar(&mut rng, &Shape::default());
/// let text = text(&mut rng, &grammar.oracle, 10);
/// assert!(text.len() <= 10);
/// ```
pub fn grammar(rng: &mut Rng, shape: &Shape) -> RandomGrammar {
    grammar_of(|| grammar_text(rng, shape))
}

/// Draws texts until one has an oracle, and so a non-empty language.
fn grammar_of(mut text: impl FnMut() -> String) -> RandomGrammar {
    loop {
        let text = text();
        let ast = parse(&text, &Config::default()).expect("a random grammar is KBNF");
        if let Ok(oracle) = Oracle::new(&ast, &start_of(&ast)) {
            return RandomGrammar { text, ast, oracle };
        }
    }
}

/// Returns a random KBNF text. It parses, and all of its names are defined, but its language may be empty.
pub fn grammar_text(rng: &mut Rng, shape: &Shape) -> String {
    let names: Vec<String> = std::iter::once("start".to_owned())
        .chain(('A'..='Z').map(String::from).take(rng.below(shape.nonterminals.max(1))))
        .collect();
    let has_empty = shape.empty_output && rng.chance(1, 4);
    let text = if has_empty { "%start start?;\n".to_owned() } else { String::new() };
    let mut writer = Writer { rng, shape, names: &names, text };
    for name in &names {
        writer.rule(name);
        if writer.rng.chance(1, 6) {
            // A second rule with this name adds alternatives.
            writer.rule(name);
        }
    }
    if writer.text.contains("R0") {
        writer.text.push_str(REGULAR_RULES);
    }
    if writer.text.contains("except!") {
        for name in EXCLUDED_TEXT_RULES {
            let stops: Vec<String> =
                (0..=writer.rng.below(3)).map(|_| format!("'{}'", writer.rng.pick(EXCLUDED_TEXTS))).collect();
            let stops = stops.join(if writer.rng.chance(1, 4) { " " } else { " | " });
            writer.text.push_str(&format!("{name} ::= {stops};\n"));
        }
    }
    writer.text
}

struct Writer<'r> {
    rng: &'r mut Rng,
    shape: &'r Shape,
    names: &'r [String],
    text: String,
}

impl Writer<'_> {
    fn rule(&mut self, name: &str) {
        self.text.push_str(name);
        let sign = if self.rng.chance(1, 8) { " = " } else { " ::= " };
        self.text.push_str(sign);
        self.alternatives(self.shape.depth);
        self.text.push_str(";\n");
    }

    fn alternatives(&mut self, depth: usize) {
        for i in 0..=*self.rng.pick(&[0, 0, 1, 1, 1, 2]) {
            if i > 0 {
                self.text.push_str(" | ");
            }
            let length = *self.rng.pick(&[0, 0, 1, 1, 2]);
            for j in 0..=length {
                if j > 0 {
                    let gap = *self.rng.pick(&[" ", " ", " ", ", ", " (* and *) "]);
                    self.text.push_str(gap);
                }
                self.factor(depth);
            }
        }
    }

    fn factor(&mut self, depth: usize) {
        let group = depth > 0 && self.rng.chance(1, 4);
        match self.rng.below(10) {
            _ if group => {
                let (open, close) = *self.rng.pick(&[("(", ")"), ("(", ")"), ("[", "]"), ("{", "}")]);
                self.text.push_str(open);
                self.alternatives(depth - 1);
                self.text.push_str(close);
            }
            0..=3 => self.nonterminal(),
            4..=6 => self.quoted("", TEXTS),
            7 if self.shape.specials && self.rng.chance(1, 2) => {
                let special = self.rng.pick(&[
                    "<|end|>",
                    "<|sep|>",
                    "<[7]>",
                    "special!('<|sep|>', <[7]>)",
                    "special!(~ '<|end|>')",
                    "special!(~)",
                    "special!(<[7]>, '<|end|>')",
                    "special!()",
                    "special!('<|sep|>')",
                    "marker!('ab')",
                ]);
                self.text.push_str(special);
            }
            8 if self.shape.extensions && depth > 0 && self.rng.chance(1, 2) => self.unordered(depth),
            8 if self.shape.extensions => return self.combination(),
            _ if self.shape.patterns => self.pattern(),
            _ => self.quoted("", TEXTS),
        }
        self.postfix();
    }

    fn postfix(&mut self) {
        if !self.rng.chance(1, 4) {
            return;
        }
        let postfix = match self.rng.below(6) {
            0 | 1 => "?",
            2 | 3 => "*",
            4 => "+",
            _ if self.shape.extensions => {
                *self.rng.pick(&["{2}", "{1,}", "{0,2}", "{1,3}", "{2,2}", "{0}", "{0,0}", "{1}"])
            }
            _ => "*",
        };
        self.text.push_str(postfix);
    }

    fn nonterminal(&mut self) {
        let name = self.rng.pick(self.names);
        self.text.push_str(name);
    }

    fn quoted(&mut self, kind: &str, values: &[&str]) {
        let value = *self.rng.pick(values);
        let quote = if self.rng.chance(1, 8) { '"' } else { '\'' };
        self.text.push_str(&format!("{kind}{quote}{value}{quote}"));
    }

    fn pattern(&mut self) {
        match self.rng.below(8) {
            0 => self.quoted("#e", REGEXES),
            1 => self.quoted("#ex", REGEXES),
            2 => self.quoted("#substrs", TEXTS),
            3 => {
                let length = *self.rng.pick(&["", "", ",0", ",1", ",2", ", 3"]);
                let operand = if self.rng.chance(1, 2) {
                    format!("'{}'", self.rng.pick(EXCLUDED_TEXTS))
                } else {
                    (*self.rng.pick(EXCLUDED_TEXT_RULES)).to_owned()
                };
                self.text.push_str(&format!("except!({operand}{length})"));
            }
            _ => self.quoted("#", REGEXES),
        }
    }

    /// Writes an `unordered!` of up to four items, sometimes with a separator, bounds, and requirements.
    fn unordered(&mut self, depth: usize) {
        self.text.push_str("unordered!(");
        let last = self.rng.below(4);
        let has_distinct = self.rng.chance(1, 5);
        if has_distinct {
            let texts = *self.rng.pick(&["#'[ab]{1,2}'", "#'a|b|ab|abc'", "#'aa?a?a?'", "('a' | #'c[abc]')"]);
            self.text.push_str(&format!("distinct!({texts}), "));
        }
        for item in 0..=last {
            if item > 0 {
                self.text.push_str(", ");
            }
            self.part(depth);
            let quantifier = *self.rng.pick(&["", "?", "?", "?", "*", "+", "{2}", "{0,2}", "{1,3}", "{0}"]);
            self.text.push_str(quantifier);
        }
        self.text.push(';');
        if self.rng.chance(1, 2) {
            self.part(depth);
        }
        let with_requirements = last > 0 && !has_distinct && self.rng.chance(1, 3);
        let bounds: &[&str] = if has_distinct {
            &["{0,1}", "{0,2}", "{2,3}", "{2}", "{1,3}", "{3}"]
        } else if with_requirements {
            &["", "", "{2,}", "{0,2}", "{0,3}"]
        } else {
            &["", "", "", "{1,}", "{0,1}", "{0,2}", "{2,3}", "{2}", "{3,}"]
        };
        let bounds = *self.rng.pick(bounds);
        self.text.push_str(&format!("; {bounds};"));
        if with_requirements {
            for number in 0..=self.rng.below(3) {
                let (from, to) = (self.rng.below(last + 1), self.rng.below(last + 1));
                let comma = if number > 0 { "," } else { "" };
                self.text.push_str(&format!("{comma} {from} -> {to}"));
            }
        }
        self.text.push(')');
    }

    /// Writes an item or a separator, which is mostly not nullable.
    fn part(&mut self, depth: usize) {
        match self.rng.below(6) {
            0 | 1 => self.nonterminal(),
            2 => {
                self.text.push('(');
                self.alternatives(depth - 1);
                self.text.push(')');
            }
            _ => self.quoted("", &["a", "b", "c", "ab", "ba"]),
        }
    }

    /// Writes `&` and `~` over regular parts, in parentheses or in `json!`, and sometimes a `multiple!`.
    fn combination(&mut self) {
        if self.rng.chance(1, 12) {
            let multiple =
                self.rng.pick(&["multiple!(3)", "multiple!(0.25)", "multiple!(1)", "multiple!(2.5)"]);
            self.text.push_str(multiple);
            return;
        }
        let is_spelled = self.rng.chance(1, 5);
        let is_quoted = is_spelled && self.rng.chance(1, 2);
        self.text.push_str(match (is_spelled, is_quoted) {
            (true, true) => "'\"' json",
            (true, false) => "json",
            _ => "(",
        });
        if is_spelled {
            let opening = self.rng.pick(&["!(", "!(", "_short!(", "_required!("]);
            self.text.push_str(opening);
        }
        for i in 0..=self.rng.below(2) {
            if i > 0 {
                self.text.push_str(" & ");
            }
            if self.rng.chance(1, 2) {
                self.text.push('~');
            }
            match self.rng.below(4) {
                0 => self.quoted("#", REGEXES),
                1 => self.quoted("", TEXTS),
                2 => self.text.push_str(if self.rng.chance(1, 2) { "R0" } else { "('b' R0?)" }),
                _ => {
                    self.text.push('(');
                    self.quoted("", TEXTS);
                    let between = *self.rng.pick(&[" | ", " ", "? ", "* | "]);
                    self.text.push_str(between);
                    self.quoted("#", REGEXES);
                    let close = *self.rng.pick(&[")", ")*", ")?", ")+"]);
                    self.text.push_str(close);
                }
            }
        }
        self.text.push_str(if is_quoted { ") '\"'" } else { ")" });
    }
}

/// Returns a random text of at most `max` bytes: a walk along live bytes, which ends at an occasional wrong
/// byte.
pub fn text(rng: &mut Rng, oracle: &Oracle, max: usize) -> Vec<u8> {
    let mut run = oracle.run();
    let mut text = Vec::new();
    for _ in 0..max {
        if rng.chance(1, 12) {
            text.push(*rng.pick(b"abcz\xc3\xa9\n\xff"));
        } else if run.is_complete() && rng.chance(1, 8) {
            break;
        } else {
            let Some(byte) = live_byte(rng, &run) else { break };
            text.push(byte);
        }
        if !run.push(text[text.len() - 1]) {
            break;
        }
    }
    text
}

/// Returns a random byte that keeps `run` live, mostly from [`ALPHABET`]. `None` if there is none.
pub fn live_byte(rng: &mut Rng, run: &Run<'_>) -> Option<u8> {
    let live = run.live_bytes();
    let usual: Vec<u8> = live.iter().copied().filter(|byte| ALPHABET.contains(byte)).collect();
    let bytes = if usual.is_empty() || rng.chance(1, 8) { live } else { usual };
    if bytes.is_empty() { None } else { Some(*rng.pick(&bytes)) }
}

/// Returns a random vocabulary. The index of a token is its id.
///
/// It has the single bytes of [`ALPHABET`] and some others, strings of these, tokens of invalid UTF-8,
/// duplicates, and tokens without bytes.
pub fn vocabulary(rng: &mut Rng, tokens: usize) -> Vec<Vec<u8>> {
    let mut vocabulary: Vec<Vec<u8>> =
        b"abcz\n\xc3\xa9".iter().map(|&byte| vec![byte]).take(tokens).collect();
    while vocabulary.len() < tokens {
        let token = match rng.below(12) {
            0 => rng.pick(&vocabulary).clone(),
            1 => Vec::new(),
            2 => rng.pick(&["é".as_bytes(), b"\xff", b"a\xc3", b"\xa9b", b"\xe2\x82", b"c\n"]).to_vec(),
            _ => (0..2 + rng.below(4)).map(|_| *rng.pick(ALPHABET)).collect(),
        };
        vocabulary.push(token);
    }
    shuffle(rng, &mut vocabulary);
    vocabulary
}

/// Shuffles tokens.
fn shuffle(rng: &mut Rng, vocabulary: &mut [Vec<u8>]) {
    for _ in 0..vocabulary.len() {
        let (one, two) = (rng.below(vocabulary.len()), rng.below(vocabulary.len()));
        vocabulary.swap(one, two);
    }
}
