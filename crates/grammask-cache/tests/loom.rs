//! Models of the tables under `loom`, which explores interleavings of a few threads and the values that
//! weakly ordered memory may return. `cargo xtask loom` runs them; otherwise this file is empty.

#![cfg(loom)]

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use grammask_cache::{Arena, Budget, Column, Interner, LazyRow, Memo, Row};
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread::{self, JoinHandle};

/// Maximum number of preemptions in models of two threads, unless `LOOM_MAX_PREEMPTIONS` is set. Most faults
/// need one or two, and each further one multiplies the time.
const PREEMPTIONS_OF_TWO_THREADS: usize = 3;
/// Maximum number of preemptions in models of three threads.
const PREEMPTIONS_OF_THREE_THREADS: usize = 2;

/// Runs a model in every interleaving and returns all outcomes. Each model asserts outcomes that must occur,
/// because a model with a single interleaving would prove nothing.
fn outcomes<R: Ord + Send + 'static>(
    preemptions: usize,
    model: impl Fn() -> R + Send + Sync + 'static,
) -> BTreeSet<R> {
    let seen = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let seen_by_loom = std::sync::Arc::clone(&seen);
    let mut builder = Builder::new();
    builder.preemption_bound.get_or_insert(preemptions);
    // An arena looks at all its buckets when it is dropped.
    builder.max_branches = 10_000;
    builder.check(move || {
        let outcome = model();
        seen_by_loom.lock().unwrap_or_else(PoisonError::into_inner).insert(outcome);
    });
    std::mem::take(&mut seen.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Spawns a thread that runs `work` on the shared state.
fn spawn<S: Send + Sync + 'static, R: 'static>(
    shared: &Arc<S>,
    work: impl FnOnce(&S) -> R + Send + 'static,
) -> JoinHandle<R> {
    let shared = Arc::clone(shared);
    thread::spawn(move || work(&shared))
}

fn intern(words: &Interner<u32>, key: u32) -> u32 {
    words.intern(&key, |&key| key)
}

#[test]
fn equal_keys_get_equal_ids() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let words = Arc::new(Interner::<u32>::new());
        let other = spawn(&words, |words| intern(words, 7));
        let before = words.find(&7);
        let id = intern(&words, 7);
        assert_eq!(*words.get(id), 7);
        assert_eq!(other.join().unwrap(), id);
        assert_eq!((words.len(), words.find(&7)), (1, Some(id)));
        before
    });
    assert_eq!(seen, [None, Some(0)].into());
}

#[test]
fn different_keys_get_different_ids() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let words = Arc::new(Interner::<u32>::new());
        let other = spawn(&words, |words| {
            let id = intern(words, 1);
            assert_eq!(*words.get(id), 1);
            id
        });
        let id = intern(&words, 2);
        assert_eq!(*words.get(id), 2);
        let other = other.join().unwrap();
        assert_eq!((words.find(&1), words.find(&2), words.len()), (Some(other), Some(id), 2));
        (id, other)
    });
    assert_eq!(seen, [(0, 1), (1, 0)].into());
}

#[test]
fn stored_entries_are_found_while_the_index_grows() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let words = Arc::new(Interner::<u32>::new());
        let ids = [1, 2].map(|key| Some(intern(&words, key)));
        // The first table has four slots: the third key makes it grow, and half of it is moved with each of
        // the two further keys.
        let other = spawn(&words, |words| (intern(words, 3), intern(words, 4)));
        assert_eq!(words.find(&1), ids[0]);
        let found = words.find(&4);
        if let Some(id) = found {
            assert_eq!(*words.get(id), 4);
            assert!(words.find(&3).is_some(), "it was in before");
        }
        assert_eq!(words.find(&2), ids[1]);
        let (third, fourth) = other.join().unwrap();
        assert_eq!([3, 4].map(|key| words.find(&key)), [third, fourth].map(Some));
        found
    });
    assert_eq!(seen, [None, Some(3)].into());
}

