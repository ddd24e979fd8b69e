//! From callers to origins: equal lists of callers are the same origin, whichever set they were predicted in.
//!
//! Within a set that is being closed, callers may refer to what is predicted in the same set. As long as that goes
//! in no circle, an origin is interned by its list of callers, from the outside in. Where it does go in a circle (indirect or
//! hidden left recursion), all origins of the circle are interned together, by the shape of the circle.

use grammask_cache::Interner;
use rustc_hash::FxHashMap;

use crate::recognizer::{Origin, Recognizer};
use crate::workshop::Workshop;
use crate::{CalleeId, Error, Item, NodeId, OriginId, SetId};

/// Something predicted in the set that is being closed.
pub(crate) struct Local {
    pub(crate) callee: CalleeId,
    pub(crate) start: NodeId,
    pub(crate) callers: Vec<Caller>,
}

/// Where to go on when a callee is complete, and whom to tell then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Caller {
    pub(crate) node: NodeId,
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

/// Origins that call each other in a circle: the callers of each, in a fixed order.
pub(crate) type Cycle = Box<[Box<[Caller]>]>;

/// A component of locals that call each other is being searched.
const UNVISITED: u32 = u32::MAX;

impl Workshop {
    /// The origins of what is predicted.
    pub(crate) fn resolve(
        &mut self,
        tables: &Recognizer,
        locals: &mut [Local],
    ) -> Result<Vec<OriginId>, Error> {
        let leo = tables.config().leo;
        if leo {
            skip_last_calls(locals);
        }
        let mut resolved: Vec<Option<OriginId>> = vec![None; locals.len()];
        components(locals, |locals, component| {
            let is_cycle = component.len() > 1 || calls(&locals[component[0] as usize], component[0]);
            if is_cycle {
                self.resolve_cycle(tables, locals, component, &mut resolved);
            } else {
                let place = component[0] as usize;
                let callers = known_callers(&locals[place].callers, |place| {
                    resolved[place as usize].expect("callers come before callees")
                });
                resolved[place] = Some(intern_origin(tables, &callers, leo));
            }
        });
        Ok(resolved.into_iter().map(|origin| origin.expect("every local is in a component")).collect())
    }

    fn resolve_cycle(
        &mut self,
        tables: &Recognizer,
        locals: &[Local],
        component: &mut [u32],
        resolved: &mut [Option<OriginId>],
    ) {
        component.sort_unstable_by_key(|&place| locals[place as usize].callee);
        let member = |place: u32| component.iter().position(|&other| other == place);
        let callers_of = |&place: &u32| {
            let relative = |caller: &Caller| {
                let reference = match caller.reference {
                    Reference::Known(origin) => Reference::Known(origin),
                    Reference::Local(place) => match member(place) {
                        Some(member) => Reference::Local(member as u32),
                        None => {
                            Reference::Known(resolved[place as usize].expect("callers come before callees"))
                        }
                    },
                };
                Caller { node: caller.node, reference }
            };
            let mut callers: Vec<Caller> = locals[place as usize].callers.iter().map(relative).collect();
            callers.sort_unstable();
            callers.dedup();
            callers.into_boxed_slice()
        };
        let cycle: Cycle = component.iter().map(callers_of).collect();
        let first = self.intern_cycle(tables, cycle);
        for (member, &place) in component.iter().enumerate() {
            resolved[place as usize] = Some(OriginId(first.0 + member as u32));
        }
    }

