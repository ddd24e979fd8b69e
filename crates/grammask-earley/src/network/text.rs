//! Networks and sets as text.

use std::fmt;

use grammask_regular::ByteSet;

use crate::{
    Callee, CalleeId, Class, Error, Item, LexemeText, Network, NetworkNodeId, Recognizer, SetId, Special,
};

/// Writes the first node, then one callee per line, then one node per line. `{:#}` adds the byte classes.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "start {}{}", self.start, if self.allows_empty { " or empty" } else { "" })?;
        for (index, callee) in (0..).zip(&self.callees) {
            let text = self.callee_text(CalleeId(index));
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
                    for (from, to) in &unordered.requires {
                        write!(f, " {from}->{to}")?;
                    }
                    writeln!(f)?;
                }
            }
        }
        for (index, node) in (0..).zip(&self.nodes) {
            write!(f, "{}{}", NetworkNodeId(index), if node.is_final { " final" } else { "" })?;
            // Edges with equal targets are one entry.
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
                writeln!(f, "class{class} {}", self.bytes_of(Class::new(class)))?;
            }
        }
        Ok(())
    }
}

impl Network {
    /// Returns the KBNF form of a callee.
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

    /// Returns the bytes of a class. The class of a special token has none.
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
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Id(id) => write!(f, "<[{id}]>"),
            Self::Set(set) => set.fmt(f),
        }
    }
}

impl Recognizer {
    /// Returns the text form of a state: its kernel, its predicted items and its live bytes; then all
    /// reachable origins with their callers.
    ///
    /// # Errors
    /// If the set exceeds a limit.
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
            text.push_str(&format!("  {head} {} {}\n", self.inspect().describe(item.node), item.origin));
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
            text.push_str(&format!("  {origin} callers"));
            for caller in self.callers(origin) {
                text.push_str(&format!(" ({}, {})", self.inspect().describe(caller.node), caller.origin));
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
