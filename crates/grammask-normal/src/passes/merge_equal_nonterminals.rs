//! `A ::= B | C; B ::= 'a'; C ::= 'a';` becomes `A ::= B; B ::= 'a';`: nonterminals with the same productions are one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cancellation::Stop;
use crate::error::Error;
use crate::form::NonterminalId;
use crate::grammar::{Atom, Factor, Grammar};
use crate::passes::Context;

/// Finds the coarsest partition of the nonterminals such that those of a class have the same productions, nonterminals taken
/// for their classes, and makes one nonterminal of each class: the start symbol or the first.
///
/// So `A ::= 'a' A;` and `B ::= 'a' B;` are one too, and a long chain of equal rules needs no second run.
///
/// # Complexity
/// O(n log n) in the number of symbols; linear where a few rounds settle it.
///
/// # Source
/// Partition refinement in the manner of Hopcroft 1971 and Paige and Tarjan 1987: of a class that splits, all parts but the largest get new
/// names, so each nonterminal is renamed at most log n times. What is compared are hashes of productions that are kept up to
/// date by addition; the result is compared in full before it is used.
pub(crate) fn merge_equal_nonterminals(
    grammar: &mut Grammar,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    let classes = match few_rounds(grammar, context.stop) {
        _ if context.stop.is_stopped() => return Ok(()),
        Rounds::AllDiffer => return Ok(()),
        Rounds::Stable(classes) => classes,
        Rounds::Unfinished => Refinement::new(grammar).run(context.stop),
    };
    if context.stop.is_stopped() {
        return Ok(());
    }
    let count = grammar.variables.len();
    let mut kept: Vec<Option<NonterminalId>> = vec![None; count];
    kept[classes[grammar.start.index()] as usize] = Some(grammar.start);
    let mut is_any = false;
    for (id, _) in grammar.in_use() {
        match &mut kept[classes[id.index()] as usize] {
            Some(first) => is_any |= *first != id,
            place => *place = Some(id),
        }
    }
    if !is_any {
        return Ok(());
    }
    let keeper = |id: NonterminalId| kept[classes[id.index()] as usize].unwrap_or(id);
    let renamed = |production: &Vec<Factor>| -> Vec<Factor> {
        let rename = |factor: &Factor| match factor.atom {
            Atom::Nonterminal(id) => Factor { atom: Atom::Nonterminal(keeper(id)), ..*factor },
            Atom::Terminal(_) => *factor,
        };
        production.iter().map(rename).collect()
    };
    // Hashes may lie, if only once in an age.
    let mut bodies: FxHashMap<NonterminalId, FxHashSet<Vec<Factor>>> = FxHashMap::default();
    let is_shared: FxHashSet<NonterminalId> = grammar
        .in_use()
        .map(|(id, _)| (id, keeper(id)))
        .filter(|(id, keeper)| id != keeper)
        .map(|pair| pair.1)
        .collect();
    for &id in &is_shared {
        bodies.insert(id, grammar.variable(id).productions.iter().map(renamed).collect());
    }
    for (id, variable) in grammar.in_use() {
        if context.stop.after(1) {
            return Ok(());
        }
        if keeper(id) != id {
            if variable.unordered.is_some() {
                return Ok(());
            }
            let body: FxHashSet<Vec<Factor>> = variable.productions.iter().map(renamed).collect();
            if body != bodies[&keeper(id)] {
                return Ok(());
            }
        }
    }
    for variable in &mut grammar.variables {
        for factor in variable.productions.iter_mut().flatten() {
            if let Atom::Nonterminal(id) = &mut factor.atom {
                *id = keeper(*id);
            }
        }
    }
    grammar.sweep(context.stop);
    super::deduplicate_alternatives::deduplicate(grammar, context.stop);
    Ok(())
}

/// How far plain rounds came.
enum Rounds {
    AllDiffer,
    Stable(Vec<u32>),
    Unfinished,
}

/// After this many rounds the careful way is faster.
const MAX_ROUNDS: usize = 8;

