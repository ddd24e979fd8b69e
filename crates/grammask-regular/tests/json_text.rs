//! JSON spellings against a decoder: short strings of a small alphabet, and cases with long escapes.

mod automaton;

use automaton::explore;
use grammask_regular::analysis::{self, Horizon};
use grammask_regular::{ByteClasses, Escapes, Limits, RegularId, Store};

const ANY: &str = "(?s:.)*";

/// Returns the content of a JSON string, decoded byte by byte. `None` if it is not valid.
fn decoded(mut spelling: &[u8]) -> Option<Vec<u8>> {
    fn unit(digits: &[u8]) -> Option<u32> {
        let text = std::str::from_utf8(digits.get(..4)?).ok()?;
        if text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            u32::from_str_radix(text, 16).ok()
        } else {
            None
        }
    }
    let mut text = Vec::new();
    while let Some((&first, rest)) = spelling.split_first() {
        spelling = rest;
        if first < 0x20 || first == b'"' {
            return None;
        }
        if first != b'\\' {
            text.push(first);
            continue;
        }
        let (&letter, rest) = spelling.split_first()?;
        spelling = rest;
        let short = b"\"\\/bfnrt".iter().position(|&known| known == letter);
        if let Some(place) = short {
            text.push(b"\"\\/\x08\x0c\n\r\t"[place]);
            continue;
        }
        let mut code = unit(rest).filter(|_| letter == b'u')?;
        spelling = &rest[4..];
        if let 0xD800..0xDC00 = code {
            let low = unit(spelling.strip_prefix(b"\\u")?)?;
            spelling = &spelling[6..];
            code = 0x1_0000 + ((code - 0xD800) << 10) + low.checked_sub(0xDC00).filter(|&low| low < 0x400)?;
        }
        text.extend(char::from_u32(code)?.to_string().bytes());
    }
    std::str::from_utf8(&text).is_ok().then_some(text)
}

fn end_of(store: &mut Store, start: RegularId, word: &[u8]) -> RegularId {
    let at_once = store.derivative_by_text(start, word).unwrap();
    let end = word.iter().try_fold(start, |state, &byte| store.derivative(state, byte)).unwrap();
    assert_eq!(at_once, end, "behind {}: {}", String::from_utf8_lossy(word), store.display(start));
    end
}

fn accepts(store: &mut Store, start: RegularId, word: &[u8]) -> bool {
    let end = end_of(store, start, word);
    store.is_nullable(end)
}

/// Returns true if a valid spelling has only allowed escapes.
fn is_allowed(spelling: &[u8], escapes: Escapes) -> bool {
    let mut rest = spelling;
    while let Some(place) = rest.iter().position(|&byte| byte == b'\\') {
        let (length, is_short, is_required) = match rest[place + 1] {
            b'u' => {
                let digits = std::str::from_utf8(&rest[place + 2..place + 6]).unwrap();
                let code = u32::from_str_radix(digits, 16).unwrap();
                let has_letter = [8, 9, 10, 12, 13].contains(&code);
                (6, code < 0x20, code < 0x20 && !has_letter && digits == digits.to_lowercase())
            }
            letter => (2, true, letter != b'/'),
        };
        let is_allowed = match escapes {
            Escapes::Any => true,
            Escapes::Short => is_short,
            Escapes::Required => is_required,
        };
        if !is_allowed {
            return false;
        }
        rest = &rest[place + length..];
    }
    true
}

const ALL_ESCAPES: [Escapes; 3] = [Escapes::Any, Escapes::Short, Escapes::Required];

/// Some languages with what they mean.
fn languages(store: &mut Store) -> Vec<(RegularId, &'static str)> {
    let mut all = Vec::new();
    for pattern in [
        "a",
        "/",
        "(?s:.)*",
        "(?s:.){0,2}",
        "[a\"]*",
        "é",
        "[é-û]",
        "(a|é)*",
        "a*\\\\",
        "\n|\u{61}\u{10}?",
        "",
        "(?s:.)*a(?s:.)*",
        "😀|a",
        "[^a]*",
        "u0061|\\\\u0061",
        "aé/a\"?a",
    ] {
        all.push((store.regex(pattern).unwrap(), pattern));
    }
    let a = store.regex("a").unwrap();
    all.push((store.complement(a).unwrap(), "~a"));
    all.push((store.except(&[b"a\"", b"\\"], Some(3)).unwrap(), "except"));
    all.push((store.substrings("aé\"/a".as_bytes()).unwrap(), "substrings"));
    let words: Vec<String> = (0..40).map(|number| format!("é{number:06}/\"")).collect();
    all.push((store.literals(words.iter().map(String::as_bytes)).unwrap(), "words"));
    for (texts, name) in [
        (&["a/n0a16u is longer than a chain"][..], "a text"),
        (
            &["a/n0a16u is longer", "a/n0u", "a/a061na is long, too", "éa0aé/u, and this", "é\"\\aaaaa"],
            "texts",
        ),
    ] {
        let texts = store.literals(texts.iter().map(|text| text.as_bytes())).unwrap();
        all.push((texts, name));
        all.push((store.complement(texts).unwrap(), "others"));
    }
    let (some, no_a) = (store.regex("(?s:.){1,3}").unwrap(), store.complement(a).unwrap());
    all.push((store.intersection(&[some, no_a]).unwrap(), "and"));
    all
}

