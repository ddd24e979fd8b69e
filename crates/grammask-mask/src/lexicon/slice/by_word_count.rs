//! Texts as runs of characters of two kinds: words, and what stands between them. Where a lexeme counts words, and their bound is near, it is
//! not alive for so many characters of any kind, but for texts of so many runs. Few tokens have more than three.

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::index::{InnerId, TextKind, TrieIndex, Utf8Decoder};

use crate::lexicon::Lexicon;
use crate::lexicon::automaton::{Automaton, LexemeId};
use crate::lexicon::slice::paths::{Firsts, follow_ways, go_further};
use crate::lexicon::slice::safe_class::{going_on, room};
use crate::lexicon::slice::utf8::{CharacterRange, behind_each_character, no_leads};
use crate::lexicon::slice::{Class, Measure, NOWHERE};
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::Findings;
use crate::lexicon::walk::self_loop::Others;
use crate::node_set::no_bits;

/// A kind of fewer ASCII characters makes few tokens.
const FEW: u32 = 24;

/// Less of the trie than one in so many is walked as fast.
const MUCH: usize = 16;

/// Few tokens have more runs, so what is alive for so many is followed no further.
const MANY_RUNS: usize = 8;

/// States that are looked at before a text is no longer followed.
const MANY_STATES: usize = 72;

/// The two kinds of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Those of words: all that are not of the other kind.
    First,
    Second,
}

use Kind::{First, Second};

impl Kind {
    const ALL: [Self; 2] = [First, Second];
}

/// What names a slice by numbers of runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kinds {
    /// The ASCII characters of either kind, bit by bit.
    ascii: [u128; 2],
    others: Others,
    /// Those characters of several bytes that are of the second kind: ranges of code points, sorted.
    second: Box<[(u32, u32)]>,
    /// Whether a text goes on with a run of the second kind: if it begins so, it begins no run.
    is_between: bool,
}

impl Kinds {
    /// The characters of both kinds together.
    fn class(&self) -> Class {
        Class { ascii: self.ascii[0] | self.ascii[1], others: self.others }
    }

    fn start(&self) -> Place {
        let kind = if self.is_between { Second } else { First };
        Place { runs: 1, kind, inside: Utf8Decoder::Boundary, cut: (0, 0) }
    }

    fn of_ascii(&self, byte: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| self.ascii[kind as usize] >> byte & 1 == 1)
    }

    /// Whether a character of several bytes in a range may be of either kind.
    fn among(&self, (least, most): CharacterRange) -> [bool; 2] {
        let overlapping = || self.second.iter().filter(|&&(first, last)| first <= most && least <= last);
        let has_second = overlapping().next().is_some();
        // What lies within several ranges that touch counts as being of both kinds, which is right for all of its characters.
        let has_first = !overlapping().any(|&(first, last)| first <= least && most <= last);
        [has_first, has_second]
    }
}

/// A place in a text.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The number of runs, one more than have begun: what stands before the text is one.
    runs: u8,
    /// The kind of the last character that is complete.
    kind: Kind,
    inside: Utf8Decoder,
    /// The bits of a character that is cut, and how many are missing.
    cut: (u32, u32),
}

impl Place {
    /// The characters that may become of one that is cut.
    fn characters(&self) -> CharacterRange {
        let (bits, missing) = self.cut;
        (bits << missing, ((bits + 1) << missing) - 1)
    }
}

/// Numbers of runs of texts, and what is known of the trie for that.
pub(crate) struct Counting<'a> {
    kinds: &'a Kinds,
    /// One bit a branch: whether some character of several bytes below may be of the second kind.
    doubtful: Vec<u64>,
}

