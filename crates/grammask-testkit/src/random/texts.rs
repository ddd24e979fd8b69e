//! Random grammars of texts with structured parts, such as templates, or answers with tool calls: loops over
//! characters and over other items, some of which are nearly characters.

use super::{RandomGrammar, Rng, grammar_of};

/// A special token between texts.
const SPECIAL: &str = "<|sep|>";

/// Single characters.
const PLAIN: &[&str] = &[
    "#'[a-q]'",
    "#'[^{]'",
    "#'[^a\"{]'",
    "#'[^a\"\\\\]'",
    "#'[a-qé]'",
    "#'[b-z{]'",
    "'a' | 'b'",
    "'a' | '{' | '\\\\' | '{' '%'",
];

/// Characters of several bytes, such as escapes.
const ESCAPED: &[&str] = &[
    "'{' #'[^{%]'",
    "'{' #'[a-q]'",
    "'{{' | '}}'",
    "'{' '{' #'[^%]'",
    "'\\\\' #'[nrt\"]'",
    "'\\\\u' #'[0-9]'{2}",
    "'\\\\u' #'[0-9]' | '\\\\' #'[a-z]'",
    "'é'",
];

/// Other items of loops: words, prefixes of characters, and items that are long, nested or counted.
const ITEMS: &[&str] = &[
    "#'[a-q]+'",
    "#'[a-z]+' & ~'a'",
    "#'[0-9]+'",
    "#'[a-q]{1,3}'",
    "#'[ \n]+'",
    "'a'",
    "'ab' | 'abc'",
    "#'[^\"]*\"'",
    "'{{' part '}}'",
    "'{{' #'[^}]*' '}}'",
    "'(' start ')'",
    "'(' part* ')'",
    "part",
    "part part",
    "other",
    "other 'a'",
    "'a' other",
    SPECIAL,
    "except!('ab')",
    "#'[a-q]' #'[a-q]'",
    "'a text that is much longer than a character'",
    "unordered!('a'?, '{'; ',')",
    "(#'[a-q]' | '{'){2,4}",
];

/// Texts before, between and after loops.
const DELIMITERS: &[&str] =
    &["''", "'\"'", "'a'", "'{'", "'}'", "'{'", "'\\n'", "#'[a-c]'", "'%'?", "'\\\\'", SPECIAL];

/// Returns a random grammar with a non-empty language.
///
/// ```
/// use grammask_testkit::random::{Rng, texts};
///
/// assert!(texts::grammar(&mut Rng::new(1)).text.starts_with("start ::= "));
/// ```
pub fn grammar(rng: &mut Rng) -> RandomGrammar {
    grammar_of(|| grammar_text(rng).replace(SPECIAL, "'<|sep|>'"))
}

/// As [`grammar`], with the special token `<|sep|>` among the items and delimiters.
///
/// ```
/// use grammask_testkit::random::{Rng, texts};
///
/// let mut rng = Rng::new(1);
/// assert!((0..100).any(|_| texts::with_specials(&mut rng).text.contains(" <|sep|> ")));
/// ```
pub fn with_specials(rng: &mut Rng) -> RandomGrammar {
    grammar_of(|| grammar_text(rng))
}

fn grammar_text(rng: &mut Rng) -> String {
    let one = looped(rng);
    let two = looped(rng);
    let [before, between, after] = [(); 3].map(|()| *rng.pick(DELIMITERS));
    let [item, part, other, more] = [(); 4].map(|()| {
        let list = *rng.pick(&[PLAIN, ESCAPED, ITEMS, ITEMS]);
        *rng.pick(list)
    });
    let start = match rng.below(8) {
        0 => one,
        1 => format!("{before} {one} {after}"),
        2 => format!("{one} {between} {two}"),
        3 => format!("{before} ({one} {between})* {after}"),
        4 => format!("line+; line ::= {one} {between} | {two} {after}"),
        5 => format!("text | '(' text ')'; text ::= text ({item}) | {before} {more} | text {between}"),
        6 => format!("text {after}; text ::= {one} | '[' text ']' {two}"),
        _ => format!("{one} {two} {after}"),
    };
    format!("start ::= {start}; part ::= {part}; other ::= {other} | 'x' other;")
}

/// Returns a loop, mostly over characters and some other items.
fn looped(rng: &mut Rng) -> String {
    let mut items = Vec::new();
    for (list, chance) in [(PLAIN, 7), (ESCAPED, 5), (ESCAPED, 2), (ITEMS, 5), (ITEMS, 4), (ITEMS, 2)] {
        if rng.chance(chance, 8) {
            items.push(*rng.pick(list));
        }
    }
    let sign = *rng.pick(&["*", "+", "*", "+", "{2,5}", "?"]);
    if items.is_empty() { "'a'".to_owned() } else { format!("({}){sign}", items.join(" | ")) }
}
