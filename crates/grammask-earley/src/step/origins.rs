//! From callers to origins: equal lists of callers are the same origin, whichever set they were predicted in.
//!
//! Within a set that is being closed, callers may refer to what is predicted in the same set. As long as that goes
//! in no circle, an origin is interned by its list of callers, from the outside in. Where it does go in a circle (indirect or
//! hidden left recursion), all origins of the circle are interned together, by the shape of the circle.

use grammask_cache::Interner;
use rustc_hash::FxHashMap;

use crate::recognizer::{Callers, Origin, Recognizer};
use crate::step::Workshop;
use crate::{Error, Item, NetworkNodeId, OriginId, SetId};

/// Where to go on when a callee is complete, and whom to tell then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Caller {
    pub(crate) node: NetworkNodeId,
    pub(crate) reference: Reference,
}

/// An origin, or one that is still to be found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Reference {
    /// An origin from outside.
    Known(OriginId),
    /// In a set: what is predicted at this place. In a [`Cycle`]: its member at this place.
    Local(u32),
}

/// Origins that call each other in a circle: the callers of each, in a fixed order, with a [`SEPARATOR`] between one and the next.
pub(crate) type Cycle = Box<[Caller]>;

const SEPARATOR: Caller = Caller { node: NetworkNodeId::DONE, reference: Reference::Local(u32::MAX) };

/// The callers of each member of a cycle.
pub(crate) fn members(cycle: &[Caller]) -> impl Iterator<Item = &[Caller]> {
    cycle.split(|&caller| caller == SEPARATOR)
}

/// Adds the callers of one more member, sorted, each once.
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

impl Workshop {
    /// The origin of something with these callers, which are resolved: `resolved` says what they refer to. With Leo: where the one
    /// caller is complete then, too, it is that caller's origin.
    pub(crate) fn intern_callers(
        &mut self,
        tables: &Recognizer,
        callers: &[Caller],
        resolved: &[OriginId],
        leo: bool,
    ) -> OriginId {
        self.known.clear();
        self.known.extend(callers.iter().map(|caller| caller.resolve(|place| resolved[place as usize])));
        intern_origin(tables, &mut self.known, leo)
    }

