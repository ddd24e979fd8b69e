//! Accounts of work: every call ends, and a call that was stopped leaves tables that are right.

use grammask::work::spent;
use grammask::{CancelFlag, Config, Error, Grammar, Mask, Matcher, Stopped, TokenId, Vocabulary};
use grammask_testkit::worst::{Source, WorstCase, worst_cases};

/// Units of the largest single charge: an account may be exceeded by that much.
const MAX_CHARGE: u64 = 1 << 20;

/// All single bytes, and texts of two to six bytes that occur in the outputs of the tests.
fn vocabulary() -> Vocabulary {
    let texts =
        ["ab", "abc", "\": ", "{\"", "12", "3.5", "aa", "xxx", ", \"", "key", "true", "],[", "ab, ab"];
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let all = bytes.chain(texts.iter().map(|text| text.as_bytes().to_vec()));
    let tokens: Vec<(TokenId, Vec<u8>)> = (0..).map(TokenId).zip(all).collect();
    Vocabulary::new(tokens, []).expect("a vocabulary")
}

fn compile(source: &Source, vocabulary: &Vocabulary, config: &Config) -> Result<Grammar, Error> {
    match source {
        Source::Kbnf(text) => Grammar::compile(text, vocabulary, config),
        Source::Schema(text) => Grammar::from_json_schema_text(text, vocabulary, config),
    }
}

/// Returns the result of a call and its units of work.
fn units<T>(call: impl FnOnce() -> T) -> (T, u64) {
    let before = spent();
    let result = call();
    (result, spent() - before)
}

#[test]
fn the_worst_inputs_end_within_their_accounts() {
    let vocabulary = vocabulary();
    let mut config = Config::default();
    // A tenth of the defaults, so that the test takes less time and meets the limits more often.
    config.limits.max_compile_work /= 10;
    config.masks.limits.max_mask_work /= 10;
    config.masks.limits.max_step_work /= 10;
    let (mut refused, mut stopped) = (0, 0);
    for WorstCase { name, source, output } in worst_cases(1) {
        let (compiled, work) = units(|| compile(&source, &vocabulary, &config));
        // Some masks are computed in advance, each with an account of its own.
        let most = config.limits.max_compile_work + 4 * config.masks.limits.max_mask_work + MAX_CHARGE;
        assert!(work <= most, "{name}: {work} units");
        let grammar = match compiled {
            Ok(grammar) => grammar,
            Err(error) => {
                let limit = error.limit().unwrap_or_else(|| panic!("{name}: {error}"));
                refused += usize::from(limit.limit == "max_compile_work");
                continue;
            }
        };
        let mut matcher = grammar.matcher();
        for byte in output.bytes() {
            let (_, work) = units(|| _ = matcher.mask());
            assert!(work <= config.masks.limits.max_mask_work + MAX_CHARGE, "{name}: {work} units");
            if let Some(error) = matcher.error() {
                let limit = error.limit().unwrap_or_else(|| panic!("{name}: {error}"));
                stopped += usize::from(limit.limit == "max_mask_work");
            }
            let len = matcher.len();
            let (outcome, work) = units(|| matcher.accept_bytes(&[byte]));
            assert!(work <= 2 * config.masks.limits.max_step_work + MAX_CHARGE, "{name}: {work} units");
            if !outcome.is_accepted() {
                assert_eq!(matcher.len(), len, "{name}: a refused call changes nothing");
                break;
            }
        }
    }
    assert!(refused > 0 && stopped > 0, "{refused} compiles and {stopped} masks met their limit");
}

/// Calls a mask again until it is within its limit. Returns `None` if it never is.
fn mask_within(matcher: &mut Matcher, attempts: usize) -> Option<Mask> {
    (0..attempts).find_map(|_| {
        let mask = matcher.mask().clone();
        matcher.error().is_none().then_some(mask)
    })
}

/// Grammars with most kinds of rules and terminals, each with an output.
const GRAMMARS: [(&str, &str); 7] = [
    ("start ::= 'a' start 'b' | #'[a-c]+' | start ',' start;", "aab,cab"),
    ("start ::= #'([a-z]{1,5} ?){2,30}' & ~#'.*abc.*' '.' | (#'[0-9]+' & ~'12') start;", "3abx xyz ab"),
    (
        "start ::= unordered!('a' start? 'b', distinct!(#'[a-c]{1,2}'), 'x'{1,2}; ','; {3,5}; 0 -> 1);",
        "ab,x,c",
    ),
    ("start ::= (#'[ab]*a[ab]{7}' | #'[ab]*b[ab]{6}')+ ';' start?;", "abbaaaababab;ab"),
    ("start ::= json!(#'[a-z]{2,9}' & ~'key') ':' #'-?(0|[1-9][0-9]*)([.][0-9]+)?';", "k\\u0065z:12.5"),
    ("start ::= except!('ab', 12) 'ab' | substrs!('abcabd', 'x') '!' start;", "xyzab"),
    ("start ::= start start | 'a' | start 'b' start | (start);", "abaab"),
];

