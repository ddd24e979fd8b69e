//! Texts that differ from each other: while an item of `distinct!` is read, its node is what has been read of it, so that it is known behind
//! the item which text has come. What may come is the item's language without the texts that have.

use std::sync::Arc;

use grammask_cache::LazyRow;
use grammask_regular::{ByteSet, RegularId, analysis};
use rustc_hash::FxHashMap;

use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::{Kind, MadeNode, NOWHERE, Phase, Standing};
use crate::recognizer::inspect::NodeFlags;
use crate::step::Workshop;
use crate::unordered::plan::{Chosen, Plan};
use crate::{Callee, CalleeId, Class, Error, NetworkNodeId};

/// A place in an item of `distinct!`.
pub(crate) struct Reading {
    /// The place before the item.
    pub(crate) from: NetworkNodeId,
    /// What has been read, and how many bytes that are.
    text: TextId,
    length: u32,
    /// The state of the item's language, without the texts that have come before.
    pub(crate) lexeme: NetworkNodeId,
    /// Successors by class.
    pub(crate) row: LazyRow,
    /// Where it goes on if this is the whole item.
    pub(crate) behind: Option<NetworkNodeId>,
}

/// A position inside, or before, an item of `distinct!`, for a walk that goes rule by rule.
#[derive(Clone, Copy, Debug)]
pub struct DistinctPosition {
    /// State of the item's lexeme, without the texts that have occurred before. It does not know the bytes read.
    pub lexeme: NetworkNodeId,
    /// Node that represents every position after the item, whatever the item's text is. It differs from the true
    /// position only in that the text may occur once more.
    pub after: NetworkNodeId,
}

/// Possible continuations after an item of `distinct!` whose text is unknown.
#[derive(Clone, Copy, Debug)]
pub struct AfterDistinct {
    /// The node before the item.
    pub from: NetworkNodeId,
    /// First state of another text, if one may follow. The language still contains the text of the item itself.
    pub start: Option<NetworkNodeId>,
    /// FIRST set of the other items.
    pub bytes: ByteSet,
}

/// A text that is being read: the number of the one that is a byte shorter, and that byte. The empty one is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct TextId(u32);

/// Texts that have come: 0 for none, else a number in [`Texts::seen`].
pub(crate) type SeenId = u32;

struct Seen {
    callee: CalleeId,
    before: SeenId,
    text: Box<[u8]>,
    /// What may still come, once somebody asked.
    left: Option<RegularId>,
}

/// The texts that are being read, and those that have come, each once.
#[derive(Default)]
pub(crate) struct Texts {
    letters: Vec<(TextId, u8)>,
    by_letter: FxHashMap<(TextId, u8), TextId>,
    seen: Vec<Seen>,
    by_text: FxHashMap<(CalleeId, SeenId, Box<[u8]>), SeenId>,
    nodes: FxHashMap<(NetworkNodeId, TextId), NetworkNodeId>,
}

impl Texts {
    fn longer(&mut self, text: TextId, byte: u8) -> TextId {
        *self.by_letter.entry((text, byte)).or_insert_with(|| {
            self.letters.push((text, byte));
            TextId(self.letters.len() as u32)
        })
    }

    fn bytes(&self, mut text: TextId) -> Vec<u8> {
        let mut bytes = Vec::new();
        while text.0 > 0 {
            let (before, byte) = self.letters[text.0 as usize - 1];
            bytes.push(byte);
            text = before;
        }
        bytes.reverse();
        bytes
    }

    fn after(&mut self, callee: CalleeId, before: SeenId, text: &[u8]) -> SeenId {
        *self.by_text.entry((callee, before, text.into())).or_insert_with(|| {
            self.seen.push(Seen { callee, before, text: text.into(), left: None });
            self.seen.len() as SeenId
        })
    }

    /// The texts that have come, in the order in which they have, for being shown.
    pub(crate) fn list(&self, mut seen: SeenId) -> Vec<String> {
        let mut texts = Vec::new();
        while let Some(last) = self.get(seen) {
            texts.push(String::from_utf8_lossy(&last.text).into_owned());
            seen = last.before;
        }
        texts.reverse();
        texts
    }

    fn get(&self, seen: SeenId) -> Option<&Seen> {
        self.seen.get((seen as usize).checked_sub(1)?)
    }

