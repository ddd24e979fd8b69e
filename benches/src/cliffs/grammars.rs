//! Random grammars in KBNF: recursion, ambiguity, counters, intersections, complements and items in any
//! order.

use std::fmt;

use super::schemas::pattern;
use crate::input::random::Random;

/// A grammar as text in parts, so that parts can be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomGrammar {
    /// The rules: name and alternatives. The first one is `start`.
    pub rules: Vec<(String, Vec<String>)>,
}

impl RandomGrammar {
    /// Returns a grammar whose text is one part: it cannot be made smaller.
    pub fn of_text(text: &str) -> Self {
        Self { rules: vec![(String::new(), vec![text.to_owned()])] }
    }
}

impl fmt::Display for RandomGrammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, alternatives) in &self.rules {
            match name.as_str() {
                "" => f.write_str(&alternatives[0])?,
                name => writeln!(f, "{name} ::= {};", alternatives.join(" | "))?,
            }
        }
        Ok(())
    }
}

/// Returns a random grammar.
pub fn grammar(random: &mut Random) -> RandomGrammar {
    let count = 1 + random.below(4);
    let names: Vec<String> =
        (0..count).map(|index| if index == 0 { "start".to_owned() } else { format!("r{index}") }).collect();
    let rules = names.iter().map(|name| {
        let alternatives = (0..=random.below(4)).map(|_| sequence(random, &names)).collect::<Vec<_>>();
        // Every rule has an output.
        (name.clone(), [alternatives, vec![terminal(random)]].concat())
    });
    RandomGrammar { rules: rules.collect() }
}

fn sequence(random: &mut Random, names: &[String]) -> String {
    let parts: Vec<String> = (0..=random.below(4)).map(|_| part(random, names)).collect();
    parts.join(" ")
}

fn part(random: &mut Random, names: &[String]) -> String {
    match random.below(10) {
        0..4 => names[random.below(names.len())].clone(),
        4 => format!("({} {})*", terminal(random), names[random.below(names.len())]),
        5 => format!("{}?", names[random.below(names.len())]),
        6 => format!(
            "unordered!({}*, {}; ', '; {{1,{}}})",
            terminal(random),
            terminal(random),
            2 + random.below(20)
        ),
        _ => terminal(random),
    }
}

/// Returns a random regular expression or text.
fn terminal(random: &mut Random) -> String {
    match random.below(8) {
        0 | 1 => format!("'{}'", ["a", "b", "ab", "(", ")", " ", "x1"][random.below(7)]),
        2 => format!("({} & {})", regex(random), regex(random)),
        3 => format!("({} & ~{})", regex(random), regex(random)),
        4 => format!("except!('{}')", ["ab", "*/", "\\n"][random.below(3)]),
        _ => regex(random),
    }
}

fn regex(random: &mut Random) -> String {
    // A regular expression of a schema that is no whole string, without look-around.
    let text = pattern(random).replace(['^', '$'], "").replace("(?!x)", "").replace("[/]", "[^/]");
    let text = text.replace("[\\x00-\\x1f]", "[^\\x00-\\x1f]").replace('\\', "\\\\");
    format!("#'{}'", if text.is_empty() { "a" } else { &text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_grammars_compile() {
        let words = crate::input::vocabulary::Words::of_bytes();
        let vocabulary = words.vocabulary().expect("a vocabulary");
        let config = crate::engine::grammask::config(&words);
        let compiled = (0..100).filter(|&seed| {
            let text = grammar(&mut Random::new(seed)).to_string();
            grammask::Grammar::compile(&text, &vocabulary, &config).is_ok()
        });
        let count = compiled.count();
        assert!(count > 60, "{count} of 100");
    }
}
