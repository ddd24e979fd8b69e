//! Items of `distinct!` that are rules, compared as JSON values. Verdicts equal those of a list of all items.
//! Masks equal reading the bytes of each token, with shared, tiny or full tables.

use grammask::{Config, Ending, Grammar, Matcher, TokenId, Vocabulary};
use grammask_testkit::random::Rng;

use super::{STOP, config, readable};

/// A rule for items, and further rules that it uses.
const ITEMS: &[&str] = &[
    // All orders of two keys.
    "item ::= '{' ws '}' | '{' ws a ws '}' | '{' ws a ws ',' ws b ws '}' | '{' ws b ws ',' ws a ws '}'; \
     a ::= '\"a\":' bit; b ::= '\"b\":' ws bit; bit ::= 'true' | '0' | '0.0'; ws ::= #' ?'; ",
    // Open objects, nested.
    "item ::= unordered!(member; ','; {0,2}) | '[' (item (',' item)*)? ']' | #'-?[0-9]'; \
     member ::= '\"' json!(#'[ab]{1,2}') '\":' item;",
    "item ::= '{' (member (',' member)*)? '}'; member ::= '\"' json!(#'[ab]*') '\":' value; \
     value ::= '\"' json!(#'[ab]*') '\"' | #'[0-9]+' | item;",
    "item ::= '[' list ']' | #'a|b'; list ::= unordered!(distinct!(item); ','; {1,3});",
    "item ::= #'[{] ?[}]' | '{' member (',' member)* '}'; member ::= '\"' json!(#'[ab]*') '\":' (#'[01]' | item);",
    "item ::= '\"' json!(#'[ab]{0,2}') '\"' | pair; pair ::= '[' item ',' item ']';",
];

fn grammar(rng: &mut Rng) -> String {
    let mut items = vec!["distinct!(item)".to_owned()];
    if rng.chance(1, 3) {
        items.push((*rng.pick(&["'null'?", "'7'{0,2}", "('<' start '>')?"])).to_owned());
    }
    let separator = *rng.pick(&["','", "', '", "','"]);
    let bounds = *rng.pick(&["", "; {0,3}", "; {1,2}"]);
    let list = format!("unordered!({}; {separator}{bounds})", items.join(", "));
    let start = match rng.below(3) {
        0 => format!("start ::= '[' {list} ']';"),
        1 => format!("start ::= '[' {list} ']' | '(' {list} ')';"),
        _ => format!("start ::= '[' {list} ']' | '[' #'[a-z0-9,\":{{}}]*' ']';"),
    };
    format!(
        "{start} {}",
        rng.pick(ITEMS)
            .replace("unordered!(member", "'{' unordered!(member")
            .replace("{0,2})", "{0,2})? '}'")
    )
}

/// All bytes, and what such texts are made of, in pieces of several lengths.
fn words(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    let pieces = [
        "\"", "a", "b", "\"a\":", "\"b\":", ",", "{", "}", "[", "]", "true", "0", ".0", "\\u0061", "{}",
        "},{", "1", "],[", "\",\"", "null", " ",
    ];
    for _ in 0..500 {
        let word: Vec<&str> = (0..1 + rng.below(6)).map(|_| *rng.pick(&pieces)).collect();
        words.push(word.concat().into_bytes());
    }
    words
}

#[test]
fn masks_of_distinct_values_equal_reading_each_token() {
    let mut masks = 0;
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let text = grammar(&mut rng);
        let words = words(&mut rng);
        let ids = (0..).map(TokenId).zip(words.iter().cloned());
        let vocabulary = Vocabulary::new(ids, [(STOP, "<|stop|>".to_owned())]).unwrap();
        let ending = if rng.chance(1, 4) { Ending::Eager } else { Ending::EndOfSequence(vec![STOP]) };
        let mut matchers: Vec<Matcher> = (0..3)
            .map(|_| Grammar::compile(&text, &vocabulary, &config(&mut rng, &ending)).unwrap().matcher())
            .collect();
        for _ in 0..3 {
            matchers.iter_mut().for_each(Matcher::reset);
            for step in 0..16 {
                let expected = readable(&matchers[0], &words);
                for (place, matcher) in matchers.iter_mut().enumerate() {
                    let is_complete = matcher.is_complete();
                    let mask = matcher.mask();
                    let found: Vec<TokenId> = mask.iter().filter(|&id| id != STOP).collect();
                    assert_eq!(found, expected, "seed {seed}, step {step}, matcher {place}: {text}");
                    if let Ending::EndOfSequence(_) = ending {
                        assert_eq!(mask.allows(STOP), is_complete, "seed {seed}, step {step}: {text}");
                        assert!(is_complete || !found.is_empty(), "seed {seed}: nothing goes on in {text}");
                    }
                    masks += 1;
                }
                if expected.is_empty() {
                    break;
                }
                let token = *rng.pick(&expected);
                matchers.iter_mut().for_each(|matcher| assert!(matcher.accept(token).is_accepted()));
            }
        }
    }
    assert!(masks > 3_000, "{masks}");
}