#[test]
fn short_spellings_are_those_that_a_decoder_reads() {
    let mut store = Store::new(&Limits::default());
    let alphabet = b"a\"\\u061/n\xC3\xA9\n";
    for (language, name) in languages(&mut store) {
        let spelled = ALL_ESCAPES.map(|escapes| store.json_text_with(language, escapes).unwrap());
        let mut level: Vec<Vec<u8>> = vec![vec![]];
        for _ in 0..5 {
            for word in &level {
                let is_spelling = decoded(word).is_some_and(|text| accepts(&mut store, language, &text));
                for (spelled, escapes) in spelled.into_iter().zip(ALL_ESCAPES) {
                    let expected = is_spelling && is_allowed(word, escapes);
                    assert_eq!(accepts(&mut store, spelled, word), expected, "{name}, {escapes:?}: {word:?}");
                }
            }
            level = level
                .iter()
                .flat_map(|word| alphabet.iter().map(move |&byte| [&word[..], &[byte]].concat()))
                .collect();
        }
    }
    store.check().unwrap();
}

#[test]
fn every_spelling_of_short_texts_is_there() {
    let mut store = Store::new(&Limits::default());
    let characters = [
        'a',
        '"',
        '\\',
        '/',
        '\n',
        '\u{8}',
        '\u{c}',
        '\r',
        '\t',
        '\0',
        '\u{1f}',
        '\u{7f}',
        'é',
        'ÿ',
        '\u{7ff}',
        '\u{800}',
        '\u{d7ff}',
        '\u{e000}',
        '\u{ffff}',
        '\u{10000}',
        '😀',
        '\u{103ff}',
        '\u{10400}',
        '\u{10ffff}',
    ];
    let languages = languages(&mut store);
    for (language, name) in languages {
        let spelled = ALL_ESCAPES.map(|escapes| store.json_text_with(language, escapes).unwrap());
        for character in characters {
            let units: Vec<u16> = character.encode_utf16(&mut [0; 2]).to_vec();
            let upper: String = units.iter().map(|unit| format!("\\u{unit:04X}")).collect();
            let lower: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            for before in ["", "a", "\\\\", "😀"] {
                let letters = ["\\b", "\\f", "\\n", "\\r", "\\t"].map(str::to_owned);
                let others = [upper.clone(), lower.clone(), character.to_string(), format!("\\{character}")];
                for spelling in letters.iter().chain(&others) {
                    for after in ["", "a"] {
                        let word = format!("{before}{spelling}{after}").into_bytes();
                        let is_spelling =
                            decoded(&word).is_some_and(|text| accepts(&mut store, language, &text));
                        for (spelled, escapes) in spelled.into_iter().zip(ALL_ESCAPES) {
                            let expected = is_spelling && is_allowed(&word, escapes);
                            let is_found = accepts(&mut store, spelled, &word);
                            assert_eq!(is_found, expected, "{name}, {escapes:?}: {word:?}");
                        }
                    }
                }
            }
        }
    }
}

/// Liveness is exact in every state.
#[test]
fn no_state_is_dead() {
    let mut store = Store::new(&Limits::default());
    let languages = languages(&mut store).into_iter();
    for ((language, name), escapes) in languages.flat_map(|one| ALL_ESCAPES.map(|escapes| (one, escapes))) {
        let spelled = store.json_text_with(language, escapes).unwrap();
        let whole = explore(&mut store, spelled, 50_000);
        let inhabited = whole.inhabited();
        for (index, &state) in whole.states.iter().enumerate() {
            let shown = store.display(state).to_string();
            assert_eq!(store.is_empty(state), Ok(!inhabited[index]), "{name}: {shown}");
            assert!(index == 0 || inhabited[index] || state == RegularId::EMPTY, "{name}: {shown}");
            let live = store.live_bytes(state).unwrap();
            for byte in 0..=255 {
                let target = whole.rows[index][usize::from(whole.classes.class_of(byte))];
                assert_eq!(live.contains(byte), inhabited[target], "{name}: {shown} {byte}");
                assert_eq!(store.derivative(state, byte), Ok(whole.states[target]), "{name}: {shown}");
            }
        }
    }
}

