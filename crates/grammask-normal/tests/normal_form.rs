//! Whole grammars: the grammar after every pass, the normal form, and its invariants.

use std::fmt::Write as _;

use grammask_normal::{
    Config, NormalForm, Symbol, Terminal, Unordered, Violation, normalize, normalize_traced,
};
use grammask_regular::Store;
use grammask_syntax::{Ast, parse};

fn read(text: &str) -> Ast {
    parse(text, &grammask_syntax::Config::default()).unwrap_or_else(|errors| panic!("{text}: {errors}"))
}

fn check(text: &str) -> NormalForm {
    let normal =
        normalize(&read(text), &Config::default()).unwrap_or_else(|errors| panic!("{text}: {errors}"));
    assert_eq!(normal.check(), Ok(()), "{text}\n{normal}");
    let printed = normal.to_string();
    let again =
        normalize(&read(&printed), &Config::default()).unwrap_or_else(|errors| panic!("{printed}: {errors}"));
    assert_eq!(again.to_string(), printed, "normal forms stay as they are");
    assert_eq!(again, normal);
    normal
}

/// Returns the grammar after every pass that changed it.
fn trace(text: &str) -> String {
    check(text);
    let trace = normalize_traced(&read(text), &Config::default()).expect("it normalizes");
    let mut shown = String::new();
    let mut last = String::new();
    for (name, grammar) in &trace.steps {
        let now = grammar.to_string();
        read(&now);
        if now != last {
            write!(shown, "--- {name}\n{now}").expect("strings take all");
        }
        last = now;
    }
    write!(shown, "--- normal form\n{:#}", trace.normal).expect("strings take all");
    shown
}

#[test]
fn arithmetic() {
    insta::assert_snapshot!(trace(
        "start ::= sum; sum ::= product (('+' | '-') product)*; product ::= atom (('*' | '/') atom)*;
         atom ::= number | '(' sum ')' | '-' atom; number ::= #'[0-9]+' ('.' #'[0-9]+')?;"
    ));
}

#[test]
fn json() {
    insta::assert_snapshot!(trace(
        r#"start ::= ws value ws;
        value ::= object | array | string | number | "true" | "false" | "null";
        object ::= "{" ws [member {ws "," ws member}] ws "}";
        member ::= string ws ":" ws value;
        array ::= "[" ws [value {ws "," ws value}] ws "]";
        string ::= #'"([^"\\\\\\x00-\\x1f]|\\\\["\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4})*"';
        number ::= #"-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";
        ws ::= #"[ \n\t\r]*";"#
    ));
}

#[test]
fn endless_and_dead() {
    insta::assert_snapshot!(trace(
        "start ::= 'a' X D | B | 'c' E?; X ::= 'x' X | 'y'; D ::= D 'd'; B ::= 'b' B; E ::= E;"
    ));
}

#[test]
fn cycles_of_units() {
    insta::assert_snapshot!(trace("start ::= A ';'; A ::= B C? | 'a'; B ::= A | 'b'; C ::= 'c';"));
}

#[test]
fn exceptions_and_operators() {
    insta::assert_snapshot!(trace(
        "start ::= except!(stop, 5) stop | (#'[a-z]+' & ~('if' | 'else'))+ | #substrs'abc' <|end|> except!(stop);
         stop ::= '\\n' ('\\n' | '\\r');"
    ));
}

#[test]
fn the_start_symbol_keeps_its_name() {
    let normal = check("start ::= A; A ::= B; B ::= 'x' A | start 'y' | 'z';");
    assert_eq!(normal.to_string(), "start ::= 'x' start | start 'y' | 'z';\n");
    let normal = check("%start top; top ::= top2; top2 ::= 'x' top2 | 'y';");
    assert_eq!(normal.to_string(), "%start top;\ntop ::= 'x' top | 'y';\n");
}

#[test]
fn the_configuration_names_the_start_symbol() {
    let config = Config { start: Some("b".to_owned()), ..Config::default() };
    let normal = normalize(&read("%start a; a ::= 'a'; b ::= 'b' b | 'c';"), &config).expect("it normalizes");
    assert_eq!(normal.to_string(), "%start b;\nb ::= 'b' b | 'c';\n");
}

