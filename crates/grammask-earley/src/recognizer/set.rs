//! Entries of the recognizer's tables: sets, origins and callees, with lazily computed facts about them.

use std::borrow::Borrow;
use std::sync::OnceLock;

use grammask_cache::LazyRow;
use grammask_regular::ByteSet;
use grammask_work::narrow;
use smallvec::SmallVec;

use crate::{Item, NetworkNodeId, OriginId, Resumption, SetId};

/// Number of items or callers stored without an allocation. Most sets and origins have at most two.
const INLINE_ITEMS: usize = 2;

/// A set: the items that identify it, and what has been computed from them so far.
pub(crate) struct Set {
    /// The kernel, then an item with [`NetworkNodeId::DONE`] for each complete outermost origin; sorted.
    pub(crate) items: SmallVec<[Item; INLINE_ITEMS]>,
    /// Number of items of the kernel.
    kernel_len: u32,
    /// The known successors, by class.
    pub(crate) row: LazyRow,
    pub(crate) closure: OnceLock<Box<Closure>>,
    pub(crate) split: OnceLock<Box<SplitState>>,
}

/// Facts that follow from a kernel by prediction.
pub(crate) struct Closure {
    /// All scanning items, those of the kernel and predicted ones; sorted.
    pub(crate) scanners: Box<[Item]>,
    /// Superset of the bytes that the scanners take.
    pub(crate) bytes_bound: ByteSet,
    /// The bytes that the scanners take.
    pub(crate) live_bytes: OnceLock<ByteSet>,
}

/// The scanning items of a state, split by lexeme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitState {
    /// The items inside lexemes.
    pub lexemes: Box<[Item]>,
    /// The state that scans everything else; [`SetId::DEAD`] if there is nothing else.
    pub rest: SetId,
}

/// An origin: the items that continue when it completes.
pub(crate) struct Origin {
    pub(crate) callers: Callers,
    /// For a member of a cycle of origins, the cycle's number and the member's index.
    pub(crate) cycle: Option<(u32, u32)>,
    pub(super) state_after: OnceLock<SetId>,
    pub(super) resumption: OnceLock<Box<Resumption>>,
}

/// Lazily computed facts about one callee.
pub(crate) struct CalleeInfo {
    /// First node of the callee.
    pub(crate) start: OnceLock<NetworkNodeId>,
    /// FIRST set: the bytes with which the callee's texts begin.
    pub(crate) first_bytes: OnceLock<ByteSet>,
}

impl CalleeInfo {
    pub(crate) const fn new() -> Self {
        Self { start: OnceLock::new(), first_bytes: OnceLock::new() }
    }
}

/// The callers of an origin, sorted.
pub(crate) type Callers = SmallVec<[Item; INLINE_ITEMS]>;

impl Origin {
    pub(crate) fn new(callers: Callers, cycle: Option<(u32, u32)>) -> Self {
        Self { callers, cycle, state_after: OnceLock::new(), resumption: OnceLock::new() }
    }
}

impl Set {
    pub(super) fn new(items: &[Item]) -> Self {
        let kernel_len = items.partition_point(|item| item.node != NetworkNodeId::DONE);
        Self {
            items: SmallVec::from_slice(items),
            kernel_len: narrow(kernel_len),
            row: LazyRow::new(),
            closure: OnceLock::new(),
            split: OnceLock::new(),
        }
    }

    pub(super) fn kernel(&self) -> &[Item] {
        &self.items[..self.kernel_len as usize]
    }

    /// Returns the items of complete outermost origins.
    pub(super) fn completed(&self) -> impl Iterator<Item = OriginId> {
        self.items[self.kernel_len as usize..].iter().map(|item| item.origin)
    }

    /// Returns the id of this set, given its index in the table.
    pub(super) fn id(&self, index: u32) -> SetId {
        SetId::new(index, self.kernel_len > 0, self.items.len() > self.kernel_len as usize)
    }
}

impl Borrow<[Item]> for Set {
    fn borrow(&self) -> &[Item] {
        &self.items
    }
}

impl Borrow<[Item]> for Origin {
    fn borrow(&self) -> &[Item] {
        &self.callers
    }
}
