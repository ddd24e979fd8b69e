//! Texts with equal futures have equal states, and an exceeded limit is an error that changes nothing.

use std::sync::Arc;

use grammask_earley::{
    BuildError, BuildInput, Callee, Config, Error, Limit, LimitExceeded, Limits, Network, Recognizer, SetId,
    Tuning,
};
use grammask_regular::Store;

fn network(text: &str) -> Network {
    network_with(text, &Config::default())
}

fn network_with(text: &str, config: &Config) -> Network {
    let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let network = Network::build(&normal, store, config).unwrap();
    assert_eq!(network.check(), Ok(()));
    network
}

fn recognizer(text: &str) -> Recognizer {
    Recognizer::new(Arc::new(network(text)), &Config::default())
}

fn state(recognizer: &Recognizer, text: &str) -> SetId {
    text.bytes().fold(recognizer.initial(), |state, byte| recognizer.step(state, byte).unwrap())
}

/// Asserts that the states after all texts are equal.
fn check_equal(grammar: &str, texts: &[&str]) {
    let recognizer = recognizer(grammar);
    let states: Vec<SetId> = texts.iter().map(|text| state(&recognizer, text)).collect();
    assert!(!states[0].is_dead(), "{:?} is dead in {grammar}", texts[0]);
    for (text, &found) in texts.iter().zip(&states) {
        assert_eq!(found, states[0], "{text:?} and {:?} in {grammar}", texts[0]);
    }
}

#[test]
fn right_recursive_list_has_one_state() {
    check_equal("start ::= 'a' start | 'b';", &["a", "aa", &"a".repeat(1_000)]);
    check_equal("start ::= 'x' list ';'; list ::= 'a' ',' list | 'a';", &["xa,", "xa,a,", "xa,a,a,a,a,"]);
}

#[test]
fn left_recursive_list_has_one_state() {
    check_equal("start ::= start 'a' | 'a';", &["a", "aa", "aaaa"]);
    check_equal("start ::= A ';'; A ::= B 'x' | 'x'; B ::= A 'y' | 'y';", &["xyx", "xyxyx", "yxyxyx"]);
}

#[test]
fn operators_of_all_levels_lead_to_one_state() {
    let levels = |level: &dyn Fn(usize) -> String| {
        let levels: Vec<_> = (0..12).map(level).collect();
        format!("start ::= l0 '.'; {} l12 ::= 'x' | '(' ws l0 ')'; ws ::= #' *';", levels.concat())
    };
    let name = |level: usize| char::from(b'a' + level as u8);
    let left = |level: usize| format!("l{level} ::= l{0} | l{level} '{1}' ws l{0};", level + 1, name(level));
    let repeated = |level: usize| format!("l{level} ::= l{0} {{'{1}' ws l{0}}};", level + 1, name(level));
    for grammar in [levels(&left), levels(&repeated)] {
        check_equal(&grammar, &["x", "xa x", "xaxlxbx", "xl   xkxax", "(x)", "(xaxg (x))h x"]);
        check_equal(&grammar, &["(x", "( xa x", "(xaxlxb(x)"]);
        assert!(state(&recognizer(&grammar), "(xa(xbx)cx)lx.").completes());
    }
}

#[test]
fn compilation_can_be_cancelled_at_each_check() {
    let text = "start ::= '(' A ')' | A '.' | B; A ::= 'x' B 'y' | 'z' B 'y'; B ::= '[' A ']' | C 'b' | 'e'; C ::= 'c' C | 'd' start;";
    let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
    let asked_until = |end: usize| {
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let languages = grammask_normal::Languages::new(&normal);
        let mut asked = 0;
        let mut is_cancelled = || {
            asked += 1;
            asked > end
        };
        let input = BuildInput { normal, languages, store, is_cancelled: &mut is_cancelled };
        let network = Network::compile(input, &Config::default()).unwrap();
        (network.map(|network| network.callees.len()), asked)
    };
    let (callees, asked) = asked_until(usize::MAX);
    let callees = callees.unwrap();
    assert!(asked >= 2 * callees && callees > 2, "{asked} checks for {callees} callees");
    for end in 0..asked {
        assert_eq!(asked_until(end), (None, end + 1));
    }
}

