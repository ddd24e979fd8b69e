//! Times of making languages and of first and later derivatives: `cargo run --release -p grammask-regular
//! --example timing`.
#![allow(clippy::print_stdout)] // It is what this is for.

use grammask_regular::{Limits, RegularId, Store};
use std::time::{Duration, Instant};

type Build = fn(&mut Store) -> RegularId;

/// Name, language, an input that stays alive in it.
const CASES: &[(&str, Build, &str)] = &[
    ("JSON string", |s| regex(s, STRING), "\"A long \\\"text\\\" with \\u00e4 and ünïcödé\""),
    ("number", |s| regex(s, r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"), "-1234.567e-12"),
    ("[a-z]+", |s| regex(s, "[a-z]+"), "identifier"),
    (r"\w+", |s| regex(s, r"\w+"), "Größenwahn_Ελλάδα"),
    ("e-mail", |s| regex(s, r"[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}"), "someone.else@mail.example.org"),
    ("date", |s| regex(s, "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"), "2024-12-31"),
    (".*foo.*", |s| regex(s, ".*foo.*"), "some fo foo and more"),
    ("string but five keys", keys, "\"nation and name\""),
    ("except!('\\n\\n', 500)", |s| s.except(&[b"\n\n"], Some(500)).unwrap(), "some text\nand more of it"),
    ("[a-z]{0,100000}", |s| regex(s, "[a-z]{0,100000}"), "countingletters"),
];

const STRING: &str = r#""(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#;

fn regex(store: &mut Store, pattern: &str) -> RegularId {
    store.regex(pattern).unwrap()
}

fn keys(store: &mut Store) -> RegularId {
    let string = regex(store, STRING);
    let keys = store
        .literals(["\"id\"", "\"name\"", "\"age\"", "\"nation\"", "\"city\""].map(str::as_bytes))
        .unwrap();
    let others = store.complement(keys).unwrap();
    store.intersection(&[string, others]).unwrap()
}

fn run(store: &mut Store, start: RegularId, input: &str) {
    let end = input.bytes().try_fold(start, |state, byte| store.derivative(state, byte)).unwrap();
    assert_ne!(end, RegularId::EMPTY);
}

fn main() {
    const ROUNDS: u32 = 2000;
    println!("{:>24}  {:>9} {:>9} {:>9} {:>7}", "", "make us", "first ns", "later ns", "states");
    for (name, build, input) in CASES {
        // The least of many rounds, which other work on the machine disturbs least.
        let [mut make, mut first, mut later] = [Duration::MAX; 3];
        let mut states = 0;
        for _ in 0..ROUNDS {
            let mut store = Store::new(&Limits::default());
            let clock = Instant::now();
            let start = build(&mut store);
            make = make.min(clock.elapsed());
            states = store.len();
            let clock = Instant::now();
            run(&mut store, start, input);
            first = first.min(clock.elapsed());
            states = store.len() - states;
            let clock = Instant::now();
            run(&mut store, start, input);
            later = later.min(clock.elapsed());
        }
        let per_byte = |time: Duration| time.as_nanos() / input.len() as u128;
        let make = make.as_secs_f64() * 1e6;
        println!("{name:>24}  {make:9.1} {:9} {:9} {states:7}", per_byte(first), per_byte(later));
    }
}