#[test]
fn two_threads_grow_the_index_while_a_third_reads() {
    let seen = outcomes(PREEMPTIONS_OF_THREE_THREADS, || {
        let words = Arc::new(Interner::<u32>::new());
        let first = intern(&words, 1);
        intern(&words, 5);
        let writers = [2, 3].map(|key| spawn(&words, move |words| intern(words, key)));
        assert_eq!(words.find(&1), Some(first));
        let found = words.find(&2);
        assert!(found.is_none_or(|id| *words.get(id) == 2));
        let ids = writers.map(|writer| writer.join().unwrap());
        assert_eq!([2, 3].map(|key| words.find(&key)), ids.map(Some));
        assert!(found.is_none_or(|found| found == ids[0]));
        assert_eq!((first, words.len()), (0, 4));
        (found.is_some(), ids)
    });
    assert_eq!(seen, [(false, [2, 3]), (true, [2, 3]), (false, [3, 2]), (true, [3, 2])].into());
}

#[test]
fn a_key_gets_one_id_while_the_interner_grows() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let words = Arc::new(Interner::<u32>::new());
        intern(&words, 1);
        intern(&words, 4);
        let other = spawn(&words, |words| [intern(words, 2), intern(words, 3)]);
        let ids = [intern(&words, 3), intern(&words, 2)];
        let others = other.join().unwrap();
        assert_eq!(ids, [others[1], others[0]]);
        assert_eq!(words.len(), 4);
        ids
    });
    assert_eq!(seen, [[2, 3], [3, 2]].into());
}

#[test]
fn all_threads_get_the_first_value_of_a_memo() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let memo = Arc::new(Memo::<u32, u32>::new());
        let other = spawn(&memo, |memo| {
            let (&value, is_fresh) = memo.insert(5, 50);
            assert_eq!(memo.get(&5), Some(&value));
            (value, is_fresh)
        });
        let before = memo.get(&5).copied();
        let (&value, is_fresh) = memo.insert(5, 51);
        assert_eq!(other.join().unwrap(), (value, !is_fresh));
        assert_eq!((value, memo.len()), (if is_fresh { 51 } else { 50 }, 1));
        (before, value)
    });
    assert_eq!(seen, [(None, 50), (None, 51), (Some(50), 50)].into());
}

#[test]
fn a_growing_memo_keeps_its_values() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let memo = Arc::new(Memo::<u32, u32>::new());
        memo.insert(1, 10);
        memo.insert(4, 40);
        let other = spawn(&memo, |memo| {
            memo.insert(2, 20);
            memo.insert(3, 30);
        });
        let third = memo.get(&3).copied();
        assert_eq!(memo.get(&1), Some(&10));
        other.join().unwrap();
        assert_eq!([1, 2, 3].map(|key| memo.get(&key).copied()), [10, 20, 30].map(Some));
        third
    });
    assert_eq!(seen, [None, Some(30)].into());
}

#[test]
fn a_reader_of_a_row_sees_earlier_writes() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let shared = Arc::new((Row::new(2), AtomicU32::new(0)));
        let other = spawn(&shared, |(row, message)| {
            message.store(9, Ordering::Relaxed);
            row.set(1, 4);
        });
        let (row, message) = &*shared;
        assert_eq!(row.get(0), None);
        let value = row.get(1);
        if value.is_some() {
            assert_eq!(message.load(Ordering::Relaxed), 9);
        }
        other.join().unwrap();
        assert_eq!(row.get(1), Some(4));
        value
    });
    assert_eq!(seen, [None, Some(4)].into());
}

#[test]
fn a_reader_of_a_lazy_row_sees_earlier_writes() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let shared = Arc::new((LazyRow::new(), AtomicU32::new(0)));
        let other = spawn(&shared, |(row, message)| {
            row.set(0, 3, 2);
            message.store(9, Ordering::Relaxed);
            row.set(1, 4, 2);
        });
        let (row, message) = &*shared;
        let value = row.get(1);
        if value.is_some() {
            assert_eq!((message.load(Ordering::Relaxed), row.get(0)), (9, Some(3)));
        }
        other.join().unwrap();
        assert_eq!((row.get(0), row.get(1)), (Some(3), Some(4)));
        value
    });
    assert_eq!(seen, [None, Some(4)].into());
}