#[test]
fn nesting_too_large_for_one_automaton_is_still_recognized() {
    let levels = 700;
    let nested = |open: &str, close: &str| {
        recognizer(&format!("start ::= {}'a'{} '.';", open.repeat(levels), close.repeat(levels)))
    };
    let optional = nested("('b'? ", ")");
    for count in [0, 1, levels / 2, levels] {
        assert!(state(&optional, &format!("{}a.", "b".repeat(count))).completes(), "{count}");
    }
    assert!(state(&optional, &"b".repeat(levels + 1)).is_dead());
    let repeated = nested("('b' | ", ")*");
    for text in [".", "a.", "abba.", "bbbbbbbab."] {
        assert!(state(&repeated, text).completes(), "{text}");
    }
    assert!(state(&repeated, "abc").is_dead());
}

#[test]
fn rule_too_large_to_inline_stays_one_callee() {
    let optional: String = (0..300).map(|number| format!("(#'{number}+')? ")).collect();
    let network = network(&format!(
        "start ::= '(' list ')' | '[' list ']'; list ::= list ',' text | text; text ::= {optional}'.';"
    ));
    let is_list = |callee: &Callee| matches!(callee, Callee::Nonterminal { name, .. } if name == "list");
    let calls = network.nodes.iter().flat_map(|node| &node.calls);
    // The list is a loop: only the start symbol calls it, at two call sites.
    assert_eq!(calls.filter(|(callee, _)| is_list(network.callee(*callee))).count(), 2);
}

#[test]
fn ambiguous_splits_of_a_text_share_one_state() {
    check_equal("start ::= ('<' start '>' | text)* '.'; text ::= #'[a-z]+';", &["ab", "abc", "abcdefgh"]);
}

#[test]
fn states_depend_only_on_what_may_follow() {
    check_equal("start ::= '(' item ')' | '[' item ']'; item ::= 'x' | 'yy';", &["(x)", "[yy]", "(yy)"]);
    check_equal("start ::= key ':' | 'no:'; key ::= 'a' | 'bb' | 'ccc';", &["a:", "bb:", "ccc:", "no:"]);
}

#[test]
fn states_of_nesting_depths_differ() {
    let recognizer = recognizer("start ::= '(' start ')' | 'x';");
    let states: Vec<SetId> =
        ["(x", "((x", "(((x", "((x)"].iter().map(|text| state(&recognizer, text)).collect();
    assert_eq!(states[3], states[0]);
    assert!(states[0] != states[1] && states[1] != states[2]);
}

#[test]
fn counters_do_not_copy_their_element() {
    let network = network("start ::= (item ','){3,1000000000} '.'; item ::= 'a' | '(' item ')';");
    assert!(network.nodes.len() < 20, "{network}");
}

#[test]
fn rule_with_exponential_determinization_stays_small() {
    // Written into `start`, the loop of L would need 2^24 deterministic states.
    let text = format!("start ::= L 'a' {}; L ::= L 'a' | L 'b' | 'c';", "X ".repeat(24))
        + "X ::= 'a' | 'b' | 'x' X;";
    let network = network(&text);
    assert!(network.nodes.len() < 200, "{} nodes", network.nodes.len());
    let recognizer = Recognizer::new(Arc::new(network), &Config::default());
    let end = state(&recognizer, &format!("cabba{}", "ab".repeat(12)));
    assert!(end.completes());
}

