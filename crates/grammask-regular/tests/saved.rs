//! Saved languages are those that were saved, however they were made.

use grammask_regular::{Comparison, Limits, RegularId, Store};

/// A store with languages of all kinds, and states of their automata.
fn languages() -> (Store, Vec<RegularId>) {
    let mut store = Store::new(&Limits::default());
    let words: Vec<String> = (0..40).map(|number| format!("word{}", number * 37)).collect();
    let long = "abcde".repeat(20);
    let name = store.regex("[a-z]+").unwrap();
    let keyword = store.literals(words.iter().map(String::as_bytes)).unwrap();
    let other = store.complement(keyword).unwrap();
    let mut all = vec![
        RegularId::EMPTY,
        RegularId::EPSILON,
        name,
        keyword,
        store.intersection(&[name, other]).unwrap(),
        store.regex(r"(?:\w|é){3,500}x?(ab|cd)*").unwrap(),
        store.literal(long.as_bytes()).unwrap(),
        store.except(&[b"abab", b"ba"], Some(1000)).unwrap(),
        store.substrings(b"abacabadabacaba").unwrap(),
    ];
    let comment = store.regex("-->").unwrap();
    all.push(store.without_substring(comment).unwrap());
    let quoted = store.regex("\"[^\"]*\"|'(a|b)*a(a|b){5}'").unwrap();
    all.push(store.shortest_match(quoted).unwrap());
    let text = store.regex("(?s:.){0,40}(é|\"|d){2}").unwrap();
    all.push(store.json_text(text).unwrap());
    all.push(store.json_text(all[3]).unwrap());
    all.push(store.multiple("0.375").unwrap());
    all.push(store.multiple("0.005").unwrap());
    all.push(store.compared(Comparison::AtMost, "37.55").unwrap());
    all.push(store.compared(Comparison::Equal, "0.00015").unwrap());
    for start in all.clone() {
        let mut state = start;
        for &byte in b"word37.5abacababacd\xc3\xa9x'aab\\u00e9\\" {
            let next = store.derivative(state, byte).unwrap();
            if next != RegularId::EMPTY {
                state = next;
                all.push(next);
            }
        }
    }
    (store, all)
}

/// The text form without the numbers of states, which are numbered anew.
fn shown(store: &Store, a: RegularId) -> String {
    let text = store.display(a).to_string();
    let mut parts = text.split("<class");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + "<class" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[test]
fn loading_returns_the_saved_languages() {
    let (mut store, all) = languages();
    let saved = store.save(&all);
    let (mut loaded, copies) = Store::load(&saved, 1 << 24).unwrap();
    loaded.check().unwrap();
    assert_eq!(copies.len(), all.len());
    assert!(loaded.save(&copies) == saved);
    for (&a, &b) in all.iter().zip(&copies) {
        assert_eq!(shown(&store, a), shown(&loaded, b));
        let (mut a, mut b) = (a, b);
        for &byte in b"abaword3'aab" {
            assert_eq!(store.is_nullable(a), loaded.is_nullable(b));
            assert_eq!(store.live_bytes(a).unwrap(), loaded.live_bytes(b).unwrap());
            (a, b) = (store.derivative(a, byte).unwrap(), loaded.derivative(b, byte).unwrap());
        }
    }
}

#[test]
fn deep_expressions_need_no_stack() {
    let work = || {
        let mut store = Store::new(&Limits::default());
        let mut deep = store.regex("[ab]").unwrap();
        for _ in 0..50_000 {
            let next = store.repeat(deep, 1, Some(2)).unwrap();
            let x = store.literal(b"x").unwrap();
            let next = store.union(&[next, x]).unwrap();
            let y = store.literal(b"y").unwrap();
            deep = store.concat(&[next, y]).unwrap();
        }
        let saved = store.save(&[deep]);
        let (loaded, copies) = Store::load(&saved, 1 << 26).unwrap();
        assert!(loaded.save(&copies) == saved);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn loading_respects_max_bytes() {
    let (store, all) = languages();
    let error = Store::load(&store.save(&all), 1 << 12).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "more than 4096 bytes for regular languages (limit `memory`)");
}