    /// The same texts of another recognizer.
    pub(crate) fn import(&mut self, from: &Self, mut seen: SeenId) -> SeenId {
        let mut path = Vec::new();
        while let Some(last) = from.get(seen) {
            path.push(last);
            seen = last.before;
        }
        path.iter().rev().fold(0, |before, seen| self.after(seen.callee, before, &seen.text))
    }
}

/// See [`Inspector::distinct`](crate::Inspector::distinct).
pub(crate) fn position(
    recognizer: &Recognizer,
    node: NetworkNodeId,
) -> Result<Option<DistinctPosition>, Error> {
    if node.index() < recognizer.network().nodes.len() {
        return Ok(None);
    }
    let (from, lexeme) = match recognizer.made().get(node).kind {
        Kind::Reading(ref reading) => (reading.from, Some(reading.lexeme)),
        Kind::Unordered(ref standing) if standing.beginning.is_some() => {
            (node, recognizer.lock().reading_start(recognizer, standing)?)
        }
        _ => return Ok(None),
    };
    let Some(lexeme) = lexeme else { return Ok(None) };
    let after = recognizer.lock().pending(recognizer, from, Phase::Behind);
    Ok(Some(DistinctPosition { lexeme, after }))
}

/// See [`Inspector::after_distinct`](crate::Inspector::after_distinct).
pub(crate) fn after_any_text(
    recognizer: &Recognizer,
    node: NetworkNodeId,
) -> Result<Option<AfterDistinct>, Error> {
    if node.index() < recognizer.network().nodes.len() {
        return Ok(None);
    }
    match recognizer.made().get(node).kind {
        Kind::Pending(from, phase) if phase == Phase::Item || separator_after(recognizer, from).is_none() => {
            recognizer.lock().others(recognizer, from).map(Some)
        }
        _ => Ok(None),
    }
}

/// See [`Inspector::read_text`](crate::Inspector::read_text).
pub(crate) fn read_text(recognizer: &Recognizer, node: NetworkNodeId, max_bytes: usize) -> Option<Vec<u8>> {
    if node.index() < recognizer.network().nodes.len() {
        return Some(Vec::new());
    }
    match recognizer.made().get(node).kind {
        Kind::Reading(ref reading) if reading.length as usize > max_bytes => None,
        Kind::Reading(ref reading) => Some(recognizer.lock().choosing.texts.bytes(reading.text)),
        _ => Some(Vec::new()),
    }
}

/// Returns the separator of the permutation that the node `from` is in.
pub(crate) fn separator_after(recognizer: &Recognizer, from: NetworkNodeId) -> Option<CalleeId> {
    let Kind::Unordered(ref standing) = recognizer.made().get(from).kind else { return None };
    match recognizer.network().callee(standing.callee) {
        Callee::Unordered { separator, .. } => *separator,
        _ => None,
    }
}

impl Workshop {
    /// The state of the language of a place's distinct item before its first byte, if it may come.
    pub(crate) fn reading_start(
        &mut self,
        tables: &Recognizer,
        standing: &Standing,
    ) -> Result<Option<NetworkNodeId>, Error> {
        let Some(beginning) = &standing.beginning else { return Ok(None) };
        if let Some(&known) = beginning.lexeme.get() {
            return Ok(known);
        }
        let plan = self.plan(tables, standing.callee);
        let may_come = self.items(tables, standing).iter().any(|choice| plan.is_distinct(choice));
        let start = if may_come {
            let seen = plan.seen(&self.choosing.chosen(standing.number));
            let left = self.left(tables, standing.callee, seen)?;
            self.lexeme_node(tables, left, None)?
        } else {
            None
        };
        Ok(*beginning.lexeme.get_or_init(|| start))
    }

    /// What may come of the texts of a callee's distinct item when some have.
    fn left(&mut self, tables: &Recognizer, callee: CalleeId, seen: SeenId) -> Result<RegularId, Error> {
        let Callee::Unordered { ref items, ref unordered, .. } = *tables.network().callee(callee) else {
            unreachable!("only items in any order are distinct")
        };
        let item = unordered.distinct.expect("an item is distinct") as usize;
        let Callee::Lexeme { language, .. } = *tables.network().callee(items[item]) else {
            unreachable!("a distinct item is a lexeme")
        };
        // From what is known on, which is mostly the one before.
        let mut missing = Vec::new();
        let (mut left, mut next) = (language, seen);
        while let Some(seen) = self.choosing.texts.get(next) {
            if let Some(known) = seen.left {
                left = known;
                break;
            }
            missing.push(next);
            next = seen.before;
        }
        for seen in missing.into_iter().rev() {
            let index = seen as usize - 1;
            let text = std::mem::take(&mut self.choosing.texts.seen[index].text);
            let result = analysis::exclude_value(self.store_mut(), left, &text);
            self.choosing.texts.seen[index].text = text;
            left = result?;
            self.choosing.texts.seen[index].left = Some(left);
        }
        Ok(left)
    }

