//! `A ::= B | C; B ::= 'a'; C ::= 'a';` becomes `A ::= B; B ::= 'a';`: nonterminals with equal productions
//! are merged.

use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cancellation::Cancellation;
use crate::error::Error;
use crate::form::NonterminalId;
use crate::grammar::{Atom, Factor, Grammar};
use crate::passes::Context;

/// Finds the coarsest partition of the nonterminals in which members of a class have equal productions, up to
/// the classes of the nonterminals in these. Keeps one nonterminal of each class: the start symbol, or the
/// first.
///
/// So `A ::= 'a' A;` and `B ::= 'a' B;` are merged, and a long chain of equal rules needs only one run.
///
/// # Complexity
/// O(n log n) in the number of symbols. Linear if [`MAX_HASH_ROUNDS`] rounds suffice.
///
/// # Source
/// Partition refinement: J. Hopcroft, "An n log n algorithm for minimizing states in a finite automaton",
/// 1971; R. Paige, R. Tarjan, "Three partition refinement algorithms", 1987. When a class splits, all parts
/// but the largest get new numbers, so each nonterminal is renumbered at most log n times. Productions are
/// compared by hashes that are updated by addition. The result is compared in full before it is used.
pub(crate) fn merge_equal_nonterminals(
    grammar: &mut Grammar,
    context: &mut Context<'_, '_>,
) -> Result<(), Error> {
    let classes = match hash_rounds(grammar, context.cancellation) {
        _ if context.cancellation.is_cancelled() => return Ok(()),
        Rounds::AllDiffer => return Ok(()),
        Rounds::Stable(classes) => classes,
        Rounds::Unfinished => Refinement::new(grammar).run(context.cancellation),
    };
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    let count = grammar.variables.len();
    let mut kept: Vec<Option<NonterminalId>> = vec![None; count];
    kept[classes[grammar.start.index()] as usize] = Some(grammar.start);
    let mut is_any_merged = false;
    for (id, _) in grammar.in_use() {
        match &mut kept[classes[id.index()] as usize] {
            Some(first) => is_any_merged |= *first != id,
            none => *none = Some(id),
        }
    }
    if !is_any_merged {
        return Ok(());
    }
    let representative = |id: NonterminalId| kept[classes[id.index()] as usize].unwrap_or(id);
    if !are_classes_equal(grammar, representative, context.cancellation) {
        return Ok(());
    }
    for variable in &mut grammar.variables {
        for factor in variable.productions.iter_mut().flatten() {
            if let Atom::Nonterminal(id) = &mut factor.atom {
                *id = representative(*id);
            }
        }
    }
    grammar.remove_unreachable(context.cancellation);
    super::deduplicate_alternatives::deduplicate(grammar, context.cancellation);
    Ok(())
}

/// Compares the productions of every nonterminal with those of its representative. Returns false if some
/// differ, which needs a collision of hashes, or if cancelled.
fn are_classes_equal(
    grammar: &Grammar,
    representative: impl Fn(NonterminalId) -> NonterminalId,
    cancellation: &mut Cancellation<'_>,
) -> bool {
    let body = |id: NonterminalId| -> FxHashSet<Vec<Factor>> {
        let rename = |factor: &Factor| match factor.atom {
            Atom::Nonterminal(id) => Factor { atom: Atom::Nonterminal(representative(id)), ..*factor },
            Atom::Terminal(_) => *factor,
        };
        let productions = grammar.variable(id).productions.iter();
        productions.map(|production| production.iter().map(rename).collect()).collect()
    };
    let merged = grammar.in_use().filter(|&(id, _)| representative(id) != id);
    let mut bodies: FxHashMap<NonterminalId, FxHashSet<Vec<Factor>>> = FxHashMap::default();
    for (id, variable) in merged {
        if cancellation.poll_after(1) || variable.unordered.is_some() {
            return false;
        }
        let kept = representative(id);
        if *bodies.entry(kept).or_insert_with(|| body(kept)) != body(id) {
            return false;
        }
    }
    true
}

/// The result of [`hash_rounds`].
enum Rounds {
    /// No two nonterminals are equal, or the pass was cancelled.
    AllDiffer,
    /// By nonterminal: its class in the coarsest partition.
    Stable(Vec<u32>),
    /// The partition was still changing.
    Unfinished,
}

/// Number of rounds that compute all hashes anew. Beyond it, [`Refinement`] is faster.
const MAX_HASH_ROUNDS: usize = 8;

