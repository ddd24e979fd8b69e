//! Random grammars of operators with several levels of precedence and optional white space. A level is called
//! from several places, with equal or different continuations. Some levels skip the next one, or are
//! recursive on both sides.

use super::{RandomGrammar, Rng, grammar_of};

/// Bodies of a level: `N` is the next level, `S` the level itself, `F` the first one, `O` an operator, `W`
/// white space.
const LEVELS: &[&str] = &[
    "N | S O W N",
    "N | S O N | S O W N",
    "N | N O W S",
    "N | N O N | N O W N",
    "N {O W N}",
    "N [O W N]",
    "N {O (O | W) N}",
    "{N O} N",
    "N | O W S",
    "N | S O",
    "N | S S",
    "N | S S | S O S",
    "N | N O W S O W N",
    "N | O N O | O N",
    "N | S O W N | N O S",
    "N | O S N | S N",
    "[O] N [W O]",
    "(N | O N) {W O (N | O N)}",
    "N{1,3}",
    "(N W){2} | N",
    "(O N)* N",
    "unordered!(O?, (O N)?, N; W)",
    "unordered!(N{0,2}, O; O) | N",
    "N | S | O",
    "N | F O N",
];
/// Bodies of the last level.
const OPERANDS: &[&str] =
    &["'a'", "'a' | O F O", "O | 'b' W F 'c'", "#'[ab]' | 'c' F", "'ab' | 'a' W N", "O | <|sep|> F"];
/// Bodies of the start symbol.
const FRAMES: &[&str] = &["F", "F O", "'a' F | F 'b'", "F | O F O", "{F 'c'}", "F | F W 'a'"];
/// Operators with common prefixes and suffixes, and in common with white space.
const OPERATORS: &[&str] = &["'a'", "'b'", "'c'", "'ab'", "'aa'", "'ba'", "'bc'", "#'b+'"];
/// Bodies of white space.
const SPACES: &[&str] = &["#'c*'", "'c'?", "'c'*", "['c' | 'b' ws]", "#'[bc]{0,2}'", "'c'"];

/// Returns a random grammar of operators with a non-empty language.
pub fn grammar(rng: &mut Rng) -> RandomGrammar {
    grammar_of(|| grammar_text(rng))
}

fn grammar_text(rng: &mut Rng) -> String {
    let levels = 1 + rng.below(6);
    let mut writer = Writer { rng, levels, text: String::new() };
    writer.rule("start", 0, FRAMES);
    for level in 0..levels {
        writer.rule(&format!("l{level}"), level, LEVELS);
    }
    writer.rule(&format!("l{levels}"), levels, OPERANDS);
    let space = writer.rng.pick(SPACES);
    writer.text + &format!("ws ::= {space};\n")
}

struct Writer<'r> {
    rng: &'r mut Rng,
    levels: usize,
    text: String,
}

impl Writer<'_> {
    fn rule(&mut self, name: &str, level: usize, forms: &[&str]) {
        self.text += name;
        self.text += " ::= ";
        for symbol in self.rng.pick(forms).chars() {
            match symbol {
                'S' => self.level(level),
                'N' if self.rng.chance(1, 12) => {
                    let other = self.rng.below(self.levels + 1);
                    self.level(other);
                }
                'N' => self.level(self.levels.min(level + 1)),
                'F' => self.level(0),
                'W' => self.text += "ws",
                'O' => self.text += *self.rng.pick(OPERATORS),
                _ => self.text.push(symbol),
            }
        }
        self.text += ";\n";
    }

    fn level(&mut self, level: usize) {
        self.text += &format!("l{level}");
    }
}