#[test]
fn only_possible_digits_follow() {
    let mut store = Store::new(&Limits::default());
    let live = |store: &mut Store, pattern: &str, prefix: &str| {
        let language = store.regex(pattern).unwrap();
        let spelled = store.json_text(language).unwrap();
        let state = end_of(store, spelled, prefix.as_bytes());
        store.live_bytes(state).unwrap().to_string()
    };
    assert_eq!(live(&mut store, "a", ""), "[\\\\a]");
    assert_eq!(live(&mut store, "a", "\\"), "[u]");
    assert_eq!(live(&mut store, "a", "\\u00"), "[6]");
    assert_eq!(live(&mut store, "/", "\\u002"), "[Ff]");
    assert_eq!(live(&mut store, "😀", "\\"), "[u]");
    assert_eq!(live(&mut store, "😀", "\\ud8"), "[3]");
    assert_eq!(live(&mut store, "😀", "\\uD83D"), "[\\\\]");
    assert_eq!(live(&mut store, "😀", "\\uD83D\\uDe0"), "[0]");
    assert_eq!(live(&mut store, ANY, "\\ud8"), "[0-9A-Fa-f]");
    assert_eq!(live(&mut store, ANY, "\\uda12\\u"), "[Dd]");
    assert_eq!(live(&mut store, ANY, "\\uda12\\ud"), "[C-Fc-f]");
    assert_eq!(live(&mut store, "\u{2028}", ""), "[\\\\\\xE2]");
}

#[test]
fn few_escapes_have_few_letters() {
    let mut store = Store::new(&Limits::default());
    let live = |store: &mut Store, escapes: Escapes, pattern: &str, prefix: &str| {
        let language = store.regex(pattern).unwrap();
        let spelled = store.json_text_with(language, escapes).unwrap();
        let state = end_of(store, spelled, prefix.as_bytes());
        store.live_bytes(state).unwrap().to_string()
    };
    for escapes in [Escapes::Short, Escapes::Required] {
        assert_eq!(live(&mut store, escapes, "a", ""), "[a]");
        assert_eq!(live(&mut store, escapes, "[a\\x01]", "\\u"), "[0]");
        assert_eq!(live(&mut store, escapes, ANY, "\\u00"), "[01]");
        assert_eq!(live(&mut store, escapes, "\"", "\\"), "[\"]");
    }
    assert_eq!(live(&mut store, Escapes::Short, "/", ""), "[/\\\\]");
    assert_eq!(live(&mut store, Escapes::Required, "/", ""), "[/]");
    assert_eq!(live(&mut store, Escapes::Short, "\n", "\\"), "[nu]");
    assert_eq!(live(&mut store, Escapes::Required, "\n", "\\"), "[n]");
    assert_eq!(live(&mut store, Escapes::Short, "\x1f", "\\u001"), "[Ff]");
    assert_eq!(live(&mut store, Escapes::Required, "\x1f", "\\u001"), "[f]");
    assert_eq!(live(&mut store, Escapes::Required, ANY, "\\u000"), "[0-7bef]");
}

#[test]
fn spellings_of_two_sets_meet_in_the_smaller_one() {
    let mut store = Store::new(&Limits::default());
    let languages: Vec<RegularId> = languages(&mut store).into_iter().map(|(one, _)| one).take(12).collect();
    let words: Vec<Vec<u8>> =
        ["", "a", "/", "\\/", "\\u002f", "\\\"", "\\n", "\\u0010", "\\u001F", "é", "\\u0061"]
            .iter()
            .flat_map(|one| ["", "a", "\\\\"].map(|other| format!("{one}{other}").into_bytes()))
            .collect();
    for (&a, &b) in languages.iter().zip(&languages[1..]) {
        for one in ALL_ESCAPES {
            for other in ALL_ESCAPES {
                let (x, y) = (store.json_text_with(a, one).unwrap(), store.json_text_with(b, other).unwrap());
                let both = store.intersection(&[x, y]).unwrap();
                let either = store.union(&[x, y]).unwrap();
                let rest = store.complement(y).unwrap();
                let rest = store.intersection(&[x, rest]).unwrap();
                let sequence = store.concat(&[x, y]).unwrap();
                let is_subset = analysis::is_syntactic_subset(&store, x, y);
                let common = analysis::common_subset(&mut store, x, y).unwrap();
                for word in &words {
                    let (in_x, in_y) = (accepts(&mut store, x, word), accepts(&mut store, y, word));
                    let shown = String::from_utf8_lossy(word).into_owned();
                    assert_eq!(accepts(&mut store, both, word), in_x && in_y, "{one:?} & {other:?}: {shown}");
                    assert_eq!(
                        accepts(&mut store, either, word),
                        in_x || in_y,
                        "{one:?} | {other:?}: {shown}"
                    );
                    assert_eq!(
                        accepts(&mut store, rest, word),
                        in_x && !in_y,
                        "{one:?} & ~{other:?}: {shown}"
                    );
                    assert!(!is_subset || !in_x || in_y, "{one:?} in {other:?}: {shown}");
                    assert!(
                        !accepts(&mut store, common, word) || in_x && in_y,
                        "{one:?}, {other:?}: {shown}"
                    );
                    let splits = (0..=word.len())
                        .any(|at| accepts(&mut store, x, &word[..at]) && accepts(&mut store, y, &word[at..]));
                    assert_eq!(accepts(&mut store, sequence, word), splits, "{one:?} {other:?}: {shown}");
                }
            }
        }
    }
    store.check().unwrap();
}

