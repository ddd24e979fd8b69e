//! Limits, and inputs that are large, deep or adversarial.

use grammask_regular::{Error, Limits, RegularId, Store, analysis};

fn config(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut config = Limits::default();
    change(&mut config);
    config
}

fn limit_of<T>(result: Result<T, Error>) -> (String, u64) {
    match result {
        Err(Error::Limit(exceeded)) => (exceeded.limit.to_string(), exceeded.value),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("no limit is exceeded"),
    }
}

fn run(store: &mut Store, start: RegularId, input: &[u8]) -> Result<RegularId, Error> {
    input.iter().try_fold(start, |state, &byte| store.derivative(state, byte))
}

/// Runs a test with little stack, so that a recursion over the input would show.
fn with_little_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(test).unwrap().join().unwrap();
}

#[test]
fn limits_of_lengths_are_reported() {
    let mut store = Store::new(&config(|config| {
        config.regex_length = 5;
        config.literal_length = 6;
        config.substrings_length = 7;
        config.except_length = 8;
    }));
    assert!(store.regex("aaaaa").is_ok());
    assert_eq!(limit_of(store.regex("aaaaaa")), ("regex_length".to_owned(), 5));
    assert!(store.literals([&b"abc"[..], b"def"]).is_ok());
    assert_eq!(limit_of(store.literals([&b"abc"[..], b"defg"])), ("literal_length".to_owned(), 6));
    assert_eq!(limit_of(store.literal(&[b'x'; 100])), ("literal_length".to_owned(), 6));
    assert!(store.substrings(b"abcdefg").is_ok());
    assert_eq!(limit_of(store.substrings(b"abcdefgh")), ("substrings_length".to_owned(), 7));
    assert!(store.except(&[b"abcd", b"efgh"], None).is_ok());
    assert_eq!(limit_of(store.except(&[b"abcd", b"efghi"], None)), ("except_length".to_owned(), 8));
}

#[test]
fn limits_of_regexes_are_reported() {
    let mut store = Store::new(&config(|config| {
        config.regex_nesting = 4;
        config.regex_classes = 3;
    }));
    assert!(store.regex("((a))").is_ok());
    assert_eq!(limit_of(store.regex("((((((a))))))")), ("regex_nesting".to_owned(), 4));
    assert!(store.regex(r"\w[^a].").is_ok());
    assert_eq!(limit_of(store.regex(r"\w[^a].\d")), ("regex_classes".to_owned(), 3));
    assert_eq!(limit_of(store.regex(r"[\w\d\s]")), ("regex_classes".to_owned(), 3));
}

#[test]
fn states_and_memory_are_limited() {
    let mut few = Store::new(&config(|config| config.states = 100));
    let counter = few.regex("a{0,1000}").unwrap();
    assert_eq!(limit_of(run(&mut few, counter, &[b'a'; 200])), ("states".to_owned(), 100));
    assert!(few.len() <= 100);
    let mut small = Store::new(&config(|config| config.memory = 100_000));
    let counter = small.regex("[a-z]{0,100000}").unwrap();
    assert_eq!(limit_of(run(&mut small, counter, &[b'a'; 100_000])), ("memory".to_owned(), 100_000));
    assert!(small.bytes_used() < 400_000);
    small.check().unwrap();
}

#[test]
fn the_search_for_emptiness_is_limited() {
    // The shortest string has 7 * 11 * 13 bytes.
    let build = |store: &mut Store| {
        let parts = ["(a{7})+", "(a{11})+", "(a{13})+"].map(|pattern| store.regex(pattern).unwrap());
        store.intersection(&parts).unwrap()
    };
    let mut impatient = Store::new(&config(|config| config.emptiness_steps = 500));
    let both = build(&mut impatient);
    assert_eq!(limit_of(impatient.is_empty(both)), ("emptiness_steps".to_owned(), 500));
    assert_eq!(limit_of(impatient.derivative(both, b'a')), ("emptiness_steps".to_owned(), 500));
    assert_eq!(impatient.derivative(both, b'b'), Ok(RegularId::EMPTY));
    let mut patient = Store::new(&Limits::default());
    let both = build(&mut patient);
    assert_eq!(patient.is_empty(both), Ok(false));
    let end = run(&mut patient, both, &[b'a'; 1001]).unwrap();
    assert!(patient.is_nullable(end));
    // And then everything that was met is known.
    let nodes = patient.len();
    assert_eq!(patient.is_empty(both), Ok(false));
    assert_eq!(patient.len(), nodes);
}