const SCHEMAS: [(&str, &str); 4] = [
    (
        r#"{"properties":{"key":{"type":"string","maxLength":9},"ab":{"multipleOf":3}},"required":["ab"]}"#,
        "{\"ab\": 12, \"key",
    ),
    (r#"{"type":"array","uniqueItems":true,"items":{"type":"integer","minimum":7}}"#, "[12, 7, 1"),
    (r#"{"oneOf":[{"type":"string","pattern":"^a.*b$"},{"type":"string","format":"date"}]}"#, "\"2026-0"),
    (r#"{"allOf":[{"multipleOf":4},{"not":{"multipleOf":6}},{"minimum":-20,"maximum":400}]}"#, "12"),
];

#[test]
fn calls_that_were_stopped_leave_right_tables() {
    let vocabulary = vocabulary();
    let grammars = GRAMMARS.iter().map(|&(text, output)| (Source::Kbnf(text.to_owned()), output));
    let schemas = SCHEMAS.iter().map(|&(text, output)| (Source::Schema(text.to_owned()), output));
    let (mut interrupted, mut compared) = (0, 0);
    for (source, output) in grammars.chain(schemas) {
        // The lexicon is shared, so each reference has a vocabulary of its own.
        let reference = compile(&source, &Vocabulary::clone(&self::vocabulary()), &Config::default());
        let reference = reference.unwrap_or_else(|error| panic!("{source:?}: {error}"));
        for limit in [100, 300, 1_000, 3_000, 10_000, 30_000] {
            let mut config = Config::default();
            config.masks.limits.max_mask_work = limit;
            config.masks.limits.max_step_work = limit;
            let vocabulary = if limit % 1_000 == 0 { vocabulary.clone() } else { self::vocabulary() };
            let grammar = compile(&source, &vocabulary, &config).expect("compiling has its own limit");
            let (mut matcher, mut expected) = (grammar.matcher(), reference.matcher());
            for byte in output.bytes() {
                let known = mask_within(&mut matcher, 400);
                interrupted += usize::from(known.is_none());
                if let Some(mask) = known {
                    let text = expected.text().to_vec();
                    assert_eq!(mask, *expected.mask(), "{source:?} after {text:?}");
                    compared += 1;
                }
                let accepted = (0..400).any(|_| matcher.accept_bytes(&[byte]).is_accepted());
                assert!(expected.accept_bytes(&[byte]).is_accepted(), "{source:?} {output}");
                if !accepted {
                    assert!(matcher.error().is_some(), "{source:?} after {:?}", matcher.text());
                    break;
                }
            }
        }
    }
    assert!(compared > 200, "{compared} masks compared, {interrupted} interrupted each time");
}

#[test]
fn a_compile_is_refused_or_right() {
    let (mut refused, mut compiled) = (0, 0);
    for &(text, output) in &SCHEMAS {
        let source = Source::Schema(text.to_owned());
        let reference = compile(&source, &vocabulary(), &Config::default()).expect("a schema");
        for step in 0..60_u32 {
            let mut config = Config::default();
            config.limits.max_compile_work = 40 * 1.25_f64.powf(step.into()) as u64;
            match compile(&source, &vocabulary(), &config) {
                Err(error) => {
                    refused += 1;
                    assert_eq!(
                        error.limit().map(|limit| limit.limit).as_deref(),
                        Some("max_compile_work"),
                        "{error}"
                    );
                    assert!(!error.is_cancelled());
                }
                Ok(grammar) => {
                    compiled += 1;
                    let (mut matcher, mut expected) = (grammar.matcher(), reference.matcher());
                    for byte in output.bytes() {
                        let read = expected.text().to_vec();
                        assert_eq!(matcher.mask(), expected.mask(), "{text} after {read:?}");
                        assert!(matcher.accept_bytes(&[byte]).is_accepted());
                        assert!(expected.accept_bytes(&[byte]).is_accepted());
                    }
                }
            }
        }
    }
    assert!(refused > 40 && compiled > 10, "{refused} refused, {compiled} compiled");
}

#[test]
fn a_flag_cancels_every_long_call() {
    let vocabulary = vocabulary();
    let flag = CancelFlag::new();
    flag.cancel();
    let config = Config { cancel: Some(flag.clone()), ..Config::default() };
    for source in [Source::Kbnf(GRAMMARS[1].0.to_owned()), Source::Schema(SCHEMAS[0].0.to_owned())] {
        let error = compile(&source, &vocabulary, &config).expect_err("the flag is set");
        assert!(error.is_cancelled() && error.limit().is_none(), "{error}");
        let Error::Stopped { cause: Stopped::Cancelled, .. } = error else { panic!("{error}") };
        flag.reset();
        let grammar = compile(&source, &vocabulary, &config).expect("the flag is clear");
        let mut matcher = grammar.matcher();
        matcher.set_cancel_flag(Some(flag.clone()));
        assert!(matcher.accept_bytes(b"{").is_accepted() || matcher.accept_bytes(b"a").is_accepted());
        flag.cancel();
        let known = matcher.has_cached_mask();
        let is_empty = matcher.mask().is_empty();
        assert!(known || is_empty && matcher.error().is_some_and(|error| error.is_cancelled()));
        flag.reset();
        assert!(!matcher.mask().is_empty() && matcher.error().is_none());
        flag.cancel();
    }
}

/// All notations have the account of a compile.
#[cfg(feature = "notations")]
#[test]
fn a_compile_from_any_notation_is_limited_and_cancelled() {
    use grammask::RegexDialect;

    type Compile = fn(&Vocabulary, &Config) -> Result<Grammar, Error>;
    let compiles: [(&str, Compile); 6] = [
        ("GBNF", |vocabulary, config| {
            Grammar::from_gbnf("root ::= [a-z]{3,90} root | \"x\"", vocabulary, config)
        }),
        ("EBNF", |vocabulary, config| {
            Grammar::from_ebnf("root ::= [a-z]{3,90} root | \"x\"", vocabulary, config)
        }),
        ("Lark", |vocabulary, config| {
            Grammar::from_lark("start: /[a-z]{3,90}/ start | \"x\"", vocabulary, config)
        }),
        ("regex", |vocabulary, config| {
            Grammar::from_regex("([a-z]{3,90}x)*", RegexDialect::Auto, vocabulary, config)
        }),
        ("choice", |vocabulary, config| Grammar::from_choice(["yes", "no", "maybe"], vocabulary, config)),
        ("tags", |vocabulary, config| {
            let text = r#"{"format": {"type": "regex", "pattern": "([a-z]{3,90}x)*"}}"#;
            Grammar::from_tags(text, vocabulary, config)
        }),
    ];
    let vocabulary = vocabulary();
    for (name, compile) in compiles {
        let mut config = Config::default();
        assert!(compile(&vocabulary, &config).is_ok(), "{name}");
        config.limits.max_compile_work = 1;
        let error = compile(&vocabulary, &config).expect_err(name);
        assert_eq!(error.limit().map(|limit| limit.limit).as_deref(), Some("max_compile_work"), "{name}");
        let flag = CancelFlag::new();
        flag.cancel();
        config = Config { cancel: Some(flag), ..Config::default() };
        assert!(compile(&vocabulary, &config).expect_err(name).is_cancelled(), "{name}");
    }
}

/// Loading has the account of a compile as well.
#[cfg(feature = "save")]
#[test]
fn loading_is_limited_and_cancelled_at_every_unit() {
    use grammask::{LoadError, Tables};

    let vocabulary = vocabulary();
    let text = "start ::= (#'[a-z]{1,9}' & ~'if') ',' start | except!('b', 4) | 'x';";
    let grammar = Grammar::compile(text, &vocabulary, &Config::default()).expect("a grammar");
    let mut matcher = grammar.matcher();
    for byte in b"abc,x" {
        matcher.mask();
        assert!(matcher.accept_bytes(&[*byte]).is_accepted());
    }
    let saved = grammar.save(Tables::Warm);
    let load = |work: u64| {
        let mut config = Config::default();
        config.limits.max_compile_work = work;
        units(|| Grammar::load_within(&saved, &vocabulary, &config))
    };
    let (loaded, all) = load(u64::MAX);
    assert!(loaded.is_ok() && all > saved.len() as u64 / 4, "{all} units for {} bytes", saved.len());
    for work in (0..all).step_by(97) {
        let stopped = LoadError::Stopped(Stopped::WorkExceeded { limit: "max_compile_work", units: work });
        assert_eq!(load(work).0.err(), Some(stopped));
    }
    assert!(load(all).0.is_ok());
}
