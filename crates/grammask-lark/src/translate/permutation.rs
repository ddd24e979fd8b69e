//! Permutations: a parametric rule that sets one bit for each item becomes `unordered!`.
//!
//! `p::_ : "" %if is_ones([0:2]) | "a" p::set_bit(0) %if bit_clear(0) | "b" p::set_bit(1) %if bit_clear(1)`

use std::cmp::Ordering::{Equal, Greater, Less};

use grammask_work::narrow;

use super::{Environment, InstanceKey, Translator};
use crate::node::{NodeId, NodeKind};
use crate::tree::{AtomKind, Branch, Condition, Definition, Element, Parameter};

/// Permutations of at most this many items are expanded, as one of their items may be empty.
const MAX_EXPANDED_ITEMS: usize = 8;

/// An item: its elements, without the call, and its bit.
struct Item<'a> {
    elements: &'a [Element],
    bit: u32,
    branch: &'a Branch,
}

impl Translator<'_> {
    /// Returns the node of a rule that is a permutation with many items.
    pub(super) fn permutation(
        &mut self,
        key: &InstanceKey,
        definition: &Definition,
        environment: &Environment,
    ) -> Option<NodeId> {
        let value = key.parameter?;
        let body = definition.body.clone()?;
        let mut exits = Vec::new();
        let mut items: Vec<Item<'_>> = Vec::new();
        for branch in &body.branches {
            match item(branch, &definition.name) {
                Some(item) if items.iter().all(|known| known.bit != item.bit) => items.push(item),
                None if is_exit(branch) => exits.push(branch),
                _ => return None,
            }
        }
        if items.len() <= MAX_EXPANDED_ITEMS || exits.is_empty() {
            return None;
        }
        let all = items.iter().fold(0, |mask, item| mask | 1u64 << item.bit);
        items.retain(|item| value & (1 << item.bit) == 0);
        let symmetric = |branch: &&Branch| {
            branch.condition.as_ref().is_none_or(|condition| is_symmetric(condition, all, value))
        };
        if !exits.iter().all(symmetric) {
            return None;
        }
        let ends = |count: usize| {
            let set = items[..count].iter().fold(value, |mask, item| mask | 1 << item.bit);
            exits.iter().any(|exit| exit.condition.as_ref().is_none_or(|condition| condition.holds(set)))
        };
        let counts: Vec<usize> = (0..=items.len()).filter(|&count| ends(count)).collect();
        let (&min, &max) = (counts.first()?, counts.last()?);
        if counts.len() != max - min + 1 || max == 0 {
            return None;
        }
        let nodes: Vec<NodeId> = items
            .iter()
            .map(|item| {
                let parts: Vec<NodeId> =
                    item.elements.iter().map(|element| self.element(element, environment)).collect();
                match parts[..] {
                    [part] => part,
                    _ => self.push(NodeKind::Sequence(parts), item.branch.span, environment.scope),
                }
            })
            .collect();
        let kind = NodeKind::Unordered { items: nodes, min: narrow(min), max: narrow(max) };
        Some(self.push(kind, definition.span, environment.scope))
    }
}

/// Returns the item of a branch `x name::set_bit(i) %if bit_clear(i)`.
fn item<'a>(branch: &'a Branch, name: &str) -> Option<Item<'a>> {
    let [conjunct] = &branch.conjuncts[..] else { return None };
    let (last, elements) = conjunct.split_last()?;
    let AtomKind::Apply(called, Parameter::Or(mask)) = &last.atom.kind else { return None };
    if called != name || last.repeat.is_some() || mask.count_ones() != 1 || elements.is_empty() {
        return None;
    }
    let bit = mask.trailing_zeros();
    match branch.condition.as_ref()? {
        Condition::Compare { bits, orders: [Equal], number: 0 }
            if bits.start == bit && bits.end == bit + 1 =>
        {
            Some(Item { elements, bit, branch })
        }
        _ => None,
    }
}

/// Returns true for an empty alternative.
fn is_exit(branch: &Branch) -> bool {
    let is_empty =
        |element: &Element| matches!(&element.atom.kind, AtomKind::Text { text, .. } if text.is_empty());
    branch.conjuncts.len() == 1 && branch.conjuncts[0].iter().all(is_empty)
}

/// Returns true if a condition depends only on the number of bits in `all` that are set.
fn is_symmetric(condition: &Condition, all: u64, value: u64) -> bool {
    match condition {
        Condition::True => true,
        Condition::Count { bits, .. } => bits.mask() & all == all || bits.mask() & all == 0,
        Condition::Compare { bits, orders, number } => {
            let is_equality = matches!(orders, [Equal] | [Less, Greater]);
            let ends = [bits.of(value | all), bits.of(value & !all)];
            bits.mask() & all == 0 || is_equality && bits.mask() & all == all && ends.contains(number)
        }
        Condition::And(both) | Condition::Or(both) => both.iter().all(|part| is_symmetric(part, all, value)),
        Condition::Not(part) => is_symmetric(part, all, value),
    }
}
