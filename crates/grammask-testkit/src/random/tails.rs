//! Random grammars with tail calls and tail recursion: lists, chains of prefixes, statements with an optional
//! `else`. Some of the rules are also called elsewhere, and some never end.

use super::{RandomGrammar, Rng, grammar_of};

/// Bodies of rules: `T` and `M` are any of the rules, `L` is a literal, and `N` the next rule.
const FORMS: &[&str] = &[
    "L T",
    "L T",
    "L L T",
    "L N",
    "L M L T",
    "#'[a-q]' T",
    "#'[a-q]' T",
    "T",
    "N",
    "L M L",
    "L L",
    "L [L] T",
    "L T | L T L T",
    "L {M L} T",
    "{L} T",
    "T L T",
    "N L N",
    "T T",
    "L (T){1,2}",
    "(L T)* L",
    "unordered!(L?, T; L)",
];
/// Literals.
const LITERALS: &[&str] = &["'a'", "'b'", "'c'", "'ab'", "'ba'", "#'[ab]'", "#'b+'", "['a']", "'{'"];
/// Bodies of the start symbol.
const FRAMES: &[&str] =
    &["T", "T", "T L", "L T | T L", "{T L}", "L T L T", "T | L T | T 'x'", "L M L T", "'c' start | T"];

/// Returns a random grammar of tail calls with a non-empty language.
///
/// ```
/// use grammask_testkit::random::{Rng, tails};
///
/// assert!(tails::grammar(&mut Rng::new(1)).text.starts_with("start ::= "));
/// ```
pub fn grammar(rng: &mut Rng) -> RandomGrammar {
    grammar_of(|| grammar_text(rng))
}

fn grammar_text(rng: &mut Rng) -> String {
    let rules = 1 + rng.below(5);
    let frame = *rng.pick(FRAMES);
    let mut text = format!("start ::= {};\n", instantiate(rng, frame, 0, rules));
    for rule in 0..rules {
        let mut productions: Vec<String> = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let form = *rng.pick(FORMS);
            productions.push(instantiate(rng, form, rule, rules));
        }
        if rng.chance(3, 4) {
            productions.push((*rng.pick(LITERALS)).to_owned());
        }
        text += &format!("r{rule} ::= {};\n", productions.join(" | "));
    }
    text
}

/// Returns a form with its letters replaced by rules and literals.
fn instantiate(rng: &mut Rng, form: &str, rule: usize, rules: usize) -> String {
    let mut text = String::new();
    for symbol in form.chars() {
        match symbol {
            'T' | 'M' => text += &format!("r{}", rng.below(rules)),
            'N' => text += &format!("r{}", (rule + 1) % rules),
            'L' => text += *rng.pick(LITERALS),
            other => text.push(other),
        }
    }
    text
}
