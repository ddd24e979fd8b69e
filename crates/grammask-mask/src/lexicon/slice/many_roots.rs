//! Lexemes below very many places that a class of characters leads to, as below all places where names end, names again: from each of them the class leads on
//! through the same subtrees. So what it takes is a slice, without the little that is before the first of these places.

use std::sync::Arc;

use grammask_regular::Error;
use grammask_trie::index::InnerId;

use crate::lexicon::slice::NOWHERE;
use crate::lexicon::slice::safe_class::Closed;
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::Findings;
use crate::lexicon::walk::self_loop::{Loop, Others};
use crate::node_set::Places;

/// Where more nodes stand before the first places, it is no longer little.
const MANY: usize = 1 << 13;

/// What a lexeme takes below those of its places that a class of characters leads to from `base`, which is none of them. Gives up, with `false` and nothing taken,
/// where the lexeme is not kept alive by the class, goes on by others, or much is before the first places.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &Loop,
    places: &Places,
    findings: &mut Findings<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    let (trie, outline) = (lexicon.trie(), lexicon.outline());
    let (automaton, budget) = (&lexicon.automaton, &lexicon.budget);
    // Else much is before the first places, most likely.
    let is_near =
        outline.children(base).iter().any(|child| child.inner().is_some_and(|near| places.contains(near)));
    if by.counts() || !is_near {
        return Ok(false);
    }
    let closed = match Closed::of_loop(automaton, walk.lexeme, by, budget)? {
        Some(closed) => Some(closed),
        None => Closed::find(automaton, walk.lexeme, budget)?,
    };
    let Some(closed) = closed else { return Ok(false) };
    let is_alone = closed.exits == 0 && closed.class.others == Others::None && closed.ends.is_empty();
    let Some(states) = closed.states.filter(|_| is_alone && closed.reach.is_none()) else { return Ok(false) };
    for state in states {
        if !walk.is_larger(state)? {
            return Ok(false);
        }
    }
    if outline.height() >= usize::from(NOWHERE) {
        return Ok(false);
    }
    let slice = lexicon.slice(closed.class, base);
    let mut row = slice.row(&lexicon.vocabulary, slice.longest());
    let mut shared = slice.branches(slice.longest());
    let branches = Arc::make_mut(&mut shared);
    // What is before the first places: nothing is taken there.
    let mut before = vec![base];
    let mut reached = Vec::new();
    // What begins with a character of the class all the same, and does not go on as the class does.
    let mut begun = Vec::new();
    let mut place = 0;
    while let Some(&branch) = before.get(place) {
        place += 1;
        let is_place = places.contains(branch);
        if is_place {
            reached.push(branch);
        }
        for child in outline.children(branch) {
            let byte = child.byte;
            let is_of_class = byte < 0x80 && closed.class.ascii >> byte & 1 == 1;
            if !is_of_class || is_place && !closed.not_first.contains(byte) {
                continue;
            }
            if is_place {
                let next = automaton.step(walk.lexeme, byte, budget)?;
                begun.extend((!next.is_dead()).then_some((child.node, next)));
            }
            trie.tokens(child.node).iter().for_each(|id| row[id.word()] &= !id.bit());
            if let Some(below) = child.inner() {
                branches[below.index() / 64] &= !(1 << (below.index() % 64));
                before.push(below);
            }
        }
        if before.len() > MANY {
            return Ok(false);
        }
    }
    walk.distance.nodes += before.len() as u64;
    findings.allow_row(row);
    walk.leave_out_all(branches);
    walk.leave_out_each(&reached);
    if closed.completes {
        findings.hand_over_all(&shared);
    }
    for (child, next) in begun {
        walk.arrive(child, next, findings)?;
    }
    Ok(true)
}
