//! Accounts of work: a limit in deterministic units, and cancellation, for one call on one thread.
//!
//! The work of a compile or of a mask is spread over many loops in several crates. Each of these loops calls
//! [`charge`]. The function that begins the call opens an account with [`within`], which has an
//! [`Allowance`]: a number of units, and cancellation flags. Outside of an account, work has no limit.
//!
//! A unit is an elementary step: an operand of an expression, a node of the token trie, a parser item. It
//! takes some nanoseconds. Units are counted, not timed, so a call within its allowance on one machine is
//! within it on all machines with the same tables.
//!
//! The account belongs to the thread. A call that uses several threads opens one on each of them.
//!
//! # Example
//!
//! ```
//! use grammask_work::{Allowance, CancelFlag, Stopped, charge, within};
//!
//! let count = |steps: u64| (0..steps).try_for_each(|_| charge(1));
//! assert_eq!(within(&Allowance::new("max_work", 100), || count(100)), Ok(()));
//! let exceeded = Stopped::WorkExceeded { limit: "max_work", units: 100 };
//! assert_eq!(within(&Allowance::new("max_work", 100), || count(101)), Err(exceeded));
//!
//! let flag = CancelFlag::new();
//! flag.cancel();
//! let allowance = Allowance::default().with_flag(&flag);
//! assert_eq!(within(&allowance, || count(100_000)), Err(Stopped::Cancelled));
//! ```
//!
//! # Cost
//!
//! [`charge`] subtracts from a number of the thread. With the first unit of an account, and every
//! [`UNITS_PER_LOOK`] units, it looks at the flags and the limit.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A length or an index in 32 bits, which is how the tables of the engine number their entries.
///
/// An entry costs at least one unit of work and some bytes of a budget. So every table meets a limit long
/// before this one.
///
/// ```
/// assert_eq!(grammask_work::narrow([3, 1, 2].len()), 3);
/// ```
///
/// # Panics
///
/// If the value exceeds [`u32::MAX`]: a wrong number would name another entry.
#[inline]
#[must_use]
#[track_caller]
#[expect(clippy::cast_possible_truncation, reason = "the assertion before it compares")]
pub const fn narrow(value: usize) -> u32 {
    assert!(value <= u32::MAX as usize, "a table has more entries than 32 bits can number");
    value as u32
}

/// Units of work between two looks at the flags of an account: a fraction of a millisecond.
pub const UNITS_PER_LOOK: u64 = 1 << 13;

/// Calls of [`is_stopped`] between two looks at the flags of an account, in loops that count no work.
const CALLS_PER_LOOK: u32 = 8;

/// A flag that cancels calls from another thread. Clones are the same flag.
///
/// ```
/// use grammask_work::CancelFlag;
///
/// let flag = CancelFlag::new();
/// let other = flag.clone();
/// other.cancel();
/// assert!(flag.is_cancelled());
/// flag.reset();
/// assert!(!other.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Returns a flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag: calls with it end soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Clears the flag, so that it can be used for other calls.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Returns true if the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for CancelFlag {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

impl From<CancelFlag> for Arc<AtomicBool> {
    fn from(flag: CancelFlag) -> Self {
        flag.0
    }
}

/// The work that a call may do, and the flags that cancel it.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// Units of work. `u64::MAX`, the default, is no limit.
    pub units: u64,
    /// The name of the limit, for messages.
    pub limit: &'static str,
    /// Flags, any of which cancels the call. Default: none.
    pub flags: Vec<CancelFlag>,
}

impl Default for Allowance {
    fn default() -> Self {
        Self::new("unlimited", u64::MAX)
    }
}

impl Allowance {
    /// Returns an allowance of some units, without flags. `limit` is the name of the option that sets them.
    pub const fn new(limit: &'static str, units: u64) -> Self {
        Self { units, limit, flags: Vec::new() }
    }

    /// Adds a flag that cancels the call.
    #[must_use]
    pub fn with_flag(mut self, flag: &CancelFlag) -> Self {
        self.flags.push(flag.clone());
        self
    }
}

/// Why a call was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Stopped {
    /// The call was cancelled by a flag.
    #[error("cancelled")]
    Cancelled,
    /// The call did more work than allowed.
    #[error("more than {units} units of work (limit `{limit}`)")]
    WorkExceeded {
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        units: u64,
    },
}

/// An open account.
struct Account {
    /// The number of spent units of the thread at which the allowance is spent.
    end: u64,
    exceeded: Stopped,
    flags: Vec<CancelFlag>,
    stopped: Option<Stopped>,
}

thread_local! {
    /// Units until the next look.
    static UNTIL_LOOK: Cell<u64> = const { Cell::new(UNITS_PER_LOOK) };
    /// Units that the thread will have spent at the next look.
    static AT_LOOK: Cell<u64> = const { Cell::new(UNITS_PER_LOOK) };
    /// Calls of `is_stopped` until it looks, if no work is counted.
    static CALLS_UNTIL_LOOK: Cell<u32> = const { Cell::new(CALLS_PER_LOOK) };
    /// The open accounts, the innermost last.
    static OPEN: RefCell<Vec<Account>> = const { RefCell::new(Vec::new()) };
}

