//! Classes of characters that keep a lexeme alive: as long as only they follow, it can be finished, whatever its states are on the way. So it is
//! where a text has to hold a word, or must begin and end with certain characters. The tokens made of them are taken from a slice.

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::{BranchId, Decoder, NodeId, Trie};

use super::Lexicon;
use super::automaton::{Automaton, LexemeId};
use super::characters::{behind_characters, behind_characters_of_lines, behind_leads, no_leads};
use super::kernel;
use super::layers::NOWHERE;
use super::loops::Others;
use super::runs;
use super::slices::{Class, Slice, Step};
use super::walk::Walk;
use crate::findings::Findings;
use crate::places::over_range;

/// A class of fewer ASCII characters makes few tokens.
pub(super) const FEW: u32 = 24;

/// States that are looked at before a class is no longer followed.
const MANY: usize = 72;

/// Few tokens have more characters, so what is alive for so many is followed no further.
const LONG: usize = 24;

/// Most tokens have fewer characters, so what is alive for so many only is not worth a slice.
const SHORT: usize = 8;

/// What keeps a lexeme alive.
pub(super) struct Closed {
    pub(super) class: Class,
    /// The bytes with which characters of the class begin, but not the lexeme: not with all of these characters.
    pub(super) not_first: ByteSet,
    /// For how many characters; `None` for ever.
    pub(super) reach: Option<usize>,
    /// Whether the lexeme is complete behind one and more of them.
    pub(super) completes: bool,
    /// The ASCII characters that may lead somewhere else from some state, bit by bit.
    pub(super) exits: u128,
    /// Whether U+2028 and U+2029 may, too.
    pub(super) separators: bool,
    /// Whether hardly any characters had to be left out, and no longer texts, other than those that are too long anyhow.
    pub(super) is_whole: bool,
}

/// What lies behind all characters of several bytes.
#[derive(Debug)]
pub(super) struct Behind {
    states: Box<[LexemeId]>,
    is_strict: bool,
}

/// The states behind all characters of several bytes, or those that stand in lines; nothing where some of them cannot be finished.
fn behind<'a>(
    automaton: &'a Automaton,
    state: LexemeId,
    others: Others,
    budget: &Budget,
) -> Result<Option<&'a Behind>, Error> {
    let is_line = others == Others::Lines;
    let place = &automaton.state(state).behind[usize::from(is_line)];
    if let Some(known) = place.get() {
        return Ok(known.as_ref());
    }
    let mut states = Vec::new();
    let tell = |next| takes(&mut states, next);
    let strict = match is_line {
        true => behind_characters_of_lines(automaton, state, budget, tell)?,
        false => behind_characters(automaton, state, budget, tell)?,
    };
    let found = strict.map(|is_strict| Behind { states: states.into(), is_strict });
    Ok(place.get_or_init(|| found).as_ref())
}

/// Notes a state behind a character, each once. Whether the lexeme goes on there, and there are not yet too many.
fn takes(states: &mut Vec<LexemeId>, next: LexemeId) -> bool {
    if !states.contains(&next) {
        states.push(next);
    }
    next.goes_on() && states.len() <= MANY
}

/// The states that a class leads to.
#[derive(Default)]
struct Reached {
    states: Vec<LexemeId>,
    /// For each state the ASCII characters that lead to it; all ones where one of several bytes does.
    ways: Vec<u128>,
}

impl Reached {
    fn arrive(&mut self, next: LexemeId, by: u128) {
        match self.states.iter().position(|&state| state == next) {
            Some(place) => self.ways[place] |= by,
            None => {
                self.states.push(next);
                self.ways.push(by);
            }
        }
    }

    /// Follows the characters of a class from the beginning of a lexeme. Gives the bytes of which not all characters that begin so go on.
    fn begin(
        &mut self,
        automaton: &Automaton,
        start: LexemeId,
        class: Class,
        budget: &Budget,
    ) -> Result<ByteSet, Error> {
        let first = going_on(automaton, start, class.ascii, budget, |next, by| self.arrive(next, by))?;
        let mut not_first: ByteSet =
            (0..128u8).filter(|byte| (class.ascii & !first) >> byte & 1 == 1).collect();
        if class.others != Others::None {
            for lead in 0xC2..=0xF4 {
                let mut states = Vec::new();
                let tell = |next| takes(&mut states, next);
                let strict = behind_leads(automaton, start, (lead, lead), budget, tell)?;
                // Two characters by this byte are not of the class, but may begin the lexeme.
                let has_strange = class.others == Others::Lines && lead == 0xE2;
                if strict == Some(true) && !has_strange {
                    states.into_iter().for_each(|next| self.arrive(next, u128::MAX));
                } else {
                    not_first.insert(lead);
                }
            }
        }
        Ok(not_first)
    }