/// Refines the partition by computing all hashes anew, until nothing changes or the rounds are used up.
///
/// In most grammars, all nonterminals differ after one or two rounds. A nonterminal that is alone in its
/// class stays alone, and is not hashed again.
fn hash_rounds(grammar: &Grammar, cancellation: &mut Cancellation<'_>) -> Rounds {
    let mut class = vec![0u64; grammar.variables.len()];
    // The bounds of an `unordered!` are not in its productions, so each is a class of its own.
    for (id, _) in grammar.in_use().filter(|(_, variable)| variable.unordered.is_some()) {
        class[id.index()] = mix64(u64::MAX, u64::from(id.0));
    }
    let mut hashes: Vec<u64> = Vec::with_capacity(16);
    let mut open: Vec<NonterminalId> = grammar.in_use().map(|(id, _)| id).collect();
    let mut signatures: Vec<(u64, NonterminalId)> = Vec::with_capacity(open.len());
    let mut alone = 0;
    let mut before = 1;
    for _ in 0..MAX_HASH_ROUNDS {
        signatures.clear();
        for &id in &open {
            if cancellation.poll_after(1) {
                return Rounds::AllDiffer;
            }
            let variable = grammar.variable(id);
            hashes.clear();
            for production in &variable.productions {
                if cancellation.poll_after(1) {
                    return Rounds::AllDiffer;
                }
                hashes.push(hash_production(production, &class));
            }
            if hashes.len() > 1 {
                hashes.sort_unstable();
                hashes.dedup();
            }
            let signature = hashes.iter().fold(class[id.index()], |sum, &hash| mix64(sum, hash));
            signatures.push((signature, id));
        }
        if !sort_signatures(&mut signatures, cancellation) {
            return Rounds::AllDiffer;
        }
        open.clear();
        let mut shared = 0;
        for equal in signatures.chunk_by(|a, b| a.0 == b.0) {
            if cancellation.poll_after(1) {
                return Rounds::AllDiffer;
            }
            equal.iter().for_each(|&(signature, id)| class[id.index()] = signature);
            if equal.len() == 1 {
                alone += 1;
            } else {
                shared += 1;
                open.extend(equal.iter().map(|&(_, id)| id));
            }
        }
        if open.is_empty() {
            return Rounds::AllDiffer;
        }
        if alone + shared == before {
            let mut names: Vec<u64> = grammar.in_use().map(|(id, _)| class[id.index()]).collect();
            names.sort_unstable();
            names.dedup();
            let number = |hash: &u64| narrow(names.partition_point(|other| other < hash));
            return Rounds::Stable(class.iter().map(number).collect());
        }
        before = alone + shared;
    }
    Rounds::Unfinished
}

/// Returns the hash of a production under the current classes of the nonterminals.
fn hash_production(production: &[Factor], class: &[u64]) -> u64 {
    let mut hash = 0;
    for factor in production {
        let (kind, name) = match factor.atom {
            Atom::Terminal(id) => (1, u64::from(id.0)),
            Atom::Nonterminal(id) => (2, class[id.index()]),
        };
        hash = mix64(hash, name ^ kind << 62);
        if !factor.is_once() {
            let max = factor.max.map_or(0, |max| u64::from(max) + 1);
            hash = mix64(hash, u64::from(factor.min) << 32 ^ max);
        }
    }
    mix64(hash, production.len() as u64)
}

/// Sorts by hash. Returns false if cancelled.
fn sort_signatures(signatures: &mut [(u64, NonterminalId)], cancellation: &mut Cancellation<'_>) -> bool {
    /// Number of entries that are sorted in one step, which takes less than a millisecond.
    const MAX_ENTRIES_PER_STEP: usize = 1 << 13;
    // Quicksort with the median as pivot, and steps small enough to cancel between them.
    let mut pending = vec![signatures];
    while let Some(part) = pending.pop() {
        if part.len() <= MAX_ENTRIES_PER_STEP {
            part.sort_unstable();
        } else {
            let middle = part.len() / 2;
            part.select_nth_unstable(middle);
            let (below, above) = part.split_at_mut(middle);
            pending.extend([below, above]);
        }
        if cancellation.is_cancelled() {
            return false;
        }
    }
    true
}

/// Adds a number to a hash.
#[expect(clippy::cast_possible_truncation, reason = "the two halves of the product")]
const fn mix64(hash: u64, next: u64) -> u64 {
    let product = (hash ^ next.wrapping_mul(0x9E37_79B9_7F4A_7C15)) as u128 * 0xA076_1D64_78BD_642F_u128;
    (product >> 64) as u64 ^ (product as u64).rotate_left(32) ^ next
}

