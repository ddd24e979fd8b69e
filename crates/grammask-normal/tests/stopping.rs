//! Cancellation: a large grammar polls often, and a cancelled call returns no normal form.

use grammask_normal::{Config, normalize_cancellable};
use grammask_regular::Store;
use grammask_syntax::Ast;

fn parsed(text: &str) -> Ast {
    grammask_syntax::parse(text, &grammask_syntax::Config::default()).expect("KBNF")
}

/// Cancels at poll number `last`. Returns the number of polls, and true if there is a normal form.
fn polls(ast: &Ast, last: usize) -> (usize, bool) {
    let mut count = 0;
    let mut store = Store::new(&grammask_regular::Limits::default());
    let normal = normalize_cancellable(ast, &mut store, &Config::default(), || {
        count += 1;
        count >= last
    });
    (count, normal.expect("no error").is_some())
}

#[test]
fn number_of_polls_grows_with_the_grammar_in_each_pass() {
    let members = |count: usize| {
        let items: Vec<String> =
            (0..count).map(|index| format!("('\"' json!('key{index}') '\":' value)?")).collect();
        parsed(&format!(
            "start ::= '{{' unordered!({}; ',') '}}'; value ::= 'null' | '[]';",
            items.join(", ")
        ))
    };
    let texts = |count: usize| {
        let texts: Vec<String> = (0..count).map(|index| format!("'text {}'", index * 7919 % count)).collect();
        parsed(&format!("start ::= '\"' json!({}) '\"';", texts.join(" | ")))
    };
    let alternatives = |count: usize| {
        let all: Vec<String> = (0..count).map(|index| format!("#'a{index}' start 'b'")).collect();
        parsed(&format!("start ::= 'c' | {};", all.join(" | ")))
    };
    for (make, passes) in [(&members as &dyn Fn(usize) -> Ast, 12), (&texts, 4), (&alternatives, 12)] {
        let (few, _) = polls(&make(20), usize::MAX);
        let (many, is_complete) = polls(&make(4_000), usize::MAX);
        // At least one poll every 256 steps.
        assert!(is_complete && many >= few + passes * (4_000 / 256), "{few} polls, then {many}");
    }
}

#[test]
fn a_cancelled_call_returns_nothing() {
    let ast = parsed(
        "start ::= '{' unordered!(a, ('\"' json!('b' | 'c') '\"')?; ',') '}'; a ::= 'a'+ b? | #'[0-9]{2,3}' start; b ::= a | 'x' 'y';",
    );
    let (count, is_complete) = polls(&ast, usize::MAX);
    assert!(is_complete && count > 20);
    for last in 1..=count {
        assert!(!polls(&ast, last).1, "cancelled at poll {last} of {count}");
    }
}
