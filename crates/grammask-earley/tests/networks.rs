//! What becomes of small grammars, one shape each: normal form above, network below.

use grammask_earley::{Config, Network};
use grammask_regular::Store;

#[test]
fn shapes() {
    let shapes = [
        ("prefixes are shared", "start ::= 'list' | 'listen' | 'lit';"),
        (
            "ends are shared across rules",
            "start ::= A '!' | 'x' B; A ::= 'ab' start | 'c'; B ::= 'ab' start | A;",
        ),
        (
            "direct left recursion is a loop",
            "start ::= start '+' term | term; term ::= #'[0-9]+' | '(' start ')';",
        ),
        ("what is called once is inlined", "start ::= 'a' B 'c'; B ::= 'x' C | 'y'; C ::= 'z'+;"),
        ("a counter is a callee", "start ::= (item ','){3,5000}; item ::= 'a' | '(' item ')';"),
        ("special tokens are classes of their own", "start ::= 'a' <|end|> | <[7]> 'b';"),
        ("long texts are lexemes", &format!("start ::= '{}' | 'short';", "long ".repeat(20))),
    ];
    let mut shown = String::new();
    for (name, text) in shapes {
        let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Config::default()).unwrap();
        assert_eq!(network.check(), Ok(()), "{name}");
        shown += &format!("== {name}\n{normal}\n{network}\n");
    }
    insta::assert_snapshot!(shown);
}