#[test]
fn copies_of_mutually_tail_recursive_rules_are_bounded() {
    // Each rule tail-calls its neighbours and is called elsewhere. Without a bound, some headers would copy
    // all rules.
    let nodes = |rules: usize| {
        let calls = (0..rules).map(|rule| format!("'({rule}' r{rule} ')' | '[{rule}' r{rule} ']'"));
        let mut text = format!("start ::= {};", calls.collect::<Vec<_>>().join(" | "));
        for rule in 0..rules {
            let [next, before] = [rule + 1, rule + rules - 1].map(|other| other % rules);
            text += &format!(
                "r{rule} ::= 'a{rule};' r{next} | 'b{rule};' r{before} | '<' start '>' r{rule} | 'x';"
            );
        }
        let recognizer = recognizer(&text);
        assert!(state(&recognizer, "(0a0;b1;b0;<[1x]>x)").completes());
        recognizer.network().nodes.len()
    };
    let (few, many) = (nodes(100), nodes(800));
    assert!(many < 12 * few, "{few}, then {many} nodes");
}

#[test]
fn leo_reduces_sets_of_right_recursion_without_changing_them() {
    let without_loops = Tuning { loop_right_recursion: false, ..Tuning::default() };
    let calls = Config { tuning: without_loops, ..Config::default() };
    let network = Arc::new(network_with("start ::= 'x' list ';'; list ::= 'a' list | 'a';", &calls));
    let tuning = Tuning { leo: false, ..Tuning::default() };
    let plain = Recognizer::new(Arc::clone(&network), &Config { tuning, ..Config::default() });
    let leo = Recognizer::new(network, &Config::default());
    let text = format!("x{}", "a".repeat(100));
    let (one, other) = (state(&leo, &text), state(&plain, &text));
    assert_eq!(leo.live_bytes(one).unwrap(), plain.live_bytes(other).unwrap());
    assert!(leo.set_count() < 10 && plain.set_count() > 100, "{} and {}", leo.set_count(), plain.set_count());
}

#[test]
fn live_bytes_are_the_bytes_with_a_live_successor() {
    let recognizer = recognizer("start ::= #'[a-c]+' ('=' #'\\\\d')? ';' | '<' start '>';");
    for text in ["", "a", "ab=", "ab=7", "<", "<<c"] {
        let state = state(&recognizer, text);
        let live = recognizer.live_bytes(state).unwrap();
        for byte in 0..=255 {
            assert_eq!(
                live.contains(byte),
                !recognizer.step(state, byte).unwrap().is_dead(),
                "{text:?} {byte}"
            );
        }
    }
}

#[test]
fn split_states_take_together_the_bytes_of_the_state() {
    let recognizer = recognizer("start ::= (#'[a-z]+' | 'if' start | #'[0-9]+' '.' | '-' )+ ';';");
    for text in ["", "a", "if", "7", "if7.-"] {
        let state = state(&recognizer, text);
        let split = recognizer.inspect().split(state).unwrap();
        for byte in 0..=255 {
            let apart = split
                .lexemes
                .iter()
                .map(|item| recognizer.inspect().open_state(item.node).unwrap())
                .chain([split.rest]);
            let takes = apart.map(|set| recognizer.step(set, byte).unwrap()).any(|next| !next.is_dead());
            assert_eq!(takes, !recognizer.step(state, byte).unwrap().is_dead(), "{text:?} {byte}");
        }
    }
}

/// Returns the exceeded limit and its value.
fn exceeded(error: &Error) -> (Limit, u64) {
    match error {
        Error::Limit(LimitExceeded { limit, value, .. }) => (*limit, *value),
        other => panic!("{other}"),
    }
}

