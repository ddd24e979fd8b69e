//! Regexes against the automata of regex-automata, state by state; and how many states there are.

mod automaton;

use automaton::explore;
use grammask_regular::{Limits, RegularId, Store};
use regex_automata::dfa::{Automaton as _, dense};
use regex_automata::util::syntax;
use regex_automata::{Anchored, MatchKind};
use std::collections::HashSet;
use std::fmt::Write;

const PATTERNS: &[&str] = &[
    "",
    "a",
    "[a-z]+",
    "a?b?c?",
    "(a|b)*abb",
    "(a*b*)*",
    "(ab|a)(bc|c)",
    "(a|aa){3,9}",
    "(ab|c){3,6}",
    ".",
    ".*",
    ".*foo.*",
    ".*(foo|bar).*",
    "(?s).*foo",
    "(?s).{0,9}x",
    "[^\"]*",
    r#""(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#,
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?",
    r"[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}",
    r"\d{4}-\d{2}-\d{2}",
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2}))?",
    r"https?://[a-z0-9.-]+(:[0-9]+)?(/[^\s?#]*)?(\?[^\s#]*)?(#\S*)?",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    r"((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])",
    "(true|false|null)",
    "if|else|while|for|return|[a-z]+",
    "(monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?",
    r"\w+",
    r"(\w+\s*){1,7}",
    r"([a-z]+,?){0,20}",
    r"\p{Greek}+|\p{Lu}\p{Ll}*",
    "(?i)straße",
    r"(?-u:\xFF[\x80-\xFE])*",
    r"(?-u)[^a]\W",
    "^(a|b)$",
    "(^a|b$)",
    "(?m)^a.b$",
    r"\A(?:x|y\z)",
    "^^(^|a)b($|c)$$",
    "(?:^a)?b",
    "(^)*",
    "a{3}a{2,5}a*",
    "(a{2,3}){2,4}",
    "(a{3,4}){1,2}",
    "(?:a?){5}",
    "x*y*|y*x*",
    "(a|b)*a(a|b){6}",
    r"/\*[^*]*\*+([^/*][^*]*\*+)*/",
    r"[^\n]*\n\n",
    r"(?-u)\b[ab-]+\b",
    r"(?-u)\B[ab-]*\b$",
    r"(?-u)(^\b{start}[ab-]+\b{end-half}$)",
    r"(?-u)\b{start-half}\b{end-half}[ab-]*\B",
    r"(?-u)\b{start-half}[ab-]+\b{start-half}",
    r"(?-u)\b{end-half}[ab-]+\b{end-half}",
    r"(?-u)\b",
    r"(?-u)\B",
    "[a&&b]",
    "[a&&b]|c",
    "(|a|bc)*d",
    "(?:(?:a|b)+c?)*?d+?",
];

/// Runs both automata over all pairs of states that some text leads to.
fn check(pattern: &str, store: &mut Store) -> (usize, usize) {
    let dfa = dense::Builder::new()
        .configure(
            dense::Config::new()
                .match_kind(MatchKind::All)
                .start_kind(regex_automata::dfa::StartKind::Anchored),
        )
        .syntax(syntax::Config::new().utf8(false))
        .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
        .build(&format!("(?:{pattern})"))
        .unwrap();
    let start = store.regex(pattern).unwrap();
    let whole = explore(store, start, 20_000);
    let first = dfa.universal_start_state(Anchored::Yes).unwrap_or_else(|| {
        let config = regex_automata::util::start::Config::new().anchored(Anchored::Yes);
        dfa.start_state(&config).unwrap()
    });
    let mut seen = HashSet::from([(start, first)]);
    let mut stack = vec![(start, first)];
    while let Some((ours, theirs)) = stack.pop() {
        // A match is reported one byte late, here after the end of the input.
        let accepts = dfa.is_match_state(dfa.next_eoi_state(theirs));
        assert_eq!(store.is_nullable(ours), accepts, "{pattern}: {}", store.display(ours));
        for byte in 0..=255 {
            let pair = (store.derivative(ours, byte).unwrap(), dfa.next_state(theirs, byte));
            if seen.insert(pair) {
                stack.push(pair);
            }
        }
    }
    let inhabited = whole.inhabited();
    for (index, &state) in whole.states.iter().enumerate() {
        assert_eq!(inhabited[index], state != RegularId::EMPTY, "{pattern}: {}", store.display(state));
    }
    store.check().unwrap();
    (whole.live_len(), whole.minimal_len())
}

#[test]
fn regexes_agree_with_regex_automata() {
    let mut store = Store::new(&Limits::default());
    let mut table = String::from("states, of these superfluous, pattern\n");
    for pattern in PATTERNS {
        let (states, minimal) = check(pattern, &mut store);
        writeln!(table, "{states:6} {:6} {pattern}", states - minimal).unwrap();
    }
    insta::assert_snapshot!(table);
}
