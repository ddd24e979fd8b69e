//! Copies a state from another recognizer of the same network, with all origins that its items reach.

use rustc_hash::FxHashMap;

use crate::recognizer::Recognizer;
use crate::step::Context;
use crate::step::nodes::NodeFactory;
use crate::step::origins::{Caller, Reference, add_member, members};
use crate::{Error, Item, NetworkNodeId, OriginId, SetId};

/// An import in progress.
struct Import<'a> {
    target: &'a mut NodeFactory,
    cx: Context<'a>,
    source: &'a Recognizer,
    source_nodes: &'a NodeFactory,
    /// Copies by their origin in the source.
    copies: FxHashMap<OriginId, OriginId>,
}

/// Returns the state of `cx.tables` that corresponds to the state of `source` with these items.
///
/// # Complexity
/// Linear in the origins reachable from the items.
pub(crate) fn import<'a>(
    target: &'a mut NodeFactory,
    cx: Context<'a>,
    source: &'a Recognizer,
    source_nodes: &'a NodeFactory,
    items: &[Item],
) -> Result<SetId, Error> {
    let mut import = Import { target, cx, source, source_nodes, copies: FxHashMap::default() };
    import.copy_origins(items.iter().map(|item| item.origin).collect())?;
    let mut copies = Vec::with_capacity(items.len());
    for item in items {
        let node = import.node(item.node)?;
        copies.push(Item { node, origin: import.origin(item.origin) });
    }
    copies.sort_unstable();
    cx.tables.intern_set(&copies)
}

impl Import<'_> {
    fn is_copied(&self, origin: OriginId) -> bool {
        origin.is_outermost() || self.copies.contains_key(&origin)
    }

    /// Returns the copy of an origin that has been copied. Outermost origins are the same in all recognizers.
    fn origin(&self, origin: OriginId) -> OriginId {
        if origin.is_outermost() { origin } else { self.copies[&origin] }
    }

    fn node(&mut self, node: NetworkNodeId) -> Result<NetworkNodeId, Error> {
        self.target.import(self.cx, self.source, self.source_nodes, node)
    }

    /// Copies the origins on the stack, each after the origins that it refers to.
    fn copy_origins(&mut self, mut stack: Vec<OriginId>) -> Result<(), Error> {
        while let Some(&origin) = stack.last() {
            if self.is_copied(origin) {
                stack.pop();
                continue;
            }
            let entry = self.source.origins().get(origin.0);
            let single: Vec<Caller> = entry.callers.iter().map(|item| Caller::known(*item)).collect();
            let (cycle, first) = match entry.cycle {
                Some((number, _)) => self.source_nodes.origins.cycle(number),
                None => (&single[..], origin),
            };
            let before = stack.len();
            stack.extend(cycle.iter().filter_map(|caller| match caller.reference {
                Reference::Known(origin) if !self.is_copied(origin) => Some(origin),
                _ => None,
            }));
            if stack.len() == before {
                stack.pop();
                self.copy_cycle(cycle, first, entry.cycle.is_some())?;
            }
        }
        Ok(())
    }

    /// Copies a cycle, or a single origin written as a cycle of one member. All other origins that it refers
    /// to must have been copied.
    fn copy_cycle(&mut self, cycle: &[Caller], first: OriginId, is_cycle: bool) -> Result<(), Error> {
        let mut copy: Vec<Caller> = Vec::with_capacity(cycle.len());
        let mut count = 0;
        for callers in members(cycle) {
            let mut copied = Vec::with_capacity(callers.len());
            for caller in callers {
                let node = self.node(caller.node)?;
                let reference = match caller.reference {
                    Reference::Known(origin) => Reference::Known(self.origin(origin)),
                    Reference::Local(member) => Reference::Local(member),
                };
                copied.push(Caller { node, reference });
            }
            add_member(&mut copy, copied.into_iter());
            count += 1;
        }
        if is_cycle {
            let copied_first = self.target.origins.intern_cycle(self.cx, &copy);
            for member in 0..count {
                self.copies.insert(OriginId(first.0 + member), OriginId(copied_first.0 + member));
            }
        } else {
            let copied = self.target.origins.intern(self.cx, &copy, &[], false);
            self.copies.insert(first, copied);
        }
        Ok(())
    }
}