/// Items as their texts, each with a name of its value, and how many there are.
struct List {
    grammar: &'static str,
    items: Vec<(String, String)>,
    counts: (usize, usize),
}

impl List {
    /// Returns whether a text is a list of different items, and whether some list begins with it.
    fn judge(&self, text: &str) -> (bool, bool) {
        let Some(rest) = text.strip_prefix('[') else { return (false, text.is_empty()) };
        self.judge_items(rest, &mut Vec::new())
    }

    fn judge_items(&self, rest: &str, used: &mut Vec<String>) -> (bool, bool) {
        let (mut is_list, mut is_prefix) = (false, false);
        for (item, value) in &self.items {
            if used.contains(value) {
                continue;
            }
            used.push(value.clone());
            if let Some(after) = rest.strip_prefix(item.as_str()) {
                let can_end = used.len() >= self.counts.0;
                let values: std::collections::BTreeSet<&String> =
                    self.items.iter().map(|(_, value)| value).collect();
                let can_go_on = used.len() < self.counts.1.min(values.len());
                is_prefix |= after.is_empty() && (can_end || can_go_on);
                is_list |= can_end && after == "]";
                is_prefix |= can_end && after == "]";
                if let (true, Some(after)) = (can_go_on, after.strip_prefix(',')) {
                    if after.is_empty() {
                        is_prefix = true;
                    } else {
                        let (list, prefix) = self.judge_items(after, used);
                        is_list |= list;
                        is_prefix |= prefix;
                    }
                }
            } else if item.starts_with(rest) {
                is_prefix |= used.len() >= self.counts.0 || used.len() < self.counts.1;
            }
            used.pop();
        }
        (is_list, is_prefix)
    }
}

/// Objects with the members `a` and `b`, each a bit, in both orders and with or without a blank.
fn objects() -> List {
    let mut items = Vec::new();
    let bits = [("0", "0"), ("0.0", "0"), ("1", "1")];
    for (a, first) in bits {
        items.push((format!("{{\"a\":{a}}}"), format!("a{first}")));
        for (b, second) in bits {
            let value = format!("a{first}b{second}");
            items.push((format!("{{\"a\":{a},\"b\":{b}}}"), value.clone()));
            items.push((format!("{{\"b\":{b},\"a\":{a}}}"), value));
        }
    }
    List {
        grammar: "start ::= '[' unordered!(distinct!(item); ','; {2,}) ']';
            item ::= '{' (a | a ',' b | b ',' a) '}';
            a ::= '\"a\":' bit; b ::= '\"b\":' bit; bit ::= '0' | '0.0' | '1';",
        items,
        counts: (2, usize::MAX),
    }
}

/// Three values in six spellings.
fn few() -> List {
    let all =
        [("true", "t"), ("[true]", "l"), ("[ true]", "l"), ("[1]", "1"), ("[1.0]", "1"), ("[10e-1]", "1")];
    List {
        grammar: "start ::= '[' unordered!(distinct!(item); ','; {1,5}) ']';
            item ::= 'true' | '[' #' ?' 'true]' | '[' one ']'; one ::= '1' | '1.0' | '10e-1';",
        items: all.map(|(text, value)| (text.to_owned(), value.to_owned())).into(),
        counts: (1, 5),
    }
}

#[test]
fn verdicts_equal_those_of_all_items() {
    let bytes: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    let vocabulary = Vocabulary::new((0..).map(TokenId).zip(bytes), [(STOP, "<|stop|>".to_owned())]).unwrap();
    for list in [few(), objects()] {
        let config = Config { ending: Ending::EndOfSequence(vec![STOP]), ..Config::default() };
        let grammar = Grammar::compile(list.grammar, &vocabulary, &config).unwrap();
        let mut rng = Rng::new(7);
        let (mut ends, mut refused) = (0, 0);
        for _ in 0..400 {
            let (mut matcher, mut text) = (grammar.matcher(), String::new());
            for _ in 0..90 {
                let mask: Vec<u8> =
                    matcher.mask().iter().filter(|id| id.0 < 256).map(|id| id.0 as u8).collect();
                for byte in (0x20..0x7f).map(char::from) {
                    text.push(byte);
                    let (is_list, is_prefix) = list.judge(&text);
                    assert_eq!(mask.contains(&(byte as u8)), is_prefix, "{text}");
                    refused += usize::from(!is_prefix);
                    if is_prefix {
                        let mut after = matcher.clone();
                        assert!(after.accept_bytes(&[byte as u8]).is_accepted());
                        assert_eq!(after.is_complete(), is_list, "{text}");
                    }
                    text.pop();
                }
                let Some(&byte) = (!mask.is_empty()).then(|| rng.pick(&mask)) else {
                    ends += 1;
                    break;
                };
                text.push(char::from(byte));
                assert!(matcher.accept_bytes(&[byte]).is_accepted());
            }
        }
        assert!(ends > 100 && refused > 1_000, "{ends} {refused}");
    }
}
