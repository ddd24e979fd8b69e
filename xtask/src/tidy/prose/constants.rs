//! Constants that say neither what they bound nor in which unit.

use super::{Rule, Violation};
use crate::tidy::lexer::code_alone;

/// Words that qualify a noun. A name made of these alone has no noun.
const QUALIFIERS: &[&str] = &[
    "ABOVE", "BELOW", "BESIDE", "BETWEEN", "BEYOND", "BIG", "DEEP", "EARLY", "EASY", "ENOUGH", "EVERY",
    "FAR", "FAST", "FEW", "GREAT", "HARD", "HEAVY", "HIGH", "KEPT", "KNOWN", "LARGE", "LARGEST", "LATE",
    "LEAST", "LESS", "LIGHT", "LISTED", "LITTLE", "LONG", "LONGER", "LONGEST", "LOW", "MANY", "MORE", "MOST",
    "MUCH", "NARROW", "NEAR", "OFTEN", "OTHER", "OTHERS", "OUTSIDE", "QUICK", "RARE", "RARELY", "SAME",
    "SEEN", "SELDOM", "SEVERAL", "SHORT", "SHORTER", "SHORTEST", "SHOWN", "SLOW", "SMALL", "SMALLEST",
    "SOME", "SOON", "SPARE", "WHOLE", "WIDE",
];

/// First words of a name that promise a bound and do not name it.
const VAGUE: &[&str] = &["FEW", "MANY", "MUCH", "SEVERAL", "SOME"];

/// Checks the constants and statics of a Rust file.
pub fn check(path: &str, content: &str) -> Vec<Violation> {
    let code = code_alone(content);
    let mut violations = Vec::new();
    for keyword in ["const ", "static "] {
        for (at, _) in code.match_indices(keyword) {
            let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '*';
            if code[..at].ends_with(is_word) {
                continue;
            }
            let rest = code[at + keyword.len()..].trim_start();
            let rest = rest.strip_prefix("mut ").unwrap_or(rest);
            let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
            let (name, rest) = rest.split_at(end);
            if rest.trim_start().starts_with(':') && has_no_noun(name) {
                let line = code[..at].matches('\n').count() + 1;
                let message = format!("{name} does not say what it bounds, and in which unit");
                violations.push(Violation::new(path, line, Rule::Constant, message));
            }
        }
    }
    violations
}

fn has_no_noun(name: &str) -> bool {
    let mut parts = name.split('_').filter(|part| !part.is_empty());
    name.split('_').next().is_some_and(|first| VAGUE.contains(&first))
        || (!name.is_empty() && parts.all(|part| QUALIFIERS.contains(&part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_a_noun_are_found() {
        let code = "const FEW: usize = 8;\nstatic mut MUCH_MORE: u8 = 1;\nimpl X { const MUCH_WORK: u8 = 1; }\n\
            const MAX_ROOTS: u8 = 2;\n// const LONG: u8 = 1;\nconst fn f(x: *const LONG) {}\nconst LONG_TEXT: &str = \"\";\n";
        let lines: Vec<usize> = check("a.rs", code).iter().map(|found| found.finding.line).collect();
        assert_eq!(lines, [1, 3, 2]);
    }
}
