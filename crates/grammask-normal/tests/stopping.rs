//! Whoever asks for a large normal form, and then does not want it any more, is listened to all the time.

use grammask_normal::{Config, normalize_unless};
use grammask_regular::Store;
use grammask_syntax::Ast;

fn parsed(text: &str) -> Ast {
    grammask_syntax::parse(text, &grammask_syntax::Config::default()).expect("KBNF")
}

/// How often it is asked whether to stop, when the answer is yes from one question on; and whether there is a normal form then.
fn asked(ast: &Ast, last: usize) -> (usize, bool) {
    let mut count = 0;
    let mut store = Store::new(&grammask_regular::Config::default());
    let normal = normalize_unless(ast, &mut store, &Config::default(), || {
        count += 1;
        count >= last
    });
    (count, normal.expect("no error").is_some())
}

#[test]
fn questions_grow_with_the_grammar_in_each_pass() {
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
        let (few, _) = asked(&make(20), usize::MAX);
        let (many, is_made) = asked(&make(4_000), usize::MAX);
        // One question for 256 steps at least.
        assert!(is_made && many >= few + passes * (4_000 / 256), "{few} questions, then {many}");
    }
}

#[test]
fn whoever_says_to_stop_gets_nothing() {
    let ast = parsed(
        "start ::= '{' unordered!(a, ('\"' json!('b' | 'c') '\"')?; ',') '}'; a ::= 'a'+ b? | #'[0-9]{2,3}' start; b ::= a | 'x' 'y';",
    );
    let (count, is_made) = asked(&ast, usize::MAX);
    assert!(is_made && count > 20);
    for last in 1..=count {
        assert!(!asked(&ast, last).1, "stopped at question {last} of {count}");
    }
}
