//! Snapshots of the networks of small grammars, one feature each: the normal form, then the network.

use grammask_earley::{ByteSet, Callee, Config, Network, NetworkNodeId};
use grammask_regular::Store;

#[test]
fn shapes() {
    let shapes = [
        ("prefixes are shared", "start ::= 'list' | 'listen' | 'lit';"),
        (
            "ends are shared across rules",
            "start ::= A '!' | 'x' B; A ::= 'ab' start 'd' | 'c'; B ::= 'ab' start 'd' | A;",
        ),
        (
            "direct left recursion is a loop",
            "start ::= start '+' term | term; term ::= #'[0-9]+' | '(' start ')';",
        ),
        ("what is called once is inlined", "start ::= 'a' B 'c'; B ::= 'x' C | 'y'; C ::= 'z'+;"),
        (
            "operators of all levels are one automaton",
            "start ::= sum '.'; sum ::= product {'+' ws product}; product ::= factor | product '*' ws factor; \
                factor ::= 'x' | 'y' ws factor | '(' sum ')'; ws ::= #' *';",
        ),
        (
            "what is followed by different things is called",
            "start ::= B 'b' | 'c' D; B ::= 'x' | 'y'; D ::= '(' B ')' | 'd' [D];",
        ),
        ("a counter is a callee", "start ::= (item ','){3,5000}; item ::= 'a' | '(' item ')';"),
        (
            "items in any order are a callee",
            "start ::= unordered!(a?, ('x' a)+, 'y'; ','; {0,4}; 0 -> 1); a ::= 'a' | '(' a ')';",
        ),
        (
            "an item of distinct! makes every byte a class",
            "start ::= unordered!('x'?, distinct!(#'[a-c]+'), distinct?; ','; {2,}); distinct ::= 'y' start;",
        ),
        ("special tokens are classes of their own", "start ::= 'a' <|end|> | <[7]> 'b';"),
        ("long texts are lexemes", &format!("start ::= '{}' | 'short';", "long ".repeat(20))),
    ];
    insta::assert_snapshot!(shown(&shapes));
}

#[test]
fn right_recursion() {
    let shapes = [
        (
            "a rule that calls itself at its end is a loop",
            "start ::= 'x' list ';'; list ::= 'a' ',' list | 'a';",
        ),
        ("operators without levels are a loop", "start ::= E '.'; E ::= E '+' E | '-' E | 'x' | '(' E ')';"),
        (
            "the head has a copy of what leads back, and is called by it elsewhere",
            "start ::= cast '.' | '<' unary '>' | '<' cast ']'; cast ::= unary | '(' 't' ')' cast; unary ::= '-' cast | 'x' [cast];",
        ),
        ("what may be followed by more is called", "start ::= S '.'; S ::= 'if' S ['else' S] | 'x';"),
        ("outputs without end are a loop, too", "start ::= 'x' B; B ::= 'a' B;"),
    ];
    insta::assert_snapshot!(shown(&shapes));
}

#[test]
fn texts() {
    let shapes = [
        (
            "characters among other things are one lexeme",
            "start ::= item+; item ::= #'[^{]' | '{' #'[^{%]' | '{{' name '}}'; name ::= #'[a-z]+' | name '.' name;",
        ),
        (
            "what begins like a character may end the text",
            "start ::= (#'[^{]' | '{' #'[^{]' | '(' start ')')* '{';",
        ),
        (
            "words and characters between them are one lexeme",
            "start ::= (word | #'[ ,]' | '\"' start '\"')+; word ::= #'[a-z]'+ | #'[0-9]+';",
        ),
        (
            "what is counted, too long or few is no text",
            "start ::= (#'[a-z]{2,9}' | '(' start ')')+ | (#'[a-z]' 'behind each character' | '[' start ']')+ | ('a' | '{' start '}')+;",
        ),
        ("bytes are characters, too", "start ::= ('-' | '!' | '+' '+' | '(' start ')')* #'[0-9]+';"),
        (
            "texts that go on with themselves are one lexeme, too",
            "start ::= 'x' text; text ::= #'[^{]' text | '{{' name '}}' text | '.'; name ::= #'[a-z]+' | '{' name '}';",
        ),
        (
            "texts without end are none",
            "start ::= 'x' text; text ::= text #'[a-z]' | text '{' text '}' | '!';",
        ),
    ];
    insta::assert_snapshot!(shown(&shapes));
}

