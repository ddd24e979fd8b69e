//! Every pass alone: the grammar before and after, as KBNF, and the postcondition.

use std::fmt::Write as _;

use grammask_normal::{Config, Grammar, PASSES, Pass};
use grammask_regular::Store;

/// Applies a pass to each grammar, and returns the grammars before and after.
fn before_and_after(pass: &str, texts: &[&str]) -> String {
    let pass = Pass::find(pass).expect("a pass of the list");
    let mut shown = format!("{}: {}\nafterwards: {}\n", pass.name, pass.description, pass.postcondition);
    for text in texts {
        let ast = grammask_syntax::parse(text, &grammask_syntax::Config::default()).expect("a valid text");
        let (config, mut store) = (Config::default(), Store::new(&grammask_regular::Limits::default()));
        let mut grammar = Grammar::read(&ast, &mut store, &config).expect("a valid grammar");
        let before = grammar.to_string();
        pass.apply(&mut grammar, &mut store, &config).expect("a grammar that the pass takes");
        let after = grammar.to_string();
        assert!(pass.holds(&grammar), "the postcondition of {} does not hold:\n{after}", pass.name);
        let again = grammask_syntax::parse(&after, &grammask_syntax::Config::default()).expect("valid KBNF");
        assert_eq!(again.to_string(), after);
        write!(shown, "\n--- before\n{before}--- after\n{after}").expect("strings take all");
    }
    shown
}

macro_rules! pass_snapshot {
    ($name:ident, $($text:expr),+ $(,)?) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(before_and_after(stringify!($name), &[$($text),+]));
        }
    };
}

pass_snapshot!(group_rules, "start ::= 'a'; b ::= 'x' | 'y'; start ::= b; b ::= 'z'; start ::= 'c';",);

pass_snapshot!(
    flatten_operators,
    "start ::= 'a' ('b' ('c' | ('d' | ('e' 'f')))) | ('g' | 'h' | ('i' 'j'));",
    "start ::= ((('a')) (('b' 'c')*)) ((('d' | 'e')?));",
);

pass_snapshot!(
    remove_useless_rules,
    "S ::= 'ab' S | 'ab' A | 'ab' B; S ::= S; A ::= 'c' 'd'; B ::= 'a' B; C ::= 'dc'; %start S;",
    "start ::= start | 'a' start?;",
);

pass_snapshot!(
    merge_consecutive_terminals,
    "start ::= 'b' 'c' 'd' x 'e' '' 'f'; x ::= '' | 'a' '' | '';",
    "start ::= ('a' 'b')* 'c' 'd' #'e' 'f' ''?;",
    "start ::= ('a' 'b' #'c' 'd' ('e' 'f')){2,5} & ~('g' 'h');",
    r#"start ::= '{' '"' json!('a' 'b') '"' ':' '"' json!(#'c') '"' json!('d') '"';"#,
);

pass_snapshot!(
    deduplicate_alternatives,
    "start ::= 'a' | x 'b' | 'a' | x 'b' | ('c' | 'c')+; x ::= 'd' | 'd';"
);

pass_snapshot!(
    flatten_nested_rules,
    "start ::= ('a' | 'b') 'c'* ('d' | ('e' | start)* 'f')?;",
    "x_1 ::= 'a'; x ::= ('b' x)? x_1; start ::= (x | 'c') 'd';",
);

pass_snapshot!(
    remove_unit_rules,
    "start ::= A 'x' | 'y'; A ::= B; B ::= C; C ::= 'c' start | 'd';",
    "start ::= A; A ::= B+; B ::= C?; C ::= 'c' C | 'd';",
    "start ::= A ';'; A ::= B | 'a'; B ::= A | 'b';",
    "start ::= A; A ::= 'x' A | 'y';",
    "start ::= A B C{2,3} D{2,3}; A ::= 'a'; B ::= #'b'; C ::= 'c'; D ::= <|end|>;",
    "start ::= A; A ::= B; B ::= A;",
    "start ::= A '.' A; A ::= 'a text of more than sixty-four bytes, which is not written where it is used twice';",
);

pass_snapshot!(
    expand_repetitions,
    "start ::= 'a'? 'b'* 'c'+ x{2} x{3,} x{0,4} x{2,5} x{1,1} x{0} x{0,1}; x ::= 'x' x 'y' | 'z';",
    "start ::= 'a'{2,5} ('a' | #'b'){3,} <|end|>{2} y*; y ::= 'a'? 'y' y | 'x';",
);