/// Counts work of the current thread.
///
/// # Errors
/// If the work of an open account exceeds its allowance, or one of its flags is set. Further calls fail until
/// the account is closed.
#[inline]
pub fn charge(units: u64) -> Result<(), Stopped> {
    UNTIL_LOOK.with(|left| match left.get().checked_sub(units) {
        Some(rest) => {
            left.set(rest);
            Ok(())
        }
        None => look(units),
    })
}

/// Counts `len` units, for a list of that length. See [`charge`].
///
/// # Errors
/// As [`charge`].
#[inline]
pub fn charge_len(len: usize) -> Result<(), Stopped> {
    charge(len as u64)
}

/// Counts work in code that returns no error. If an account is exceeded, the next [`charge`] fails.
#[inline]
pub fn count(units: u64) {
    let _ = charge(units);
}

/// Returns true if an account is stopped: [`charge`] fails from now on. A flag that another thread sets is
/// seen with one of the next 8 calls, or after [`UNITS_PER_LOOK`] units.
#[inline]
pub fn is_stopped() -> bool {
    let calls = CALLS_UNTIL_LOOK.get();
    CALLS_UNTIL_LOOK.set(calls.wrapping_sub(1));
    // A stopped account has no units left.
    (calls == 0 || UNTIL_LOOK.get() == 0) && look(0).is_err()
}

/// Returns why an account is stopped, or is to be stopped now. Returns `None` if none is.
pub fn stopped() -> Option<Stopped> {
    look(0).err()
}

/// Returns the units that the current thread has spent so far, in all calls. The difference of two values is
/// the work in between, which is the same in each run.
pub fn spent() -> u64 {
    AT_LOOK.get() - UNTIL_LOOK.get()
}

/// Calls `call` with an account of its own, and closes it afterwards.
///
/// Its work counts for the accounts that are open already, too, and it stops when one of these does.
pub fn within<T>(allowance: &Allowance, call: impl FnOnce() -> T) -> T {
    let _open = OpenAccount::new(allowance);
    call()
}

/// Calls `call` outside of all open accounts.
///
/// For work that is done once and kept for all later calls: its result must not depend on the limits of the
/// call that happens to need it first.
///
/// ```
/// use grammask_work::{Allowance, apart, charge, within};
///
/// within(&Allowance::new("max_work", 10), || {
///     assert_eq!(apart(|| charge(1_000)), Ok(()));
///     assert_eq!(charge(10), Ok(()));
///     assert!(charge(1).is_err());
/// });
/// ```
pub fn apart<T>(call: impl FnOnce() -> T) -> T {
    let _hidden = HiddenAccounts::new();
    call()
}

/// The open accounts, while none of them counts. Dropping it opens them again, also when a panic unwinds.
struct HiddenAccounts {
    accounts: Vec<Account>,
    /// Units that the thread had spent before.
    start: u64,
}

impl HiddenAccounts {
    fn new() -> Self {
        let start = spent();
        let accounts = OPEN.take();
        set_next_look(start, &[]);
        Self { accounts, start }
    }
}

impl Drop for HiddenAccounts {
    fn drop(&mut self) {
        let spent = spent();
        let mut accounts = std::mem::take(&mut self.accounts);
        for account in &mut accounts {
            account.end = account.end.saturating_add(spent - self.start);
        }
        set_next_look(spent, &accounts);
        OPEN.set(accounts);
    }
}

/// An open account of the current thread, for calls that [`within`] does not fit. Dropping it closes the
/// innermost account, also when a panic unwinds.
///
/// ```
/// use grammask_work::{Allowance, OpenAccount, charge};
///
/// let open = OpenAccount::new(&Allowance::new("max_work", 10));
/// assert!(charge(11).is_err());
/// drop(open);
/// assert!(charge(11).is_ok());
/// ```
#[must_use]
pub struct OpenAccount {
    /// Accounts belong to a thread.
    _thread: PhantomData<*const ()>,
}

impl OpenAccount {
    /// Opens an account inside of those that are open.
    pub fn new(allowance: &Allowance) -> Self {
        let start = spent();
        OPEN.with_borrow_mut(|open| {
            open.push(Account {
                end: start.saturating_add(allowance.units),
                exceeded: Stopped::WorkExceeded { limit: allowance.limit, units: allowance.units },
                flags: allowance.flags.clone(),
                stopped: None,
            });
        });
        // A flag that is set already stops the call at its first unit of work.
        AT_LOOK.set(start);
        UNTIL_LOOK.set(0);
        Self { _thread: PhantomData }
    }
}

impl Drop for OpenAccount {
    fn drop(&mut self) {
        let spent = spent();
        OPEN.with_borrow_mut(|open| {
            open.pop();
            set_next_look(spent, open);
        });
    }
}