#[test]
fn repetition_is_finite_and_on_the_left() {
    assert_eq!(
        check("start ::= x*; x ::= 'x' x 'y' | 'z';").to_string(),
        "start ::= start_1;\nstart_1 ::= start_1 x | x;\nx ::= 'x' x 'y' | 'z';\n"
            .replace("start ::= start_1;\nstart_1 ::= start_1 x | x;", "start ::= start x | x;")
    );
    assert_eq!(check("start ::= 'a' ('')*;").to_string(), "start ::= 'a';\n");
    assert_eq!(
        check("start ::= 'a' ('b'?)+ 'c';").to_string(),
        "start ::= 'a' start_2 'c' | 'ac';\nstart_2 ::= start_2 'b' | 'b';\n"
    );
}

#[test]
fn counters_are_not_unrolled() {
    let normal = check("start ::= x{2,1000000000} 'a'{0,100000} #'[b]'{7}; x ::= 'x' x 'y' | 'z';");
    assert_eq!(
        normal.to_string(),
        "start ::= x{2,1000000000} 'a'{1,100000} #'[b]'{7} | x{2,1000000000} #'[b]'{7};\nx ::= 'x' x 'y' | 'z';\n"
    );
}

#[test]
fn rules_that_only_derive_themselves_are_removed() {
    assert_eq!(check("start ::= 'a' | A; A ::= A 'x'; ").to_string(), "start ::= 'a';\n");
    assert_eq!(check("start ::= start | 'a' | B; B ::= C; C ::= B;").to_string(), "start ::= 'a';\n");
}

#[test]
fn endless_rules_are_kept() {
    assert_eq!(
        check("start ::= 'a' S | 'a'; S ::= 'x' S;").to_string(),
        "start ::= 'a' S | 'a';\nS ::= 'x' S;\n"
    );
    assert_eq!(check("start ::= 'a' start;").to_string(), "start ::= 'a' start;\n");
}

#[test]
fn generated_names_avoid_those_of_the_text() {
    let normal = check(
        "start ::= ('a' | start_1) start_2 ('b' | start)*; start_1 ::= 'x' start_1 | 'y'; start_2 ::= 'z' start_2 | 'w';",
    );
    let mut names: Vec<_> = normal.nonterminals.iter().map(|nonterminal| nonterminal.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), normal.nonterminals.len());
}

#[test]
fn special_tokens_have_no_language() {
    let normal = check("start ::= <|a|> 'x' <[7]>;");
    let mut store = Store::new(&grammask_regular::Limits::default());
    let lowered = normal.lower_all(&mut store).expect("small");
    assert_eq!(lowered.iter().filter(|language| language.is_none()).count(), 2);
    assert!(normal.terminals[0].is_special());
}

#[test]
fn lower_and_lower_all_agree() {
    let normal = check(
        "start ::= #'[a-z]+' & ~('if' | 'else') 'x' | #e'ab*' #ex'z' #substrs'abc' except!('q', 3) 'w'{2,3} | ('a' #'b' | 'c'){2};",
    );
    let mut store = Store::new(&grammask_regular::Limits::default());
    let all = normal.lower_all(&mut store).expect("small");
    for symbol in normal.nonterminals.iter().flat_map(|entry| entry.productions.iter().flatten()) {
        if let Symbol::Terminal(id) = *symbol {
            assert_eq!(
                all[id.index()],
                Some(normal.lower(id, &mut store).expect("small")),
                "{}",
                normal.terminal_text(id)
            );
        }
    }
}

#[test]
fn sets_of_texts_are_lowered_as_one() {
    let words: Vec<String> = (0..40).map(|number| format!("'w{number}'")).collect();
    let normal = check(&format!("start ::= ({}) 'x';", words.join(" | ")));
    assert!(matches!(&normal.terminals[40], Terminal::Alternatives(texts) if texts.len() == 40));
    let mut store = Store::new(&grammask_regular::Limits::default());
    let lowered = normal.lower_all(&mut store).expect("small");
    assert!(lowered[40].is_some() && lowered[..40].iter().all(Option::is_none));
}

