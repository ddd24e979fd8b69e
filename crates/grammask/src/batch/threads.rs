//! Threads that stay, so that calling them takes microseconds: starting one takes longer than all the masks of a batch.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon_core::{Scope, ThreadPool, ThreadPoolBuilder, current_thread_index, in_place_scope};

/// The caller goes to sleep when it has asked so often whether its helpers are ready: sleeping and waking up takes longer than
/// the last share mostly does.
const PATIENCE: usize = 256;

/// Does `own` on this thread while up to `count` others do `help`.
pub(super) fn call(count: usize, help: impl Fn() + Sync, own: impl Fn() + Sync) {
    if count == 0 {
        return own();
    }
    let ready = AtomicUsize::new(0);
    let help = || {
        help();
        ready.fetch_add(1, Ordering::Release);
    };
    if current_thread_index().is_some() {
        return in_place_scope(|scope| together(scope, count, &help, &own, &ready));
    }
    match pool(count) {
        Some(pool) => pool.in_place_scope(|scope| together(scope, count, &help, &own, &ready)),
        None => own(),
    }
}

fn together<'a>(
    scope: &Scope<'a>,
    count: usize,
    help: &'a (impl Fn() + Sync),
    own: &'a (impl Fn() + Sync),
    ready: &'a AtomicUsize,
) {
    for _ in 0..count {
        scope.spawn(|_| help());
    }
    own();
    for _ in 0..PATIENCE {
        if ready.load(Ordering::Acquire) == count {
            break;
        }
        std::hint::spin_loop();
    }
}

/// The pool of those who call from outside of any, with so many threads or more; none where threads cannot be started.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    // No more threads than were asked for: those that have nothing to do would be in the way of those that have.
    if pool.as_ref().is_none_or(|pool| pool.current_num_threads() < threads)
        && let Ok(larger) = ThreadPoolBuilder::new().num_threads(threads).build()
    {
        *pool = Some(Arc::new(larger));
    }
    pool.clone()
}
