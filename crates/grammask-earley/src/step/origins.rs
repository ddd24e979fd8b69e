//! Interns origins: equal lists of callers are one origin, whichever set they were predicted in.
//!
//! In `start ::= '(' E ')'; E ::= E '+' T | T;` the only caller of `T` is the end of `E`, with the origin of
//! `E`. Callers within the same set form a graph. Where that graph is acyclic, origins are interned from the
//! outside in. A cycle (indirect or hidden left recursion) is interned as a whole, by its shape.

use grammask_cache::Interner;
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::recognizer::{Callers, Origin};
use crate::step::Context;
use crate::{Item, NetworkNodeId, OriginId};

/// The node that follows a call, and the origin that completes when its rule ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Caller {
    pub(crate) node: NetworkNodeId,
    pub(crate) reference: Reference,
}

/// An origin, or a reference to one that has no id yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Reference {
    /// An origin of an earlier set.
    Known(OriginId),
    /// While predicting: the callee predicted in the same set with this index. In a [`Cycle`]: its member
    /// with this index.
    Local(u32),
}

impl Caller {
    pub(crate) const fn known(item: Item) -> Self {
        Self { node: item.node, reference: Reference::Known(item.origin) }
    }

    fn resolve(&self, origin_of: impl FnOnce(u32) -> OriginId) -> Item {
        let origin = match self.reference {
            Reference::Known(origin) => origin,
            Reference::Local(index) => origin_of(index),
        };
        Item { node: self.node, origin }
    }
}

/// Origins that call each other: the sorted callers of each, with a [`SEPARATOR`] between two members.
pub(crate) type Cycle = Box<[Caller]>;

const SEPARATOR: Caller = Caller { node: NetworkNodeId::DONE, reference: Reference::Local(u32::MAX) };

/// Returns the callers of each member of a cycle.
pub(crate) fn members(cycle: &[Caller]) -> impl Iterator<Item = &[Caller]> {
    cycle.split(|&caller| caller == SEPARATOR)
}

/// Appends a member to a cycle: its callers, sorted and without duplicates.
pub(crate) fn add_member(cycle: &mut Vec<Caller>, callers: impl Iterator<Item = Caller>) {
    if !cycle.is_empty() {
        cycle.push(SEPARATOR);
    }
    let first = cycle.len();
    cycle.extend(callers);
    cycle[first..].sort_unstable();
    let mut kept = first;
    for next in first..cycle.len() {
        if kept == first || cycle[kept - 1] != cycle[next] {
            cycle[kept] = cycle[next];
            kept += 1;
        }
    }
    cycle.truncate(kept);
}

/// Finds the origin of a list of callers. Acyclic origins are found in the recognizer's tables, cycles here.
#[derive(Default)]
pub(crate) struct OriginInterner {
    /// Cycle numbers by content.
    cycle_numbers: FxHashMap<Cycle, u32>,
    /// By number: the cycle, and the origin of its first member. The other members follow it.
    cycles: Vec<(Cycle, OriginId)>,
    /// Buffers for the cycle and the callers being looked up.
    cycle_buffer: Vec<Caller>,
    callers_buffer: Vec<Item>,
}

impl OriginInterner {
    /// Returns the cycle with this number, and the origin of its first member.
    pub(crate) fn cycle(&self, number: u32) -> (&[Caller], OriginId) {
        let (cycle, first) = &self.cycles[number as usize];
        (cycle, *first)
    }

    /// Returns the origin with these callers. `origins` holds the origins of the local references.
    ///
    /// With `leo`, returns the only caller's origin instead if that caller is at the end of its rule, because
    /// both complete together.
    pub(crate) fn intern(
        &mut self,
        cx: Context<'_>,
        callers: &[Caller],
        origins: &[OriginId],
        leo: bool,
    ) -> OriginId {
        let buffer = &mut self.callers_buffer;
        buffer.clear();
        buffer.extend(callers.iter().map(|caller| caller.resolve(|index| origins[index as usize])));
        buffer.sort_unstable();
        buffer.dedup();
        if let [Item { node: NetworkNodeId::END, origin }] = buffer[..]
            && leo
        {
            return origin;
        }
        let interner: &Interner<Origin> = cx.tables.origins();
        let before = interner.len();
        let id = interner.intern(&buffer[..], |callers| Origin::new(Callers::from_slice(callers), None));
        if interner.len() > before {
            cx.tables.spend(size_of::<Origin>() + size_of_val(&buffer[..]));
        }
        OriginId(id)
    }

    /// Returns the first origin of a strongly connected component; those of the other members follow it.
    /// `component` lists the members' indices, `members` their callers, and `origins` the origins of all
    /// other local references.
    pub(crate) fn intern_component<'a>(
        &mut self,
        cx: Context<'_>,
        component: &[u32],
        members: impl Iterator<Item = &'a [Caller]>,
        origins: &[OriginId],
    ) -> OriginId {
        let mut cycle = std::mem::take(&mut self.cycle_buffer);
        cycle.clear();
        let relative = |caller: &Caller| match caller.reference {
            Reference::Known(_) => *caller,
            Reference::Local(index) => {
                let member = component.iter().position(|&other| other == index);
                let reference = match member {
                    Some(member) => Reference::Local(narrow(member)),
                    None => Reference::Known(origins[index as usize]),
                };
                Caller { node: caller.node, reference }
            }
        };
        for callers in members {
            add_member(&mut cycle, callers.iter().map(relative));
        }
        let first = self.intern_cycle(cx, &cycle);
        self.cycle_buffer = cycle;
        first
    }

    /// Returns the first origin of a cycle; those of the other members follow it.
    pub(crate) fn intern_cycle(&mut self, cx: Context<'_>, cycle: &[Caller]) -> OriginId {
        if let Some(&number) = self.cycle_numbers.get(cycle) {
            return self.cycles[number as usize].1;
        }
        let number = narrow(self.cycles.len());
        // Origins are added only under the lock, so the next ids are known in advance.
        let first = OriginId(narrow(cx.tables.origin_count()));
        for (index, callers) in members(cycle).enumerate() {
            let mut callers: Callers =
                callers.iter().map(|caller| caller.resolve(|member| OriginId(first.0 + member))).collect();
            callers.sort_unstable();
            callers.dedup();
            cx.tables.spend(size_of::<Origin>() + 4 * size_of_val::<[Item]>(&callers));
            cx.tables.origins().push(Origin::new(callers, Some((number, narrow(index)))));
        }
        self.cycle_numbers.insert(cycle.into(), number);
        self.cycles.push((cycle.into(), first));
        first
    }
}