/// Looks at the flags and limits of the open accounts, after some more units.
#[cold]
fn look(units: u64) -> Result<(), Stopped> {
    let spent = spent().saturating_add(units);
    OPEN.with_borrow_mut(|open| {
        let mut result = Ok(());
        for account in open.iter_mut() {
            if account.stopped.is_none() && account.flags.iter().any(CancelFlag::is_cancelled) {
                account.stopped = Some(Stopped::Cancelled);
            }
            if account.stopped.is_none() && spent > account.end {
                account.stopped = Some(account.exceeded);
            }
            result = result.and(account.stopped.map_or(Ok(()), Err));
        }
        set_next_look(spent, open);
        CALLS_UNTIL_LOOK.set(CALLS_PER_LOOK - 1);
        result
    })
}

/// Sets when the accounts are looked at again, given the units that have been spent.
fn set_next_look(spent: u64, open: &[Account]) {
    let is_stopped = open.iter().any(|account| account.stopped.is_some());
    let left = open.iter().map(|account| account.end.saturating_sub(spent)).fold(UNITS_PER_LOOK, u64::min);
    let next = if is_stopped { 0 } else { left };
    AT_LOOK.set(spent.saturating_add(next));
    UNTIL_LOOK.set(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(steps: u64) -> Result<(), Stopped> {
        (0..steps).try_for_each(|_| charge(1))
    }

    #[test]
    fn an_allowance_is_exact() {
        for units in [0, 1, 7, UNITS_PER_LOOK - 1, UNITS_PER_LOOK, UNITS_PER_LOOK + 1, 5 * UNITS_PER_LOOK] {
            let allowance = Allowance::new("max_work", units);
            assert_eq!(within(&allowance, || work(units)), Ok(()), "{units}");
            let exceeded = Err(Stopped::WorkExceeded { limit: "max_work", units });
            assert_eq!(within(&allowance, || work(units + 1)), exceeded, "{units}");
            assert_eq!(within(&allowance, || charge(units + 1)), exceeded, "{units}");
        }
    }

    #[test]
    fn work_without_an_account_has_no_limit_and_is_counted() {
        let before = spent();
        assert_eq!(work(3 * UNITS_PER_LOOK), Ok(()));
        assert_eq!(charge_len(5), Ok(()));
        assert_eq!(spent() - before, 3 * UNITS_PER_LOOK + 5);
    }

    #[test]
    fn a_stopped_account_stays_stopped_until_it_is_closed() {
        let flag = CancelFlag::new();
        within(&Allowance::default().with_flag(&flag), || {
            assert_eq!(charge(1), Ok(()));
            flag.cancel();
            assert!((0..CALLS_PER_LOOK).any(|_| is_stopped()) && is_stopped());
            flag.reset();
            assert_eq!(charge(1), Err(Stopped::Cancelled));
        });
        assert_eq!(work(2 * UNITS_PER_LOOK), Ok(()));
    }

    #[test]
    fn a_flag_is_seen_soon() {
        let flag = CancelFlag::new();
        flag.cancel();
        let allowance = Allowance::default().with_flag(&flag);
        assert_eq!(within(&allowance, || charge(1)), Err(Stopped::Cancelled));
        flag.reset();
        let steps = within(&Allowance::default().with_flag(&flag), || {
            assert_eq!(charge(3), Ok(()));
            flag.cancel();
            (0..).take_while(|_| charge(1).is_ok()).count() as u64
        });
        assert!(steps <= UNITS_PER_LOOK);
    }

    #[test]
    fn work_of_an_inner_account_counts_for_the_outer_one() {
        let (outer, inner) = (Allowance::new("max_work", 100), Allowance::new("inner", 60));
        within(&outer, || {
            assert_eq!(within(&inner, || work(60)), Ok(()));
            assert_eq!(
                within(&inner, || work(61)),
                Err(Stopped::WorkExceeded { limit: "max_work", units: 100 })
            );
            assert_eq!(charge(1), Err(Stopped::WorkExceeded { limit: "max_work", units: 100 }));
        });
        within(&outer, || {
            assert_eq!(within(&inner, || work(61)), Err(Stopped::WorkExceeded { limit: "inner", units: 60 }));
            assert_eq!(charge(1), Ok(()));
        });
    }

    #[test]
    fn work_apart_counts_for_no_account() {
        let flag = CancelFlag::new();
        within(&Allowance::new("max_work", 50).with_flag(&flag), || {
            assert_eq!(work(20), Ok(()));
            flag.cancel();
            assert_eq!(apart(|| work(3 * UNITS_PER_LOOK)), Ok(()));
            assert!(std::panic::catch_unwind(|| apart(|| panic!("a failure apart"))).is_err());
            assert_eq!(stopped(), Some(Stopped::Cancelled));
        });
        within(&Allowance::new("max_work", 50), || {
            assert_eq!((work(20), apart(|| work(100)), work(30)), (Ok(()), Ok(()), Ok(())));
            assert!(charge(1).is_err());
        });
    }

    #[test]
    fn a_panic_closes_the_account() {
        let caught = std::panic::catch_unwind(|| {
            within(&Allowance::new("max_work", 1), || panic!("a failure inside of a call"));
        });
        assert!(caught.is_err());
        assert_eq!(work(10), Ok(()));
    }
}