    /// Follows all characters of a class from a state. Gives those ASCII characters of the class with which the lexeme does not go on;
    /// nothing where that holds for some other characters.
    fn follow(
        &mut self,
        automaton: &Automaton,
        state: LexemeId,
        class: Class,
        budget: &Budget,
    ) -> Result<Option<u128>, Error> {
        let alive = going_on(automaton, state, class.ascii, budget, |next, by| self.arrive(next, by))?;
        match class.others {
            Others::Lines | Others::Characters => match behind(automaton, state, class.others, budget)? {
                Some(behind) if behind.is_strict => {
                    behind.states.iter().for_each(|&next| self.arrive(next, u128::MAX));
                }
                _ => return Ok(None),
            },
            _ if automaton.live_bytes(state, budget)?.iter().any(|byte| byte >= 0x80) => return Ok(None),
            _ => {}
        }
        Ok(Some(class.ascii & !alive))
    }
}

impl Closed {
    /// What keeps a lexeme alive.
    ///
    /// Where the characters of its text are counted, every character leads to another state. So the same lexeme is looked at that does not count them: as long
    /// as so many may follow as suffice to end its text, one is alive where the other is.
    fn find(automaton: &Automaton, lexeme: LexemeId, budget: &Budget) -> Result<Option<Self>, Error> {
        if let Some((free, most)) = automaton.uncounted(lexeme, budget)?
            && let Some(closed) = Self::by_kernel_or_states(automaton, free, Some(most), budget)?
            && !closed.completes
        {
            return Ok(Some(closed));
        }
        Self::by_kernel_or_states(automaton, lexeme, None, budget)
    }

    fn by_kernel_or_states(
        automaton: &Automaton,
        lexeme: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        match kernel::closed(automaton, lexeme, most, budget)? {
            Some(closed) => Ok(Some(closed)),
            None => Self::of(automaton, lexeme, most, budget),
        }
    }

    /// The class of the characters that go on from a state and from where it leads to, without those that end some way soon; where
    /// characters are counted beside that, as long as a text of so many at most can still be ended.
    fn of(
        automaton: &Automaton,
        start: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let live = automaton.live_bytes(start, budget)?;
        let is_live = |byte| live.contains(byte);
        let has_others = (0x80..=u8::MAX).any(is_live);
        if !live.intersection(&no_leads()).is_empty() {
            return Ok(None);
        }
        let (first, counts) = behind_ascii(automaton, start, budget)?;
        let Some(&(main, _)) = counts.iter().max_by_key(|&&(_, count)| count) else { return Ok(None) };
        let others = match has_others {
            false => Others::None,
            true if behind(automaton, main, Others::Characters, budget)?.is_some() => Others::Characters,
            true => Others::Lines,
        };
        let mut ascii = first | going_on(automaton, main, u128::MAX, budget, |_, _| ())?;
        let whole = ascii;
        'smaller: while (ascii & first).count_ones() >= FEW {
            let class = Class { ascii, others };
            let mut reached = Reached::default();
            let not_first = reached.begin(automaton, start, class, budget)?;
            let (mut from, mut reach) = (0, 1);
            loop {
                let until = reached.states.len();
                let mut ending = 0;
                for place in from..until {
                    let state = reached.states[place];
                    let here = reached.follow(automaton, state, class, budget)?.unwrap_or(ascii);
                    // What ends here, or what leads here: whichever is less.
                    let way = reached.ways[place];
                    ending |= if way.count_ones() < here.count_ones() { way } else { here };
                }
                let is_endless = ending == 0 && reached.states.len() == until;
                if ending != 0 && reach < SHORT {
                    ascii &= !ending;
                    continue 'smaller;
                }
                if ending == 0 && !is_endless {
                    reach += 1;
                    if reached.states.len() <= MANY && reach < LONG {
                        from = until;
                        continue;
                    }
                    if reach < SHORT {
                        return Ok(None);
                    }
                } else {
                    reached.states.truncate(until);
                }
                let is_whole = is_endless && ascii == whole;
                let mut reach = (!is_endless).then_some(reach);
                if let Some(most) = most {
                    let Some(room) = room(automaton, most, reached.states.iter().copied()) else {
                        return Ok(None);
                    };
                    reach = Some(reach.map_or(room, |reach| reach.min(room)));
                }
                let closed =
                    Self { class, not_first, reach, completes: false, exits: 0, separators: false, is_whole };
                return closed.with_states(automaton, start, &reached.states, budget);
            }
        }
        Ok(None)
    }

    /// The same with what can be read off the beginning and the states behind some characters; nothing where only some of these are
    /// complete.
    fn with_states(
        mut self,
        automaton: &Automaton,
        start: LexemeId,
        states: &[LexemeId],
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        self.completes = states.first().is_some_and(|state| state.completes());
        if states.iter().any(|state| state.completes() != self.completes) {
            return Ok(None);
        }
        for &state in states.iter().chain([&start]) {
            for byte in automaton.live_bytes(state, budget)?.iter().filter(|&byte| byte < 0x80) {
                self.exits |= 1 << byte;
            }
        }
        self.exits &= !self.class.ascii;
        Ok(Some(self))
    }
}

