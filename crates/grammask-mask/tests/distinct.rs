//! `distinct!`: its masks equal those of walking the trie byte by byte. Both equal the masks of a reference
//! implementation for lists of distinct texts.

use std::collections::BTreeSet;
use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_mask::{Config, Ending, Lexicon, LexiconConfig, Masks, Scratch};
use grammask_regular::Store;
use grammask_testkit::random::Rng;
use grammask_trie::{TokenId, Vocabulary};

/// Reference implementation of a list, without an automaton: `[`, items between commas, `]`.
struct List {
    grammar: &'static str,
    /// Returns true if a text is one of the distinct items.
    is_item: fn(&str) -> bool,
    /// Other items, each at most once.
    others: &'static [&'static str],
    separator: &'static str,
    counts: (usize, usize),
    /// Suffixes that may complete an incomplete item.
    endings: fn() -> Vec<String>,
}

const LISTS: [List; 6] = [
    List {
        grammar: r#"start ::= '[' unordered!(distinct!('"' json!(#'[ab]*') '"'); ','; {1,4}) ']';"#,
        is_item: is_quoted,
        others: &[],
        separator: ",",
        counts: (1, 4),
        endings: quoted_endings,
    },
    List {
        grammar: r#"start ::= '[' unordered!(distinct!(#'[ab]{1,40}'), 'null'?, 'a'?; ','; {2,4}) ']';"#,
        is_item: |text| (1..=40).contains(&text.len()) && text.bytes().all(|byte| b"ab".contains(&byte)),
        others: &["null", "a"],
        separator: ",",
        counts: (2, 4),
        endings: plain_endings,
    },
    List {
        grammar: r#"start ::= '[' unordered!(distinct!(#'x[ab]{32,}|zz|z|"a"|"\\\\u0061"'); ','; {2,}) ']';"#,
        is_item: |text| {
            let long = text
                .strip_prefix('x')
                .is_some_and(|rest| rest.len() >= 32 && rest.bytes().all(|byte| b"ab".contains(&byte)));
            long || ["zz", "z", "\"a\"", "\"\\u0061\""].contains(&text)
        },
        others: &[],
        separator: ",",
        counts: (2, usize::MAX),
        endings: plain_endings,
    },
    List {
        grammar: r#"start ::= '[' unordered!('"b"'?, distinct!('"' json!(#'[ab]*') '"' | 'n'); ','; {0,3}) ']';"#,
        is_item: |text| text == "n" || is_quoted(text),
        others: &["\"b\""],
        separator: ",",
        counts: (0, 3),
        endings: quoted_endings,
    },
    List {
        grammar: r#"start ::= '[' unordered!(distinct!(#'a*,|b+,'), 'a,'?; ; {1,3}) ']';"#,
        is_item: |text| {
            let (letters, comma) = text.split_at(text.len().saturating_sub(1));
            comma == ","
                && (letters.bytes().all(|byte| byte == b'a') || letters.bytes().all(|byte| byte == b'b'))
        },
        others: &["a,"],
        separator: "",
        counts: (1, 3),
        endings: || {
            ["", "a", "b"]
                .iter()
                .flat_map(|letter| (0..4).map(move |count| format!("{},", letter.repeat(count))))
                .collect()
        },
    },
    // An item that begins in a token has exactly one completion.
    List {
        grammar: r#"start ::= '[' unordered!(distinct!(#'[ad]bc|x+'); ','; {1,4}) ']';"#,
        is_item: |text| {
            ["abc", "dbc"].contains(&text) || !text.is_empty() && text.bytes().all(|byte| byte == b'x')
        },
        others: &[],
        separator: ",",
        counts: (1, 4),
        endings: || {
            let long = (0..20).map(|count| "x".repeat(count));
            long.chain(["abc", "dbc", "bc", "c"].map(str::to_owned)).collect()
        },
    },
];

fn is_quoted(text: &str) -> bool {
    value(text).is_some_and(|value| value.bytes().all(|byte| b"ab".contains(&byte)))
}