    /// The first origin of a cycle; the others follow it.
    pub(crate) fn intern_cycle(&mut self, tables: &Recognizer, cycle: Cycle) -> OriginId {
        if let Some(&number) = self.cycles.get(&cycle) {
            return self.cycle_list[number as usize].1;
        }
        let number = self.cycle_list.len() as u32;
        // Only the holder of the lock adds origins, so the ids are known before.
        let first = OriginId(tables.origin_count() as u32);
        for (place, callers) in cycle.iter().enumerate() {
            let callers = known_callers(callers, |member| OriginId(first.0 + member));
            tables.spend(4 * size_of_val::<[Item]>(&callers));
            tables.origins().push(Origin::new(callers, Some((number, place as u32))));
        }
        self.cycles.insert(cycle.clone(), number);
        self.cycle_list.push((cycle, first));
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
            let single = [entry.callers.iter().map(|item| Caller::known(*item)).collect()];
            let (members, first): (&[Box<[Caller]>], OriginId) = match entry.cycle {
                Some((number, _)) => {
                    let (cycle, first) = &source.cycle_list[number as usize];
                    (cycle, *first)
                }
                None => (&single, origin),
            };
            let before = stack.len();
            let outside = members.iter().flat_map(|callers| callers.iter());
            stack.extend(outside.filter_map(|caller| match caller.reference {
                Reference::Known(origin) if !is_known(&origins, origin) => Some(origin),
                _ => None,
            }));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let mut imported: Vec<Box<[Caller]>> = Vec::with_capacity(members.len());
            for callers in members {
                let mut copies = Vec::with_capacity(callers.len());
                for caller in callers {
                    let node = self.import_node(tables, from, source, caller.node)?;
                    let reference = match caller.reference {
                        Reference::Known(origin) => Reference::Known(translate(&origins, origin)),
                        Reference::Local(member) => Reference::Local(member),
                    };
                    copies.push(Caller { node, reference });
                }
                copies.sort_unstable();
                imported.push(copies.into());
            }
            if entry.cycle.is_some() {
                let copy = self.intern_cycle(tables, imported.into());
                for member in 0..members.len() as u32 {
                    origins.insert(OriginId(first.0 + member), OriginId(copy.0 + member));
                }
            } else {
                let callers = known_callers(&imported[0], |_| unreachable!("no cycle, no members"));
                origins.insert(origin, intern_origin(tables, &callers, false));
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
}

fn translate(origins: &FxHashMap<OriginId, OriginId>, origin: OriginId) -> OriginId {
    if origin.is_outermost() { origin } else { origins[&origin] }
}

/// The callers with their references resolved; sorted, each once.
fn known_callers(callers: &[Caller], mut resolve: impl FnMut(u32) -> OriginId) -> Box<[Item]> {
    let known = |caller: &Caller| Item {
        node: caller.node,
        origin: match caller.reference {
            Reference::Known(origin) => origin,
            Reference::Local(place) => resolve(place),
        },
    };
    let mut items: Vec<Item> = callers.iter().map(known).collect();
    items.sort_unstable();
    items.dedup();
    items.into()
}

/// The origin with these callers. With Leo: one whose only caller is complete then too is that caller's origin.
fn intern_origin(tables: &Recognizer, callers: &[Item], leo: bool) -> OriginId {
    if let [Item { node: NodeId::END, origin }] = *callers
        && leo
    {
        return origin;
    }
    let origins: &Interner<Origin> = tables.origins();
    let before = origins.len();
    let id = origins.intern(callers, |callers| Origin::new(callers.into(), None));
    if origins.len() > before {
        tables.spend(size_of::<Origin>() + size_of_val(callers));
    }
    OriginId(id)
}

/// Leo's optimization, when predicting: where the one caller of a local is complete as soon as the local is, whoever
/// is called by the local's items tells the caller's origin directly.
fn skip_last_calls(locals: &mut [Local]) {
    // Whom to tell instead of each local. A chain of last calls begins outside of the set, so following it ends.
    let mut instead: Vec<Reference> = (0..locals.len() as u32)
        .map(|place| match locals[place as usize].callers[..] {
            [Caller { node: NodeId::END, reference }] => reference,
            _ => Reference::Local(place),
        })
        .collect();
    let mut path: Vec<u32> = Vec::new();
    for place in 0..locals.len() as u32 {
        let mut end = Reference::Local(place);
        while let Reference::Local(at) = end
            && instead[at as usize] != end
            && path.len() <= locals.len()
        {
            path.push(at);
            end = instead[at as usize];
        }
        // What has been followed once is not followed again.
        for at in path.drain(..) {
            instead[at as usize] = end;
        }
    }
    for caller in locals.iter_mut().flat_map(|local| &mut local.callers) {
        if let Reference::Local(place) = caller.reference {
            caller.reference = instead[place as usize];
        }
    }
}

fn calls(local: &Local, place: u32) -> bool {
    local.callers.iter().any(|caller| caller.reference == Reference::Local(place))
}

/// Calls `visit` for every strongly connected component of the locals, callers before callees.
///
/// # Source
/// R. Tarjan, "Depth-first search and linear graph algorithms", 1972; here with an explicit stack.
fn components(locals: &[Local], mut visit: impl FnMut(&[Local], &mut [u32])) {
    let mut index = vec![UNVISITED; locals.len()];
    let mut low = vec![0u32; locals.len()];
    let mut finished = vec![false; locals.len()];
    let mut next_index = 0;
    let mut open: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..locals.len() as u32 {
        if index[root as usize] != UNVISITED {
            continue;
        }
        path.push((root, 0));
        while let Some((place, edge)) = path.last_mut() {
            let here = *place as usize;
            if *edge == 0 && index[here] == UNVISITED {
                index[here] = next_index;
                low[here] = next_index;
                next_index += 1;
                open.push(*place);
            }
            let Some(caller) = locals[here].callers.get(*edge) else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(low[here]);
                }
                if low[here] == index[here] {
                    let start = open.iter().rposition(|&other| other as usize == here).expect("it is open");
                    for &member in &open[start..] {
                        finished[member as usize] = true;
                    }
                    visit(locals, &mut open[start..]);
                    open.truncate(start);
                }
                continue;
            };
            *edge += 1;
            if let Reference::Local(to) = caller.reference {
                let to_index = to as usize;
                if index[to_index] == UNVISITED {
                    path.push((to, 0));
                } else if !finished[to_index] {
                    low[here] = low[here].min(index[to_index]);
                }
            }
        }
    }
}
