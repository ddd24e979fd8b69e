//! Which nodes may be empty, and which lazy lexemes they may begin with.

use grammask_work::narrow;
use rustc_hash::FxHashMap;

use super::left_recursion;
use crate::node::{Instance, Node, NodeId, NodeKind};
use crate::term::{TermId, Terms};

/// An interned set of lazy lexemes. The first one is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SetId(u32);

impl SetId {
    pub(super) const NONE: Self = Self(0);
}

/// Sets of lazy lexemes, by their non-empty texts.
pub(super) struct Sets {
    lists: Vec<Vec<TermId>>,
    ids: FxHashMap<Vec<TermId>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl Sets {
    fn new() -> Self {
        let ids = FxHashMap::from_iter([(Vec::new(), SetId::NONE)]);
        Self { lists: vec![Vec::new()], ids, unions: FxHashMap::default() }
    }

    pub(super) fn list(&self, id: SetId) -> &[TermId] {
        &self.lists[id.0 as usize]
    }

    fn intern(&mut self, list: Vec<TermId>) -> SetId {
        if let Some(&known) = self.ids.get(&list) {
            return known;
        }
        let id = SetId(narrow(self.lists.len()));
        self.lists.push(list.clone());
        self.ids.insert(list, id);
        id
    }

    pub(super) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        let key = (a.min(b), a.max(b));
        if a == b || key.0 == SetId::NONE {
            return key.1;
        }
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let mut list = [self.list(a), self.list(b)].concat();
        list.sort_unstable();
        list.dedup();
        let id = self.intern(list);
        self.unions.insert(key, id);
        id
    }
}

pub(super) struct Analysis {
    pub sets: Sets,
    /// True if the node may be empty.
    pub nullable: Vec<bool>,
    /// Lazy lexemes that the node may begin with.
    pub first: Vec<SetId>,
    /// Lazy lexemes that may begin after the node because the node continues: in a further round of a loop,
    /// or in a left-recursive rule.
    pub again: Vec<SetId>,
    /// True if the grammar has lazy lexemes.
    pub has_lazy: bool,
}

impl Analysis {
    pub(super) fn new(nodes: &[Node], instances: &[Instance], terms: &mut Terms) -> Self {
        let mut parents: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
        for (id, node) in (0..).map(NodeId).zip(nodes) {
            for child in node.kind.children() {
                parents[child.index()].push(id);
            }
            if let NodeKind::Call(instance) = node.kind
                && let Some(body) = instances[instance.index()].node
            {
                parents[body.index()].push(id);
            }
        }
        let mut analysis = Self {
            sets: Sets::new(),
            nullable: vec![false; nodes.len()],
            first: vec![SetId::NONE; nodes.len()],
            again: vec![SetId::NONE; nodes.len()],
            has_lazy: false,
        };
        for (i, node) in nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Empty => analysis.nullable[i] = true,
                NodeKind::Lexeme { term, is_lazy } => {
                    analysis.nullable[i] = terms.is_nullable(term);
                    if is_lazy {
                        let head = terms.non_empty(term);
                        analysis.first[i] = analysis.sets.intern(vec![head]);
                        analysis.has_lazy = true;
                    }
                }
                _ => {}
            }
        }
        analysis.close(nodes, &parents, |analysis, id| analysis.update_nullable(nodes, instances, id));
        if analysis.has_lazy {
            analysis.close(nodes, &parents, |analysis, id| analysis.update_first(nodes, instances, id));
            let growth = left_recursion::growth(&mut analysis, nodes, instances);
            analysis
                .close(nodes, &parents, |analysis, id| analysis.update_again(nodes, instances, &growth, id));
        }
        analysis
    }

    /// Applies an update until no node changes.
    fn close(&mut self, nodes: &[Node], parents: &[Vec<NodeId>], update: impl Fn(&mut Self, NodeId) -> bool) {
        let mut queue: Vec<NodeId> = (0..narrow(nodes.len())).rev().map(NodeId).collect();
        let mut is_queued = vec![true; nodes.len()];
        while let Some(id) = queue.pop() {
            is_queued[id.index()] = false;
            if update(self, id) {
                for &parent in &parents[id.index()] {
                    if !std::mem::replace(&mut is_queued[parent.index()], true) {
                        queue.push(parent);
                    }
                }
            }
        }
    }

    /// Returns true if the node changed or its parents have not seen it yet.
    fn update_nullable(&mut self, nodes: &[Node], instances: &[Instance], id: NodeId) -> bool {
        let is = |part: &NodeId| self.nullable[part.index()];
        let now = match &nodes[id.index()].kind {
            NodeKind::Empty | NodeKind::Lexeme { .. } => return is(&id),
            NodeKind::Never | NodeKind::Special(_) | NodeKind::Tokens { .. } | NodeKind::Graft(_) => false,
            NodeKind::Call(instance) => instances[instance.index()].node.as_ref().is_some_and(is),
            NodeKind::Sequence(parts) => parts.iter().all(is),
            NodeKind::Alternatives(parts) => parts.iter().any(is),
            NodeKind::Repeat(part, min, _) => *min == 0 || is(part),
            NodeKind::Unordered { min, .. } => *min == 0,
        };
        now && !std::mem::replace(&mut self.nullable[id.index()], now)
    }

    fn update_first(&mut self, nodes: &[Node], instances: &[Instance], id: NodeId) -> bool {
        let mut now = self.first[id.index()];
        match &nodes[id.index()].kind {
            NodeKind::Lexeme { .. } => return now != SetId::NONE,
            NodeKind::Call(instance) => {
                if let Some(body) = instances[instance.index()].node {
                    now = self.sets.union(now, self.first[body.index()]);
                }
            }
            NodeKind::Sequence(parts) => {
                for part in parts {
                    now = self.sets.union(now, self.first[part.index()]);
                    if !self.nullable[part.index()] {
                        break;
                    }
                }
            }
            kind => {
                for part in kind.children() {
                    now = self.sets.union(now, self.first[part.index()]);
                }
            }
        }
        now != std::mem::replace(&mut self.first[id.index()], now)
    }

    fn update_again(&mut self, nodes: &[Node], instances: &[Instance], growth: &[SetId], id: NodeId) -> bool {
        let mut now = self.again[id.index()];
        match &nodes[id.index()].kind {
            NodeKind::Call(instance) => {
                now = self.sets.union(now, growth[instance.index()]);
                if let Some(body) = instances[instance.index()].node {
                    now = self.sets.union(now, self.again[body.index()]);
                }
            }
            NodeKind::Sequence(parts) => {
                for part in parts.iter().rev() {
                    now = self.sets.union(now, self.again[part.index()]);
                    if !self.nullable[part.index()] {
                        break;
                    }
                }
            }
            kind => {
                let is_loop = match kind {
                    NodeKind::Repeat(_, _, max) => *max != Some(1),
                    kind => matches!(kind, NodeKind::Unordered { .. }),
                };
                for part in kind.children() {
                    now = self.sets.union(now, self.again[part.index()]);
                    if is_loop {
                        now = self.sets.union(now, self.first[part.index()]);
                    }
                }
            }
        }
        now != std::mem::replace(&mut self.again[id.index()], now)
    }

    /// Returns the lazy lexemes that parts of a sequence may begin with, or that follow if all may be empty.
    pub(super) fn first_of(&mut self, parts: &[NodeId], follow: SetId) -> SetId {
        let mut set = SetId::NONE;
        for part in parts {
            set = self.sets.union(set, self.first[part.index()]);
            if !self.nullable[part.index()] {
                return set;
            }
        }
        self.sets.union(set, follow)
    }
}
