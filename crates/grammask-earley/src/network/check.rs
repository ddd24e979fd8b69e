//! Checks the invariants of a network.

use grammask_regular::{ByteClasses, ByteSet};
use grammask_work::narrow;

use crate::network::scanned;
use crate::{Callee, CalleeId, Class, Network, NetworkNodeId, Node};

/// A violated invariant of a [`Network`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Violation(String);

impl Violation {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Network {
    /// Tests the invariants listed at [`Network`].
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn check(&self) -> Result<(), Violation> {
        let fail = |text: String| Err(Violation(text));
        let is_node = |node: NetworkNodeId| node.index() < self.nodes.len();
        if self.nodes.first().is_none_or(|end| !end.is_final || end.goes_on()) {
            return fail("the first node is not the end".into());
        }
        if !is_node(self.start) {
            return fail(format!("the start {} is not a node", self.start));
        }
        if self.start == NetworkNodeId::END && !self.allows_empty {
            return fail("the start is the end, but the empty output is not allowed".into());
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let id = NetworkNodeId(narrow(index));
            if index > 0 && !node.goes_on() {
                return fail(format!("{id} has no edge and is not the end"));
            }
            if !node.scans.is_sorted_by(|a, b| a.0 < b.0) || !node.calls.is_sorted_by(|a, b| a.0 < b.0) {
                return fail(format!("the edges of {id} are not sorted, or occur twice"));
            }
            if node.scans.iter().any(|&(class, to)| class.index() >= self.classes() || !is_node(to)) {
                return fail(format!("{id} has a scan of an unknown class, or to an unknown node"));
            }
            if node.calls.iter().any(|&(callee, to)| callee.index() >= self.callees.len() || !is_node(to)) {
                return fail(format!("{id} has a call of an unknown callee, or to an unknown node"));
            }
        }
        let is_rule = |callee: CalleeId| {
            let callee = self.callees.get(callee.index());
            matches!(callee, Some(Callee::Nonterminal { .. } | Callee::Unordered { .. }))
        };
        for callee in &self.callees {
            match *callee {
                Callee::Unordered { ref items, separator, ref unordered, .. } => {
                    let distinct = unordered.distinct.map(|item| item as usize);
                    let is_lexeme = |item: CalleeId| {
                        matches!(self.callees.get(item.index()), Some(Callee::Lexeme { .. }))
                    };
                    let is_item = |(place, &item): (usize, &CalleeId)| {
                        if distinct != Some(place) {
                            return is_rule(item);
                        }
                        if unordered.distinct_values { is_rule(item) } else { is_lexeme(item) }
                    };
                    let is_right = items.iter().enumerate().all(is_item)
                        && separator.is_none_or(is_rule)
                        && (distinct.is_none() || self.byte_classes == 256)
                        && items.len() == unordered.items.len()
                        && separator.is_some() == unordered.has_separator;
                    if !is_right || unordered.check().is_err() {
                        return fail("the items of an `unordered!` are not valid".into());
                    }
                }
                Callee::Nonterminal { start, .. } if !is_node(start) || self.node(start).is_final => {
                    return fail(format!("a nonterminal begins at {start}, which is final or not a node"));
                }
                Callee::Lexeme { language, .. }
                    if language.index() >= self.store.len() || self.store.is_nullable(language) =>
                {
                    return fail(format!(
                        "a lexeme has the language {language}, which is nullable or unknown"
                    ));
                }
                Callee::Counter { element, min, max }
                    if !is_rule(element) || min < 1 || min > max || max < 2 =>
                {
                    return fail(format!(
                        "a counter has the bounds {min} to {max}, or an element that is not a rule"
                    ));
                }
                _ => {}
            }
        }
        self.check_copies()?;
        self.check_classes()?;
        if self.scanned != scanned(&self.nodes, &self.class_bytes) {
            return Err(Violation::new("a node scans other bytes than its set of scanned bytes"));
        }
        Ok(())
    }

    /// Checks that every node has a copy with the same scans and without calls.
    fn check_copies(&self) -> Result<(), Violation> {
        let is_copy = |(node, copy): (&Node, &NetworkNodeId)| {
            let copy = self.nodes.get(copy.index());
            copy.is_some_and(|copy| {
                copy.scans == node.scans && (node.scans.is_empty() || copy.calls.is_empty())
            })
        };
        if self.scan_only.len() != self.nodes.len() || !self.nodes.iter().zip(&self.scan_only).all(is_copy) {
            return Err(Violation::new("a node has no copy that only scans"));
        }
        Ok(())
    }

    /// Checks that each byte has one class, and that no lexeme distinguishes two bytes of a class.
    fn check_classes(&self) -> Result<(), Violation> {
        let fail = |text| Err(Violation::new(text));
        let mut classes = ByteClasses::new();
        self.class_bytes.iter().for_each(|bytes| classes.split(bytes));
        let is_in_class = |byte: u8| {
            let class = self.class_of(byte);
            self.bytes_of(class).contains(byte) && class == Class(classes.class_of(byte).into())
        };
        let size: usize = self.class_bytes.iter().map(ByteSet::len).sum();
        let counts = [self.class_bytes.len(), classes.len()];
        if counts != [self.byte_classes; 2] || size != 256 || !(0..=255).all(is_in_class) {
            return fail("a byte does not have exactly one class");
        }
        self.store.refine(self.lexemes(), &mut classes);
        if classes.len() > self.byte_classes {
            return fail("a lexeme distinguishes bytes of one class");
        }
        Ok(())
    }
}