#[test]
fn exceeded_limits_are_errors_that_change_nothing() {
    // Any of the letters may be the one in the middle.
    let network = Arc::new(network("start ::= E '.'; E ::= 'c' E 'c' | 'c';"));
    let items = Limits { max_items_per_set: 10, ..Limits::default() };
    let work = Limits { max_work_per_byte: 10, ..Limits::default() };
    for (limits, expected) in [(items, (Limit::MaxItemsPerSet, 10)), (work, (Limit::MaxWorkPerByte, 10))] {
        let config = Config { limits, ..Config::default() };
        let recognizer = Recognizer::new(Arc::clone(&network), &config);
        let mut state = recognizer.initial();
        let error = loop {
            match recognizer.step(state, b'c') {
                Ok(next) => state = next,
                Err(error) => break error,
            }
        };
        assert_eq!(exceeded(&error), expected);
        assert_eq!(recognizer.step(state, b'c'), Err(error));
        assert!(recognizer.step(state, b'.').is_ok());
    }
    let network = Arc::new(self::network("start ::= '(' start ')' | 'x';"));
    let limit = Recognizer::new(Arc::clone(&network), &Config::default()).bytes_used() + 10_000;
    let limits = Limits { max_bytes: limit, ..Limits::default() };
    let recognizer = Recognizer::new(network, &Config { limits, ..Config::default() });
    let mut states = vec![recognizer.initial()];
    let error = loop {
        match recognizer.step(states[states.len() - 1], b'(') {
            Ok(next) => states.push(next),
            Err(error) => break error,
        }
    };
    assert_eq!(exceeded(&error), (Limit::MaxBytes, limit as u64));
    assert!((20..1_000).contains(&states.len()), "{} states", states.len());
    assert_eq!(recognizer.step(states[states.len() - 1], b'('), Err(error));
    // Known steps stay available.
    assert_eq!(recognizer.step(states[0], b'('), Ok(states[1]));
    let ast = grammask_syntax::parse("start ::= 'abcdefghij';", &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let config = Config { limits: Limits { max_nodes: 5, ..Limits::default() }, ..Config::default() };
    let error = Network::build(&normal, store, &config).expect_err("more nodes than that");
    let BuildError { nonterminal, cause } = error;
    assert_eq!((nonterminal.as_str(), exceeded(&cause)), ("start", (Limit::MaxNodes, 5)));
}

#[test]
fn threads_get_equal_states() {
    let recognizer = recognizer("start ::= value; value ::= '[' (value (',' value)*)? ']' | #'[0-9]+';");
    let text = "[1,[2,[],[[3]]],44,[5]]";
    let all: Vec<SetId> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| state(&recognizer, text))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all[0].completes() && all.iter().all(|&state| state == all[0]));
}

#[test]
fn order_of_items_does_not_change_the_state() {
    let recognizer = recognizer(
        "start ::= '{' unordered!(a?, b?, c*, d{2,3}; ','; {0,9}; 0 -> 1) '}'; a ::= 'a'; b ::= 'b'; c ::= 'c'; d ::= 'd';",
    );
    assert_eq!(state(&recognizer, "{a,b,d,d,c,c,"), state(&recognizer, "{c,d,b,c,a,d,"));
    assert_ne!(state(&recognizer, "{a,"), state(&recognizer, "{c,"));
}

#[test]
fn permutation_of_many_items_takes_linear_space() {
    let items: Vec<String> = (0..512).map(|item| format!("p{item}?")).collect();
    let rules: Vec<String> = (0..512).map(|item| format!("p{item} ::= 'key{item}:' v;")).collect();
    let text =
        format!("start ::= unordered!({}; ',') '.'; {} v ::= #'[0-9]+';", items.join(", "), rules.join(" "));
    let recognizer = recognizer(&text);
    assert!(recognizer.network().nodes.len() < 5_000, "{}", recognizer.network().nodes.len());
    let before = recognizer.bytes_used();
    let text: String = (0..20).map(|item| format!("key{}:7,", item * 25)).collect();
    assert!(!state(&recognizer, &text).is_dead());
    let each = (recognizer.bytes_used() - before) / 20;
    assert!(each < 512 * 500, "{each} bytes for each item");
}

#[test]
fn simultaneous_imports_in_both_directions_do_not_deadlock() {
    let network = Arc::new(network("start ::= '(' start ')' | #'[a-z]+' | start 'y';"));
    let one = Recognizer::new(Arc::clone(&network), &Config::default());
    let other = Recognizer::new(network, &Config::default());
    let go = |here: &Recognizer, there: &Recognizer| {
        let inside = state(here, "((((a");
        let next = here.step(inside, b'b').unwrap();
        for _ in 0..20_000 {
            let imported = there.import(here, inside).unwrap();
            assert_eq!(here.import(there, there.step(imported, b'b').unwrap()), Ok(next));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| go(&one, &other));
        go(&other, &one);
    });
}