/// How many characters may follow, where `most` may be in the rest of a text, and it must be possible to end it from any of some states; nothing
/// where these are few, or where it is not evident.
pub(super) fn room(
    automaton: &Automaton,
    most: usize,
    states: impl Iterator<Item = LexemeId>,
) -> Option<usize> {
    let mut ends = states.map(|state| automaton.enough_to_end(state));
    let enough = ends.try_fold(0, |sum: usize, end| Some(sum.max(end?)))?;
    // One to spare, so that nothing here depends on how a character is counted that is cut.
    Some(most.saturating_sub(enough + 1)).filter(|&room| room >= SHORT)
}

/// Those of some ASCII characters, bit by bit, with which a lexeme goes on. Tells where they lead, and by which bits.
pub(super) fn going_on(
    automaton: &Automaton,
    state: LexemeId,
    among: u128,
    budget: &Budget,
    mut tell: impl FnMut(LexemeId, u128),
) -> Result<u128, Error> {
    let mut ascii = 0;
    automaton.steps(state, &ByteSet::range(0, 0x7F), budget, |bytes, next| {
        let by = bytes.ascii() & among;
        if by != 0 && next.goes_on() {
            ascii |= by;
            tell(next, by);
        }
        true
    })?;
    Ok(ascii)
}

/// The ASCII characters with which a lexeme goes on, bit by bit; and the states behind them, with how many lead to each.
pub(super) fn behind_ascii(
    automaton: &Automaton,
    state: LexemeId,
    budget: &Budget,
) -> Result<(u128, Vec<(LexemeId, u32)>), Error> {
    let mut counts: Vec<(LexemeId, u32)> = Vec::new();
    let ascii = going_on(automaton, state, u128::MAX, budget, |next, by| {
        match counts.iter_mut().find(|(other, _)| *other == next) {
            Some((_, count)) => *count += by.count_ones(),
            None => counts.push((next, by.count_ones())),
        }
    })?;
    Ok((ascii, counts))
}

/// What a lexeme takes below the root, where a class of characters keeps it alive. Gives up, with `false`, where none does.
pub(super) fn below_root(walk: &mut Walk<'_>, findings: &mut Findings<'_>) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    let closed = Closed::find(&lexicon.automaton, walk.lexeme, &lexicon.budget)?;
    // By runs where that may leave less to be walked.
    if !closed.as_ref().is_some_and(|closed| closed.is_whole) && runs::below_root(walk, findings)? {
        return Ok(true);
    }
    let Some(closed) = closed else { return Ok(false) };
    let slice = lexicon.slice(closed.class);
    // A slice has no token of so many characters.
    let most = usize::from(NOWHERE) - 1;
    let reach = match closed.reach {
        Some(reach) if reach < most => reach,
        _ if lexicon.outline().height() <= most => most,
        _ => return Ok(false),
    };
    let mut row = slice.row(&lexicon.vocabulary, reach);
    let mut branches = if closed.completes { slice.branches(reach) } else { Vec::new() };
    let (trie, outline) = (lexicon.trie(), lexicon.outline());
    let firsts = Firsts::of(lexicon, &closed.not_first);
    firsts.forget(trie, &mut row);
    if closed.completes {
        for &(_, child) in &firsts.0 {
            let below = outline.branches(child.0..trie.end(child).0);
            over_range(below.start, below.end, |word, mask| branches[word] &= !mask);
        }
    }
    findings.allow_row(row);
    if closed.completes {
        findings.hand_over_all(branches);
    }
    firsts.arrive(walk, findings)?;
    for byte in (0..128u8).filter(|byte| closed.exits >> byte & 1 == 1) {
        let is_too_far = |branch| (reach..usize::from(NOWHERE)).contains(&usize::from(slice.length(branch)));
        follow_ways(walk, lexicon.exits(slice, byte), is_too_far, findings)?;
    }
    if closed.separators {
        follow_ways(walk, &lexicon.ways_to_separators(slice), |_| false, findings)?;
    }
    if closed.reach.is_some() {
        go_further(walk, slice, slice, reach, findings)?;
    }
    Ok(true)
}