impl<'a> Counting<'a> {
    pub(crate) fn new(kinds: &'a Kinds, outline: &TrieIndex) -> Self {
        let mut doubtful = no_bits(outline);
        let start =
            |byte| lead(byte).is_some_and(|cut| kinds.among(Place { cut, ..kinds.start() }.characters())[1]);
        for edge in (0x80..=u8::MAX).filter(|&byte| start(byte)).flat_map(|byte| outline.edges(byte)) {
            let mut branch = edge.parent;
            while !has_bit(&doubtful, branch) {
                doubtful[branch.index() / 64] |= 1 << (branch.index() % 64);
                branch = outline.parent(branch);
            }
        }
        Self { kinds, doubtful }
    }
}

/// The bits of a character that its first byte gives, and how many are missing; nothing where no character of several bytes begins so.
fn lead(byte: u8) -> Option<(u32, u32)> {
    match byte {
        0xC2..0xE0 => Some((u32::from(byte & 0x1F), 6)),
        0xE0..0xF0 => Some((u32::from(byte & 0x0F), 12)),
        0xF0..0xF5 => Some((u32::from(byte & 0x07), 18)),
        _ => None,
    }
}

fn has_bit(bits: &[u64], branch: InnerId) -> bool {
    bits[branch.index() / 64] >> (branch.index() % 64) & 1 == 1
}

impl Measure for Counting<'_> {
    type Place = Place;

    fn start(&self) -> Place {
        self.kinds.start()
    }

    fn after(&self, place: Place, byte: u8) -> Option<Place> {
        let kinds = self.kinds;
        let is_between = place.inside == Utf8Decoder::Boundary;
        if is_between && byte < 0x80 {
            return place.with(kinds.of_ascii(byte)?);
        }
        let (inside, true) = place.inside.after(byte) else { return None };
        if kinds.others == Others::None {
            return None;
        }
        let cut = match is_between {
            true => lead(byte)?,
            false => (place.cut.0 << 6 | u32::from(byte & 0x3F), place.cut.1 - 6),
        };
        let next = Place { inside, cut, ..place };
        if inside != Utf8Decoder::Boundary {
            return Some(next);
        }
        let [_, is_second] = kinds.among(next.characters());
        next.with(if is_second { Second } else { First })
    }

    fn length(&self, place: Place) -> u8 {
        let may_begin = place.inside != Utf8Decoder::Boundary
            && self.kinds.among(place.characters())[1 - place.kind as usize];
        place.runs + u8::from(may_begin)
    }

    fn is_between(&self, place: Place) -> bool {
        place.inside == Utf8Decoder::Boundary
    }

    fn exceeds(&self, place: Place, next: Place) -> Option<u8> {
        let is_told = place.inside == Utf8Decoder::Boundary && usize::from(place.runs) <= MANY_RUNS + 1;
        (is_told && self.length(next) > place.runs).then_some(place.runs)
    }

    fn is_level(&self, place: Place, outline: &TrieIndex, branch: InnerId) -> bool {
        let below = outline.summary(branch);
        let others = match below.kind {
            TextKind::Ascii => true,
            TextKind::NoWhitespace | TextKind::NoLineEnds | TextKind::Utf8 => {
                place.kind == First
                    && self.kinds.others == Others::Characters
                    && !has_bit(&self.doubtful, branch)
            }
            TextKind::Bytes => false,
        };
        others
            && place.inside == Utf8Decoder::Boundary
            && below.ascii & !self.kinds.ascii[place.kind as usize] == 0
    }
}

impl Place {
    /// The place behind a character.
    fn with(self, kind: Kind) -> Option<Self> {
        let runs = self.runs + u8::from(kind != self.kind);
        // A cut character may begin one more.
        (runs < NOWHERE - 1).then_some(Self { runs, kind, ..self })
    }
}

/// What keeps a lexeme alive.
pub(crate) struct Runs {
    kinds: Kinds,
    /// The bytes with which characters of the kinds begin, but not the lexeme: not with all of these characters.
    not_first: ByteSet,
    /// For how many runs beside the one that goes on.
    most: usize,
    /// For how many characters, where they are counted.
    room: Option<usize>,
    /// The ASCII characters that lead somewhere else from some state, bit by bit.
    exits: u128,
}

