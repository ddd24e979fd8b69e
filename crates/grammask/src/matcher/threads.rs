//! Helper threads that stay alive between calls: starting a thread takes longer than all masks of a batch.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon_core::{Scope, ThreadPool, ThreadPoolBuilder, current_thread_index, in_place_scope};

/// Number of times that the caller polls its helpers before it sleeps. Sleeping and waking up takes longer
/// than the last share of a batch mostly does.
const POLLS_BEFORE_SLEEP: usize = 256;

/// Runs `own` on this thread, and `help` on up to `count` other threads at the same time.
pub(super) fn call(count: usize, help: impl Fn() + Sync, own: impl Fn() + Sync) {
    if count == 0 {
        return own();
    }
    let done = AtomicUsize::new(0);
    let help = || {
        help();
        done.fetch_add(1, Ordering::Release);
    };
    if current_thread_index().is_some() {
        return in_place_scope(|scope| run(scope, count, &help, &own, &done));
    }
    match pool(count) {
        Some(pool) => pool.in_place_scope(|scope| run(scope, count, &help, &own, &done)),
        None => own(),
    }
}

/// Runs `own` here and `help` on `count` threads, then polls for the end of the latter before the scope
/// sleeps.
fn run<'a>(
    scope: &Scope<'a>,
    count: usize,
    help: &'a (impl Fn() + Sync),
    own: &'a (impl Fn() + Sync),
    done: &'a AtomicUsize,
) {
    for _ in 0..count {
        scope.spawn(|_| help());
    }
    own();
    for _ in 0..POLLS_BEFORE_SLEEP {
        if done.load(Ordering::Acquire) == count {
            break;
        }
        std::hint::spin_loop();
    }
}

/// Returns the pool for callers outside of any rayon pool, with at least `threads` threads. Returns `None` if
/// threads cannot be started.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    // No more threads than requested: idle ones would take time from busy ones.
    if pool.as_ref().is_none_or(|pool| pool.current_num_threads() < threads)
        && let Ok(larger) = ThreadPoolBuilder::new().num_threads(threads).build()
    {
        *pool = Some(Arc::new(larger));
    }
    pool.clone()
}
