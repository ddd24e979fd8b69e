//! Networks and sets as text, and the check of a network's invariants.

use std::fmt;

use grammask_regular::{ByteClasses, ByteSet};

use crate::network::scanned;
use crate::{
    Callee, CalleeId, Class, Error, Item, LexemeText, Network, Node, NodeId, Recognizer, SetId, Special,
};

/// An invariant of [`Network`] that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Violation(String);

impl Violation {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Where it begins, one callee per line, then one node per line; `{:#}` adds the byte classes.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "start {}", self.start)?;
        for (index, callee) in self.callees.iter().enumerate() {
            let text = self.callee_text(CalleeId(index as u32));
            match callee {
                Callee::Nonterminal { start, .. } => writeln!(f, "rule {text} {start}")?,
                Callee::Lexeme { .. } => writeln!(f, "lexeme {text}")?,
                Callee::Counter { .. } => writeln!(f, "counter {text}")?,
                Callee::Unordered { items, separator, unordered, .. } => {
                    write!(f, "unordered {text}")?;
                    for (place, (&item, &(min, max))) in (0..).zip(items.iter().zip(&unordered.items)) {
                        if unordered.distinct == Some(place) {
                            write!(f, " distinct!({})", self.callee_text(item))?;
                            continue;
                        }
                        let max = max.map(|max| max.to_string()).unwrap_or_default();
                        write!(f, " {}{{{min},{max}}}", self.callee_text(item))?;
                    }
                    if let Some(separator) = separator {
                        write!(f, " ; {}", self.callee_text(*separator))?;
                    }
                    let max = unordered.max.map(|max| max.to_string()).unwrap_or_default();
                    write!(f, " ; {{{},{max}}}", unordered.min)?;
                    for (from, to) in &unordered.needs {
                        write!(f, " {from}->{to}")?;
                    }
                    writeln!(f)?;
                }
            }
        }
        for (index, node) in self.nodes.iter().enumerate() {
            write!(f, "{}{}", NodeId(index as u32), if node.is_final { " final" } else { "" })?;
            // Edges with the same target are one entry.
            let mut scans = node.scans.to_vec();
            scans.sort_by_key(|&(class, to)| (to, class));
            for group in scans.chunk_by(|a, b| a.1 == b.1) {
                let classes: Vec<Class> = group.iter().map(|&(class, _)| class).collect();
                write!(f, " | {} {}", self.classes_text(&classes), group[0].1)?;
            }
            for &(callee, to) in &node.calls {
                write!(f, " | {} {to}", self.callee_text(callee))?;
            }
            writeln!(f)?;
        }
        if f.alternate() {
            for class in 0..self.byte_classes {
                writeln!(f, "class{class} {}", self.bytes_of(Class(class as u16)))?;
            }
        }
        Ok(())
    }
}

impl Network {
    /// A callee as it is written in KBNF.
    pub fn callee_text(&self, id: CalleeId) -> String {
        match self.callee(id) {
            Callee::Nonterminal { name, .. } | Callee::Unordered { name, .. } => name.to_string(),
            Callee::Lexeme { text: LexemeText::Written(text), .. } => text.clone(),
            Callee::Lexeme { text: LexemeText::Terminal(id), .. } => {
                grammask_normal::terminal_text(&self.terminals, *id)
            }
            // Counters count nonterminals, so this goes one level deep.
            Callee::Counter { element, min, max } => format!("{}{{{min},{max}}}", self.callee_text(*element)),
        }
    }

    /// The bytes of a class; none for the class of a special token.
    pub fn bytes_of(&self, class: Class) -> ByteSet {
        self.class_bytes.get(class.index()).copied().unwrap_or_default()
    }

    fn classes_text(&self, classes: &[Class]) -> String {
        let mut bytes = ByteSet::default();
        let mut text = String::new();
        for &class in classes {
            match class.index().checked_sub(self.byte_classes) {
                None => bytes = bytes.union(&self.bytes_of(class)),
                Some(special) => text.push_str(&self.specials[special].to_string()),
            }
        }
        if bytes.is_empty() { text } else { format!("{bytes}{text}") }
    }