/// The states that texts lead to, with the kind of their last characters, by numbers of runs.
#[derive(Default)]
struct Reached {
    states: Vec<(LexemeId, Kind)>,
    /// Those behind one more run.
    next: Vec<(LexemeId, Kind)>,
}

impl Runs {
    /// What keeps a lexeme alive; of one that counts its characters, as in `safe_class.rs`, what keeps it alive that does not.
    fn find(lexicon: &Lexicon, lexeme: LexemeId) -> Result<Option<Self>, Error> {
        match lexicon.automaton.uncounted(lexeme, &lexicon.budget)? {
            Some((free, most)) => Self::of(lexicon, free, Some(most)),
            None => Self::of(lexicon, lexeme, None),
        }
    }

    fn of(lexicon: &Lexicon, start: LexemeId, most: Option<usize>) -> Result<Option<Self>, Error> {
        let (automaton, budget) = (&lexicon.automaton, &lexicon.budget);
        let Some(kinds) = kinds(lexicon, start)? else { return Ok(None) };
        let mut not_first = ByteSet::EMPTY;
        let mut reached = Reached::default();
        reached.begin(automaton, start, kinds.start().kind, &kinds, &mut not_first, budget)?;
        let Some(runs @ 1..) = reached.go_on(automaton, &kinds, budget)? else { return Ok(None) };
        let states = || reached.states.iter().map(|&(state, _)| state);
        let room = match most {
            None => None,
            Some(most) => match room(automaton, most, states()) {
                None => return Ok(None),
                room => room,
            },
        };
        let mut exits = 0;
        for state in states().chain([start]) {
            exits |= automaton.live_bytes(state, budget)?.ascii();
        }
        exits &= !kinds.class().ascii;
        Ok(Some(Self { kinds, not_first, most: runs, room, exits }))
    }
}

impl Reached {
    /// The state is reached by a character of a kind, from behind one of another kind.
    fn arrive(&mut self, next: LexemeId, from: Kind, kind: Kind) {
        let list = if from == kind { &mut self.states } else { &mut self.next };
        if !list.contains(&(next, kind)) {
            list.push((next, kind));
        }
    }

    /// Follows the characters of both kinds from the beginning of a lexeme. Notes the bytes of which not all characters that begin so go on.
    fn begin(
        &mut self,
        automaton: &Automaton,
        start: LexemeId,
        before: Kind,
        kinds: &Kinds,
        not_first: &mut ByteSet,
        budget: &Budget,
    ) -> Result<(), Error> {
        for kind in Kind::ALL {
            let ascii = kinds.ascii[kind as usize];
            let alive = going_on(automaton, start, ascii, budget, |next, _| self.arrive(next, before, kind))?;
            (0..128u8)
                .filter(|byte| (ascii & !alive) >> byte & 1 == 1)
                .for_each(|byte| not_first.insert(byte));
        }
        // No character of the kinds begins with these.
        let live = automaton.live_bytes(start, budget)?;
        let leads = if kinds.others == Others::None { ByteSet::EMPTY } else { ByteSet::range(0xC2, 0xF4) };
        let strange = (0x80..=u8::MAX).filter(|&byte| live.contains(byte) && !leads.contains(byte));
        strange.for_each(|byte| not_first.insert(byte));
        for lead in leads.iter() {
            let each = behind_each_character(automaton, start, (lead, lead), budget)?;
            match each.filter(|each| each.iter().all(|(_, next)| next.goes_on())) {
                Some(each) => {
                    for each in each.iter() {
                        self.arrive_by(each, before, kinds);
                    }
                }
                None => not_first.insert(lead),
            }
        }
        Ok(())
    }