/// An occurrence of a nonterminal in a production.
#[derive(Clone, Copy)]
struct Use {
    production: u32,
    /// Index in the production.
    index: u32,
    /// Least and greatest number of repetitions.
    bounds: (u32, Option<u32>),
}

/// State of the partition refinement.
struct Refinement {
    /// By nonterminal: its class.
    class: Vec<u32>,
    /// By class: its members.
    members: Vec<Vec<u32>>,
    /// By nonterminal: its index among the members of its class.
    position: Vec<u32>,
    /// By nonterminal: its occurrences.
    uses: Vec<Vec<Use>>,
    /// By production: its left side.
    left_sides: Vec<u32>,
    /// By production: its hash under the current classes.
    production_hash: Vec<u128>,
    /// By nonterminal and hash: the number of its productions with that hash.
    equal: FxHashMap<(u32, u128), u32>,
    /// By nonterminal: the sum of the distinct hashes of its productions.
    signature: Vec<u128>,
}

/// Returns a hash of three numbers.
const fn mix(a: u64, b: u64, c: u64) -> u128 {
    const K: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
    let mut x = ((a as u128) << 64 | b as u128) ^ (c as u128).wrapping_mul(K).rotate_left(41);
    x = (x ^ (x >> 67)).wrapping_mul(K);
    x = (x ^ (x >> 61)).wrapping_mul(K);
    x ^ (x >> 64)
}

/// Returns the contribution of a symbol to the hash of its production. `kind` is 1 for a terminal, 2 for a
/// class.
const fn hash_symbol(index: u32, kind: u32, id: u32, bounds: (u32, Option<u32>)) -> u128 {
    let (min, max) = bounds;
    let max = match max {
        Some(max) => max as u64 + 1,
        None => 0,
    };
    mix((index as u64) << 32 | kind as u64, id as u64, (min as u64) << 32 ^ max)
}

/// Returns the contribution of a production's hash to the signature of its left side.
#[expect(clippy::cast_possible_truncation, reason = "the two halves of the hash")]
const fn spread(hash: u128) -> u128 {
    mix(hash as u64, (hash >> 64) as u64, 3)
}

impl Refinement {
    /// Starts with all nonterminals in one class.
    fn new(grammar: &Grammar) -> Self {
        let count = grammar.variables.len();
        let mut this = Self {
            class: vec![0; count],
            members: vec![Vec::new()],
            position: vec![0; count],
            uses: vec![Vec::new(); count],
            left_sides: Vec::new(),
            production_hash: Vec::new(),
            equal: FxHashMap::default(),
            signature: vec![0; count],
        };
        for (id, variable) in grammar.in_use() {
            if variable.unordered.is_some() {
                this.signature[id.index()] = mix(u64::MAX, u64::from(id.0), 4);
            }
            this.position[id.index()] = narrow(this.members[0].len());
            this.members[0].push(id.0);
            for production in &variable.productions {
                let number = narrow(this.left_sides.len());
                let mut hash = mix(production.len() as u64, 0, 0);
                for (index, factor) in (0..).zip(production) {
                    let bounds = (factor.min, factor.max);
                    hash = hash.wrapping_add(match factor.atom {
                        Atom::Terminal(id) => hash_symbol(index, 1, id.0, bounds),
                        Atom::Nonterminal(id) => {
                            this.uses[id.index()].push(Use { production: number, index, bounds });
                            hash_symbol(index, 2, 0, bounds)
                        }
                    });
                }
                this.left_sides.push(id.0);
                this.production_hash.push(hash);
                this.enter(id.0, hash);
            }
        }
        this
    }

    /// Adds the hash of a production to the signature of its left side.
    fn enter(&mut self, left: u32, hash: u128) {
        let count = self.equal.entry((left, hash)).or_insert(0);
        *count += 1;
        if *count == 1 {
            let sum = &mut self.signature[left as usize];
            *sum = sum.wrapping_add(spread(hash));
        }
    }

    /// Removes the hash of a production from the signature of its left side.
    fn leave(&mut self, left: u32, hash: u128) {
        if let Some(count) = self.equal.get_mut(&(left, hash)) {
            *count -= 1;
            if *count == 0 {
                self.equal.remove(&(left, hash));
                let sum = &mut self.signature[left as usize];
                *sum = sum.wrapping_sub(spread(hash));
            }
        }
    }