/// As patterns of host names are written: labels of up to 63 of up to 255 characters, without a certain text,
/// and not ending in digits.
#[test]
fn host_names_need_no_long_search() {
    let mut store = Store::new(&config(|config| config.emptiness_steps = 50));
    let labels = store.regex("(.{1,63}\\.){1,127}[a-z0-9-]+\\.?").unwrap();
    let numbers = store.regex("(?s:.*)\\.[0-9]*").unwrap();
    let forbidden = store.regex("(?s:.*)://(?s:.*)").unwrap();
    let length = store.regex(".{1,255}").unwrap();
    let (numbers, allowed) = (store.complement(numbers).unwrap(), store.complement(forbidden).unwrap());
    let name = store.intersection(&[labels, numbers, allowed, length]).unwrap();
    let end = run(&mut store, name, b"some.example.of.a.host.with.ten.labels.in.7e").unwrap();
    assert!(store.is_nullable(end));
    // After the forbidden text only texts are left, and all of them are excluded. That needs a search.
    assert_eq!(run(&mut store, name, b"some.example://").unwrap(), RegularId::EMPTY);
    let characters = store.regex("(?s:.*)").unwrap();
    let other = store.complement(characters).unwrap();
    let mut hurried = Store::new(&config(|config| config.emptiness_steps = 0));
    let (labels, other) = (hurried.import(&store, labels).unwrap(), hurried.import(&store, other).unwrap());
    assert_eq!(hurried.intersection(&[labels, other]), Ok(RegularId::EMPTY));
}

#[test]
fn counters_too_large_to_count_are_an_error() {
    let mut store = Store::new(&Limits::default());
    let a = store.literal(b"a").unwrap();
    assert_eq!(limit_of(store.repeat(a, 0, Some(u32::MAX))), ("counter".to_owned(), u64::from(u32::MAX) - 1));
    assert_eq!(
        limit_of(store.except(&[b"a"], Some(1 << 40))),
        ("counter".to_owned(), u64::from(u32::MAX) - 1)
    );
    let most = store.repeat(a, u32::MAX - 1, Some(u32::MAX - 1)).unwrap();
    let twice = store.concat(&[most, most]).unwrap();
    let squared = store.repeat(most, 2, Some(1 << 31)).unwrap();
    for start in [most, twice, squared] {
        let next = run(&mut store, start, b"aaa").unwrap();
        assert_ne!(next, RegularId::EMPTY);
        assert!(!store.is_nullable(next));
        assert_eq!(store.derivative(next, b'b'), Ok(RegularId::EMPTY));
    }
}

#[test]
fn counters_are_not_unrolled() {
    let mut store = Store::new(&Limits::default());
    for (pattern, input, last) in [
        ("[a-z]{0,100000}", "q", 0),
        ("(?s).{0,1000}x", "äx", 0),
        ("(ab|c){3,5000}", "abc", 0),
        ("a{4000000000}", "a", 1),
        ("((a|aa){2,50}b){3,5000}", "aaab", 0),
        (r"(\w+\s*){1,5000}", "ab ", 0),
    ] {
        let before = store.len();
        let start = store.regex(pattern).unwrap();
        assert!(store.len() - before < 100, "{pattern}");
        let input = input.repeat(400);
        let end = run(&mut store, start, input.as_bytes()).unwrap();
        assert_ne!(end, RegularId::EMPTY, "{pattern}");
        assert_eq!(store.is_nullable(end), last == 0, "{pattern}");
        let states = store.len() - before;
        assert!(states < 40 * input.len(), "{pattern}: {states} states for {} bytes", input.len());
        assert!(store.display(end).to_string().len() < 400, "{pattern}: {}", store.display(end));
    }
}

