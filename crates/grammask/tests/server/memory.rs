//! The memory budget of a process: grammars of a budget hold less than its limit together, and have the same
//! masks as without one.

use grammask::{Config, Error, Grammar, Matcher, MemoryBudget, TokenId, Vocabulary};

/// Bytes by which a grammar may grow between two looks.
const SLACK: usize = 1 << 16;

const BYTES: u32 = 256;

fn bytes() -> Vocabulary {
    let pairs = (0..40u32)
        .map(|pair| (TokenId(BYTES + pair), vec![b'a' + (pair % 20) as u8, b'a' + (pair / 2) as u8]));
    let single = (0..BYTES).map(|byte| (TokenId(byte), vec![byte as u8]));
    Vocabulary::new(single.chain(pairs), []).unwrap()
}

/// A grammar with a new state after each byte, so that its tables grow.
fn grammar_text(number: usize) -> String {
    format!(
        "start ::= (#'[a-t]{{{},900}}' '-')* | list; list ::= '{number}' list 'x' | 'y' list | 'z';",
        number + 1
    )
}

fn config(memory: Option<&MemoryBudget>) -> Config {
    Config { memory: memory.cloned(), ..Config::default() }
}

/// Accepts some bytes of an output that has no end, with the mask before each.
fn advance(matcher: &mut Matcher, from: usize, count: usize) -> Vec<usize> {
    let next = |at: usize| b'a' + (at * at / 7 % 20) as u8;
    let mut sizes = Vec::new();
    for at in from..from + count {
        sizes.push(matcher.mask().count());
        assert!(matcher.accept(TokenId(next(at).into())).is_accepted());
    }
    sizes
}

#[test]
fn grammars_stay_below_the_limit_together_and_have_the_same_masks() {
    const GRAMMARS: usize = 6;
    let vocabulary = bytes();
    let memory = MemoryBudget::new(1 << 19);
    let compile =
        |number: usize, memory| Grammar::compile(&grammar_text(number), &vocabulary, &config(memory));
    let free: Vec<Grammar> = (0..GRAMMARS).map(|number| compile(number, None).unwrap()).collect();
    let bound: Vec<Grammar> = (0..GRAMMARS).map(|number| compile(number, Some(&memory)).unwrap()).collect();
    assert_eq!(memory.grammars(), GRAMMARS);
    let mut matchers: Vec<(Matcher, Matcher)> =
        free.iter().zip(&bound).map(|(free, bound)| (free.matcher(), bound.matcher())).collect();
    let mut most = 0;
    for round in 0..8 {
        for (free, bound) in &mut matchers {
            assert_eq!(advance(bound, 100 * round, 100), advance(free, 100 * round, 100));
        }
        // A matcher keeps tables in memory that were replaced, until its next call.
        for (_, bound) in &mut matchers {
            bound.mask();
        }
        most = most.max(memory.used());
    }
    let bound_bytes = memory.limit() + (GRAMMARS + 1) * SLACK;
    assert!(most <= bound_bytes, "{most} bytes");
    let held: usize = free.iter().map(|grammar| grammar.stats().tables.bytes).sum();
    assert!(held > bound_bytes, "without the limit, the tables hold more than it: {held} bytes");
    for (free, bound) in &mut matchers {
        bound.rollback(100).unwrap();
        free.rollback(100).unwrap();
        assert_eq!(bound.mask(), free.mask());
    }
    drop((matchers, bound));
    assert_eq!(memory.grammars(), 0);
}

#[test]
fn a_grammar_is_refused_until_others_are_dropped() {
    let vocabulary = bytes();
    let alone = MemoryBudget::new(usize::MAX);
    let texts: Vec<String> = (0..2000).map(|number| format!("'text {number}'")).collect();
    let text = format!("start ::= ({}) #'[a-c]*';", texts.join(" | "));
    let first = Grammar::compile(&text, &vocabulary, &config(Some(&alone))).unwrap();
    let one = alone.used();
    let second = Grammar::compile(&text, &vocabulary, &config(Some(&alone))).unwrap();
    let two = alone.used();
    assert!(two > one + (1 << 14), "{one} bytes, then {two}");
    drop((first, second));

    let memory = MemoryBudget::new(one + 4 * (two - one));
    let config = config(Some(&memory));
    let mut held = Vec::new();
    let error = loop {
        match Grammar::compile(&text, &vocabulary, &config) {
            Ok(grammar) => held.push(grammar),
            Err(error) => break error,
        }
        assert!(held.len() < 40, "{} of {} bytes", memory.used(), memory.limit());
    };
    assert!(!held.is_empty() && memory.used() <= memory.limit());
    assert_eq!(memory.grammars(), held.len());
    let exceeded = error.limit().expect("a limit");
    assert_eq!((exceeded.limit.as_str(), exceeded.value), ("memory", memory.limit() as u64));
    assert!(exceeded.found > Some(exceeded.value), "{error}");
    assert!(matches!(error, Error::Memory(_)));
    #[cfg(feature = "save")]
    {
        let saved = held[0].save(grammask::Tables::Cold);
        let error = Grammar::load_within(&saved, &vocabulary, &config).unwrap_err();
        assert!(matches!(error, grammask::LoadError::Memory(_)), "{error}");
    }
    drop(held);
    assert!(Grammar::compile(&text, &vocabulary, &config).is_ok());
}