#[test]
fn two_threads_store_in_a_lazy_row() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let row = Arc::new(LazyRow::new());
        let other = spawn(&row, |row| row.set(0, 3, 3) + row.set(2, 5, 3));
        let allocated = row.set(1, 4, 3) + row.set(2, 5, 3);
        let others = other.join().unwrap();
        assert_eq!([0, 1, 2].map(|index| row.get(index)), [Some(3), Some(4), Some(5)]);
        (allocated > 0, others > 0)
    });
    // Exactly one thread allocates: the one that stores the third index.
    assert_eq!(seen, [(false, true), (true, false)].into());
}

#[test]
fn an_id_read_from_a_row_is_in_the_arena() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let shared = Arc::new((Row::new(1), Interner::<u32>::new()));
        let work = |(row, words): &(Row, Interner<u32>)| {
            let id = row.get(0);
            match id {
                Some(id) => assert_eq!(*words.get(id), 6),
                None => row.set(0, intern(words, 6)),
            }
            id.is_some()
        };
        let other = spawn(&shared, work);
        let was_known = work(&shared);
        let outcome = (was_known, other.join().unwrap());
        assert_eq!((shared.0.get(0), shared.1.len()), (Some(0), 1));
        outcome
    });
    assert_eq!(seen, [(false, false), (false, true), (true, false)].into());
}

#[test]
fn an_arena_is_read_while_it_grows() {
    let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, || {
        let arena = Arc::new(Arena::new());
        arena.push(10);
        let other = spawn(&arena, |arena| {
            assert_eq!([arena.push(11), arena.push(12)], [1, 2]);
        });
        assert_eq!(arena.try_get(0), Some(&10));
        let third = arena.try_get(2).copied();
        for (id, &value) in arena.iter() {
            assert_eq!(value, 10 + id);
        }
        if third.is_some() {
            // The third may not be counted yet; the second is.
            assert_eq!((arena.try_get(1), arena.len().max(3)), (Some(&11), 3));
            assert!(arena.len() >= 2);
        }
        other.join().unwrap();
        assert_eq!(arena.len(), 3);
        assert_eq!(arena.iter().map(|(_, &value)| value).collect::<Vec<u32>>(), [10, 11, 12]);
        third
    });
    assert_eq!(seen, [None, Some(12)].into());
}

#[test]
fn pushing_threads_get_different_ids() {
    let seen = outcomes(PREEMPTIONS_OF_THREE_THREADS, || {
        let arena = Arc::new(Arena::new());
        arena.push(0);
        arena.push(1);
        let others = [2, 3].map(|value| {
            spawn(&arena, move |arena| {
                let id = arena.push(value);
                assert_eq!(*arena.get(id), value);
                id
            })
        });
        let ids = others.map(|other| other.join().unwrap());
        assert_eq!([*arena.get(ids[0]), *arena.get(ids[1])], [2, 3]);
        assert_eq!(arena.len(), 4);
        ids
    });
    assert_eq!(seen, [[2, 3], [3, 2]].into());
}

#[test]
fn a_budget_counts_the_bytes_of_all_threads() {
    let seen = outcomes(PREEMPTIONS_OF_THREE_THREADS, || {
        let budget = Arc::new(Budget::new(5));
        let others = [1, 2].map(|bytes| spawn(&budget, move |budget| budget.spend(bytes)));
        budget.spend(3);
        let used = budget.used();
        for other in others {
            other.join().unwrap();
        }
        assert_eq!((budget.used(), budget.is_exceeded()), (6, true));
        used
    });
    assert_eq!(seen, [3, 4, 5, 6].into());
}

#[test]
fn all_threads_get_the_first_number_of_a_column() {
    // In a bucket that is one page, and on a page of a bucket that has several.
    for id in [0, 5] {
        let seen = outcomes(PREEMPTIONS_OF_TWO_THREADS, move || {
            let shared = Arc::new((Column::new(), AtomicU32::new(0)));
            let other = spawn(&shared, move |(column, written)| {
                written.store(1, Ordering::Relaxed);
                column.set(id, 5).0
            });
            let read = shared.0.get(id);
            if let Some(value) = read {
                assert_eq!((value, shared.1.load(Ordering::Relaxed)), (5, 1));
            }
            let own = shared.0.set(id, 6).0;
            assert_eq!(other.join().unwrap(), own);
            assert_eq!(shared.0.get(id), Some(own));
            (read, own)
        });
        assert_eq!(seen, BTreeSet::from([(None, 5), (None, 6), (Some(5), 5)]), "id {id}");
    }
}
