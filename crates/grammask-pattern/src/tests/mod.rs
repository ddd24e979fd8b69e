//! Patterns against a backtracking matcher on all short texts, and tables of valid, refused and written
//! patterns.

mod dialects;
mod matcher;
mod python;
mod table;

use grammask_regular::Store;

use crate::language::{LanguageId, Languages};
use crate::lookaround::automaton;
use crate::syntax::ecma::parse;
use crate::syntax::node::{Assertion, Node};
use crate::{Cause, Config, Error, Limits};
use matcher::search;

/// Returns all texts of up to `longest` characters of an alphabet.
fn texts(alphabet: &str, longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            for c in alphabet.chars() {
                let text = format!("{}{c}", all[i]);
                all.push(text);
            }
        }
        from = to;
    }
    all
}

fn store() -> Store {
    Store::new(&grammask_regular::Limits::default())
}

fn pattern(languages: &mut Languages<'_>, source: &str) -> Result<LanguageId, Error> {
    let node = parse(source, languages.limits())?.node;
    crate::search::search(languages, node, source.len())
}

/// Returns a text on which the language of a pattern and the matcher disagree.
fn disagreement(source: &str, texts: &[String]) -> Option<String> {
    let mut store = store();
    let mut languages = Languages::new(&Config::default(), &mut store);
    let id = match pattern(&mut languages, source) {
        Ok(id) => id,
        Err(error) => return Some(format!("{source}: {error}")),
    };
    let node = parse(source, &Limits::default()).expect("it was parsed before").node;
    for text in texts {
        match languages.contains(id, text) {
            Ok(found) if found == search(&node, text) => {}
            Ok(_) => return Some(format!("{source} on {text:?}")),
            Err(error) => return Some(format!("{source} on {text:?}: {error}")),
        }
    }
    None
}