/// Returns the normal form and the network of each grammar.
fn shown(shapes: &[(&str, &str)]) -> String {
    let mut shown = String::new();
    for &(name, text) in shapes {
        let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Config::default()).unwrap();
        assert_eq!(network.check(), Ok(()), "{name}");
        shown += &format!("== {name}\n{normal}\n{network}\n");
    }
    shown
}

#[test]
fn check_finds_each_violated_invariant() {
    type Break = fn(&mut Network);
    let text = "start ::= (x ','){2,9} unordered!(x, y?) #'[a-c]+[0-9]' | y start; x ::= 'a' x 'b' | 'c'; y ::= 'q' | start 'p';";
    let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let sound = Network::build(&normal, store, &Config::default()).unwrap();
    sound.check().unwrap();
    let breaks: [(&str, Break); 11] = [
        ("the first node is not the end", |n| n.nodes[0].is_final = false),
        ("the edges of node", |n| {
            let node = n.nodes.iter_mut().find(|node| !node.scans.is_empty()).unwrap();
            node.scans = [node.scans[0], node.scans[0]].into();
        }),
        ("a nonterminal begins at", |n| {
            for callee in &mut n.callees {
                if let Callee::Nonterminal { start, .. } = callee {
                    *start = NetworkNodeId::END;
                }
            }
        }),
        ("a counter has the bounds 3 to 2", |n| {
            for callee in &mut n.callees {
                if let Callee::Counter { min, max, .. } = callee {
                    (*min, *max) = (3, 2);
                }
            }
        }),
        ("a counter has the bounds 2 to 9", |n| {
            let place = |n: &Network, lexeme| {
                n.callees.iter().position(|callee| matches!(callee, Callee::Lexeme { .. }) == lexeme).unwrap()
            };
            let (lexeme, other) = (place(n, true), place(n, false));
            n.callees.swap(lexeme, other);
            let element = |callee: &Callee| match callee {
                Callee::Counter { element, .. } => Some(element.index()),
                _ => None,
            };
            // The counted callee becomes a lexeme.
            let counted = n.callees.iter().find_map(element).unwrap();
            let lexeme = place(n, true);
            n.callees.swap(lexeme, counted);
        }),
        ("a lexeme has the language", |n| {
            let all = n.store.regex("[a-c]*").unwrap();
            for callee in &mut n.callees {
                if let Callee::Lexeme { language, .. } = callee {
                    *language = all;
                }
            }
        }),
        ("the items of an `unordered!` are not valid", |n| {
            for callee in &mut n.callees {
                if let Callee::Unordered { items, .. } = callee {
                    items.truncate(1);
                }
            }
        }),
        ("a node has no copy that only scans", |n| n.scan_only.truncate(1)),
        ("a node scans other bytes", |n| n.scanned[1] = ByteSet::ALL),
        ("a byte does not have exactly one class", |n| n.class_bytes[0] = ByteSet::ALL),
        ("a lexeme distinguishes bytes of one class", |n| {
            let other = n.store.regex("[a-c]+[3-5]").unwrap();
            for callee in &mut n.callees {
                if let Callee::Lexeme { language, .. } = callee {
                    *language = other;
                }
            }
        }),
    ];
    for (message, break_it) in breaks {
        let mut broken = sound.clone();
        break_it(&mut broken);
        let found = broken.check().unwrap_err().to_string();
        assert!(found.starts_with(message), "{message}: {found}");
    }
}