#[test]
fn exponential_automata_are_made_as_far_as_they_are_seen() {
    let mut store = Store::new(&Limits::default());
    let start = store.regex("(a|b)*a(a|b){20}").unwrap();
    let input: Vec<u8> = (0..5000u32).map(|i| b'a' + (i.wrapping_mul(i) >> 3 & 1) as u8).collect();
    let end = run(&mut store, start, &input).unwrap();
    assert_eq!(store.is_nullable(end), input[input.len() - 21] == b'a');
    assert!(store.bytes_used() < 20 << 20, "{}", store.bytes_used());
}

#[test]
fn a_long_literal_is_not_taken_apart() {
    let text: Vec<u8> = (0..10_000_000u32).map(|i| (i % 251) as u8).collect();
    let mut store = Store::new(&Limits::default());
    let literal = store.literal(&text).unwrap();
    assert!(store.len() < 20);
    assert_eq!(store.literal(&text), Ok(literal));
    let state = run(&mut store, literal, &text[..50_000]).unwrap();
    assert!(store.has_nonempty_string(state).unwrap() && !store.is_nullable(state));
    assert_eq!(store.derivative(state, 255), Ok(RegularId::EMPTY));
    let mut short = store.literal(&text[..100]).unwrap();
    short = run(&mut store, short, &text[..100]).unwrap();
    assert_eq!(short, RegularId::EPSILON);
}

#[test]
fn many_words_need_no_automaton() {
    let words: Vec<String> =
        (0..60_000u32).map(|i| format!("word{}", i.wrapping_mul(2_654_435_761))).collect();
    let mut store = Store::new(&Limits::default());
    let set = store.literals(words.iter().map(String::as_bytes)).unwrap();
    assert!(store.len() < 20);
    for word in words.iter().step_by(977) {
        let end = run(&mut store, set, word.as_bytes()).unwrap();
        assert!(store.is_nullable(end));
        let past = store.derivative(end, b'x').unwrap();
        assert_eq!(past, RegularId::EMPTY);
    }
    let pattern = words.join("|");
    let regex = store.regex(&pattern).unwrap();
    let mut other = Store::new(&Limits::default());
    let copy = other.import(&store, regex).unwrap();
    let end = run(&mut other, copy, words[40_000].as_bytes()).unwrap();
    assert!(other.is_nullable(end));
}

/// Runs everything on an expression. A derivative of a nested repetition is a long concatenation, so that
/// very deep ones may exceed a limit.
fn exercise(store: &mut Store, start: RegularId) {
    match run(store, start, b"ab") {
        Ok(_) | Err(Error::Limit(_)) => {}
        Err(error) => panic!("{error}"),
    }
    assert!(!store.display(start).to_string().is_empty());
    store.refine([start], &mut grammask_regular::ByteClasses::new());
    let mut other = Store::new(&Limits::default());
    assert_ne!(other.import(store, start), Ok(RegularId::EMPTY));
}

#[test]
fn depth_is_no_recursion() {
    with_little_stack(|| {
        for (depth, memory) in [(1000, 1 << 30), (100_000, 50 << 20)] {
            let mut store = Store::new(&config(|config| config.memory = memory));
            let [a, b] = [b"a", b"b"].map(|text| store.literal(text).unwrap());
            let (mut nested, mut mixed) = (a, a);
            for level in 0..depth {
                nested =
                    store.concat(&[nested, b]).and_then(|inner| store.repeat(inner, 1, Some(2))).unwrap();
                mixed = match level % 4 {
                    0 => store.complement(mixed),
                    1 => store.union(&[mixed, b]),
                    2 => store.shortest_match(mixed),
                    _ => store.concat(&[a, mixed]),
                }
                .unwrap();
            }
            let everything = store.complement(RegularId::EMPTY).unwrap();
            let found = store.concat(&[everything, nested, everything]).unwrap();
            for start in [nested, mixed, found] {
                exercise(&mut store, start);
            }
            store.check().unwrap();
        }
    });
}