/// The children of the root by some bytes: what is below is not as the rest of a slice.
pub(super) struct Firsts(Vec<(u8, NodeId)>);

impl Firsts {
    pub(super) fn of(lexicon: &Lexicon, bytes: &ByteSet) -> Self {
        let child = |byte| Some((byte, lexicon.outline().child(BranchId::ROOT, byte)?));
        Self(bytes.iter().filter_map(child).collect())
    }

    /// Without their tokens.
    pub(super) fn forget(&self, trie: &Trie, row: &mut [u32]) {
        for &(_, child) in &self.0 {
            trie.subtree_tokens(child).iter().for_each(|id| row[id.word()] &= !id.bit());
        }
    }

    /// Walks below them.
    pub(super) fn arrive(&self, walk: &mut Walk<'_>, findings: &mut Findings<'_>) -> Result<(), Error> {
        for &(byte, child) in &self.0 {
            let next = walk.lexicon.automaton.step(walk.lexeme, byte, &walk.lexicon.budget)?;
            if !next.is_dead() {
                walk.arrive(child, next, findings)?;
            }
        }
        Ok(())
    }
}

/// Follows ways through characters of a slice to where they lead.
pub(super) fn follow_ways(
    walk: &mut Walk<'_>,
    steps: &[Step],
    is_too_far: impl Fn(BranchId) -> bool,
    findings: &mut Findings<'_>,
) -> Result<(), Error> {
    let lexicon = walk.lexicon;
    let outline = lexicon.outline();
    // The states by depth; nothing below the depth at which the way has been too long.
    let mut states = vec![walk.lexeme; outline.height() + 1];
    let mut too_deep = usize::MAX;
    for step in steps {
        let depth = usize::from(step.depth);
        if depth > too_deep {
            continue;
        }
        too_deep = usize::MAX;
        let next = lexicon.automaton.step(states[depth - 1], step.byte, &lexicon.budget)?;
        // The first character may be none with which the lexeme begins.
        if !step.leaves && !next.goes_on() {
            too_deep = depth;
            continue;
        }
        if step.leaves {
            if !next.is_dead() {
                walk.arrive(step.node, next, findings)?;
            }
            continue;
        }
        states[depth] = next;
        if outline.branch(step.node).is_some_and(&is_too_far) {
            too_deep = depth;
        }
    }
    walk.distance.nodes += steps.len() as u64;
    Ok(())
}

/// Goes on below all places behind just so many characters of a slice, by the lengths of another one.
pub(super) fn go_further(
    walk: &mut Walk<'_>,
    slice: &Slice,
    lengths: &Slice,
    reach: usize,
    findings: &mut Findings<'_>,
) -> Result<(), Error> {
    let lexicon = walk.lexicon;
    let (trie, outline) = (lexicon.trie(), lexicon.outline());
    let mut open = vec![(NodeId::ROOT, walk.lexeme, Decoder::Between)];
    let mut nodes = 0;
    while let Some((node, state, inside)) = open.pop() {
        for child in trie.children(node) {
            let (byte, Some(branch)) = (trie.byte(child), outline.branch(child)) else { continue };
            let (decoder, is_character) = inside.after(byte);
            let is_of_class = byte >= 0x80 || slice.length(branch) != NOWHERE;
            // No token below has so many characters.
            let is_short = trie.depth(child) + usize::from(outline.below(branch).height) <= reach;
            if is_short || !is_character || !is_of_class {
                continue;
            }
            nodes += 1;
            let next = lexicon.automaton.step(state, byte, &lexicon.budget)?;
            // Of the characters that some byte begins, only some may go on.
            if !next.goes_on() {
                continue;
            }
            match usize::from(lengths.length(branch)) == reach {
                true => walk.subtree(child, next, findings)?,
                false => open.push((child, next, decoder)),
            }
        }
    }
    walk.distance.nodes += nodes;
    Ok(())
}