fn value(text: &str) -> Option<String> {
    (text.trim() == text).then(|| serde_json::from_str(text).ok())?
}

/// Returns the key that distinguishes two items: the value, or the text if it is not a JSON string.
fn key(text: &str) -> Result<String, String> {
    value(text).ok_or(text.to_owned())
}

fn plain_endings() -> Vec<String> {
    let mut endings: Vec<String> = [
        "z",
        "\"",
        "a\"",
        "null",
        "ull",
        "ll",
        "l",
        "\\u0061\"",
        "u0061\"",
        "0061\"",
        "061\"",
        "61\"",
        "1\"",
    ]
    .map(str::to_owned)
    .into();
    for first in ["", "x"] {
        for length in 0..45 {
            endings.push(format!("{first}{}", "a".repeat(length)));
            endings.push(format!("{first}{}", "b".repeat(length)));
        }
    }
    endings
}

fn quoted_endings() -> Vec<String> {
    let mut endings = vec!["n".to_owned()];
    for escape in ["", "\"", "\\u0061", "u0061", "u0062", "0061", "061", "61", "62", "1", "2"] {
        for text in ["", "a", "b", "aa", "ab", "ba", "bb", "aaa", "abba"] {
            endings.push(format!("{escape}{text}\""));
        }
    }
    endings
}

impl List {
    /// Returns whether a text is a list, and whether it is a prefix of a list.
    fn judge(&self, text: &str) -> (bool, bool) {
        let Some(rest) = text.strip_prefix('[') else { return (false, text.is_empty()) };
        self.after(rest, &mut Vec::new(), 0)
    }

    /// Like [`judge`](Self::judge), after `count` items. `chosen` contains the keys of the distinct items.
    fn after(&self, rest: &str, chosen: &mut Vec<Result<String, String>>, count: usize) -> (bool, bool) {
        let (mut is_list, mut is_live) = (false, false);
        let may_end = |count: usize| count >= self.counts.0.max(1);
        // Another item is always possible, because the texts are never exhausted.
        if rest == "]" && count == 0 && self.counts.0 == 0 {
            return (true, true);
        }
        if count >= self.counts.1 {
            return (false, false);
        }
        let is_new = |item: &str, chosen: &[Result<String, String>]| {
            let mut keys = Vec::new();
            if (self.is_item)(item) {
                keys.push(key(item));
            }
            if self.others.contains(&item) {
                keys.push(Err(format!("other {item}")));
            }
            keys.retain(|key| !chosen.contains(key));
            keys
        };
        // The item may end at any position, or may be incomplete.
        for place in (1..=rest.len()).filter(|&place| rest.is_char_boundary(place)) {
            for key in is_new(&rest[..place], chosen) {
                chosen.push(key);
                let behind = &rest[place..];
                is_live |= behind.is_empty();
                if behind == "]" && may_end(count + 1) {
                    (is_list, is_live) = (true, true);
                } else if let Some(behind) = behind.strip_prefix(self.separator) {
                    let (list, live) = self.after(behind, chosen, count + 1);
                    is_list |= list;
                    is_live |= live;
                }
                chosen.pop();
            }
        }
        if !rest.contains([',', ']']) || self.separator.is_empty() {
            let mut endings = (self.endings)();
            endings
                .extend(self.others.iter().filter_map(|other| other.strip_prefix(rest)).map(str::to_owned));
            is_live |= endings.iter().any(|ending| !is_new(&format!("{rest}{ending}"), chosen).is_empty());
            is_live |= rest.is_empty();
        }
        (is_list, is_live)
    }
}