#[test]
fn items_in_any_order() {
    let normal = check(
        "start ::= '{' unordered!(a?, ('b' c)?, 'd'{0}, dead?, c{2,3}; ',' ; {1,9}; 0 -> 1, 1 -> 0, 1 -> 4) '}' | x;
         a ::= 'a'; c ::= 'c' | c 'd'; dead ::= dead 'x'; x ::= unordered!('x'?, 'y'?; ','; {0,1}) 'z';",
    );
    insta::assert_snapshot!(normal.to_string());
}

#[test]
fn texts_that_differ_stay_one_terminal() {
    let normal = check(
        "start ::= '[' list? ']' | x; x ::= #'[a-z]+'; list ::= unordered!('n'?, distinct!('\"' json!(#'[a-z]' #'[a-z]*') '\"' | #'[a-z]+' & ~'n'), dead?; ','; {2,}; 0 -> 1);
         other ::= list unordered!(distinct!(#'[a-z]+'), ';'*) | other 'z'; dead ::= dead 'x'; %start other;",
    );
    insta::assert_snapshot!(normal.to_string());
}

#[test]
fn unsatisfiable_unordered_is_dead() {
    for selection in
        ["'a', b", "'a'?; ; {2,}", "'a', 'c'; ; {0,1}", "'a', 'c'?; b; {2,}", "'a', b?; ; ; 0 -> 1"]
    {
        let normal = check(&format!("start ::= unordered!({selection}) 'x' | 'z'; b ::= b 'y';"));
        assert_eq!(normal.to_string(), "start ::= 'z';\n", "{selection}");
    }
}

#[test]
fn rules_that_differ_stay_rules() {
    let normal = check(
        "start ::= '[' unordered!(distinct!(item)) ']' | '(' unordered!(distinct!(one); ',') ')'; \
         item ::= '{' item '}' | 'x'; one ::= #'[ab]+';",
    );
    let text = normal.to_string();
    assert!(text.contains("distinct!(item)") && text.contains("distinct!(one)"), "{text}");
    assert!(text.contains("one ::= #'[ab]+';"), "{text}");
    let compares = |entry: &grammask_normal::Nonterminal| {
        entry.unordered.as_ref().is_some_and(|unordered| unordered.distinct_values)
    };
    assert_eq!(normal.nonterminals.iter().filter(|entry| compares(entry)).count(), 2);
}

#[test]
fn check_finds_broken_invariants_of_unordered() {
    let sound = check("start ::= unordered!('a'?, 'b', 'c'?; ','; {0,2});");
    let breaks: [fn(&mut Unordered); 5] = [
        |unordered| unordered.items[0] = (2, Some(1)),
        |unordered| unordered.requires.push((0, 7)),
        |unordered| unordered.max = Some(0),
        |unordered| unordered.has_separator = false,
        |unordered| unordered.items.truncate(2),
    ];
    let distinct: [fn(&mut Unordered); 2] =
        [|unordered| unordered.distinct = Some(0), |unordered| unordered.distinct = Some(9)];
    for break_it in breaks.into_iter().chain(distinct) {
        let mut broken = sound.clone();
        break_it(broken.nonterminals[0].unordered.as_mut().expect("it is the start"));
        assert_eq!(broken.check(), Err(Violation::Unordered(broken.start)), "{broken:?}");
    }
}

#[test]
fn long_chains_of_unordered_are_linear() {
    let count = 20_000;
    let mut text = String::from("start ::= unordered!(x0?, 'a');");
    for rule in 0..count {
        text.push_str(&format!("x{rule} ::= unordered!(x{}, x{rule}?; ','; {{2,}});\n", rule + 1));
    }
    text.push_str(&format!("x{count} ::= unordered!('b', x{count}?, 'c'?);"));
    let normal = normalize(&read(&text), &Config::default()).unwrap();
    assert_eq!(normal.check(), Ok(()));
}
