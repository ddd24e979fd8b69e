//! Steps of the automaton: derivatives by a byte, remembered per state and byte class.

use crate::store::node::{INHABITED, Kind, NO_ROW, RegularId, Spelling, TRIMMED, UNBOUNDED, UNKNOWN, VOID};
use crate::{ByteClasses, ByteSet, Error, Store};
use rustc_hash::{FxHashMap, FxHashSet};

impl Store {
    /// What may follow `byte` in `a`: the next state of the automaton. An empty language is always [`RegularId::EMPTY`],
    /// so a dead end is noticed at once.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// A look-up when it was asked before for this byte or another of its class; else time linear in the size of the
    /// expression, without the inside of texts and automata. With complements or intersections inside, a search that
    /// [`Config::emptiness_steps`](crate::Config::emptiness_steps) bounds may be added, once per state.
    ///
    /// # Source
    /// Brzozowski, *Derivatives of regular expressions* (1964); Owens, Reppy, Turon, *Regular-expression derivatives
    /// re-examined* (2009), for classes of bytes.
    pub fn derivative(&mut self, a: RegularId, byte: u8) -> Result<RegularId, Error> {
        let next = self.raw_derivative(a, byte)?;
        if self.node(next).has(TRIMMED) {
            return Ok(next);
        }
        let trimmed = self.trim(next)?;
        self.remember(a, byte, trimmed);
        Ok(trimmed)
    }