    /// Refines until nothing changes. Returns the class of every nonterminal.
    fn run(mut self, cancellation: &mut Cancellation<'_>) -> Vec<u32> {
        // Nonterminals whose signature may differ from that of their class.
        let mut dirty: Vec<u32> = self.members[0].clone();
        while !dirty.is_empty() && !cancellation.poll_after(dirty.len()) {
            dirty.sort_unstable_by_key(|&id| (self.class[id as usize], self.signature[id as usize], id));
            dirty.dedup();
            let mut renamed = Vec::new();
            let mut rest = &dirty[..];
            while let Some(&first) = rest.first() {
                let class = self.class[first as usize];
                let count = rest.iter().take_while(|&&id| self.class[id as usize] == class).count();
                let (of_class, others) = rest.split_at(count);
                self.split(of_class, &mut renamed);
                rest = others;
            }
            dirty = self.rename(&renamed);
        }
        self.class
    }

    /// Splits a class by signature. `dirty` has the members whose signature has changed, sorted by signature.
    /// Appends the members that leave the class to `renamed`, with their old class.
    fn split(&mut self, dirty: &[u32], renamed: &mut Vec<(u32, u32)>) {
        let old = self.class[dirty[0] as usize];
        let untouched = self.members[old as usize].len() - dirty.len();
        let groups = dirty.chunk_by(|&a, &b| self.signature[a as usize] == self.signature[b as usize]);
        let mut groups: Vec<Vec<u32>> = groups.map(<[u32]>::to_vec).collect();
        if untouched > 0 {
            // Unchanged members may have the same signature as some changed ones, which then stay with them.
            for &id in dirty {
                self.detach(id, old);
            }
            let signature = self.signature[self.members[old as usize][0] as usize];
            if let Some(at) = groups.iter().position(|group| self.signature[group[0] as usize] == signature) {
                for id in groups.remove(at) {
                    self.attach(id, old);
                }
            }
            if groups.is_empty() {
                return;
            }
            let largest = (0..groups.len()).max_by_key(|&at| (groups[at].len(), std::cmp::Reverse(at)));
            if let Some(at) = largest
                && groups[at].len() > self.members[old as usize].len()
            {
                // The largest part keeps the number of the class.
                let rest = std::mem::take(&mut self.members[old as usize]);
                for id in std::mem::replace(&mut groups[at], rest) {
                    self.attach(id, old);
                }
            }
        } else {
            if groups.len() == 1 {
                return;
            }
            self.members[old as usize].clear();
            let largest = (0..groups.len()).max_by_key(|&at| (groups[at].len(), std::cmp::Reverse(at)));
            for id in groups.remove(largest.unwrap_or(0)) {
                self.attach(id, old);
            }
        }
        for group in groups {
            let new = narrow(self.members.len());
            self.members.push(Vec::with_capacity(group.len()));
            for id in group {
                self.attach(id, new);
                renamed.push((id, old));
            }
        }
    }

    /// Removes a nonterminal from the members of a class.
    fn detach(&mut self, id: u32, class: u32) {
        let members = &mut self.members[class as usize];
        let at = self.position[id as usize];
        members.swap_remove(at as usize);
        if let Some(&moved) = members.get(at as usize) {
            self.position[moved as usize] = at;
        }
    }

    /// Adds a nonterminal to a class.
    fn attach(&mut self, id: u32, class: u32) {
        self.class[id as usize] = class;
        self.position[id as usize] = narrow(self.members[class as usize].len());
        self.members[class as usize].push(id);
    }

    /// Updates the hashes of the productions that contain renamed nonterminals. Returns their left sides.
    fn rename(&mut self, renamed: &[(u32, u32)]) -> Vec<u32> {
        let mut dirty = Vec::new();
        for &(id, old) in renamed {
            let new = self.class[id as usize];
            let uses = std::mem::take(&mut self.uses[id as usize]);
            for occurrence in &uses {
                let production = occurrence.production as usize;
                let left = self.left_sides[production];
                let hash = self.production_hash[production];
                let changed = hash
                    .wrapping_sub(hash_symbol(occurrence.index, 2, old, occurrence.bounds))
                    .wrapping_add(hash_symbol(occurrence.index, 2, new, occurrence.bounds));
                self.production_hash[production] = changed;
                self.leave(left, hash);
                self.enter(left, changed);
                dirty.push(left);
            }
            self.uses[id as usize] = uses;
        }
        dirty
    }
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    let mut seen: FxHashSet<Vec<Vec<Factor>>> = FxHashSet::default();
    grammar.in_use().filter(|(_, variable)| variable.unordered.is_none()).all(|(_, variable)| {
        let mut body = variable.productions.clone();
        body.sort();
        body.dedup();
        seen.insert(body)
    })
}
