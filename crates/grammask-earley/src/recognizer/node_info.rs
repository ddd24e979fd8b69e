//! What a recognizer tells about single nodes: what they scan, what they call, which bytes they take. A walk that goes rule by rule
//! instead of set by set needs no more than that.

use std::sync::OnceLock;

use grammask_regular::{ByteSet, RegularId, Store};

use crate::recognizer::dynamic_nodes::{self, Kind, MadeNode, Phase, Standing};
use crate::unordered::distinct::Reading;
use crate::unordered::plan::Choice;
use crate::{Callee, CalleeId, Class, Error, NetworkNodeId, Recognizer};

/// What is known of a callee.
pub(crate) struct Entrance {
    pub(crate) start: OnceLock<NetworkNodeId>,
    pub(crate) takes: OnceLock<ByteSet>,
}

impl Entrance {
    pub(crate) const fn new() -> Self {
        Self { start: OnceLock::new(), takes: OnceLock::new() }
    }
}

/// What comes next among items in any order.
#[derive(Clone, Copy, Debug)]
pub enum Selection<'a> {
    /// What stands between two items.
    Separator {
        /// Where it begins.
        start: NetworkNodeId,
        /// Where to go on behind it.
        back: NetworkNodeId,
    },
    /// An item.
    Items {
        /// What is selected from.
        callee: CalleeId,
        /// How many items that has.
        count: usize,
        /// Those that may come, ascending.
        choices: &'a [Choice],
    },
}