    /// The first origin of locals that call each other; the others follow it.
    pub(crate) fn intern_component<'a>(
        &mut self,
        tables: &Recognizer,
        component: &[u32],
        members: impl Iterator<Item = &'a [Caller]>,
        resolved: &[OriginId],
    ) -> OriginId {
        let mut cycle = std::mem::take(&mut self.cycle);
        cycle.clear();
        for callers in members {
            let relative = |caller: &Caller| match caller.reference {
                Reference::Known(_) => *caller,
                Reference::Local(place) => {
                    let member = component.iter().position(|&other| other == place);
                    let reference = match member {
                        Some(member) => Reference::Local(member as u32),
                        None => Reference::Known(resolved[place as usize]),
                    };
                    Caller { node: caller.node, reference }
                }
            };
            add_member(&mut cycle, callers.iter().map(relative));
        }
        let first = self.intern_cycle(tables, &cycle);
        self.cycle = cycle;
        first
    }

    /// The first origin of a cycle; the others follow it.
    pub(crate) fn intern_cycle(&mut self, tables: &Recognizer, cycle: &[Caller]) -> OriginId {
        if let Some(&number) = self.cycles.get(cycle) {
            return self.cycle_list[number as usize].1;
        }
        let number = self.cycle_list.len() as u32;
        // Only the holder of the lock adds origins, so the ids are known before.
        let first = OriginId(tables.origin_count() as u32);
        for (place, callers) in members(cycle).enumerate() {
            let mut callers: Callers =
                callers.iter().map(|caller| caller.resolve(|member| OriginId(first.0 + member))).collect();
            callers.sort_unstable();
            callers.dedup();
            tables.spend(size_of::<Origin>() + 4 * size_of_val::<[Item]>(&callers));
            tables.origins().push(Origin::new(callers, Some((number, place as u32))));
        }
        self.cycles.insert(cycle.into(), number);
        self.cycle_list.push((cycle.into(), first));
        first
    }

    /// See [`Recognizer::import`].
    pub(crate) fn import(
        &mut self,
        tables: &Recognizer,
        from: &Recognizer,
        source: &Self,
        items: &[Item],
    ) -> Result<SetId, Error> {
        let mut origins: FxHashMap<OriginId, OriginId> = FxHashMap::default();
        let is_known = |origins: &FxHashMap<_, _>, origin: OriginId| {
            origin.is_outermost() || origins.contains_key(&origin)
        };
        let mut stack: Vec<OriginId> = items.iter().map(|item| item.origin).collect();
        while let Some(&origin) = stack.last() {
            if is_known(&origins, origin) {
                stack.pop();
                continue;
            }
            let entry = from.origins().get(origin.0);
            let single: Vec<Caller> = entry.callers.iter().map(|item| Caller::known(*item)).collect();
            let (cycle, first): (&[Caller], OriginId) = match entry.cycle {
                Some((number, _)) => {
                    let (cycle, first) = &source.cycle_list[number as usize];
                    (cycle, *first)
                }
                None => (&single, origin),
            };
            let before = stack.len();
            stack.extend(cycle.iter().filter_map(|caller| match caller.reference {
                Reference::Known(origin) if !is_known(&origins, origin) => Some(origin),
                _ => None,
            }));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let mut imported: Vec<Caller> = Vec::with_capacity(cycle.len());
            let mut count = 0;
            for callers in members(cycle) {
                let mut copies = Vec::with_capacity(callers.len());
                for caller in callers {
                    let node = self.import_node(tables, from, source, caller.node)?;
                    let reference = match caller.reference {
                        Reference::Known(origin) => Reference::Known(translate(&origins, origin)),
                        Reference::Local(member) => Reference::Local(member),
                    };
                    copies.push(Caller { node, reference });
                }
                add_member(&mut imported, copies.into_iter());
                count += 1;
            }
            if entry.cycle.is_some() {
                let copy = self.intern_cycle(tables, &imported);
                for member in 0..count {
                    origins.insert(OriginId(first.0 + member), OriginId(copy.0 + member));
                }
            } else {
                let copy = self.intern_callers(tables, &imported, &[], false);
                origins.insert(origin, copy);
            }
        }
        let mut copies = Vec::with_capacity(items.len());
        for item in items {
            let node = self.import_node(tables, from, source, item.node)?;
            copies.push(Item { node, origin: translate(&origins, item.origin) });
        }
        copies.sort_unstable();
        tables.intern_set(&copies)
    }
}

impl Caller {
    const fn known(item: Item) -> Self {
        Self { node: item.node, reference: Reference::Known(item.origin) }
    }

    fn resolve(&self, resolved: impl FnOnce(u32) -> OriginId) -> Item {
        let origin = match self.reference {
            Reference::Known(origin) => origin,
            Reference::Local(place) => resolved(place),
        };
        Item { node: self.node, origin }
    }
}

fn translate(origins: &FxHashMap<OriginId, OriginId>, origin: OriginId) -> OriginId {
    if origin.is_outermost() { origin } else { origins[&origin] }
}

/// The origin with these callers. With Leo: one whose only caller is complete then too is that caller's origin.
fn intern_origin(tables: &Recognizer, callers: &mut Vec<Item>, leo: bool) -> OriginId {
    callers.sort_unstable();
    callers.dedup();
    if let [Item { node: NetworkNodeId::END, origin }] = callers[..]
        && leo
    {
        return origin;
    }
    let origins: &Interner<Origin> = tables.origins();
    let before = origins.len();
    let id = origins.intern(&callers[..], |callers| Origin::new(Callers::from_slice(callers), None));
    if origins.len() > before {
        tables.spend(size_of::<Origin>() + size_of_val(&callers[..]));
    }
    OriginId(id)
}