#[test]
fn long_chains_of_parts_are_linear() {
    with_little_stack(|| {
        let mut store = Store::new(&Limits::default());
        let parts: Vec<RegularId> =
            ["a", "b?", "[c-e]*"].iter().cycle().take(100_000).map(|p| store.regex(p).unwrap()).collect();
        let chain = store.concat(&parts).unwrap();
        assert!(store.len() < 200_000);
        let end = run(&mut store, chain, b"abcdeabacda").unwrap();
        assert_ne!(end, RegularId::EMPTY);
        let optional: Vec<RegularId> =
            (0..20_000).map(|i| store.regex(["a?", "b?", "c?"][i % 3]).unwrap()).collect();
        let chain = store.concat(&optional).unwrap();
        let end = run(&mut store, chain, b"cab").unwrap();
        assert!(store.is_nullable(end));
    });
}

#[test]
fn nested_groups_of_a_regex_are_no_recursion() {
    with_little_stack(|| {
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        let mut store = Store::new(&Limits::default());
        assert_eq!(store.regex(&nested(900)), store.regex("a"));
        assert_eq!(limit_of(store.regex(&nested(100_000))), ("regex_nesting".to_owned(), 1000));
        let mut deep = Store::new(&config(|config| config.regex_nesting = 200_000));
        let inner = deep.regex(&nested(100_000)).unwrap();
        assert_eq!(deep.derivative(inner, b'a'), Ok(RegularId::EPSILON));
        let alternating = |depth: usize| format!("{}a{}", "(x|y".repeat(depth), ")*".repeat(depth));
        deep.regex(&alternating(50_000)).unwrap();
        let star = deep.regex(&alternating(500)).unwrap();
        assert_ne!(run(&mut deep, star, b"xyx").unwrap(), RegularId::EMPTY);
        assert_eq!(run(&mut deep, star, b"xa").unwrap(), RegularId::EMPTY);
    });
}

#[test]
fn excluded_loops_need_no_search() {
    // A string with `foo` is excluded. To find that out by a search, all counts of words and characters would
    // have to be made.
    let mut store = Store::new(&config(|config| config.emptiness_steps = 20_000));
    let parts = ["([a-z]+ ){20,60}", ".{300,400}"].map(|part| store.regex(part).unwrap());
    let foo = store.regex(".*foo.*").unwrap();
    let not_foo = store.complement(foo).unwrap();
    let all = store.intersection(&[parts[0], parts[1], not_foo]).unwrap();
    assert_eq!(store.is_empty(all), Ok(false));
    let line = store.regex(".*").unwrap();
    let no_line = store.complement(line).unwrap();
    let other = store.regex("(?s).*\n").unwrap();
    let either = store.union(&[line, other]).unwrap();
    let neither = store.complement(either).unwrap();
    for none in [no_line, neither] {
        assert_eq!(store.intersection(&[parts[1], none]), Ok(RegularId::EMPTY));
    }
    assert_ne!(store.intersection(&[other, no_line]), Ok(RegularId::EMPTY));
}

/// Cancelling at any call leaves a store in which the same language can be built afterwards.
#[test]
fn regex_can_be_cancelled_at_each_check() {
    let pattern = format!("{}(x|yz)*", "ab?[0-9]".repeat(1_500));
    let mut questions = 0;
    let mut store = Store::new(&Limits::default());
    let mut counting = store.cancellable(|| {
        questions += 1;
        false
    });
    let whole = counting.regex(&pattern);
    assert!(whole.unwrap().is_some() && questions > 10, "asked {questions} times");
    let mut store = Store::new(&Limits::default());
    for last in 0..questions {
        let mut asked = 0;
        let mut counting = store.cancellable(|| {
            asked += 1;
            asked > last
        });
        let stopped = counting.regex(&pattern);
        assert_eq!((stopped.unwrap(), asked), (None, last + 1));
        assert!(!analysis::knows_regex(&store, &pattern));
    }
    let language = store.regex(&pattern).unwrap();
    assert_eq!(store.cancellable(|| true).regex(&pattern).unwrap(), Some(language), "it is known");
}
