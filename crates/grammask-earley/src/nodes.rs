//! What a recognizer tells about single nodes: what they scan, what they call, which bytes they take. A walk that goes rule by rule
//! instead of set by set needs no more than that.

use std::sync::OnceLock;

use grammask_regular::{ByteSet, RegularId, Store};

use crate::made::{self, Kind, MadeNode, Phase};
use crate::{Callee, CalleeId, Class, Error, NodeId, Recognizer};

/// What is known of a callee.
pub(crate) struct Entrance {
    start: OnceLock<NodeId>,
    pub(crate) takes: OnceLock<ByteSet>,
}

impl Entrance {
    pub(crate) const fn new() -> Self {
        Self { start: OnceLock::new(), takes: OnceLock::new() }
    }
}

impl Recognizer {
    /// Whether a rule may end at a node, and whether it may go on.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    #[inline]
    pub fn nature(&self, node: NodeId) -> (bool, bool) {
        match self.network().nodes.get(node.index()) {
            Some(known) => (known.is_final, known.goes_on()),
            None => {
                let made = self.made().get(node);
                (made.is_final, made.goes_on)
            }
        }
    }

    /// Where the classes lead that a node scans by itself; sorted by class. States of lexemes and counters have none.
    #[inline]
    pub fn scans(&self, node: NodeId) -> &[(Class, NodeId)] {
        self.network().nodes.get(node.index()).map_or(&[], |node| &node.scans)
    }

    /// Appends what a node calls: where each callee begins, and where to go on when it is complete.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn calls(&self, node: NodeId, calls: &mut Vec<(NodeId, NodeId)>) -> Result<(), Error> {
        if let Some(known) = self.network().nodes.get(node.index()) {
            for &(callee, back) in &known.calls {
                calls.push((self.start_of(callee)?, back));
            }
            return Ok(());
        }
        let made = self.made().get(node);
        if let (Kind::Counter(counter, count), true) = (&made.kind, made.goes_on)
            && let Callee::Counter { element, .. } = *self.network().callee(*counter)
        {
            let back = self.lock().counter_node(self, *counter, count + 1);
            calls.push((self.start_of(element)?, back));
        }
        for &(callee, back) in self.choices(made) {
            calls.push((self.start_of(callee)?, back));
        }
        Ok(())
    }

    /// What a node of items in any order calls, and where to go on; nothing for others.
    fn choices<'a>(&self, made: &'a MadeNode) -> &'a [(CalleeId, NodeId)] {
        let Kind::Unordered(callee, chosen, phase) = made.kind else { return &[] };
        match made.choices.get() {
            Some(known) => known,
            None => self.lock().choices(self, made, (callee, chosen, phase)),
        }
    }

    /// Whether a node calls items in any order.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    #[inline]
    pub fn is_selection(&self, node: NodeId) -> bool {
        node.index() >= self.network().nodes.len()
            && matches!(self.made().get(node).kind, Kind::Unordered(..))
    }

    /// The bytes by which a node goes on, what it calls included.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    ///
    /// # Complexity
    /// O(1) when asked before; else linear in the rules that may begin here.
    pub fn takes(&self, node: NodeId) -> Result<ByteSet, Error> {
        let place = self.known_takes(node);
        if let Some(takes) = place.get() {
            return Ok(*takes);
        }
        let takes = match self.network().nodes.get(node.index()) {
            Some(_) => self.lock().takes(self, node)?,
            None => match self.made().get(node).kind {
                Kind::Lexeme(language, ..) => self.lock().live_bytes(language)?,
                Kind::Counter(counter, _) => self.taken_by(counter)?,
                Kind::Unordered(..) => {
                    let mut takes = ByteSet::EMPTY;
                    for &(callee, _) in self.choices(self.made().get(node)) {
                        takes = takes.union(&self.taken_by(callee)?);
                    }
                    takes
                }
            },
        };
        Ok(*place.get_or_init(|| takes))
    }

    /// The bytes with which a callee begins.
    fn taken_by(&self, callee: CalleeId) -> Result<ByteSet, Error> {
        match self.entrance(callee).takes.get() {
            Some(takes) => Ok(*takes),
            None => self.lock().taken_by(self, callee),
        }
    }

    /// The bytes that a node of the network scans by itself.
    pub(crate) fn scanned(&self, node: NodeId) -> ByteSet {
        let classes = &self.network().class_bytes;
        let scans = self.scans(node).iter().filter_map(|&(class, _)| classes.get(class.index()));
        scans.fold(ByteSet::EMPTY, |all, bytes| all.union(bytes))
    }

    /// Where a callee begins.
    fn start_of(&self, callee: CalleeId) -> Result<NodeId, Error> {
        if let Callee::Nonterminal { start, .. } = *self.network().callee(callee) {
            return Ok(start);
        }
        let place = &self.entrance(callee).start;
        if let Some(start) = place.get() {
            return Ok(*start);
        }
        let start = self.lock().start(self, callee)?;
        Ok(*place.get_or_init(|| start))
    }

    /// For a node that is a state of a lexeme, what `read` makes of its language.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn lexeme<T>(&self, node: NodeId, read: impl FnOnce(&Store, RegularId) -> T) -> Option<T> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.made().get(node).kind {
            Kind::Lexeme(language, ..) => Some(read(self.lock().store(), language)),
            Kind::Counter(..) | Kind::Unordered(..) => None,
        }
    }

    /// For a state of a lexeme, another state and a byte behind which it was come upon, if it was so: the language is the derivative
    /// of that one's.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn before(&self, node: NodeId) -> Option<(NodeId, u8)> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.made().get(node).kind {
            Kind::Lexeme(_, _, before) => before,
            Kind::Counter(..) | Kind::Unordered(..) => None,
        }
    }

    /// Whether a node is a state of a lexeme.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    #[inline]
    pub fn is_lexeme(&self, node: NodeId) -> bool {
        node.index() >= self.network().nodes.len() && matches!(self.made().get(node).kind, Kind::Lexeme(..))
    }

    /// A node at which the same holds as at `node`, as long as no more than `bytes` bytes follow: of counters that are further than that from
    /// their bounds one stands for all.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn saturated(&self, node: NodeId, bytes: u32) -> NodeId {
        if node.index() < self.network().nodes.len() {
            return node;
        }
        match self.made().get(node).kind {
            Kind::Counter(counter, count) => {
                match made::saturated(self.network().callee(counter), count, bytes) {
                    same if same == count => node,
                    other => self.lock().counter_node(self, counter, other),
                }
            }
            Kind::Lexeme(..) | Kind::Unordered(..) => node,
        }
    }

    /// How a node that is not in the network is written: a state of a lexeme, a counter, or what has been chosen of items.
    pub fn describe(&self, node: NodeId) -> String {
        if node.index() < self.network().nodes.len() || node == NodeId::DONE {
            return node.to_string();
        }
        match self.made().get(node).kind {
            Kind::Lexeme(language, ..) => self.lock().store().display(language).to_string(),
            Kind::Counter(counter, count) => format!("{count} of {}", self.network().callee_text(counter)),
            Kind::Unordered(callee, chosen, phase) => {
                let text = self.lock().chosen_text(self, callee, chosen);
                let end = if phase == Phase::Item { " before an item" } else { "" };
                format!("{text} of {}{end}", self.network().callee_text(callee))
            }
        }
    }
}
