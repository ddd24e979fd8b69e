//! Random grammars and vocabularies for the shortcuts of the engine. Each shortcut is valid for some
//! languages only, and these grammars are just inside and just outside of its conditions.
//!
//! A grammar has a theme: a class of characters, and texts inside and outside of it. Its parts are variations
//! of the theme: counters of the class, prefixes and suffixes of each other, and languages that differ by few
//! texts. Bounds are about as large as the length of tokens.

use super::{RandomGrammar, Rng, grammar_of};

mod tokens;

pub use tokens::vocabulary;

/// A class of characters as a regex, texts inside of it, and texts that begin outside of it.
struct Theme {
    class: &'static str,
    inside: &'static [&'static str],
    outside: &'static [&'static str],
}

const fn theme(
    class: &'static str,
    inside: &'static [&'static str],
    outside: &'static [&'static str],
) -> Theme {
    Theme { class, inside, outside }
}

/// Themes: characters of one to four bytes, all or some of them; bytes; and both, with common prefixes.
const THEMES: &[Theme] = &[
    theme("[a-z]", &["a", "b", "ab", "x"], &["é", " ", "\"", "0"]),
    theme("[a-zé]", &["a", "b", "é", "x"], &["中", " ", "\"", r"(?-u:\xC3)"]),
    theme("[a-zA-Z0-9]", &["a", "b", "0", "1"], &["é", " ", "\"", ","]),
    theme(r"\w", &["a", "é", "中", "0"], &[" ", "\"", ",", "😀"]),
    theme("[ -~]", &["a", "b", " ", "\"", r"\\"], &["é", r"\n", "中"]),
    theme("[!-~]", &["a", "b", "\"", ","], &[" ", "é"]),
    theme(r"[\x00-\x7F]", &["a", "b", "\"", r"\n"], &["é", r"(?-u:\xFF)"]),
    theme("[^\"]", &["a", "b", "é", "中", " ", r"\\"], &["\""]),
    theme("[^\"\\\\]", &["a", "b", "é", "😀", " "], &["\"", r"\\"]),
    theme("[^\"\\\\\\x00-\\x1F]", &["a", "é", "中", ","], &["\"", r"\n"]),
    theme("[^aé]", &["b", "x", "中", "\""], &["a", "é"]),
    theme("[^中x]", &["a", "b", "é", "\""], &["中", "x"]),
    theme("[^\"é]", &["a", "b", "ö", "中"], &["\"", "é"]),
    theme(r#"[^"\x{10000}-\x{10FFFF}]"#, &["a", "é", "中"], &["\"", "😀"]),
    theme(r#"[^"\x{80}-\x{FFFF}]"#, &["a", "b", "😀"], &["\"", "é", "中"]),
    theme(".", &["a", "é", "\"", "😀"], &[r"\n", r"(?-u:\xFF)"]),
    theme("(?s:.)", &["a", "b", "é", "中", "\""], &[r"(?-u:\xFF)", r"(?-u:\x80)"]),
    theme("(?:[a-z]|é|中)", &["a", "b", "é"], &["ö", "\"", "😀"]),
    theme(r"(?:[a-z ]|[^\x00-\x7F])", &["a", " ", "中", "😀"], &["\"", "0"]),
    theme("(?:[^\"]|\" )", &["a", "é", "\" "], &["\"", "\"a"]),
    theme("(?s-u:.)", &["a", "é", "中", r"(?-u:\xFF)", "\""], &["x"]),
    theme("(?s-u:[^x])", &["a", "é", "\"", r"(?-u:\x80)"], &["x"]),
    theme("(?s-u:[^\"a])", &["b", "中", r"(?-u:\xC3)"], &["\"", "a"]),
    theme(r"(?-u:[a-z\xC3])", &["a", "b", r"(?-u:\xC3)"], &["é", r"(?-u:\xA9)", "\""]),
    theme(r"(?:(?-u:\xC3)|[^x])", &["a", "é", r"(?-u:\xC3)"], &["x", r"(?-u:\xFF)"]),
    theme(r#"(?:(?-u:\xFF)|[^"])"#, &["a", "é", r"(?-u:\xFF)"], &["\"", r"(?-u:\x80)"]),
];

/// Upper bounds: around the lengths of tokens, and around the number of characters that the engine counts
/// exactly.
const BOUNDS: &[usize] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 18, 20, 22, 25, 31, 39, 40, 41, 42, 43, 45, 48, 60, 100,
    254, 255, 300,
];

/// Greatest bound inside JSON spellings, where the oracle needs dozens of states per character.
const MAX_SPELLING_BOUND: usize = 45;

/// Greatest bound in ambiguous grammars and in nested JSON spellings, which are slow in the oracle.
const MAX_AMBIGUOUS_BOUND: usize = 9;

/// Operators of JSON spellings, without the `!`.
const SPELLINGS: &[&str] = &["json", "json", "json_short", "json_required"];

/// Texts of some parts, which other parts exclude: keys, and operands of `except!`.
const WORDS: &[&str] = &[
    "a",
    "b",
    "ab",
    "ba",
    "aa",
    "aaa",
    "abab",
    "x",
    "xx",
    "é",
    "éa",
    "aé",
    "中",
    "😀",
    "\"",
    "a\"",
    "\\\\",
    " ",
    "k",
    "key",
    "a b",
    ",",
    "\\n",
    "/",
    "ö",
    "0",
    "10",
    "b é",
    "aaaaaaaaaaaaaaaaa",
    "中中",
    "ab中é",
];

/// Empty languages, some of them obviously empty.
const EMPTY_LANGUAGES: &[&str] = &[
    "(#'(xy)+' & #'(xz)+')",
    "(#'[ab]*a' & #'[ab]*b')",
    "(#'a{3}' & #'a{5}')",
    "('ab' & 'ba')",
    "(#'(aa)+' & #'a(aa)*')",
    "(#'[a-z]+' & #'[0-9]+')",
    "(#'é+' & #'(?-u:[a-z\\\\xC3])+')",
    "(#'(?s:.)*a' & ~#'(?s:.)*a')",
];

/// Patterns with a bounded number of words, fixed first or last characters, or alternating characters.
const PATTERNS: &[&str] = &[
    "(?:[^\" ]+ ){0,2}[^\" ]*",
    "(?:[^\" ]+ ){0,9}[^\" ]*",
    "(?:[^\" ]+ ){3,9}[^\" ]*",
    "(?:[^\"éa]*a){0,9}[^\"]",
    "(?:[^\"a]*a){0,30}[^\"]?",
    "[^\" ](?:[^\"]*[^\" ])?",
    "[!-~](?:[ -~]*[!-~])?",
    "[^\" é](?:[^\"]*[^\" ])?",
    "[^\" é]+(?:[ é]+[^\" é]+){0,2}",
    "[^\" é]+(?:[ é]+[^\" é]+){0,9}[é ]",
    "[^\"é](?:[^\"]{2,})?",
    "[c-zé](?:[^\"]*ab)?",
    "[^\"é][^\"]+|é",
    "(?:[a-z]{1,3}-?){0,6}[a-z]{2,5}",
    "(?:[ab]+x){0,20}",
    "(?:b é){0,9}",
    "(?:~|[A-Z ab,é]~*[A-Z ab,é])*",
    "[ab]*(?:x[ab]{4}é)?",
    "[abx]*(?:é[ab]{4}x)?",
    "[ab]*(?:x[ab]+)?é?",
    "(?:a|ab|b){0,9}",
    "(?:a{2,3}){2,5}",
    "(?:a{0,2}b?){1,6}",
    "(?:ab|é中){0,20}",
    // One operand nearly contains the other: except for an incomplete character, or for one that is a prefix
    // of another.
    r"[^x]*|a(?-u:\xC3)",
    "(?:a|ab|é)*|(?:aé)*b?",
    "[a-z]*|[a-w]*é?",
    // Some characters only occur first, some never, and some bytes that occur first are not characters. Two
    // alternating states prevent self-loops.
    r#",?(?:[^",][^",])+""#,
    r#"é?(?:[^"é][^"é])*""#,
    r#"(?:(?-u:\xC3)|[^"])(?:[^"][^"])*""#,
    r#"[^" ](?:[^"][^"])*""#,
    r#"[^"é中](?:[^"][^"])*""#,
    r#""?[^"]*ab[^"]*"#,
    r#"[^" ][^"]*[^" ]"#,
];

/// Languages with two states of equal successors, of which one is accepting.
const ALTERNATING: &[&str] =
    &[r#"(?:[a-z ]|"[a-z ]*")"#, r#"(?:[^"é]|é[^"é]*é)"#, r#"(?:[a-z ]+|"[^"]*")"#, "(?:[a-x ]|,[^,]*,)"];

/// Returns a random grammar with a non-empty language.
///
/// ```
/// use grammask_testkit::random::{Rng, conditions};
///
/// let mut rng = Rng::new(1);
/// let grammar = conditions::grammar(&mut rng);
/// let tokens = conditions::vocabulary(&mut rng, 1_000);
/// assert!(grammar.oracle.run().allowed(&tokens).contains(&true));
/// ```
pub fn grammar(rng: &mut Rng) -> RandomGrammar {
    themed(rng, |writer| writer.grammar())
}

/// Returns a random ambiguous grammar: its rules are left- and right-recursive, and their parts overlap.
///
/// ```
/// use grammask_testkit::random::{Rng, conditions};
///
/// assert!(conditions::ambiguous(&mut Rng::new(1)).text.starts_with("start ::= "));
/// ```
pub fn ambiguous(rng: &mut Rng) -> RandomGrammar {
    themed(rng, |writer| writer.ambiguous())
}

fn themed(rng: &mut Rng, write: fn(&mut Writer<'_>) -> String) -> RandomGrammar {
    grammar_of(|| {
        let theme = rng.pick(THEMES);
        let mut writer = Writer { rng, theme, max_bound: usize::MAX };
        let (text, words) = (write(&mut writer), writer.words());
        if text.contains("except!(T") { format!("{text} T ::= {words};") } else { text }
    })
}

struct Writer<'r> {
    rng: &'r mut Rng,
    theme: &'static Theme,
    /// Greatest upper bound.
    max_bound: usize,
}

impl Writer<'_> {
    /// Writes lexemes of one theme in shared contexts: as alternatives, in sequence, and one with several
    /// continuations.
    fn grammar(&mut self) -> String {
        let (one, two, three) = (self.lexeme(2), self.lexeme(1), self.lexeme(1));
        let (stop, other) = (self.separator(), self.separator());
        let bounds = self.few_times();
        match self.rng.below(17) {
            0 => format!("start ::= {one};"),
            1 => format!("start ::= {one} {stop};"),
            2 => format!("start ::= {one} {stop} {two}?;"),
            3 => format!("start ::= {one} {two} {stop};"),
            4 => format!("start ::= ({one} | {two})+ {stop};"),
            5 => format!("start ::= {one} {stop} | {two} {other} | {three};"),
            6 => format!("start ::= {one} {stop} start?;"),
            7 => format!("start ::= 'k' A {stop} | '\"' A {other} | A 'k'; A ::= {one} | B; B ::= {two};"),
            8 => format!("start ::= '[' (A (',' A)*)? ']'; A ::= {one} | '[' B ']'; B ::= {two} | A;"),
            9 => format!("start ::= A {stop}; A ::= A {other} {two} | {one};"),
            10 => format!("start ::= A{bounds} {stop}; A ::= {one} {other} | {two};"),
            11 => self.object(),
            12 => {
                let (key, value) = (self.key(), self.lexeme(1));
                format!("start ::= '{{' {key} ':' ({one} | {value}) (',' {key} ':' {two})* '}}';")
            }
            13 | 14 => self.alike(),
            15 => {
                // Reached from many trie nodes at once.
                let (many, sign) = (self.one_of(&["*", "+", "{0,20}"]), self.one_of(&["+", "*"]));
                let whole = if self.rng.chance(1, 2) {
                    regex(&format!("{}{sign}", self.one_of(ALTERNATING)))
                } else {
                    self.whole()
                };
                format!("start ::= {} {whole} {stop};", regex(&format!("{}{many}", self.theme.class)))
            }
            _ => format!(
                "start ::= A {stop} | B {other} | C; A ::= {one}; B ::= A {two} | {three}; C ::= {one} B | {two};"
            ),
        }
    }

    /// Writes lexemes of one theme, repeated ambiguously.
    fn ambiguous(&mut self) -> String {
        let (one, two, three) = (self.lexeme(1), self.lexeme(1), self.lexeme(0));
        let (stop, other, piece) = (self.separator(), self.separator(), regex(self.piece()));
        match self.rng.below(6) {
            0 => format!("start ::= ({one} | {two} | {three})+ {stop};"),
            1 => format!("start ::= A {stop}; A ::= A A | {one} | {two};"),
            2 => format!("start ::= A {stop}; A ::= B A | B; B ::= {one} | {two} | {three} A {other};"),
            3 => format!("start ::= A {stop}; A ::= A B | B; B ::= {one} | {piece} A {two} | {three};"),
            4 => format!(
                "start ::= A {stop} | B; A ::= B A? {other} | {one}; B ::= {two} | A {piece} | {three};"
            ),
            _ => format!("start ::= A {stop} A | {piece}; A ::= {one}? | start {two} | {three};"),
        }
    }

    /// Writes lexemes with equal continuations that differ in their first characters, or in whether they are
    /// nullable.
    fn alike(&mut self) -> String {
        let rest = if self.rng.chance(1, 2) { self.whole_regex() } else { self.counted_regex() };
        let mut heads = Vec::new();
        for _ in 0..3 {
            let (class, piece) = (self.theme.class, self.piece());
            heads.push(match self.rng.below(6) {
                0 => format!("(?:{class})(?:{rest})"),
                1 => format!("(?:{class}|{piece})(?:{rest})"),
                2 => format!("(?:{}|{piece})(?:{rest})", self.rng.pick(THEMES).class),
                3 => format!("(?:(?:{class}|{piece})(?:{rest}))?"),
                4 => format!("(?:{rest})?"),
                _ => format!("(?:{piece})?(?:{rest})"),
            });
        }
        let (stop, other) = (self.separator(), self.separator());
        let [one, two, three] = [0, 1, 2].map(|head| regex(&heads[head]));
        if self.rng.chance(1, 2) {
            format!("start ::= 'k' {one} {stop} | '\"' {two} {other} | 'x' {three} | {one};")
        } else {
            format!("start ::= ('k' {one} | '0' {two} | {three} {other})* {stop};")
        }
    }

    /// Writes an `unordered!` with keys, of which the last may be any other key.
    fn object(&mut self) -> String {
        let mut items = Vec::new();
        for word in WORDS.iter().take(1 + self.rng.below(3)) {
            let (value, quantifier) = (self.lexeme(0), self.one_of(&["", "?", "?", "{0,2}"]));
            items.push(format!("('\"' json!('{word}') '\":' {value}){quantifier}"));
        }
        let (key, value) = (self.key(), self.lexeme(0));
        items.push(format!("({key} ':' {value})*"));
        format!("start ::= '{{' unordered!({}; ',') '}}';", items.join(", "))
    }

    /// Writes a quoted text that is one of some words, or any other.
    fn key(&mut self) -> String {
        let words = self.words();
        let after = self.one_of(&["'\"'", "'\"'", "'\":'", "'x'", "'a\"'", ""]);
        let before = self.one_of(&["'\"'", "'\"'", ""]);
        let json = self.one_of(SPELLINGS);
        match self.rng.below(6) {
            0 => format!("({before} {json}!({words}) {after})"),
            1 => format!("({before} {json}!(#'(?s:.){{0,9}}' & ~({words})) {after})"),
            2 => {
                let one = self.up_to(MAX_SPELLING_BOUND, Self::counted);
                format!("({before} {json}!({one} & ~({words})) {after})")
            }
            3 => format!("({before} {json}!(~({words} | #'(?-u:\\\\xC3)')) {after})"),
            _ => format!("({before} {json}!(#'(?s:.)*' & ~({words})) {after})"),
        }
    }

    /// Writes a separator of lexemes, which may be empty.
    fn separator(&mut self) -> String {
        match self.rng.below(8) {
            0..=2 => {
                let piece = self.outside();
                regex(piece)
            }
            3 | 4 => {
                let piece = self.inside();
                regex(piece)
            }
            5 => format!("{}?", regex(self.theme.inside[0])),
            6 => (self.one_of(&["'\"'", "','", "'\":'", "'b'"])).to_owned(),
            _ => "''".to_owned(),
        }
    }

    fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.rng.below(texts.len())]
    }

    fn inside(&mut self) -> &'static str {
        self.one_of(self.theme.inside)
    }

    fn outside(&mut self) -> &'static str {
        self.one_of(self.theme.outside)
    }

    /// Returns a text inside or outside of the class.
    fn piece(&mut self) -> &'static str {
        if self.rng.chance(2, 3) { self.inside() } else { self.outside() }
    }

    fn bound(&mut self) -> usize {
        (*self.rng.pick(BOUNDS)).min(self.max_bound)
    }

    /// Returns the bounds of a counter, mostly with a small difference.
    fn braces(&mut self) -> String {
        let max_bound = self.bound();
        match self.rng.below(10) {
            0..=3 => format!("{{0,{max_bound}}}"),
            4 => format!("{{1,{max_bound}}}"),
            5 => format!("{{{},{max_bound}}}", self.rng.below(max_bound + 1)),
            6 => format!("{{{},{max_bound}}}", max_bound - self.rng.below(max_bound.min(4))),
            7 => format!("{{{max_bound},}}"),
            8 => format!("{{{max_bound}}}"),
            _ => (self.one_of(&["*", "+"])).to_owned(),
        }
    }

    /// Returns bounds, none of them above [`MAX_AMBIGUOUS_BOUND`].
    fn few_times(&mut self) -> String {
        self.up_to(MAX_AMBIGUOUS_BOUND, Self::braces)
    }

    /// Runs `make` with no bound above `max_bound`.
    fn up_to(&mut self, max_bound: usize, make: impl FnOnce(&mut Self) -> String) -> String {
        let before = self.max_bound;
        self.max_bound = max_bound.min(before);
        let made = make(self);
        self.max_bound = before;
        made
    }

    /// Returns a counter of the theme's class, with texts before and after it that may be inside of the
    /// class.
    fn counted(&mut self) -> String {
        let pattern = self.counted_regex();
        regex(&pattern)
    }

    fn counted_regex(&mut self) -> String {
        let (class, braces) = (self.theme.class, self.braces());
        let head = if self.rng.chance(1, 6) { self.piece() } else { "" };
        let tail = match self.rng.below(12) {
            0 | 1 => self.outside().to_owned(),
            2 => self.inside().to_owned(),
            3 => format!("(?:{})?", self.inside()),
            4 => format!("(?:{})?", self.outside()),
            5 => format!("{}{}", self.rng.pick(THEMES).class, self.braces()),
            6 => format!("(?:{}|{})*", self.inside(), self.outside()),
            _ => String::new(),
        };
        if self.rng.chance(1, 10) {
            // A second counter with other bounds, perhaps with a gap between them.
            let (low, more) = (self.rng.below(12), 1 + self.rng.below(4));
            return format!(
                "(?:{head}{class}{{0,{low}}}{tail}|{head}{class}{{{},{}}}{tail})",
                low + more,
                low + 9
            );
        }
        format!("{head}{class}{braces}{tail}")
    }

    /// Returns alternative texts: prefixes of each other, few or many, short or long.
    fn words(&mut self) -> String {
        let max_bound = *self.rng.pick(&[1, 2, 3, 12]);
        let count = 1 + self.rng.below(max_bound);
        let words: Vec<String> = (0..count)
            .map(|_| {
                let (one, two) = (self.one_of(WORDS), self.one_of(WORDS));
                if self.rng.chance(1, 4) { format!("'{one}{two}'") } else { format!("'{one}'") }
            })
            .collect();
        words.join(" | ")
    }

    /// Returns an `except!` of a text or of the rule `T`, with or without a bound.
    fn except(&mut self) -> String {
        let word = self.one_of(WORDS);
        let texts = if self.rng.chance(1, 2) { "T".to_owned() } else { format!("'{word}'") };
        if self.rng.chance(2, 3) {
            format!("except!({texts}, {})", self.bound())
        } else {
            format!("except!({texts})")
        }
    }

    /// Returns a regular expression.
    fn lexeme(&mut self, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else { return self.counted() };
        match self.rng.below(28) {
            0..=4 => self.counted(),
            5 => {
                let (class, piece) = (self.theme.class, self.piece());
                let (sign, tail) = (self.one_of(&["*", "+", "?"]), self.end());
                regex(&format!("{class}*{piece}{class}{sign}{tail}"))
            }
            6 | 7 => self.whole(),
            8 | 9 => self.except(),
            10 => {
                let (one, length) = (self.lexeme(depth), self.length());
                format!("({one} & {length})")
            }
            11 => {
                let (whole, length, braces) = (self.whole(), self.length(), self.braces());
                if self.rng.chance(1, 2) {
                    format!("({whole} & {length})")
                } else {
                    format!("({whole} & #'(?s:.){braces}')")
                }
            }
            22 | 24 => {
                // A loop over characters, and a counter of bytes.
                let tail = if self.rng.chance(1, 4) { self.end() } else { "" };
                let (many, bound) = (self.one_of(&["*", "*", "{0,20}"]), self.bound());
                let one = regex(&format!("{}{many}{tail}", self.theme.class));
                format!("({one} & #'(?s-u:.){{0,{bound}}}')")
            }
            12 => {
                let (one, words) = (self.lexeme(depth), self.words());
                format!("({one} & ~({words}))")
            }
            13 => {
                let (one, two) = (self.lexeme(depth), self.lexeme(depth));
                let not = self.one_of(&["", "~"]);
                format!("({one} & {not}{two})")
            }
            14 | 15 => {
                let text = self.with_void(depth);
                self.fused(text)
            }
            16 => format!("({})", self.words()),
            17 => {
                let (one, braces) = (self.lexeme(depth), self.few_times());
                self.fused(format!("(({one}){braces})"))
            }
            18 => {
                let (one, two) = (self.lexeme(depth), self.lexeme(depth));
                let between = self.one_of(&[" ", " | ", "? ", "* "]);
                self.fused(format!("({one}{between}{two})"))
            }
            19 => {
                let pattern = format!("{}{}", self.piece(), self.theme.class);
                let kind = self.one_of(&["#e", "#ex"]);
                format!("{kind}{}", quoted(&pattern))
            }
            20 => self.number(),
            21 | 23 => {
                let key = self.key();
                self.fused(key)
            }
            _ => self.spelled(depth),
        }
    }

    /// Returns one of [`PATTERNS`], sometimes with a further end.
    fn whole(&mut self) -> String {
        let pattern = self.whole_regex();
        regex(&pattern)
    }

    fn whole_regex(&mut self) -> String {
        let (whole, tail) = (self.one_of(PATTERNS), self.end());
        format!("(?:{whole}){tail}")
    }

    /// Returns the end of a regex, which may be empty.
    fn end(&mut self) -> &'static str {
        match self.rng.below(4) {
            0 => self.outside(),
            1 => self.piece(),
            2 => "\"",
            _ => "",
        }
    }

    /// As [`regular`](Self::regular), sometimes as one lexeme: operands of `&` are not split.
    fn fused(&mut self, text: String) -> String {
        if self.rng.chance(2, 3) { format!("({text} & ~'')") } else { text }
    }

    /// Returns a language of texts of bounded length, in characters or in bytes.
    fn length(&mut self) -> String {
        let braces = self.braces();
        let any = self.one_of(&["(?s:.)", "(?s:.)", ".", "(?s-u:.)", self.theme.class]);
        regex(&format!("{any}{braces}"))
    }

    /// Returns a language in which some prefixes cannot be completed.
    fn with_void(&mut self, depth: usize) -> String {
        let (void, one) = (self.one_of(EMPTY_LANGUAGES), self.lexeme(depth));
        let (live, dead) = (regex(self.piece()), regex(self.piece()));
        match self.rng.below(6) {
            0 => format!("({live} | {dead} {void})"),
            1 => format!("({one} | {dead} {void})"),
            2 => format!("({one} ({dead} {void} | {live}))"),
            3 => format!("(({dead} {void})* {one})"),
            4 => format!("({live} | {one} {dead} {void} {one})"),
            _ => format!("(({live} {one} | {dead} {one} {void}) & ~({dead} {void}))"),
        }
    }

    fn number(&mut self) -> String {
        let one =
            self.one_of(&["multiple!(3)", "multiple!(0.25)", "multiple!(1)", "atleast!(10)", "above!(0)"]);
        let two = self.one_of(&[
            "",
            " & below!(1000)",
            " & atmost!(1.5)",
            " & #'[0-9]{1,9}'",
            " & ~'10'",
            " | equal!(12.5)",
        ]);
        format!("({one}{two})")
    }

    /// Returns JSON spellings, with or without quotes.
    fn spelled(&mut self, depth: usize) -> String {
        let (inner, json) = (self.one_of(SPELLINGS), self.one_of(SPELLINGS));
        let text = match self.rng.below(5) {
            0 => self.up_to(MAX_SPELLING_BOUND, Self::counted),
            1 => self.up_to(MAX_SPELLING_BOUND, |this| this.with_void(0)),
            2 => format!("{inner}!({})", self.words()),
            3 => format!("{inner}!({})", self.up_to(MAX_AMBIGUOUS_BOUND, Self::counted)),
            _ => self.up_to(MAX_SPELLING_BOUND, |this| this.lexeme(depth.min(1))),
        };
        let (before, after) =
            *self.rng.pick(&[("", ""), ("'\"' ", " '\"'"), ("", " '\"'"), ("'k' ", " '\",'")]);
        format!("({before}{json}!({text}){after})")
    }
}

/// Returns a regex as it is written in a grammar.
fn regex(pattern: &str) -> String {
    format!("#{}", quoted(pattern))
}

fn quoted(pattern: &str) -> String {
    format!("'{}'", pattern.replace('\\', "\\\\").replace('\'', "\\'"))
}
