//! Which nonterminals produce something: finite strings, endless outputs, or nothing at all. The exact analysis behind
//! [`remove_dead_rules`](crate::PASSES) and [`NormalForm::check`](crate::NormalForm::check).

use crate::cancellation::Stop;
use crate::grammar::{Atom, Factor};
use crate::graph::{Lists, components};
use crate::unordered::{Progress, Unordered, UnorderedError};

/// What each nonterminal can produce. Nothing may be nullable, and repetitions must be expanded.
///
/// An endless output is an endless leftmost descent N → α M, M → β K, ... in which infinitely often the part before the next
/// nonterminal produces a byte, and every such part produces a finite string. A descent without bytes (`A ::= A 'x';`) is no
/// output. A descent that enters `unordered!` is one only where everything around it can be completed: then what is begun is the beginning
/// of a finite string too, and need not be looked for.
pub(crate) struct Liveness {
    /// Produces a finite, non-empty string.
    pub finite: Vec<bool>,
    /// Produces an endless output; empty where everything produces a finite string, and nobody needs to know.
    endless: Vec<bool>,
}

impl Liveness {
    /// Means nothing when it was stopped. `selections`: for every nonterminal what `unordered!` says. `is_empty`: the terminals that contain no string.
    ///
    /// # Errors
    /// When items of `unordered!` need too many others.
    ///
    /// # Complexity
    /// Linear.
    pub fn new(
        bodies: &[&[Vec<Factor>]],
        selections: &[Option<&Unordered>],
        is_empty: impl Fn(Atom) -> bool,
        stop: &mut Stop<'_>,
    ) -> Result<Self, UnorderedError> {
        let finite = finite(bodies, selections, &is_empty, stop)?;
        let is_clean = bodies.iter().zip(&finite).all(|(body, finite)| *finite || body.is_empty())
            && bodies.iter().all(|body| {
                body.iter().all(|production| {
                    production.iter().all(|factor| match factor.atom {
                        Atom::Nonterminal(id) => finite[id.index()],
                        terminal => !is_empty(terminal),
                    })
                })
            });
        let mut liveness = Self { finite, endless: Vec::new() };
        if !is_clean {
            liveness.endless = endless(bodies, selections, |factor| liveness.is_finite(factor, &is_empty));
        }
        Ok(liveness)
    }

    /// Whether every symbol of every production produces a finite string; endless outputs are unknown then.
    pub const fn is_clean(&self) -> bool {
        self.endless.is_empty()
    }

    /// Whether a symbol produces a finite string.
    pub fn is_finite(&self, factor: &Factor, is_empty: impl Fn(Atom) -> bool) -> bool {
        match factor.atom {
            Atom::Nonterminal(id) => self.finite[id.index()],
            terminal => !is_empty(terminal),
        }
    }

    /// Whether a symbol produces an endless output; only known where something is not clean.
    pub fn is_endless(&self, factor: &Factor) -> bool {
        match factor.atom {
            Atom::Nonterminal(id) => self.endless.get(id.index()).copied().unwrap_or(false),
            Atom::Terminal(_) => false,
        }
    }
}

fn finite(
    bodies: &[&[Vec<Factor>]],
    selections: &[Option<&Unordered>],
    is_empty: impl Fn(Atom) -> bool,
    stop: &mut Stop<'_>,
) -> Result<Vec<bool>, UnorderedError> {
    let mut progress = Vec::with_capacity(selections.len());
    for unordered in selections {
        progress.push(unordered.map(Progress::new).transpose()?);
        if stop.after(1) {
            return Ok(vec![false; bodies.len()]);
        }
    }
    // Where a nonterminal is a part of `unordered!`: in whose, and in which place.
    let mut parts = Vec::new();
    let mut part_uses = Vec::new();
    let mut finite = vec![false; bodies.len()];
    let count = bodies.iter().map(|body| body.len()).sum();
    let mut left_sides = Vec::with_capacity(count);
    let mut missing = Vec::with_capacity(count);
    let mut uses = Vec::with_capacity(2 * count);
    let mut found = Vec::with_capacity(bodies.len());
    for (left, body) in bodies.iter().enumerate() {
        if stop.after(1 + body.len() / 16) {
            return Ok(finite);
        }
        if progress[left].is_some() {
            for (place, factor) in body.iter().flatten().enumerate() {
                if let Atom::Nonterminal(used) = factor.atom {
                    part_uses.push((used.0, parts.len() as u32));
                    parts.push((left, place));
                }
            }
            continue;
        }
        for production in *body {
            if production.iter().any(|factor| is_empty(factor.atom)) {
                continue;
            }
            let mut count = 0u32;
            for factor in production {
                if let Atom::Nonterminal(used) = factor.atom {
                    uses.push((used.0, left_sides.len() as u32));
                    count += 1;
                }
            }
            left_sides.push(left);
            missing.push(count);
            if count == 0 && !std::mem::replace(&mut finite[left], true) {
                found.push(left);
            }
        }
    }
    let uses = Lists::new(bodies.len(), &uses);
    let part_uses = Lists::new(bodies.len(), &part_uses);
    while let Some(id) = found.pop() {
        if stop.after(1) {
            return Ok(finite);
        }
        for &part in part_uses.of(id) {
            let (left, place) = parts[part as usize];
            if let Some(progress) = &mut progress[left] {
                progress.add(place);
                if progress.is_enough() && !std::mem::replace(&mut finite[left], true) {
                    found.push(left);
                }
            }
        }
        for &production in uses.of(id) {
            let production = production as usize;
            missing[production] -= 1;
            let left = left_sides[production];
            if missing[production] == 0 && !std::mem::replace(&mut finite[left], true) {
                found.push(left);
            }
        }
    }
    Ok(finite)
}

fn endless(
    bodies: &[&[Vec<Factor>]],
    selections: &[Option<&Unordered>],
    is_finite: impl Fn(&Factor) -> bool,
) -> Vec<bool> {
    let mut edges = Vec::new();
    // Edges with a byte before the next nonterminal.
    let mut guarded = Vec::new();
    for (left, body) in bodies.iter().enumerate().filter(|(left, _)| selections[*left].is_none()) {
        for production in *body {
            for (place, factor) in production.iter().enumerate() {
                let goes_on = is_finite(factor);
                if let Atom::Nonterminal(next) = factor.atom {
                    let edge = (left as u32, next.0);
                    // The second of a counted repetition comes after the first.
                    let is_repeated = goes_on && !factor.is_once();
                    edges.push(edge);
                    if place > 0 || is_repeated {
                        guarded.push(edge);
                    }
                }
                if !goes_on {
                    break;
                }
            }
        }
    }
    let graph = Lists::new(bodies.len(), &edges);
    let component = components(&graph);
    let mut endless = vec![false; bodies.len()];
    for (from, to) in guarded {
        if component[from as usize] == component[to as usize] {
            endless[component[from as usize] as usize] = true;
        }
    }
    // Components are numbered successors first, so one round in that order reaches everything that leads to an endless one.
    let members: Vec<(u32, u32)> = component.iter().zip(0..).map(|(&number, node)| (number, node)).collect();
    let members = Lists::new(bodies.len(), &members);
    for number in 0..bodies.len() {
        endless[number] = endless[number]
            || members.of(number).iter().any(|&node| {
                graph.of(node as usize).iter().any(|&next| endless[component[next as usize] as usize])
            });
    }
    component.iter().map(|&number| endless[number as usize]).collect()
}
