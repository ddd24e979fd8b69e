//! Random grammars of texts with other things in them, as templates, lines with marks, and answers with calls of tools: loops that repeat characters among what is no
//! character, or nearly one, at one place of a grammar or at several.

use super::{RandomGrammar, Rng, grammar_of};

/// A special token, which stands between texts.
const SPECIAL: &str = "<|sep|>";

/// Characters by themselves.
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

/// Characters in several bytes, as those that mean something else by themselves.
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

/// What else loops repeat: words; what begins like characters; what is too long, nests, or is counted.
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

/// What stands in front of a loop, between two of them, and behind.
const STOPS: &[&str] =
    &["''", "'\"'", "'a'", "'{'", "'}'", "'{'", "'\\n'", "#'[a-c]'", "'%'?", "'\\\\'", SPECIAL];

/// A random grammar with a language that is not empty.
///
/// # Example
///
/// ```
/// use grammask_testkit::random::{Rng, texts};
///
/// assert!(texts::grammar(&mut Rng::new(1)).text.starts_with("start ::= "));
/// ```
pub fn grammar(rng: &mut Rng) -> RandomGrammar {
    grammar_of(|| grammar_text(rng).replace(SPECIAL, "'<|sep|>'"))
}

/// The same with the special token `<|sep|>` among the other things.
///
/// # Example
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
    let [before, between, behind] = [(); 3].map(|()| *rng.pick(STOPS));
    let [item, part, other, more] = [(); 4].map(|()| {
        let list = *rng.pick(&[PLAIN, ESCAPED, ITEMS, ITEMS]);
        *rng.pick(list)
    });
    let start = match rng.below(8) {
        0 => one,
        1 => format!("{before} {one} {behind}"),
        2 => format!("{one} {between} {two}"),
        3 => format!("{before} ({one} {between})* {behind}"),
        4 => format!("line+; line ::= {one} {between} | {two} {behind}"),
        5 => format!("text | '(' text ')'; text ::= text ({item}) | {before} {more} | text {between}"),
        6 => format!("text {behind}; text ::= {one} | '[' text ']' {two}"),
        _ => format!("{one} {two} {behind}"),
    };
    format!("start ::= {start}; part ::= {part}; other ::= {other} | 'x' other;")
}

/// A loop, mostly of characters and some other things.
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