    /// What may follow a text in `a`: the derivative by one byte after the other. States on the way are not made where a JSON string spells the text
    /// out, as with keys.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// As [`derivative`](Self::derivative) for each byte; linear in the text where it is spelled out.
    ///
    /// ```
    /// # use grammask_regular::{Config, RegularId, Store};
    /// let mut store = Store::new(&Config::default());
    /// let a = store.regex("[a-z]{3}=[0-9]+")?;
    /// let digits = store.regex("[0-9]+")?;
    /// assert_eq!(store.derivative_by_text(a, b"key=")?, digits);
    /// assert_eq!(store.derivative_by_text(a, b"keys")?, RegularId::EMPTY);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn derivative_by_text(&mut self, a: RegularId, text: &[u8]) -> Result<RegularId, Error> {
        let (mut a, mut rest) = (a, text);
        while let Some((&byte, behind)) = rest.split_first() {
            (a, rest) = match self.behind_spelling(a, rest)? {
                Some((next, read)) => (next, &rest[read..]),
                None => (self.derivative(a, byte)?, behind),
            };
        }
        Ok(a)
    }

    /// Where a JSON string spells out some of the first bytes of a text, what may follow these, and how many they are.
    fn behind_spelling(&mut self, a: RegularId, text: &[u8]) -> Result<Option<(RegularId, usize)>, Error> {
        let Kind::Concat(head, tail) = self.node(a).kind else { return Ok(None) };
        let Kind::Json { text: mut inner, at: Spelling::Text } = self.node(head).kind else {
            return Ok(None);
        };
        let raw = text.iter().take_while(|&&byte| Self::is_raw(byte)).count();
        let mut read = 0;
        if let Kind::Words { range, depth } = self.node(inner).kind {
            let (list, start, end) = self.ranges[range as usize];
            if start + 1 == end {
                let rest = &self.words[list as usize].word(start)[depth as usize..];
                read = rest.iter().zip(&text[..raw]).take_while(|(one, other)| one == other).count();
                if read > 0 {
                    inner = self.words_behind(range, depth + read as u32)?;
                }
            }
        }
        while let Some(&byte) = text[..raw].get(read)
            && let Kind::Concat(first, rest) = self.node(inner).kind
            && let Kind::Bytes(set) = self.node(first).kind
            && self.byte_set(set).single_byte() == Some(byte)
        {
            (inner, read) = (rest, read + 1);
        }
        if read == 0
            && let Some(found) = self.behind_other_texts(inner, &text[..raw])?
        {
            (inner, read) = found;
        }
        if read < 2 {
            return Ok(None);
        }
        let head = self.json_node(inner)?;
        let next = self.concat_two(head, tail)?;
        let next = if self.node(next).has(TRIMMED) { next } else { self.trim(next)? };
        Ok(Some((next, read)))
    }

    /// What may follow a text in the language of all texts but some, and how much of it was read: whole characters.
    fn behind_other_texts(&mut self, a: RegularId, text: &[u8]) -> Result<Option<(RegularId, usize)>, Error> {
        let Some((any, some)) = self.all_texts_but(a)? else { return Ok(None) };
        let read = std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
        if read < 2 {
            return Ok(None);
        }
        let mut rest = some;
        for &byte in &text[..read] {
            rest = self.raw_derivative(rest, byte)?;
        }
        let rest = self.complement(rest)?;
        Ok(Some((self.intersection(&[any, rest])?, read)))
    }

    /// Does `a` contain a string that is not empty: can it go on?
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn has_more(&mut self, a: RegularId) -> Result<bool, Error> {
        let node = *self.node(a);
        if node.max == 0 || node.has(VOID) {
            return Ok(false);
        }
        if node.has(crate::store::node::PLAIN) {
            return Ok(true);
        }
        if !self.is_nullable(a) {
            return Ok(!self.is_empty(a)?);
        }
        for class in 0..self.partitions.len(node.partition) {
            let byte = self.partitions.representative(node.partition, class);
            if self.derivative(a, byte)? != RegularId::EMPTY {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The bytes that a string of `a` begins with.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// As [`evident_bytes`](Self::evident_bytes), where that says something; else one derivative for each byte class of `a`.
    pub fn live_bytes(&mut self, a: RegularId) -> Result<ByteSet, Error> {
        if let Some(evident) = self.evident_bytes(a) {
            return Ok(evident);
        }
        let partition = self.node(a).partition;
        let mut live = ByteSet::EMPTY;
        for class in 0..self.partitions.len(partition) {
            let byte = self.partitions.representative(partition, class);
            if self.derivative(a, byte)? != RegularId::EMPTY {
                live = live.union(self.partitions.class(partition, class));
            }
        }
        Ok(live)
    }

    /// Splits `classes` so that all bytes in one class behave alike in the given languages and in everything that is reachable
    /// from them.
    ///
    /// # Complexity
    /// Linear in the size of the expressions, what they share counted once, with the whole of their automata and texts.
    pub fn refine(&self, languages: impl IntoIterator<Item = RegularId>, classes: &mut ByteClasses) {
        self.refine_unless(languages, classes, || false);
    }

    /// The same, unless somebody who is asked between some thousand steps says to stop; whether nobody has. The classes mean nothing else.
    pub fn refine_unless(
        &self,
        languages: impl IntoIterator<Item = RegularId>,
        classes: &mut ByteClasses,
        mut is_stopped: impl FnMut() -> bool,
    ) -> bool {
        const BETWEEN_QUESTIONS: usize = 1 << 14;
        let mut seen = vec![false; self.len()];
        let mut splits = FxHashSet::default();
        let mut bytes = ByteSet::EMPTY;
        let mut stack: Vec<RegularId> = languages.into_iter().collect();
        let mut acyclic = Vec::new();
        let mut words: FxHashMap<u32, u32> = FxHashMap::default();
        let (mut avoid, mut factors) = (FxHashSet::default(), FxHashSet::default());
        let mut has_json = false;
        let mut steps = 0;
        while let Some(a) = stack.pop() {
            if std::mem::replace(&mut seen[a.index()], true) {
                continue;
            }
            steps += 1;
            if steps % BETWEEN_QUESTIONS == 0 && is_stopped() {
                return false;
            }
            match self.node(a).kind {
                Kind::Empty | Kind::Epsilon => {}
                Kind::Bytes(set) => {
                    let set = self.byte_set(set);
                    match set.single_byte() {
                        Some(byte) => bytes.insert(byte),
                        None => _ = splits.insert(*set),
                    }
                }
                Kind::Acyclic(state) => acyclic.push(state),
                // Many expressions may be states of one automaton or rests of the same words.
                Kind::Words { range, depth } => {
                    let least = words.entry(range).or_insert(depth);
                    *least = depth.min(*least);
                }
                Kind::Avoid { automaton, .. } => {
                    avoid.insert(automaton);
                }
                Kind::Factor { automaton, .. } => {
                    factors.insert(automaton);
                }
                Kind::Concat(head, tail) => stack.extend([head, tail]),
                Kind::Or(list) | Kind::And(list) => stack.extend(self.list(list)),
                Kind::Json { text: a, .. } => {
                    stack.push(a);
                    has_json = true;
                }
                Kind::Number(state) => splits.extend(self.number_splits(state)),
                Kind::Not(a) | Kind::Early(a) | Kind::Repeat { base: a, .. } => stack.push(a),
            }
        }
        if has_json {
            splits.extend(json_splits());
        }
        for (&range, &depth) in &words {
            let (list, start, end) = self.ranges[range as usize];
            let list = &self.words[list as usize];
            let mut has = [false; 256];
            for index in start..end {
                if (index as usize).is_multiple_of(BETWEEN_QUESTIONS) && is_stopped() {
                    return false;
                }
                list.word(index)[depth as usize..].iter().for_each(|&byte| has[usize::from(byte)] = true);
            }
            bytes.extend((0..=u8::MAX).filter(|&byte| has[usize::from(byte)]));
        }
        for &automaton in &avoid {
            let texts = &*self.avoid[automaton as usize].texts;
            texts.iter().for_each(|text| bytes.extend(text.iter().copied()));
        }
        for &automaton in &factors {
            bytes.extend(self.factors[automaton as usize].text.iter().copied());
        }
        let mut states = if acyclic.is_empty() { Vec::new() } else { vec![false; self.acyclic.len()] };
        let mut edges = Vec::new();
        while let Some(state) = acyclic.pop() {
            if !std::mem::replace(&mut states[state as usize], true) {
                // All bytes that lead to one state are one set: they need not be told apart here.
                edges.clear();
                edges.extend_from_slice(self.acyclic.edges(state));
                edges.sort_by_key(|edge| edge.target);
                for group in edges.chunk_by(|a, b| a.target == b.target) {
                    let mut set = ByteSet::EMPTY;
                    group.iter().for_each(|edge| set.insert_range(edge.first, edge.last));
                    match set.single_byte() {
                        Some(byte) => bytes.insert(byte),
                        None => _ = splits.insert(set),
                    }
                    acyclic.push(group[0].target);
                }
            }
        }
        // Class numbers do not depend on the order of the splits.
        splits.retain(|set| {
            let single = set.single_byte();
            bytes.extend(single);
            single.is_none()
        });
        classes.split_all(&splits, &bytes);
        true
    }

    /// The derivative before it was asked whether it is empty.
    pub(crate) fn raw_derivative(&mut self, a: RegularId, byte: u8) -> Result<RegularId, Error> {
        if let Some(known) = self.known(a, byte) {
            return Ok(known);
        }
        // Operands first, with an explicit stack: expressions may be nested as deeply as a grammar nests them.
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(a);
        let result = self.derive_all(&mut stack, byte);
        self.stack = stack;
        result?;
        self.operand_derivative(a, byte)
    }

    fn derive_all(&mut self, stack: &mut Vec<RegularId>, byte: u8) -> Result<(), Error> {
        while let Some(&a) = stack.last() {
            let len = stack.len();
            if self.is_step_of_bytes(a) || self.known(a, byte).is_some() {
                stack.pop();
                continue;
            }
            match self.node(a).kind {
                Kind::Concat(..) => {
                    let mut rest = a;
                    while let Kind::Concat(head, tail) = self.node(rest).kind {
                        self.need(stack, head, byte);
                        rest = tail;
                        if !self.is_nullable(head) {
                            break;
                        }
                        if !matches!(self.node(tail).kind, Kind::Concat(..)) {
                            self.need(stack, tail, byte);
                        }
                    }
                }
                Kind::Or(list) | Kind::And(list) => {
                    for index in list.range() {
                        self.need(stack, self.lists[index], byte);
                    }
                }
                Kind::Not(a) | Kind::Early(a) | Kind::Repeat { base: a, .. } => self.need(stack, a, byte),
                Kind::Json { text: a, at: Spelling::Text } if Self::is_raw(byte) => self.need(stack, a, byte),
                _ => {}
            }
            if stack.len() == len {
                let next = self.combine(a, byte)?;
                self.remember(a, byte, next);
                stack.pop();
            }
        }
        Ok(())
    }

    fn need(&self, stack: &mut Vec<RegularId>, a: RegularId, byte: u8) {
        if !self.is_step_of_bytes(a) && self.known(a, byte).is_none() {
            stack.push(a);
        }
    }

    /// What has no operands, and a derivative that is taken anew each time.
    fn is_leaf(&self, a: RegularId) -> bool {
        matches!(self.node(a).kind, Kind::Empty | Kind::Epsilon | Kind::Bytes(_) | Kind::Words { .. })
    }

    /// What has a derivative that as an operand is taken anew each time: a leaf, or one of some bytes and what follows, as there are many in an
    /// alternation of texts.
    fn is_step_of_bytes(&self, a: RegularId) -> bool {
        match self.node(a).kind {
            Kind::Concat(head, _) => matches!(self.node(head).kind, Kind::Bytes(_)),
            _ => self.is_leaf(a),
        }
    }

    fn known(&self, a: RegularId, byte: u8) -> Option<RegularId> {
        let node = self.node(a);
        if node.row == NO_ROW {
            return None;
        }
        let next = self.rows[node.row as usize + self.partitions.class_of(node.partition, byte)];
        (next != UNKNOWN).then_some(RegularId(next))
    }

    fn remember(&mut self, a: RegularId, byte: u8, next: RegularId) {
        if self.is_leaf(a) {
            return;
        }
        let partition = self.node(a).partition;
        let (class, len) = (self.partitions.class_of(partition, byte), self.partitions.len(partition));
        if self.node(a).row == NO_ROW {
            if self.rows.len() + len >= NO_ROW as usize {
                return;
            }
            self.nodes[a.index()].row = self.rows.len() as u32;
            self.rows.resize(self.rows.len() + len, UNKNOWN);
        }
        let row = self.node(a).row as usize;
        self.rows[row + class] = next.0;
    }

    /// The derivative of an operand, which is a cheap leaf or known.
    fn operand_derivative(&mut self, a: RegularId, byte: u8) -> Result<RegularId, Error> {
        match self.known(a, byte) {
            Some(known) => Ok(known),
            None => self.combine(a, byte),
        }
    }

    /// The derivative from those of the operands.
    fn combine(&mut self, a: RegularId, byte: u8) -> Result<RegularId, Error> {
        match self.node(a).kind {
            Kind::Empty | Kind::Epsilon => Ok(RegularId::EMPTY),
            Kind::Bytes(set) => {
                Ok(if self.byte_set(set).contains(byte) { RegularId::EPSILON } else { RegularId::EMPTY })
            }
            Kind::Acyclic(state) => match self.acyclic.step(state, byte) {
                Some(next) => self.acyclic_leaf(next),
                None => Ok(RegularId::EMPTY),
            },
            Kind::Words { range, depth } => {
                let (list, start, end) = self.ranges[range as usize];
                let next = self.words[list as usize].step(start..end, depth, byte);
                if next == (start..end) {
                    return self.words_behind(range, depth + 1);
                }
                self.word_leaf((list, next.start, next.end), depth + 1)
            }
            Kind::Avoid { automaton, state } => match self.avoid[automaton as usize].step(state, byte) {
                Some(state) => self.intern(Kind::Avoid { automaton, state }),
                None => Ok(RegularId::EMPTY),
            },
            Kind::Factor { automaton, state } => match self.factors[automaton as usize].step(state, byte) {
                Some(state) => self.factor_leaf(automaton, state),
                None => Ok(RegularId::EMPTY),
            },
            Kind::Concat(head, tail) if !self.is_nullable(head) => {
                let next = self.operand_derivative(head, byte)?;
                self.concat_two(next, tail)
            }
            Kind::Concat(..) => {
                let mut parts = Vec::new();
                let mut rest = a;
                while let Kind::Concat(head, tail) = self.node(rest).kind {
                    let next = self.operand_derivative(head, byte)?;
                    parts.push(self.concat_two(next, tail)?);
                    rest = tail;
                    if !self.is_nullable(head) {
                        return self.union(&parts);
                    }
                }
                parts.push(self.operand_derivative(rest, byte)?);
                self.union(&parts)
            }
            Kind::Or(list) | Kind::And(list) => {
                let mut parts = Vec::with_capacity(list.len as usize);
                for index in list.range() {
                    parts.push(self.operand_derivative(self.lists[index], byte)?);
                }
                if matches!(self.node(a).kind, Kind::Or(_)) {
                    self.union(&parts)
                } else {
                    self.intersection(&parts)
                }
            }
            Kind::Not(a) => {
                let next = self.operand_derivative(a, byte)?;
                self.complement(next)
            }
            Kind::Repeat { base, min, max } => {
                let next = self.operand_derivative(base, byte)?;
                if next == RegularId::EMPTY {
                    return Ok(next);
                }
                let rest = self.repeat(base, min.saturating_sub(1), (max != UNBOUNDED).then(|| max - 1))?;
                self.concat_two(next, rest)
            }
            Kind::Early(a) => {
                let next = self.operand_derivative(a, byte)?;
                self.until_first(next)
            }
            Kind::Json { text: a, at: Spelling::Text } if Self::is_raw(byte) => {
                let next = self.operand_derivative(a, byte)?;
                self.json_node(next)
            }
            Kind::Json { text: a, at } => self.json_escape(a, at, byte),
            Kind::Number(state) => self.number_step(state, byte),
        }
    }

    /// The same language, as it may be shown: [`RegularId::EMPTY`] if it is empty, and without empty members.
    fn trim(&mut self, a: RegularId) -> Result<RegularId, Error> {
        if self.is_empty(a)? {
            return Ok(RegularId::EMPTY);
        }
        let mut trimmed = a;
        if let Kind::Or(list) = self.node(a).kind {
            let mut has_void = false;
            for index in list.range() {
                // The union is known to be inhabited, so a member that cannot be decided may stay.
                has_void |= self.is_empty(self.lists[index]).unwrap_or(false);
            }
            if has_void {
                trimmed = self.union(&[a])?;
            }
        }
        if let Kind::Json { text: inner, at } = self.node(a).kind {
            // As deep as spellings nest.
            let inner = self.trim(inner)?;
            trimmed = self.json_state(inner, at)?;
        }
        self.nodes[trimmed.index()].flags |= TRIMMED | INHABITED;
        Ok(trimmed)
    }
}

/// The bytes that escapes in JSON strings tell apart, beside those of their characters.
fn json_splits() -> impl Iterator<Item = ByteSet> {
    let letters = b"\"\\/bfnrtuBF0123456789".iter().map(|&byte| ByteSet::single(byte));
    let digits = [(b'a', b'A'), (b'c', b'C'), (b'd', b'D'), (b'e', b'E')];
    letters
        .chain(digits.map(|(lower, upper)| [lower, upper].into_iter().collect()))
        .chain([ByteSet::range(0, 0x1F)])
}