    /// Tests the invariants that stand at [`Network`].
    ///
    /// # Errors
    /// The first one that does not hold.
    pub fn check(&self) -> Result<(), Violation> {
        let fail = |text: String| Err(Violation(text));
        let is_node = |node: NodeId| node.index() < self.nodes.len();
        if self.nodes.first().is_none_or(|end| !end.is_final || end.goes_on()) {
            return fail("the first node is not the end".into());
        }
        if !is_node(self.start) {
            return fail(format!("the start {} is no node", self.start));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let id = NodeId(index as u32);
            if index > 0 && !node.goes_on() {
                return fail(format!("{id} has no edge and is not the end"));
            }
            if !node.scans.is_sorted_by(|a, b| a.0 < b.0) || !node.calls.is_sorted_by(|a, b| a.0 < b.0) {
                return fail(format!("the edges of {id} are not in order, each once"));
            }
            if node.scans.iter().any(|&(class, to)| class.index() >= self.classes() || !is_node(to)) {
                return fail(format!("{id} scans to nowhere"));
            }
            if node.calls.iter().any(|&(callee, to)| callee.index() >= self.callees.len() || !is_node(to)) {
                return fail(format!("{id} calls nobody"));
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
                        if distinct == Some(place) { is_lexeme(item) } else { is_rule(item) }
                    };
                    let is_right = items.iter().enumerate().all(is_item)
                        && separator.is_none_or(is_rule)
                        && (distinct.is_none() || self.byte_classes == 256)
                        && items.len() == unordered.items.len()
                        && separator.is_some() == unordered.has_separator;
                    if !is_right || unordered.check().is_err() {
                        return fail("items in any order are no selection of nonterminals".into());
                    }
                }
                Callee::Nonterminal { start, .. } if !is_node(start) || self.node(start).is_final => {
                    return fail(format!("a nonterminal begins at {start}"));
                }
                Callee::Lexeme { language, .. }
                    if language.index() >= self.store.len() || self.store.is_nullable(language) =>
                {
                    return fail(format!("a lexeme is the language {language}"));
                }
                Callee::Counter { element, min, max }
                    if !is_rule(element) || min < 1 || min > max || max < 2 =>
                {
                    return fail(format!("a counter counts from {min} to {max}"));
                }
                _ => {}
            }
        }
        self.check_copies()?;
        self.check_classes()?;
        if self.scanned != scanned(&self.nodes, &self.class_bytes) {
            return Err(Violation::new("a node scans other bytes than are kept of it"));
        }
        Ok(())
    }

    fn check_copies(&self) -> Result<(), Violation> {
        let is_copy = |(node, copy): (&Node, &NodeId)| {
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
            return fail("a byte has no class, or several");
        }
        self.store.refine(self.lexemes(), &mut classes);
        if classes.len() > self.byte_classes {
            return fail("a lexeme tells bytes of one class apart");
        }
        Ok(())
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Id(id) => write!(f, "<[{id}]>"),
        }
    }
}

impl Recognizer {
    /// A set as text: its kernel, what it completes, what it predicts, and what bytes go on; then the origins that it names and those
    /// that they name.
    ///
    /// # Errors
    /// When the set exceeds a limit.
    pub fn show(&self, state: SetId) -> Result<String, Error> {
        let mut text = format!("{state}");
        if self.completed(state).any(|origin| origin == crate::OriginId::ROOT) {
            text.push_str(" complete");
        }
        text.push('\n');
        let mut origins: Vec<crate::OriginId> = Vec::new();
        let mut line = |head: &str, item: &Item, origins: &mut Vec<crate::OriginId>| {
            if !item.origin.is_outermost() && !origins.contains(&item.origin) {
                origins.push(item.origin);
            }
            text.push_str(&format!("  {head} {} {}\n", self.describe(item.node), item.origin));
        };
        for item in self.kernel(state) {
            line("kernel", item, &mut origins);
        }
        for item in self.scanners(state)?.iter().filter(|item| !self.kernel(state).contains(item)) {
            line("predicted", item, &mut origins);
        }
        let live = self.live_bytes(state)?;
        if !live.is_empty() {
            text.push_str(&format!("  bytes {live}\n"));
        }
        let mut next = 0;
        while let Some(&origin) = origins.get(next) {
            text.push_str(&format!("  {origin} tells"));
            for caller in self.callers(origin) {
                text.push_str(&format!(" ({}, {})", self.describe(caller.node), caller.origin));
                if !caller.origin.is_outermost() && !origins.contains(&caller.origin) {
                    origins.push(caller.origin);
                }
            }
            text.push('\n');
            next += 1;
        }
        Ok(text)
    }
}