    /// Follows the characters of both kinds through as many runs as the lexeme is alive for, whatever they are, and keeps just the states on the
    /// way. Gives how many runs these are, beside the first; nothing where it is not alive throughout that.
    fn go_on(
        &mut self,
        automaton: &Automaton,
        kinds: &Kinds,
        budget: &Budget,
    ) -> Result<Option<usize>, Error> {
        let mut from = 0;
        for runs in 0..=MANY_RUNS {
            // All that is reached within the last run, which grows on the way.
            let mut may_change = true;
            let mut place = from;
            while let Some(&(state, kind)) = self.states.get(place) {
                place += 1;
                let alive = self.follow(automaton, state, kind, kinds, budget)?;
                if !alive[kind as usize] || state.completes() || self.states.len() > MANY_STATES {
                    self.states.truncate(from);
                    return Ok(runs.checked_sub(1));
                }
                may_change &= alive[1 - kind as usize];
            }
            if !may_change || runs == MANY_RUNS {
                return Ok(Some(runs));
            }
            from = self.states.len();
            for next in std::mem::take(&mut self.next) {
                if !self.states.contains(&next) {
                    self.states.push(next);
                }
            }
        }
        Ok(None)
    }

    /// The state is reached by some characters of several bytes. Tells of which kinds these are.
    fn arrive_by(
        &mut self,
        &(range, next): &(CharacterRange, LexemeId),
        from: Kind,
        kinds: &Kinds,
    ) -> [bool; 2] {
        let among = kinds.among(range);
        for kind in Kind::ALL.into_iter().filter(|&kind| among[kind as usize] && next.goes_on()) {
            self.arrive(next, from, kind);
        }
        among
    }

    /// Follows the characters of both kinds from a state behind one of some kind. Whether the lexeme goes on behind all of the first, and all of the
    /// second kind.
    fn follow(
        &mut self,
        automaton: &Automaton,
        state: LexemeId,
        from: Kind,
        kinds: &Kinds,
        budget: &Budget,
    ) -> Result<[bool; 2], Error> {
        let mut alive = [true; 2];
        for kind in Kind::ALL {
            let ascii = kinds.ascii[kind as usize];
            let found = going_on(automaton, state, ascii, budget, |next, _| self.arrive(next, from, kind))?;
            alive[kind as usize] = found == ascii;
        }
        let live = automaton.live_bytes(state, budget)?;
        if kinds.others == Others::None {
            // Then there must be nothing that a token made of the kinds could be cut by.
            let is_strange = (0x80..=u8::MAX).any(|byte| live.contains(byte));
            return Ok(if is_strange { [false; 2] } else { alive });
        }
        if !live.intersection(&no_leads()).is_empty() {
            return Ok([false; 2]);
        }
        let Some(each) = behind_each_character(automaton, state, (0xC2, 0xF4), budget)? else {
            return Ok([false; 2]);
        };
        for each in each.iter() {
            let among = self.arrive_by(each, from, kinds);
            if !each.1.goes_on() {
                alive.iter_mut().zip(among).for_each(|(alive, is_among)| *alive &= !is_among);
            }
        }
        Ok(alive)
    }
}

