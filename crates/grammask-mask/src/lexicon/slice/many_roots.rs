//! Walks a lexeme from a large set of trie nodes at once.
//!
//! The strategy needs a class of characters that leads from one base node to every root and keeps the lexeme
//! alive. The union of the subtrees is then the slice of the class without the tokens that end before the
//! first root.

use std::sync::Arc;

use grammask_regular::Error;
use grammask_trie::index::InnerId;

use crate::lexicon::slice::NOWHERE;
use crate::lexicon::slice::safe_class::SafeClass;
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::WalkOutput;
use crate::lexicon::walk::self_loop::{NonAscii, SelfLoop};
use crate::node_set::NodeSet;

/// Trie nodes before the first roots; with more, the strategy does not pay.
const MAX_NODES_BEFORE_ROOTS: usize = 1 << 13;

/// Adds the tokens that a lexeme accepts below those of `nodes` to which a class of characters leads from
/// `base`, which is not one of them. Returns `false` and leaves the output unchanged if the class is not
/// safe, other characters continue, or many nodes precede the roots.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    nodes: &NodeSet,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    let (trie, trie_index) = (lexicon.trie(), lexicon.trie_index());
    let automaton = &lexicon.automaton;
    // Otherwise many nodes probably precede the first roots.
    let is_near =
        trie_index.children(base).iter().any(|child| child.inner().is_some_and(|near| nodes.contains(near)));
    if by.counts() || !is_near {
        return Ok(false);
    }
    let safe = match SafeClass::of_loop(automaton, walk.lexeme, by)? {
        Some(safe) => Some(safe),
        None => SafeClass::find(automaton, walk.lexeme)?,
    };
    let Some(safe) = safe else { return Ok(false) };
    let is_alone = safe.leaving == 0 && safe.class.non_ascii == NonAscii::None && safe.ends.is_empty();
    let Some(states) = safe.states.filter(|_| is_alone && safe.reach.is_none()) else { return Ok(false) };
    for state in states {
        if !walk.is_larger(state)? {
            return Ok(false);
        }
    }
    if trie_index.height() >= usize::from(NOWHERE) {
        return Ok(false);
    }
    let slice = lexicon.slice(safe.class, base);
    let mut row = slice.row(&lexicon.vocabulary, slice.longest());
    let mut shared = slice.inner_nodes(slice.longest());
    let inner_nodes = Arc::make_mut(&mut shared);
    // Nodes before the first roots: no token is taken there.
    let mut before = vec![base];
    let mut frontier = Vec::new();
    // Children of roots by bytes in `not_first`: the lexeme continues there, but not as the class does.
    let mut begun = Vec::new();
    let mut visited = 0;
    while let Some(&inner) = before.get(visited) {
        visited += 1;
        let is_root = nodes.contains(inner);
        if is_root {
            frontier.push(inner);
        }
        for child in trie_index.children(inner) {
            let byte = child.byte;
            let is_of_class = byte < 0x80 && safe.class.ascii >> byte & 1 == 1;
            if !is_of_class || is_root && !safe.not_first.contains(byte) {
                continue;
            }
            if is_root {
                let next = automaton.step(walk.lexeme, byte)?;
                begun.extend((!next.is_dead()).then_some((child.node, next)));
            }
            trie.tokens(child.node).iter().for_each(|id| row[id.word()] &= !id.bit());
            if let Some(below) = child.inner() {
                inner_nodes[below.index() / 64] &= !(1 << (below.index() % 64));
                before.push(below);
            }
        }
        if before.len() > MAX_NODES_BEFORE_ROOTS {
            return Ok(false);
        }
    }
    walk.cost.nodes += before.len() as u64;
    output.allow_row(row);
    walk.skip_all(inner_nodes);
    walk.skip_each(&frontier);
    if safe.completes {
        output.exit_at_all(&shared);
    }
    for (child, next) in begun {
        walk.enter(child, next, output)?;
    }
    Ok(true)
}