pass_snapshot!(
    eliminate_nullables,
    "start ::= A 'x'; A ::= '' | 'a';",
    "start ::= B? B? B? B? B?; B ::= 'b';",
    "start ::= x 'm' y; x ::= y y; y ::= #'a*' | 'b' y;",
    "start ::= #'a*' #substrs'ab' 'c'{0,3} (#'d*'){0,3} #''  (~'x' & #'y*');",
    "start ::= x{2,4} 'y'; x ::= '' | 'x' x;",
    "start ::= A; A ::= A B | ''; B ::= '' | 'b';",
);

pass_snapshot!(
    remove_dead_rules,
    "start ::= 'a' D | 'b'; D ::= D 'x';",
    "start ::= 'a' B 'c' | 'd' B; B ::= 'a' B;",
    "X ::= 'a' X | 'b'; start ::= X D; D ::= D;",
    "start ::= 'k' X Y X D | 'z'; X ::= 'a' X | 'b'; Y ::= Y 'c' | 'd' Y | 'e'; D ::= #'a' & #'b';",
    "start ::= X{2,4} D | 'z'; X ::= 'a' X 'b' | 'c'; D ::= D 'd';",
    "start ::= X{2,4} 'x'; X ::= 'a' X;",
);

pass_snapshot!(
    merge_equal_nonterminals,
    "start ::= B 'x' | C 'x'; B ::= 'a' B | 'b'; C ::= 'a' C | 'b';",
    "start ::= A 'x' D; A ::= 'a' B; B ::= 'b' A; C ::= 'a' D; D ::= 'b' C;",
    "start ::= A C; A ::= 'x' B | 'x' B2; B ::= 'b'; B2 ::= 'b'; C ::= 'x' B;",
    "start ::= A B; A ::= 'a' A | 'c'; B ::= 'a' B | 'd';",
);

pass_snapshot!(
    gather_literals,
    "start ::= 'a' | x | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o' | 'p' | 'q' x; x ::= 'r' | 's';",
    "start ::= 'a' | x | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o' | 'p' | 'q'; x ::= 'r' | 's';",
);

pass_snapshot!(
    gather_characters,
    r#"start ::= '"' text '"'; text ::= char | text char; char ::= #'[^"\\\\]' | '\\' escape; escape ::= #'[nrt"]' | 'u' hex hex hex hex; hex ::= #'[0-9a-f]';"#,
    "start ::= name name{2,9} name{3}; name ::= letter | name letter | name #'[0-9_]'; letter ::= #'[a-z]';",
    "start ::= letter{2,9} digit{2,9} dot{2,9} word{2,9}; letter ::= #'[a-z]' | '_'; digit ::= #'[0-9]'; dot ::= '.'; word ::= #'[a-z]+';",
    "start ::= word | start ' '; word ::= #'[a-z]' | ' ' word;",
    "start ::= start #'[a-z]' | end; end ::= '.' | '(' end ')';",
    "start ::= start #'[a-z]' | start <|end|> | '.';",
    "start ::= char | start char; char ::= #'[a-z]' | '(a text of more than sixteen bytes)';",
    r#"start ::= '"' text; text ::= char text | '"'; char ::= #'[^"\\\\]' | '\\' #'[nrt"]';"#,
    "start ::= text '.'; text ::= letter text | letter; letter ::= #'[a-z]';",
    "start ::= text '.'; text ::= text text | letter | digit; letter ::= #'[a-z]'; digit ::= #'[0-9]';",
    "start ::= text | text '.'; text ::= text text | #'[a-z]' text | '!';",
    "start ::= text | '.'; text ::= #'[a-z]' text | #'a+' & #'b+';",
    "start ::= list | '.'; list ::= word ' ' list | word; word ::= #'[a-z]+';",
);

#[test]
fn every_pass_has_a_snapshot_here() {
    let source = include_str!("passes.rs");
    for pass in PASSES {
        let entry = format!("    {},", pass.name);
        let short = format!("pass_snapshot!({}, ", pass.name);
        assert!(source.contains(&entry) || source.contains(&short), "no snapshot of {}", pass.name);
    }
}

#[test]
fn each_pass_is_a_file_with_its_name() {
    for pass in PASSES {
        let passes = concat!(env!("CARGO_MANIFEST_DIR"), "/src/passes");
        let files = ["", "ebnf/", "terminals/"].map(|folder| format!("{passes}/{folder}{}.rs", pass.name));
        let count = files.iter().filter(|file| std::path::Path::new(file).exists()).count();
        assert_eq!(count, 1, "exactly one of {files:?}");
    }
}