#[test]
fn spellings_of_all_texts_take_few_states() {
    let mut store = Store::new(&Limits::default());
    let all = store.regex(ANY).unwrap();
    let spelled = store.json_text(all).unwrap();
    let whole = explore(&mut store, spelled, 1000);
    assert!(whole.states.len() <= 24, "{}", whole.states.len());
}

#[test]
fn spellings_agree_with_the_algebra() {
    let mut store = Store::new(&Limits::default());
    let [a, b] = ["a+", "[b-d]{2}"].map(|pattern| store.regex(pattern).unwrap());
    let [json_a, json_b] = [a, b].map(|text| store.json_text(text).unwrap());
    let both = store.concat(&[a, b]).unwrap();
    let json_both = store.json_text(both);
    assert_eq!(store.concat(&[json_a, json_b]), json_both);
    let either = store.union(&[a, b]).unwrap();
    let json_either = store.json_text(either);
    assert_eq!(store.union(&[json_a, json_b]), json_either);
    let not_b = store.complement(b).unwrap();
    let without = store.intersection(&[a, not_b]).unwrap();
    let json_without = store.json_text(without);
    let not_json_b = store.complement(json_b).unwrap();
    assert_eq!(store.intersection(&[json_a, not_json_b]), json_without);
    assert_eq!(store.json_text(RegularId::EMPTY), Ok(RegularId::EMPTY));
    assert_eq!(store.json_text(RegularId::EPSILON), Ok(RegularId::EPSILON));
}

#[test]
fn counters_are_seen_through_spellings() {
    let mut store = Store::new(&Limits::default());
    let quote = store.literal(b"\"").unwrap();
    let [long, longer, open] = ["(?s:.){0,100}", "(?s:.){0,200}", ANY].map(|pattern| {
        let text = store.regex(pattern).unwrap();
        let spelled = store.json_text(text).unwrap();
        store.concat(&[spelled, quote]).unwrap()
    });
    let mut horizon = Horizon::new(10, [""]);
    let saturated = analysis::saturate(&mut store, long, &mut horizon).unwrap();
    assert_eq!(analysis::saturate(&mut store, longer, &mut horizon), Ok(saturated));
    assert_eq!(saturated, open);
    let count = analysis::leading_counter(&mut store, long).unwrap().unwrap();
    assert_eq!((count.min, count.max, count.rest), (0, Some(100), quote));
    let character = store.regex("(?s:.)").unwrap();
    assert_eq!(store.json_text(character), Ok(count.base));
    let mut classes = ByteClasses::new();
    store.refine([long], &mut classes);
    let whole = explore(&mut store, count.base, 1000);
    for byte in 0..=255 {
        let other = classes.representative(classes.class_of(byte));
        assert!(whole.rows.iter().all(|row| {
            row[usize::from(whole.classes.class_of(byte))] == row[usize::from(whole.classes.class_of(other))]
        }));
    }
}

#[test]
fn spellings_nest_up_to_a_limit() {
    let mut store = Store::new(&Limits::default());
    let mut spelled = store.literal("\"".as_bytes()).unwrap();
    let twice = store.json_text(spelled).and_then(|once| store.json_text(once)).unwrap();
    assert!(accepts(&mut store, twice, b"\\\\\\\""));
    assert!(accepts(&mut store, twice, b"\\\\\\u0022"));
    assert!(accepts(&mut store, twice, b"\\u005cu00\\u00322"));
    assert!(accepts(&mut store, twice, b"\\\\u002\\u0032"));
    assert!(!accepts(&mut store, twice, b"\\\""));
    for _ in 0..8 {
        spelled = store.json_text(spelled).unwrap();
        assert!(!store.live_bytes(spelled).unwrap().is_empty());
    }
    let error = store.json_text(spelled).unwrap_err().to_string();
    assert_eq!(
        error,
        "more than 8 levels of JSON spellings in JSON spellings, here 9 (limit `json_nesting`)"
    );
}