impl Recognizer {
    /// Whether a rule may end at a node, and whether it may go on.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    #[inline]
    pub fn nature(&self, node: NetworkNodeId) -> (bool, bool) {
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
    pub fn scans(&self, node: NetworkNodeId) -> &[(Class, NetworkNodeId)] {
        self.network().nodes.get(node.index()).map_or(&[], |node| &node.scans)
    }

    /// The bytes that a node scans by itself. States of lexemes and counters scan none.
    #[inline]
    pub fn scanned(&self, node: NetworkNodeId) -> &ByteSet {
        self.network().scanned.get(node.index()).unwrap_or(&ByteSet::EMPTY)
    }

    /// Appends what a node calls: where each callee begins, and where to go on when it is complete.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn calls(
        &self,
        node: NetworkNodeId,
        calls: &mut Vec<(NetworkNodeId, NetworkNodeId)>,
    ) -> Result<(), Error> {
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
        for &(callee, back) in self.selection_calls(made)? {
            calls.push((self.start_of(callee)?, back));
        }
        match made.kind {
            Kind::Reading(Reading { behind: Some(behind), .. }) => self.calls(behind, calls)?,
            Kind::Pending(from, Phase::Behind) if made.goes_on => {
                if let Some(separator) = self.separator_behind(from) {
                    let back = self.lock().pending(self, from, Phase::Item);
                    calls.push((self.start_of(separator)?, back));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What a node of items in any order calls, and where to go on; nothing for others.
    fn selection_calls<'a>(&self, made: &'a MadeNode) -> Result<&'a [(CalleeId, NetworkNodeId)], Error> {
        let Kind::Unordered(standing) = &made.kind else { return Ok(&[]) };
        match standing.calls.get() {
            Some(known) => Ok(known),
            None => self.lock().selection_calls(self, standing),
        }
    }

    /// For a node that calls items in any order, what comes next: less than [`calls`](Self::calls) tells, which makes a node for each item that
    /// may come. Nothing where an item of `distinct!` may begin.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    ///
    /// # Complexity
    /// O(1) when asked before; else linear in the items and in what they need.
    pub fn selection(&self, node: NetworkNodeId) -> Result<Option<Selection<'_>>, Error> {
        if node.index() < self.network().nodes.len() {
            return Ok(None);
        }
        let made = self.made().get(node);
        let Kind::Unordered(standing) = &made.kind else { return Ok(None) };
        if standing.beginning.is_some() {
            return Ok(None);
        }
        let Callee::Unordered { items, separator, .. } = self.network().callee(standing.callee) else {
            return Ok(None);
        };
        if standing.phase == Phase::Behind && separator.is_some() {
            let &[(separator, back)] = self.selection_calls(made)? else { return Ok(None) };
            return Ok(Some(Selection::Separator { start: self.start_of(separator)?, back }));
        }
        let choices = self.choices(standing);
        Ok(Some(Selection::Items { callee: standing.callee, count: items.len(), choices }))
    }

    /// The items that may come next at a place.
    fn choices<'a>(&self, standing: &'a Standing) -> &'a [Choice] {
        match standing.items.get() {
            Some(known) => known,
            None => self.lock().items(self, standing),
        }
    }

    /// For a node of a rule that does nothing but call one lexeme, where that begins and where to go on behind it.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// O(1), but for the first time that the lexeme begins.
    pub fn only_lexeme(&self, node: NetworkNodeId) -> Result<Option<(NetworkNodeId, NetworkNodeId)>, Error> {
        let Some(known) = self.network().nodes.get(node.index()) else { return Ok(None) };
        match *known.calls {
            [(callee, back)] if known.scans.is_empty() => match self.network().callee(callee) {
                Callee::Lexeme { .. } => Ok(Some((self.start_of(callee)?, back))),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Where the lexemes of the grammar begin, in the order in which the network has met them.
    ///
    /// # Errors
    /// For each: when a limit is exceeded.
    pub fn lexeme_starts(&self) -> impl Iterator<Item = Result<NetworkNodeId, Error>> {
        let callees = (0..).map(CalleeId).zip(&self.network().callees);
        let lexemes = callees.filter(|(_, callee)| matches!(callee, Callee::Lexeme { .. }));
        lexemes.map(|(id, _)| self.start_of(id))
    }

    /// Where an item of those in any order begins.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// O(1).
    ///
    /// # Panics
    /// When there is no such item.
    pub fn item_start(&self, callee: CalleeId, item: usize) -> Result<NetworkNodeId, Error> {
        let Callee::Unordered { items, .. } = self.network().callee(callee) else {
            panic!("only what stands in any order has items");
        };
        self.start_of(items[item])
    }

    /// Whether a node calls items in any order, or is a place in one of `distinct!`.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    #[inline]
    pub fn is_selection(&self, node: NetworkNodeId) -> bool {
        node.index() >= self.network().nodes.len()
            && matches!(self.made().get(node).kind, Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..))
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
    pub fn takes(&self, node: NetworkNodeId) -> Result<ByteSet, Error> {
        let place = self.known_takes(node);
        if let Some(takes) = place.get() {
            return Ok(*takes);
        }
        let takes = match self.network().nodes.get(node.index()) {
            Some(_) => self.lock().takes(self, node)?,
            None => match self.made().get(node).kind {
                Kind::Lexeme(language, ..) => self.lock().live_bytes(language)?,
                Kind::Counter(counter, _) => self.taken_by(counter)?,
                Kind::Unordered(ref standing) if standing.beginning.is_none() => self.selected(standing)?,
                Kind::Unordered(ref standing) => {
                    let read = self.lock().read_bytes(self, node)?;
                    self.selected(standing)?.union(&read)
                }
                Kind::Reading(ref reading) => {
                    let read = self.lock().read_bytes(self, node)?;
                    match reading.behind {
                        Some(behind) => self.takes(behind)?.union(&read),
                        None => read,
                    }
                }
                Kind::Pending(from, phase) => match self.separator_behind(from) {
                    Some(separator) if phase == Phase::Behind => self.taken_by(separator)?,
                    _ => {
                        let others = self.lock().others(self, from)?;
                        let start = others.start.map(|start| self.takes(start)).transpose()?;
                        others.bytes.union(&start.unwrap_or(ByteSet::EMPTY))
                    }
                },
            },
        };
        Ok(*place.get_or_init(|| takes))
    }

    /// The bytes with which what comes next at a place among items in any order begins.
    fn selected(&self, standing: &Standing) -> Result<ByteSet, Error> {
        let Callee::Unordered { items, separator, unordered, .. } = self.network().callee(standing.callee)
        else {
            return Ok(ByteSet::EMPTY);
        };
        if let (&Some(separator), Phase::Behind) = (separator, standing.phase) {
            return self.taken_by(separator);
        }
        let choices = self.choices(standing).iter();
        choices
            .filter(|choice| unordered.distinct != Some(choice.item))
            .map(|choice| self.taken_by(items[choice.item()]))
            .try_fold(ByteSet::EMPTY, |all, takes| Ok(all.union(&takes?)))
    }

    /// The bytes with which a callee begins.
    fn taken_by(&self, callee: CalleeId) -> Result<ByteSet, Error> {
        match self.entrance(callee).takes.get() {
            Some(takes) => Ok(*takes),
            None => self.lock().taken_by(self, callee),
        }
    }

    /// Where a callee begins.
    fn start_of(&self, callee: CalleeId) -> Result<NetworkNodeId, Error> {
        if let Callee::Nonterminal { start, .. } = *self.network().callee(callee) {
            return Ok(start);
        }
        match self.entrance(callee).start.get() {
            Some(&start) => Ok(start),
            None => self.lock().start(self, callee),
        }
    }

    /// For a node that is a state of a lexeme, what `read` makes of its language. It is called while the store is locked: it must not ask the
    /// recognizer for anything, and others wait for it.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn lexeme<T>(&self, node: NetworkNodeId, read: impl FnOnce(&Store, RegularId) -> T) -> Option<T> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.made().get(node).kind {
            Kind::Lexeme(language, ..) => Some(read(self.lock().store(), language)),
            Kind::Counter(..) | Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..) => None,
        }
    }

    /// For a state of a lexeme, another state and a byte behind which it was come upon, if it was so: the language is the derivative
    /// of that one's.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn before(&self, node: NetworkNodeId) -> Option<(NetworkNodeId, u8)> {
        if !self.is_lexeme(node) {
            return None;
        }
        match self.made().get(node).kind {
            Kind::Lexeme(_, _, before) => before,
            Kind::Counter(..) | Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..) => None,
        }
    }

    /// Whether a node is a state of a lexeme.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    #[inline]
    pub fn is_lexeme(&self, node: NetworkNodeId) -> bool {
        node.index() >= self.network().nodes.len() && matches!(self.made().get(node).kind, Kind::Lexeme(..))
    }

    /// A node at which the same holds as at `node`, as long as no more than `bytes` bytes follow: of counters that are further than that from
    /// their bounds one stands for all.
    ///
    /// # Panics
    /// When the node is not of this recognizer.
    pub fn saturated(&self, node: NetworkNodeId, bytes: u32) -> NetworkNodeId {
        if node.index() < self.network().nodes.len() {
            return node;
        }
        match self.made().get(node).kind {
            Kind::Counter(counter, count) => {
                match dynamic_nodes::saturated(self.network().callee(counter), count, bytes) {
                    same if same == count => node,
                    other => self.lock().counter_node(self, counter, other),
                }
            }
            Kind::Lexeme(..) | Kind::Unordered(_) | Kind::Reading(_) | Kind::Pending(..) => node,
        }
    }

    /// How a node that is not in the network is written: a state of a lexeme, a counter, or what has been chosen of items.
    pub fn describe(&self, node: NetworkNodeId) -> String {
        if node.index() < self.network().nodes.len() || node == NetworkNodeId::DONE {
            return node.to_string();
        }
        match &self.made().get(node).kind {
            Kind::Lexeme(language, ..) => self.lock().store().display(*language).to_string(),
            Kind::Counter(counter, count) => format!("{count} of {}", self.network().callee_text(*counter)),
            Kind::Unordered(Standing { callee, number, phase, .. }) => {
                let text = self.lock().chosen_text(self, *callee, *number);
                let end = if *phase == Phase::Item { " before an item" } else { "" };
                format!("{text} of {}{end}", self.network().callee_text(*callee))
            }
            Kind::Reading(reading) => {
                let text = self.lock().text_of(reading);
                format!("{text} behind {}", self.describe(reading.from))
            }
            Kind::Pending(from, _) => format!("some text behind {}", self.describe(*from)),
        }
    }
}
