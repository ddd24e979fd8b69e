//! Reading what was printed gives the same tree, for any tree and any text; and no text makes the parser fail
//! otherwise than by its errors.

use grammask_syntax::{
    Ast, Comparison, Config, Escapes, ExceptOperand, ExprId, ExprKind, Limits, MAX_REPETITIONS, Name,
    Quantifier, Rule, Span, Unordered, parse, parse_bytes,
};
use proptest::prelude::*;

/// One step of building a tree: an atom to push, or a way to join the last expressions.
#[derive(Clone, Debug)]
enum Step {
    Atom(ExprKind),
    Join(u8, usize),
    Repeat(Quantifier),
    /// The number of parts, true if the last one is a separator, the bounds, and requirements modulo the
    /// number of items.
    Unordered(usize, bool, Quantifier, Vec<(u32, u32)>),
    Not,
    Json(Escapes),
    EndRule(String),
}

fn identifier() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c_][a-c0-9_]{0,3}",
        Just("e".to_owned()),
        Just("ex".to_owned()),
        Just("substrs".to_owned()),
        Just("except".to_owned()),
        Just("json".to_owned()),
        Just("multiple".to_owned()),
        Just("atmost".to_owned()),
    ]
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab'\"\\\\(*)]{0,4}",
        "\\PC{0,3}",
        any::<String>(),
        "[\\x00-\\x20\u{7f}-\u{a0}\u{200b}-\u{202e}]{0,3}"
    ]
}

fn atom() -> impl Strategy<Value = ExprKind> {
    let operand = prop_oneof![
        content().prop_map(|text| ExceptOperand::Text(text.into())),
        identifier().prop_map(|text| ExceptOperand::Nonterminal(Name { text, span: Span::default() })),
    ];
    prop_oneof![
        4 => identifier().prop_map(|text| ExprKind::Nonterminal(text.into())),
        4 => content().prop_map(|text| ExprKind::Text(text.into())),
        1 => content().prop_map(|text| ExprKind::Regex(text.into())),
        1 => content().prop_map(|text| ExprKind::PrefixMinimal(text.into())),
        1 => content().prop_map(|text| ExprKind::NotContaining(text.into())),
        1 => content().prop_map(|text| ExprKind::Substrings(text.into())),
        1 => (operand, proptest::option::of(1..=u64::MAX)).prop_map(|(operand, max)| ExprKind::Except { operand: Box::new(operand), max }),
        1 => "[a-z|>\\[\\]ä]{0,3}[a-z]".prop_filter("ends early", |name| !name.contains("|>"))
            .prop_map(|name| ExprKind::SpecialName(format!("<|{name}|>").into())),
        1 => any::<u32>().prop_map(ExprKind::SpecialId),
        1 => "[0-9]{0,3}[1-9](\\.[0-9]{1,3})?".prop_map(|text| ExprKind::Multiple(text.into())),
        1 => (0..5_usize, "[0-9]{1,3}(\\.[0-9]{1,3})?")
            .prop_map(|(index, bound)| ExprKind::Compared(Comparison::ALL[index], bound.into())),
    ]
}