const SOURCES: &[&str] = &[
    "",
    "a",
    "^a",
    "a$",
    "^a$",
    "^$",
    "^",
    "$",
    "a|^1$",
    "^a|1$",
    "(^a)|(1$)",
    "^(a|1)$",
    "^(?:^a)$",
    "a*",
    "^a*$",
    "^a+?1$",
    "a{2}",
    "^a{2,3}$",
    "^(a|1){2,}$",
    "a{0}",
    "^(?:)$",
    "a||1",
    "^(a|)$",
    ".",
    "^.$",
    "^..$",
    "[^]",
    "^[^]$",
    "[]",
    "a[]",
    "^[]*$",
    r"\w",
    r"^\w$",
    r"^\W$",
    r"^\d+$",
    r"^\D+$",
    r"^\s$",
    r"^\S\S$",
    r"[\w-]",
    r"^[\w-]+$",
    r"^[a\-1]$",
    r"^[a-]+$",
    r"^[-a]+$",
    // Anchors in the middle.
    "a^",
    "$a",
    "a^1",
    "(^|-)a",
    "a($|-)",
    "(^|-)a($|-)",
    "^(a|1$)",
    "^([^-]+(-|$)){2,}",
    "(^a|1)*-",
    "^(^a)*$",
    "(?:^a|1)+$",
    "(?:$|a)*",
    "^(?:(?:^-)|a)*$",
    "(a|^)(1|$)",
    "^(a?(^1)?)*$",
    "(?:^|a){2}1",
    "(?:a|$){2,3}",
    "((^a|1)-?){2}$",
    "^(?:a|1$)?",
    "^^a$$",
    "(^)*a",
    "(?:$)+",
    "(?:^$)",
    "(?:a$)|^$",
    "(^-|a)(-|1$)",
    // Word boundaries.
    r"\b",
    r"\B",
    r"\ba",
    r"a\b",
    r"\ba\b",
    r"^\b",
    r"\b$",
    r"a\b-",
    r"a\b1",
    r"a\B1",
    r"-\B-",
    r"\b\w+\b",
    r"^\b$",
    r"^\B$",
    r"(\ba)*-",
    r"^(a\b|-)*$",
    r"^(?:\b.)+$",
    r"^(?:.\B)+$",
    r"[a-]{1,3}\b([1-]*)$",
    r"^\w*\b.?$",
    r"(\b|-)a(\b|1)",
    r"^.\b.\B.",
    r"\b\b_",
    r"^[^]\b[^]$",
    // Look-ahead.
    "(?=a)",
    "(?!a)",
    "^(?=a)",
    "^(?!a)",
    "^(?!a$)",
    "^(?!.*1)",
    "^(?!.*1)a",
    "^(?=.*a)(?=.*1)",
    "a(?=1)",
    "a(?!1)",
    "a(?=1|$)",
    "^(?!^a|1)",
    "^(?!a)(?!1)[a1-]+$",
    "(?=a)1",
    "(?=^)a",
    "(?!^)a",
    "^((?!a1).)*$",
    "^((?!a1)(?!1a).)+$",
    "^(?:(?!--).)*$",
    "-((?!-).)*-",
    "^-((?!1-).)*1-",
    "^-((?!1-).)*1-$",
    "^((?!a).)*$",
    "^((?!a).){2,3}$",
    "^((?!a1).){1,4}$",
    "^(.(?!a))*$",
    "^(?:(?=a).)*$",
    "^(?:(?=[^]1)a)*",
    "^((?!a$).)*$",
    "^(?:(?!^a).)*$",
    "^(?:(?!^a).)+$",
    "(?:(?!^a)[a1])*-$",
    "^(?=(?!a).)",
    "^(?!(?=a)a1)",
    r"^(?!a\b)",
    r"a(?=\b)",
    r"\b(?!a)",
    "(?=a){2}",
    "(?=a)*1",
    "^(?!(a|1)$)[a1]+$",
    "a(?=$)",
    "^(?=a)*$",
    "^(?=.{2,3}$)(a|-)+$",
    "^(?:a(?!1)){2}",
    "^(?:(?!1)a|1)$",
    "((?:[^-]*-)*)(?=_(a|1))",
    "^(?!1).*a$",
    "((?!a).)*1",
    "^((?!a1).)*1",
    "^((?!a1)[^])*(1|a)",
    "^(?:(?!a1)(?!1a)[a1-])*a?-",
    "^-((?!1-|a).)*(1-|a)",
    "^((?!a|1-).){1,2}1",
    "^((?!aa|1a1).)+a",
    "^((?!a?)a)*1",
    "-((?!-a-|a-a)[^])*a-",
    // Look-around that depends on its neighbours.
    "^(?:(?!-)[a-]{1,2}(?<!-)1)+$",
    "^(?!-)[a-]{1,2}(?<!-)$",
    "^(?:(?=a|1-)..)*$",
    "(?:(?!a)(?!1)[^])*-",
    r"^(?:(?!aa)\w\w\b)*-",
    r"^(?:\w\w(?<!aa)\b-?)*$",
    "^(?:(?!a?)1)*$",
    "^(.(?<=a)|-1)*_",
    "(?:(?!a1)[a1]{2,}(?<!1a)-?)*_",
    // Look-behind.
    "(?<=a)",
    "(?<!a)",
    "(?<=a)1",
    "(?<!a)1",
    "^(?<!a)1",
    "(?<=^)a",
    "(?<!^)a",
    "1(?<=a1)-",
    "1(?<!a1)-",
    "(?<=a)(?=1)",
    "(?<!a)$",
    "a*(?<=a)$",
    "(?<=a|-)1",
    r"(?<=\b)a",
    r"(?<!\ba)1",
    r"a(?<=\w)\b",
    "(?<=^a)1",
    "(?<=a$)",
    "^.*(?<!-)$",
    "(?<!-)(?<!1)a",
    "(?<=-)(?<=^-)a",
    "a|(?<=1)-",
    // Look-around inside of repetitions, by automata.
    "^(?:a(?!1)|1)+$",
    "^(?:(?!1a)[a1]+-)+[a1]+$",
    "^(?:a+(?=-|$)-?)+$",
    "^(?:[a1]+(?=-|$)-?)+$",
    "^(?:a(?!1)|-)*1$",
    "(?:a(?=1)|1(?=a))*-",
    "^(?:(?<=a)1|a)*$",
    "^(?:(?<!a)1|a)+$",
    "^(?:(?<!1)a|(?<!a)1|-)*$",
    r"^(?:\ba|(?<=a)1|-)+$",
    "^(?:(?!a(?!1)).)*$",
    "^(?:(?=(?:a1)*-).)+",
    "(?=a)(?<=-)a",
    "a(?:(?<=1a)1|-)",
    "^(?:a(?!1)){2,5}$",
    "^(?:(?!-)[a1-]{1,3}(?<!-)_)+[a1]{2}$",
    "(?<=(?:a(?<=1a))+)-",
    r"(?<=\b1)a(?!\b)",
    "(?<!^(?:a|1)*)-",
    "^(?:a|(?=1)|1)*$",
    "^(?!a-)(?=a)(?:a(?!1)|1|-)*(?<!-)(?<!1)$",
    "^(?=a)(?:a(?!1)|1|-)*",
    "(?:a(?!1)|1|-)*(?<!1)$",
];