/// Refines by computing signatures anew until nothing changes: of most grammars, all nonterminals differ after one or two rounds. Who differs from
/// all others once does so for ever, and keeps its name.
fn few_rounds(grammar: &Grammar, stop: &mut Stop<'_>) -> Rounds {
    let mut class = vec![0u64; grammar.variables.len()];
    // What `unordered!` says is not in its productions: each is a class of its own.
    for (id, _) in grammar.in_use().filter(|(_, variable)| variable.unordered.is_some()) {
        class[id.index()] = round(u64::MAX, u64::from(id.0));
    }
    let mut hashes: Vec<u64> = Vec::with_capacity(16);
    let mut open: Vec<NonterminalId> = grammar.in_use().map(|(id, _)| id).collect();
    let mut signatures: Vec<(u64, NonterminalId)> = Vec::with_capacity(open.len());
    let mut alone = 0;
    let mut before = 1;
    for _ in 0..MAX_ROUNDS {
        signatures.clear();
        for &id in &open {
            if stop.after(1) {
                return Rounds::AllDiffer;
            }
            let variable = grammar.variable(id);
            hashes.clear();
            for production in &variable.productions {
                if stop.after(1) {
                    return Rounds::AllDiffer;
                }
                let mut hash = 0;
                for factor in production {
                    let (kind, name) = match factor.atom {
                        Atom::Terminal(id) => (1, u64::from(id.0)),
                        Atom::Nonterminal(id) => (2, class[id.index()]),
                    };
                    hash = round(hash, name ^ kind << 62);
                    if !factor.is_once() {
                        hash = round(
                            hash,
                            u64::from(factor.min) << 32 ^ factor.max.map_or(0, |max| u64::from(max) + 1),
                        );
                    }
                }
                hashes.push(round(hash, production.len() as u64));
            }
            if hashes.len() > 1 {
                hashes.sort_unstable();
                hashes.dedup();
            }
            let signature = hashes.iter().fold(class[id.index()], |sum, &hash| round(sum, hash));
            signatures.push((signature, id));
        }
        if !sort_unless(&mut signatures, stop) {
            return Rounds::AllDiffer;
        }
        open.clear();
        let mut shared = 0;
        for equal in signatures.chunk_by(|a, b| a.0 == b.0) {
            if stop.after(1) {
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
            let number = |hash: &u64| names.partition_point(|other| other < hash) as u32;
            return Rounds::Stable(class.iter().map(number).collect());
        }
        before = alone + shared;
    }
    Rounds::Unfinished
}

/// Sorts by hashes; whether nobody has stopped it, so that they are sorted.
fn sort_unless(signatures: &mut [(u64, NonterminalId)], stop: &mut Stop<'_>) -> bool {
    /// So many are sorted at once, mostly: hashes are spread evenly.
    const AT_ONCE: usize = 1 << 13;
    // What is below the middle first, then what is above, each of them likewise.
    let mut open = vec![signatures];
    while let Some(some) = open.pop() {
        if some.len() <= AT_ONCE {
            some.sort_unstable();
        } else {
            let middle = some.len() / 2;
            some.select_nth_unstable(middle);
            let (below, above) = some.split_at_mut(middle);
            open.extend([below, above]);
        }
        if stop.is_stopped() {
            return false;
        }
    }
    true
}

/// A hash of a number and all before.
const fn round(hash: u64, next: u64) -> u64 {
    let product = (hash ^ next.wrapping_mul(0x9E37_79B9_7F4A_7C15)) as u128 * 0xA076_1D64_78BD_642F_u128;
    (product >> 64) as u64 ^ (product as u64).rotate_left(32) ^ next
}

/// Where a nonterminal stands.
#[derive(Clone, Copy)]
struct Use {
    production: u32,
    place: u32,
    bounds: (u32, Option<u32>),
}

struct Refinement {
    class: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// Where a nonterminal stands in the list of its class.
    position: Vec<u32>,
    uses: Vec<Vec<Use>>,
    left_sides: Vec<u32>,
    /// The hash of each production under the current classes.
    production_hash: Vec<u128>,
    /// How many productions of a nonterminal have a hash.
    equal: FxHashMap<(u32, u128), u32>,
    /// The sum of the distinct hashes of its productions.
    signature: Vec<u128>,
}

/// A well mixed number of three.
const fn mix(a: u64, b: u64, c: u64) -> u128 {
    const K: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
    let mut x = ((a as u128) << 64 | b as u128) ^ (c as u128).wrapping_mul(K).rotate_left(41);
    x = (x ^ (x >> 67)).wrapping_mul(K);
    x = (x ^ (x >> 61)).wrapping_mul(K);
    x ^ (x >> 64)
}

const fn hash_symbol(place: u32, kind: u32, id: u32, (min, max): (u32, Option<u32>)) -> u128 {
    let max = match max {
        Some(max) => max as u64 + 1,
        None => 0,
    };
    mix((place as u64) << 32 | kind as u64, id as u64, (min as u64) << 32 ^ max)
}

/// A production's part of the signature.
const fn spread(hash: u128) -> u128 {
    mix(hash as u64, (hash >> 64) as u64, 3)
}

impl Refinement {
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
            this.position[id.index()] = this.members[0].len() as u32;
            this.members[0].push(id.0);
            for production in &variable.productions {
                let number = this.left_sides.len() as u32;
                let mut hash = mix(production.len() as u64, 0, 0);
                for (place, factor) in (0..).zip(production) {
                    let bounds = (factor.min, factor.max);
                    hash = hash.wrapping_add(match factor.atom {
                        Atom::Terminal(id) => hash_symbol(place, 1, id.0, bounds),
                        Atom::Nonterminal(id) => {
                            this.uses[id.index()].push(Use { production: number, place, bounds });
                            hash_symbol(place, 2, 0, bounds)
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

    fn enter(&mut self, left: u32, hash: u128) {
        let count = self.equal.entry((left, hash)).or_insert(0);
        *count += 1;
        if *count == 1 {
            let sum = &mut self.signature[left as usize];
            *sum = sum.wrapping_add(spread(hash));
        }
    }

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

    /// The class of every nonterminal.
    fn run(mut self, stop: &mut Stop<'_>) -> Vec<u32> {
        // Nonterminals whose signature may differ from that of their class.
        let mut dirty: Vec<u32> = self.members[0].clone();
        while !dirty.is_empty() && !stop.after(dirty.len()) {
            dirty.sort_unstable_by_key(|&id| (self.class[id as usize], self.signature[id as usize], id));
            dirty.dedup();
            let mut renamed = Vec::new();
            let mut rest = &dirty[..];
            while let Some(&first) = rest.first() {
                let class = self.class[first as usize];
                let count = rest.iter().take_while(|&&id| self.class[id as usize] == class).count();
                let (of_class, behind) = rest.split_at(count);
                self.split(of_class, &mut renamed);
                rest = behind;
            }
            dirty = self.rename(&renamed);
        }
        self.class
    }

    /// Splits a class by signature; `dirty` are those of its members that have changed, sorted by signature. Gives the members
    /// that have left the class, with their old class.
    fn split(&mut self, dirty: &[u32], renamed: &mut Vec<(u32, u32)>) {
        let old = self.class[dirty[0] as usize];
        let untouched = self.members[old as usize].len() - dirty.len();
        let groups = dirty.chunk_by(|&a, &b| self.signature[a as usize] == self.signature[b as usize]);
        let mut groups: Vec<Vec<u32>> = groups.map(<[u32]>::to_vec).collect();
        if untouched > 0 {
            // Those that have not changed may still be equal to some that have: their signature says so.
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
                // The largest part keeps the name.
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
            let new = self.members.len() as u32;
            self.members.push(Vec::with_capacity(group.len()));
            for id in group {
                self.attach(id, new);
                renamed.push((id, old));
            }
        }
    }

    fn detach(&mut self, id: u32, class: u32) {
        let members = &mut self.members[class as usize];
        let at = self.position[id as usize];
        members.swap_remove(at as usize);
        if let Some(&moved) = members.get(at as usize) {
            self.position[moved as usize] = at;
        }
    }

    fn attach(&mut self, id: u32, class: u32) {
        self.class[id as usize] = class;
        self.position[id as usize] = self.members[class as usize].len() as u32;
        self.members[class as usize].push(id);
    }

    /// Brings the hashes up to date where renamed nonterminals stand; gives the left sides.
    fn rename(&mut self, renamed: &[(u32, u32)]) -> Vec<u32> {
        let mut dirty = Vec::new();
        for &(id, old) in renamed {
            let new = self.class[id as usize];
            let uses = std::mem::take(&mut self.uses[id as usize]);
            for place in &uses {
                let production = place.production as usize;
                let left = self.left_sides[production];
                let hash = self.production_hash[production];
                let changed = hash
                    .wrapping_sub(hash_symbol(place.place, 2, old, place.bounds))
                    .wrapping_add(hash_symbol(place.place, 2, new, place.bounds));
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