    /// Where a class leads from a place in a distinct item, or before one.
    pub(crate) fn read(
        &mut self,
        tables: &Recognizer,
        node: NetworkNodeId,
        class: Class,
    ) -> Result<Option<NetworkNodeId>, Error> {
        let (from, read, lexeme, row) = match tables.made().get(node).kind {
            Kind::Reading(ref reading) => {
                (reading.from, (reading.text, reading.length), Some(reading.lexeme), &reading.row)
            }
            Kind::Unordered(ref standing) => match &standing.beginning {
                Some(beginning) => {
                    (node, (TextId(0), 0), self.reading_start(tables, standing)?, &beginning.row)
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let (Some(lexeme), Some(byte)) = (lexeme, tables.network().representative(class)) else {
            return Ok(None);
        };
        match row.get(class.index()) {
            Some(NOWHERE) => return Ok(None),
            Some(next) => return Ok(Some(NetworkNodeId(next))),
            None => {}
        }
        let next = match self.scan(tables, lexeme, class)? {
            Some(lexeme) => Some(self.reading_node(tables, from, (read, byte), lexeme)?),
            None => None,
        };
        tables.spend(row.set(
            class.index(),
            next.map_or(NOWHERE, |node| node.0),
            tables.network().byte_classes,
        ));
        Ok(next)
    }

    /// The node behind a byte of a distinct item.
    fn reading_node(
        &mut self,
        tables: &Recognizer,
        from: NetworkNodeId,
        ((before, length), byte): ((TextId, u32), u8),
        lexeme: NetworkNodeId,
    ) -> Result<NetworkNodeId, Error> {
        let text = self.choosing.texts.longer(before, byte);
        if let Some(&known) = self.choosing.texts.nodes.get(&(from, text)) {
            return Ok(known);
        }
        let NodeFlags { is_final: is_whole, goes_on } = tables.inspect().flags(lexeme);
        let behind = is_whole.then(|| self.behind_text(tables, from, text));
        let node = match behind {
            Some(behind) if !goes_on => behind,
            _ => {
                let is_final = behind.is_some_and(|behind| tables.inspect().flags(behind).is_final);
                let length = length.saturating_add(1);
                let reading = Reading { from, text, length, lexeme, row: LazyRow::new(), behind };
                tables.made().push((is_final, true), Kind::Reading(reading), None)
            }
        };
        // The node, its entry, and a letter with its own.
        const BYTES: usize = size_of::<MadeNode>() + 64;
        tables.spend(BYTES);
        self.choosing.texts.nodes.insert((from, text), node);
        Ok(node)
    }

    /// The place behind a distinct item with this text.
    fn behind_text(&mut self, tables: &Recognizer, from: NetworkNodeId, text: TextId) -> NetworkNodeId {
        let (callee, plan, chosen) = self.standing_at(tables, from);
        let text = self.choosing.texts.bytes(text);
        tables.spend(size_of::<Seen>() + 2 * text.len() + 64);
        let seen = self.choosing.texts.after(callee, plan.seen(&chosen), &text);
        let chosen = self.with_text(tables, from, &plan, &chosen, seen);
        self.unordered_node(tables, (callee, &plan), chosen, Phase::Behind)
    }

    /// What has been chosen behind a distinct item, when these texts have come.
    fn with_text(
        &mut self,
        tables: &Recognizer,
        from: NetworkNodeId,
        plan: &Plan,
        chosen: &Chosen,
        seen: SeenId,
    ) -> Chosen {
        let standing = standing(tables, from);
        let choices = self.items(tables, standing);
        let choice = choices.iter().find(|choice| plan.is_distinct(choice)).expect("the item may come");
        plan.after_text(chosen, choice, seen)
    }

    /// Whose items there are at a place, and what has been chosen of them.
    fn standing_at(&mut self, tables: &Recognizer, from: NetworkNodeId) -> (CalleeId, Arc<Plan>, Chosen) {
        let standing = standing(tables, from);
        let plan = self.plan(tables, standing.callee);
        (standing.callee, plan, self.choosing.chosen(standing.number))
    }

    /// The node that stands for all places behind the distinct item that begins at a place.
    pub(crate) fn pending(
        &mut self,
        tables: &Recognizer,
        from: NetworkNodeId,
        phase: Phase,
    ) -> NetworkNodeId {
        let standing = standing(tables, from);
        let beginning = standing.beginning.as_ref().expect("a distinct item may begin there");
        let place = &beginning.pending[usize::from(phase == Phase::Behind)];
        if let Some(&known) = place.get() {
            return known;
        }
        let (is_final, goes_on) = match phase {
            Phase::Item => (false, true),
            Phase::Behind => {
                let (_, plan, chosen) = self.standing_at(tables, from);
                let chosen = self.with_text(tables, from, &plan, &chosen, SeenId::MAX);
                (plan.is_final(&chosen.tally), plan.goes_on(&chosen.tally, || chosen.clone()))
            }
        };
        tables.spend(size_of::<MadeNode>());
        *place.get_or_init(|| tables.made().push((is_final, goes_on), Kind::Pending(from, phase), None))
    }

    /// What may come behind the distinct item that begins at a place, whatever its text.
    pub(crate) fn others(
        &mut self,
        tables: &Recognizer,
        from: NetworkNodeId,
    ) -> Result<AfterDistinct, Error> {
        let standing = standing(tables, from);
        let (callee, plan, chosen) = self.standing_at(tables, from);
        let Callee::Unordered { ref items, .. } = *tables.network().callee(callee) else {
            unreachable!("only items in any order have places among them")
        };
        let chosen = self.with_text(tables, from, &plan, &chosen, SeenId::MAX);
        let (mut start, mut bytes) = (None, ByteSet::EMPTY);
        for choice in plan.choices(&chosen) {
            if plan.is_distinct(&choice) {
                start = self.reading_start(tables, standing)?;
            } else {
                bytes = bytes.union(&self.taken_by(tables, items[choice.item()])?);
            }
        }
        Ok(AfterDistinct { from, start, bytes })
    }

    /// The bytes by which the text of a distinct item goes on at a place, or begins there.
    pub(crate) fn read_bytes(&mut self, tables: &Recognizer, node: NetworkNodeId) -> Result<ByteSet, Error> {
        let lexeme = match tables.made().get(node).kind {
            Kind::Reading(ref reading) => Some(reading.lexeme),
            Kind::Unordered(ref standing) => self.reading_start(tables, standing)?,
            _ => None,
        };
        let Some(lexeme) = lexeme else { return Ok(ByteSet::EMPTY) };
        match tables.made().get(lexeme).kind {
            Kind::Lexeme(language, ..) => self.live_bytes(language),
            _ => Ok(ByteSet::EMPTY),
        }
    }

    /// What has been read at a place, for being shown.
    pub(crate) fn text_of(&self, reading: &Reading) -> String {
        String::from_utf8_lossy(&self.choosing.texts.bytes(reading.text)).into_owned()
    }

    /// The node at which the same has been read as at one of another workshop for the same network.
    pub(crate) fn import_reading(
        &mut self,
        tables: &Recognizer,
        source: &Recognizer,
        from: &Self,
        reading: &Reading,
    ) -> Result<NetworkNodeId, Error> {
        let place = self.import_node(tables, source, from, reading.from)?;
        let lexeme = self.import_node(tables, source, from, reading.lexeme)?;
        let bytes = from.choosing.texts.bytes(reading.text);
        let (&last, bytes) = bytes.split_last().expect("something has been read");
        let before = bytes.iter().fold(TextId(0), |text, &byte| self.choosing.texts.longer(text, byte));
        tables.spend(bytes.len() * 32);
        self.reading_node(tables, place, ((before, bytes.len() as u32), last), lexeme)
    }
}

/// The place before a distinct item.
fn standing(tables: &Recognizer, from: NetworkNodeId) -> &Standing {
    match tables.made().get(from).kind {
        Kind::Unordered(ref standing) => standing,
        _ => unreachable!("a distinct item begins among items in any order"),
    }
}