fn vocabulary() -> Vocabulary {
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let words = [
        "c,a",
        "c,d",
        "db",
        "bc,x,ab",
        "\",\"",
        "\",\"a\"",
        "\",\"\",\"",
        "a\",\"a\"",
        "a\",\"a\",\"",
        "\"\",\"\"",
        "\"a\",\"b\",\"a",
        "\"b\",\"a\",\"b\"]",
        "\"]",
        ",\"",
        ",\"a",
        "ab",
        "aa",
        "aab\"",
        "\\u00",
        "61",
        "61\",\"a",
        "\\u0061\"",
        "\\u0061\",\"a\"]",
        "a,a",
        "a,b,a",
        "a,a,",
        ",b]",
        "b,null,",
        "null,a,a",
        "[a,a",
        "[\"a\",\"a",
        "zz,z",
        "z,zz",
        "z,z",
        "zz,zz",
        ",z",
        ",zz,z,",
        "z]",
        "[zz,z,zz",
        "\"a\",\"\\u0061",
        "n,n",
        "n,\"",
        "[\"",
        "]",
        "[n,\"b\",\"b\"",
        "\"b\",\"b\"]",
        ",\"b\",\"b\",",
        "xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaa",
        "bbbbbbbbbbbbbbbb",
        "aaaa,xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ];
    let tokens = bytes.chain(words.map(|word| word.as_bytes().to_vec()));
    Vocabulary::new((0..).map(TokenId).zip(tokens), [], &Default::default()).unwrap()
}

fn network(grammar: &str) -> Arc<Network> {
    let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let again = grammask_syntax::parse(&normal.to_string(), &Default::default()).unwrap();
    grammask_normal::normalize(&again, &Default::default()).unwrap();
    Arc::new(Network::build(&normal, store, &Default::default()).unwrap())
}

fn masks(network: &Arc<Network>, vocabulary: &Arc<Vocabulary>, config: &Config) -> Masks {
    let recognizer = Recognizer::new(Arc::clone(network), &Default::default());
    let lexicon = Arc::new(Lexicon::new(Arc::clone(vocabulary), &LexiconConfig::default()));
    Masks::new(recognizer, lexicon, &Ending::default(), config).unwrap()
}

fn allowed(masks: &Masks, text: &[u8]) -> Vec<TokenId> {
    let state = masks.step_bytes(masks.recognizer().initial(), text).unwrap();
    let mut scratch = Scratch::new(masks.lexicon().vocabulary().id_count());
    masks.mask(state, &mut scratch).unwrap().iter().collect()
}

/// Checks that a token is allowed if and only if it continues the list, and that the text is complete if and
/// only if it is a list.
fn check(list: &List, masks: &Masks, text: &str, allowed: &[TokenId]) {
    let vocabulary = masks.lexicon().vocabulary();
    for id in (0..vocabulary.id_count() as u32).map(TokenId) {
        let bytes = vocabulary.bytes(id).unwrap();
        let is_live = std::str::from_utf8(bytes).is_ok_and(|more| list.judge(&format!("{text}{more}")).1);
        let more = String::from_utf8_lossy(bytes);
        assert_eq!(allowed.contains(&id), is_live, "{}: {text:?} and {more:?}", list.grammar);
    }
    let state = masks.step_bytes(masks.recognizer().initial(), text.as_bytes()).unwrap();
    assert_eq!(state.completes(), list.judge(text).0, "{text:?}");
}

#[test]
fn lists_of_different_texts_are_what_they_are_known_to_be() {
    let vocabulary = Arc::new(vocabulary());
    for (number, list) in (0..).zip(&LISTS) {
        let network = network(list.grammar);
        let by_parts = masks(&network, &vocabulary, &Config::default());
        let mut rng = Rng::new(number);
        let mut seen = BTreeSet::new();
        for _ in 0..60 {
            let mut text = String::new();
            while text.len() < 90 {
                let tokens = allowed(&by_parts, text.as_bytes());
                if tokens.is_empty() {
                    break;
                }
                if seen.insert(text.clone()) {
                    check(list, &by_parts, &text, &tokens);
                }
                let next = tokens[rng.below(tokens.len())];
                text.push_str(std::str::from_utf8(vocabulary.bytes(next).unwrap()).unwrap());
            }
        }
        assert!(seen.len() > 50, "{} texts", seen.len());
    }
}
