//! Random grammars of rules that call each other, and themselves, at their ends: lists, chains of prefixes, statements with and without `else`, texts that go on with
//! themselves. Some of these rules are called elsewhere, too, some are never complete.

use super::{RandomGrammar, Rng, grammar_of};

/// What rules consist of: `T` and `M` are any of the rules, `L` is something literal, and `N` the next rule.
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
const LITERALS: &[&str] = &["'a'", "'b'", "'c'", "'ab'", "'ba'", "#'[ab]'", "#'b+'", "['a']", "'{'"];
/// What all of it stands in.
const FRAMES: &[&str] =
    &["T", "T", "T L", "L T | T L", "{T L}", "L T L T", "T | L T | T 'x'", "L M L T", "'c' start | T"];

/// A random grammar of rules that call each other at their ends, whose language is not empty.
///
/// # Example
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
    let mut text = format!("start ::= {};\n", written(rng, frame, 0, rules));
    for rule in 0..rules {
        let mut productions: Vec<String> = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let form = *rng.pick(FORMS);
            productions.push(written(rng, form, rule, rules));
        }
        if rng.chance(3, 4) {
            productions.push((*rng.pick(LITERALS)).to_owned());
        }
        text += &format!("r{rule} ::= {};\n", productions.join(" | "));
    }
    text
}

/// A form with rules and literals in place of their letters.
fn written(rng: &mut Rng, form: &str, rule: usize, rules: usize) -> String {
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