#[test]
fn patterns_match_the_texts_of_a_backtracking_matcher() {
    let texts = texts("a1_-\n", 5);
    let wrong: Vec<String> = SOURCES.iter().filter_map(|source| disagreement(source, &texts)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn automata_match_the_texts_of_a_backtracking_matcher() {
    let texts = texts("a1_-\n", 4);
    let mut wrong = Vec::new();
    for source in SOURCES {
        let node = parse(source, &Limits::default()).expect("a pattern").node;
        wrong.extend(disagreement_of_automaton(source, &node, &texts));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns a text on which the automaton of a pattern and the matcher disagree.
fn disagreement_of_automaton(source: &str, node: &Node, texts: &[String]) -> Option<String> {
    let mut store = store();
    let mut languages = Languages::new(&Config::default(), &mut store);
    match automaton::search(&mut languages, node) {
        Ok(id) => {
            let differs = |text: &&String| languages.contains(id, text) != Ok(search(node, text));
            texts.iter().find(differs).map(|text| format!("{source} on {text:?}"))
        }
        Err(Error { cause: Cause::Unsupported, .. }) => None,
        Err(error) => Some(format!("{source}: {error}")),
    }
}

#[test]
fn random_patterns_match_the_texts_of_a_backtracking_matcher() {
    let texts = texts("a1-\n", 4);
    let (mut translated, mut state) = (0, 1u64);
    let mut wrong = Vec::new();
    for _ in 0..1200 {
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut source = String::new();
        random(&mut next, 4, true, &mut source);
        match crate::translate(&source, &Config::default(), &mut store()) {
            Ok(_) => {
                translated += 1;
                wrong.extend(disagreement(&source, &texts));
                if translated % 4 == 0 {
                    let node = parse(&source, &Limits::default()).expect("it was parsed before").node;
                    wrong.extend(disagreement_of_automaton(&source, &node, &texts));
                }
            }
            Err(Error { cause: Cause::Unsupported | Cause::Limit { .. }, .. }) => {}
            Err(error) => panic!("{source}: {error}"),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(translated > 1_050, "{translated}");
}

/// Appends a random pattern.
fn random(next: &mut dyn FnMut(u64) -> u64, depth: u32, top: bool, out: &mut String) {
    for i in 0..=next(3) {
        if i > 0 && next(3) == 0 {
            out.push('|');
        }
        match next(if depth == 0 { 8 } else { 18 }) {
            0..=3 => out.push_str(pick(next, &["a", "1", "-", "."])),
            4 => out.push_str(pick(next, &["[a1]", "[^a]", "[^]", r"\w"])),
            5..=7 => out.push_str(pick(next, &["^", "$", r"\b", r"\B"])),
            8..=10 => group("(?:", next, depth, ")", out),
            11 => group("(", next, depth, ")*", out),
            12 => {
                let close = pick(next, &["){2}", ")?", "){1,2}", ")+"]);
                group("(", next, depth, close, out);
            }
            13 => group("(?=", next, depth, ")", out),
            17 => group("(?!", next, depth, ")", out),
            14 => {
                out.push_str("(?:");
                let open = pick(next, &["(?!", "(?!", "(?="]);
                group(open, next, 1, ")", out);
                out.push_str(pick(next, &["", "", "(?!1)"]));
                out.push_str(pick(next, &[".", "[^]", "[a1]", "-"]));
                out.push_str(pick(next, &["", "", "", "(?!a)"]));
                out.push_str(pick(next, &[")*", ")*", ")+", "){1,3}"]));
            }
            15 | 16 if top => {
                let open = pick(next, &["(?<=", "(?<!"]);
                group(open, next, depth, ")", out);
            }
            _ => out.push('a'),
        }
    }
}

fn pick<'a>(next: &mut dyn FnMut(u64) -> u64, from: &[&'a str]) -> &'a str {
    from[usize::try_from(next(from.len() as u64)).unwrap_or(0)]
}

fn group(open: &str, next: &mut dyn FnMut(u64) -> u64, depth: u32, close: &str, out: &mut String) {
    out.push_str(open);
    random(next, depth - 1, false, out);
    out.push_str(close);
}

#[test]
fn backtracking_matcher_follows_the_standard() {
    let node = Node::sequence(vec![
        Node::Assertion(Assertion::Start),
        Node::Char('a'),
        Node::Class("[0-9]".to_owned()),
    ]);
    assert!(search(&node, "a1x") && !search(&node, "xa1") && !search(&node, "ab"));
    assert_ne!(LanguageId::ANY, LanguageId::NONE);
}
