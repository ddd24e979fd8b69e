//! The cache of compiled grammars: one compile for many requests, cancellation, and the budget.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use grammask::{CacheError, Config, Error, Grammar, GrammarCache, Request, TokenId, Vocabulary};

fn vocabulary() -> Vocabulary {
    Vocabulary::new((0..=255).map(|byte| (TokenId(byte), vec![byte as u8])), []).unwrap()
}

fn compile(text: &str) -> Result<Grammar, Error> {
    Grammar::compile(text, &vocabulary(), &Config::default())
}

/// Waits until `holds` returns true.
fn wait_until(holds: impl Fn() -> bool) {
    while !holds() {
        thread::yield_now();
    }
}

#[test]
fn requests_at_the_same_time_share_one_compile() {
    let cache = GrammarCache::new(usize::MAX);
    let compiles = AtomicUsize::new(0);
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                barrier.wait();
                let grammar = cache.get_or_compile("key", &Request::new(), |_| {
                    compiles.fetch_add(1, Ordering::Relaxed);
                    wait_until(|| cache.stats().shared == 7);
                    compile("start ::= 'a';")
                });
                assert!(grammar.unwrap().matcher().accept(TokenId(97)).is_accepted());
            });
        }
    });
    let stats = cache.stats();
    assert_eq!(compiles.into_inner(), 1);
    assert_eq!((stats.misses, stats.shared, stats.hits, stats.grammars, stats.compiling), (1, 7, 0, 1, 0));
    assert!(cache.get(&"key").is_some() && cache.get(&"other").is_none());
    cache.clear();
    assert!(cache.get(&"key").is_none());
}

#[test]
fn an_error_reaches_all_that_wait_and_is_not_kept() {
    let cache = GrammarCache::new(usize::MAX);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let result = cache.get_or_compile("key", &Request::new(), |_| {
                    wait_until(|| cache.stats().shared == 1);
                    compile("start ::= ;")
                });
                assert!(matches!(result, Err(CacheError::Compile(_))));
            });
        }
    });
    assert_eq!((cache.stats().failures, cache.stats().grammars), (1, 0));
    assert!(cache.get_or_compile("key", &Request::new(), |_| compile("start ::= 'a';")).is_ok());
}

#[test]
fn a_cancelled_request_returns_while_the_others_go_on() {
    let cache = GrammarCache::new(usize::MAX);
    let (patient, impatient) = (Request::new(), Request::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let result = cache.get_or_compile("key", &patient, |flag: &Arc<AtomicBool>| {
                wait_until(|| cache.stats().cancelled == 1);
                assert!(!flag.load(Ordering::Relaxed));
                compile("start ::= 'a';")
            });
            assert!(result.is_ok());
        });
        wait_until(|| cache.stats().compiling == 1);
        scope.spawn(|| {
            let result = cache.get_or_compile("key", &impatient, |_| unreachable!("another one compiles"));
            assert!(matches!(result, Err(CacheError::Cancelled)));
        });
        wait_until(|| cache.stats().shared == 1);
        cache.cancel(&impatient);
    });
    assert!(impatient.is_cancelled() && !patient.is_cancelled());
}

#[test]
fn the_flag_of_a_compile_turns_true_when_all_requests_are_cancelled() {
    let cache = GrammarCache::new(usize::MAX);
    let request = Request::new();
    let may_end = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let result = cache.get_or_compile("key", &request, |flag: &Arc<AtomicBool>| {
                wait_until(|| flag.load(Ordering::Relaxed) && may_end.load(Ordering::Relaxed));
                compile("start ::= ;")
            });
            assert!(matches!(result, Err(CacheError::Cancelled)));
        });
        wait_until(|| cache.stats().compiling == 1);
        cache.cancel(&request);
        let late = scope.spawn(|| {
            cache.get_or_compile("key", &Request::new(), |flag: &Arc<AtomicBool>| {
                assert!(!flag.load(Ordering::Relaxed));
                compile("start ::= 'a';")
            })
        });
        wait_until(|| cache.stats().shared == 1);
        may_end.store(true, Ordering::Relaxed);
        assert!(late.join().unwrap().is_ok());
    });
}

#[test]
fn a_panic_lets_the_others_begin_again() {
    let cache = GrammarCache::new(usize::MAX);
    thread::scope(|scope| {
        let first = scope.spawn(|| {
            let _ = cache.get_or_compile("key", &Request::new(), |_| {
                wait_until(|| cache.stats().shared == 1);
                panic!("on purpose");
            });
        });
        wait_until(|| cache.stats().compiling == 1);
        let second = cache.get_or_compile("key", &Request::new(), |_| compile("start ::= 'a';"));
        assert!(second.is_ok());
        assert!(first.join().is_err());
    });
    assert_eq!(cache.stats().compiling, 0);
}

#[test]
fn the_budget_keeps_what_was_used_last() {
    let text = |number: usize| format!("start ::= 'a{number}';");
    let cache = GrammarCache::new(usize::MAX);
    let add = |cache: &GrammarCache<usize>, number| {
        cache.get_or_compile(number, &Request::new(), |_| compile(&text(number))).unwrap()
    };
    add(&cache, 0);
    let one = cache.stats().bytes;
    assert!(one > 0);
    let cache = GrammarCache::new(3 * one + one / 2);
    for number in 0..3 {
        add(&cache, number);
    }
    assert!(cache.get(&0).is_some());
    add(&cache, 3);
    let kept: Vec<_> = (0..4).filter(|number| cache.get(number).is_some()).collect();
    assert_eq!((kept, cache.stats().evicted), (vec![0, 2, 3], 1));

    // A grammar that is larger alone is kept until the next one comes.
    let small = GrammarCache::new(1);
    add(&small, 0);
    add(&small, 1);
    assert_eq!((small.stats().grammars, small.stats().evicted), (1, 1));
}