fn quantifier() -> impl Strategy<Value = Quantifier> {
    let max = proptest::option::of(0..=MAX_REPETITIONS);
    prop_oneof![
        Just(Quantifier::Option),
        Just(Quantifier::Star),
        Just(Quantifier::Plus),
        (0..=MAX_REPETITIONS, max).prop_map(|(one, other)| match other {
            Some(other) => Quantifier::Bounds { min: one.min(other), max: Some(one.max(other)) },
            None => Quantifier::Bounds { min: one, max: None },
        }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => atom().prop_map(Step::Atom),
        4 => (0..3_u8, 2..4_usize).prop_map(|(kind, count)| Step::Join(kind, count)),
        2 => quantifier().prop_map(Step::Repeat),
        1 => (1..4_usize, any::<bool>(), quantifier(), proptest::collection::vec((0..3_u32, 0..3_u32), 0..3))
            .prop_map(|(count, separator, bounds, requires)| Step::Unordered(count, separator, bounds, requires)),
        1 => Just(Step::Not),
        1 => proptest::sample::select(&Escapes::ALL[..]).prop_map(Step::Json),
        1 => identifier().prop_map(Step::EndRule),
    ]
}

/// A tree with the shape that the steps say; what is left over in the end becomes rules.
fn build(steps: Vec<Step>, start: Option<String>) -> Ast {
    let name = |text| Name { text, span: Span::default() };
    let mut ast = Ast { start: start.map(name), ..Ast::default() };
    let mut stack: Vec<ExprId> = Vec::new();
    let rule = |text, body| Rule { name: name(text), body, span: Span::default() };
    for step in steps {
        let kind = match step {
            Step::Atom(kind) => kind,
            Step::Join(kind, count) if stack.len() >= count => {
                let parts = stack.split_off(stack.len() - count);
                [ExprKind::Sequence, ExprKind::Alternatives, ExprKind::And][usize::from(kind)](parts.into())
            }
            Step::Repeat(quantifier) if !stack.is_empty() => {
                ExprKind::Repeat { expr: stack.pop().unwrap(), quantifier }
            }
            Step::Json(escapes) if !stack.is_empty() => ExprKind::Json(stack.pop().unwrap(), escapes),
            Step::Unordered(count, separator, bounds, mut requires) if stack.len() > count => {
                let parts = stack.split_off(stack.len() - count - usize::from(separator));
                requires.retain(|&(from, to)| (from.max(to) as usize) < count);
                let (min, max) = bounds.bounds();
                let unordered =
                    Unordered { parts: parts.into(), has_separator: separator, min, max, requires };
                ExprKind::Unordered(unordered.into())
            }
            Step::Not if !stack.is_empty() => ExprKind::Not(stack.pop().unwrap()),
            Step::EndRule(text) => {
                ast.rules.extend(stack.pop().map(|body| rule(text, body)));
                continue;
            }
            _ => continue,
        };
        stack.push(ast.push(kind, Span::default()));
    }
    ast.rules.extend(stack.into_iter().map(|body| rule("left".to_owned(), body)));
    ast
}

fn tree() -> impl Strategy<Value = Ast> {
    (proptest::collection::vec(step(), 0..60), proptest::option::of(identifier()))
        .prop_map(|(steps, start)| build(steps, start))
}

/// Checks the properties of the result of any text.
fn check_outcome(text: &str) {
    let config = Config::from(Limits { max_errors: 5, ..Limits::default() });
    match parse(text, &config) {
        Ok(ast) => {
            assert_eq!(ast.check(), Ok(()), "{text:?}");
            let printed = ast.to_string();
            let again =
                parse(&printed, &config).unwrap_or_else(|errors| panic!("{text:?}: {printed:?}: {errors}"));
            assert!(again.same_as(&ast), "{text:?}: {printed:?}");
            assert_eq!(again.to_string(), printed);
            for expr in &ast.exprs {
                assert!(!text[expr.span.range()].is_empty(), "{text:?}");
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty() && errors.as_slice().len() <= 5);
            assert!(errors.as_slice().is_sorted_by_key(|error| error.span()), "{text:?}");
            for error in &errors {
                assert!(text.get(error.span().range()).is_some(), "{text:?}: {error} at {:?}", error.span());
            }
            let shown = errors.render(text, "f").to_string();
            assert!(shown.starts_with("f:1:") || text.contains('\n'), "{shown}");
            assert!(shown.lines().count() < 50, "{shown}");
        }
    }
}

const PIECES: &[&str] = &[
    "a",
    "start",
    "::=",
    "=",
    ";",
    "|",
    ",",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "?",
    "*",
    "+",
    "~",
    "&",
    "'x'",
    "\"y\"",
    "'",
    "\"",
    "\\",
    "#'r'",
    "#e",
    "#ex'",
    "#substrs'z'",
    "#",
    "except!",
    "except!(a)",
    "except!('q', 3)",
    "{2}",
    "{2,",
    "2",
    "1x",
    "<|s|>",
    "<|",
    "|>",
    "<[",
    "<[7]>",
    "]>",
    "%start",
    "%",
    "(*",
    "*)",
    " ",
    "\n",
    "!",
    "é",
    "->",
    ":",
    "\u{200b}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_a_printed_tree_yields_an_equal_tree(ast in tree()) {
        prop_assert_eq!(ast.check(), Ok(()));
        let printed = ast.to_string();
        let again = match parse(&printed, &Config::default()) {
            Ok(again) => again,
            Err(errors) => panic!("{}", errors.render(&printed, "printed")),
        };
        prop_assert_eq!(again.check(), Ok(()));
        prop_assert!(again.same_as(&ast) && ast.same_as(&again), "{}", printed);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn equal_trees_are_those_that_print_equally(one in tree(), two in tree()) {
        prop_assert_eq!(one.same_as(&two), one.to_string() == two.to_string());
    }

    #[test]
    fn pieces_of_kbnf_in_any_order(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        check_outcome(&pieces.concat());
        check_outcome(&pieces.join(" "));
    }

    #[test]
    fn wrong_pieces_in_a_rule(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..6)) {
        check_outcome(&format!("a ::= 'x' ({} b) | c;", pieces.concat()));
    }

    #[test]
    fn any_characters(text in any::<String>()) {
        check_outcome(&text);
        check_outcome(&format!("a ::= '{text}';"));
    }

    #[test]
    fn any_bytes(bytes in any::<Vec<u8>>()) {
        match (parse_bytes(&bytes, &Config::default()), std::str::from_utf8(&bytes)) {
            (outcome, Ok(text)) => prop_assert_eq!(outcome, parse(text, &Config::default())),
            (Ok(_), Err(_)) => panic!("{bytes:?} is taken for text"),
            (Err(errors), Err(_)) => {
                prop_assert!(errors.render(&bytes, "f").to_string().contains("invalid UTF-8"));
            }
        }
    }

    #[test]
    fn texts_with_a_deleted_piece(ast in tree(), from in any::<prop::sample::Index>(), length in 1..4_usize) {
        let printed: Vec<char> = ast.to_string().chars().collect();
        if !printed.is_empty() {
            let from = from.index(printed.len());
            let rest = printed.iter().take(from).chain(printed.iter().skip(from + length));
            check_outcome(&rest.collect::<String>());
        }
    }
}