/// The kinds of characters that a lexeme tells apart: those that lead back to where most do; and those that lead to where all of these go
/// on, too. In between words, those that lead back are the second kind.
fn kinds(lexicon: &Lexicon, start: LexemeId) -> Result<Option<Kinds>, Error> {
    let (automaton, budget) = (&lexicon.automaton, &lexicon.budget);
    let mut counts: Vec<(LexemeId, u128)> = Vec::new();
    let mut back = 0;
    going_on(automaton, start, u128::MAX, budget, |next, by| {
        match counts.iter_mut().find(|(other, _)| *other == next) {
            Some((_, all)) => *all |= by,
            None => counts.push((next, by)),
        }
        back |= if next == start { by } else { 0 };
    })?;
    let Some(&(word, _)) = counts.iter().max_by_key(|(_, by)| by.count_ones()) else { return Ok(None) };
    let mut first = 0;
    let mut elsewhere: Vec<(LexemeId, u128)> = Vec::new();
    going_on(automaton, word, u128::MAX, budget, |next, by| match next == word {
        true => first |= by,
        false => elsewhere.push((next, by)),
    })?;
    let is_between = word != start && back != 0;
    let mut second = 0;
    if is_between {
        second = back;
        first &= !back;
    } else {
        for (next, by) in elsewhere {
            if going_on(automaton, next, first, budget, |_, _| ())? == first {
                second |= by;
            }
        }
    }
    if first.count_ones() < FEW || second == 0 || !is_worth(lexicon, second) {
        return Ok(None);
    }
    let told = if is_between { start } else { word };
    let live = automaton.live_bytes(told, budget)?;
    let mut kinds =
        Kinds { ascii: [first, second], others: Others::None, second: Box::default(), is_between };
    if (0x80..=u8::MAX).any(|byte| live.contains(byte)) {
        kinds.others = Others::Characters;
        let Some(each) = behind_each_character(automaton, told, (0xC2, 0xF4), budget)? else {
            return Ok(None);
        };
        let is_second = |next: LexemeId| next.goes_on() && (next == told) == is_between;
        let seconds = each.iter().filter(|&&(_, next)| is_second(next));
        kinds.second = seconds.map(|&(range, _)| range).collect();
    }
    Ok(Some(kinds))
}

/// Whether what follows some ASCII characters is much of the trie, and few of its edges are by these: as spaces are, by which many tokens begin, and
/// which few have further inside.
fn is_worth(lexicon: &Lexicon, ascii: u128) -> bool {
    let (trie, outline) = (lexicon.trie(), lexicon.outline());
    let bytes = (0..128u8).filter(|byte| ascii >> byte & 1 == 1);
    let edges = || bytes.clone().flat_map(|byte| outline.edges(byte));
    let below: u32 = edges().map(|edge| trie.end(edge.child).0 - edge.child.0).sum();
    edges().count() <= lexicon.config.seams && below as usize * MUCH > trie.len()
}

/// What a lexeme takes below the root, where texts of so many runs keep it alive. Gives up, with `false`, where they do not.
pub(crate) fn below_root(walk: &mut Walk<'_>, findings: &mut Findings<'_>) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    let Some(runs) = Runs::find(lexicon, walk.lexeme)? else {
        return Ok(false);
    };
    let slice = lexicon.slice_of_runs(runs.kinds);
    // What is before a text is the first run.
    let most = runs.most + 1;
    let mut row = slice.row(&lexicon.vocabulary, most);
    // A slice has no token of so many characters; fewer keep the lexeme alive as well.
    let longest = usize::from(NOWHERE) - 1;
    let room = runs.room.map(|room| room.min(longest)).filter(|&room| room < lexicon.outline().height());
    if let Some(room) = room {
        let short = lexicon.slice(Class::EVERY, InnerId::ROOT).row(&lexicon.vocabulary, room);
        row.iter_mut().zip(short).for_each(|(all, short)| *all &= short);
    }
    let firsts = Firsts::of(lexicon, InnerId::ROOT, &runs.not_first);
    firsts.forget(lexicon, &mut row, &mut None);
    findings.allow_row(row);
    firsts.arrive(walk, findings)?;
    for byte in (0..128u8).filter(|byte| runs.exits >> byte & 1 == 1) {
        let is_too_far =
            |branch| (most + 1..usize::from(NOWHERE)).contains(&usize::from(slice.length(branch)));
        follow_ways(walk, lexicon.exits(slice, byte), is_too_far, findings)?;
    }
    follow_ways(walk, slice.beyond(most), |_| false, findings)?;
    if let Some(room) = room {
        go_further(walk, slice, lexicon.slice(Class::EVERY, InnerId::ROOT), room, findings)?;
    }
    Ok(true)
}
