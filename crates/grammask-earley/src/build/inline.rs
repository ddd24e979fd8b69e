//! Automata in the place where they are called.
//!
//! While productions are symbols, places are known to be the same where productions begin or end alike (`call_sites.rs`). Once they are deterministic
//! automata without equivalent states, more places turn out to be one: in `sum ::= product {'+' product}` a product comes first, or behind an
//! operator, and the same follows. What is called at one place needs no callee: its automaton stands there. So operators of all levels become
//! one automaton, which has no more states than they have together, and whoever predicts a sum need not predict a product.
//!
//! What is called at the end of a rule and leads back there is a jump in the same automaton (`tail_recursion.rs`), and no place where it is called.

use grammask_normal::NonterminalId;
use rustc_hash::FxHashMap;

use crate::build::automaton::{Determinizer, Fragment, Label};
use crate::build::dfa_arena::{Automata, AutomatonId};
use crate::build::tail_recursion::{Scope, Tails};
use crate::{Callee, CalleeId};

/// What is drawn for jumps, or a second time, may have this part of all states, and so many more: rules that lead to each other are mostly few.
const PART_OF_STATES: usize = 4;
const SOME_COPIES: usize = 4_096;

/// The automaton of a nonterminal. The first one is that of the start symbol.
pub(crate) struct Part {
    pub(crate) nonterminal: NonterminalId,
    /// As what it is called; `None` for a start symbol that nobody calls.
    pub(crate) callee: Option<CalleeId>,
    pub(crate) automaton: AutomatonId,
}

/// Where a callee is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    /// In the automaton of one part, where always this state follows.
    Before {
        part: usize,
        state: u32,
    },
    /// At several places, or by something that needs a callee.
    Apart,
}

/// What is known of a callee.
#[derive(Clone, Copy)]
struct Called {
    place: Place,
    /// Its automaton, if it has one.
    part: Option<usize>,
    /// Whether it is called in what has been filled.
    is_needed: bool,
}

impl Called {
    /// Its automaton, if that belongs to the place where it is called.
    fn inlined(&self) -> Option<usize> {
        self.part.filter(|_| matches!(self.place, Place::Before { .. }))
    }
}

/// Notes which lexemes are still called, where some have taken the place of others.
pub(crate) fn note_lexemes(
    parts: &[Part],
    automata: &Automata,
    callees: &[Callee],
    is_called: &mut Vec<bool>,
) {
    is_called.resize(callees.len(), false);
    let is_lexeme = |callee: &Callee| matches!(callee, Callee::Lexeme { .. });
    for (is_called, _) in is_called.iter_mut().zip(callees).filter(|(_, callee)| is_lexeme(callee)) {
        *is_called = false;
    }
    let by_edges = parts.iter().flat_map(|part| automata.get(part.automaton).all_calls());
    for callee in by_edges.chain(callees.iter().flat_map(Callee::calls)).map(CalleeId::index) {
        is_called[callee] |= is_lexeme(&callees[callee]);
    }
}

/// Forgets the callees that are not called any more. Says which id each callee has from now on: their order stays, those that are forgotten have none.
pub(crate) fn forget(
    parts: &mut [Part],
    callees: &mut Vec<Callee>,
    is_called: &[bool],
) -> Vec<Option<CalleeId>> {
    let mut ids = (0..).map(CalleeId);
    let ids: Vec<_> = is_called.iter().map(|&is_called| if is_called { ids.next() } else { None }).collect();
    let mut left = is_called.iter();
    callees.retain(|_| left.next() == Some(&true));
    let renumber = |callee: &mut CalleeId| *callee = ids[callee.index()].expect("it is still called");
    for callee in callees {
        match callee {
            Callee::Counter { element, .. } => renumber(element),
            Callee::Unordered { items, separator, .. } => {
                items.iter_mut().chain(separator).for_each(renumber);
            }
            Callee::Nonterminal { .. } | Callee::Lexeme { .. } => {}
        }
    }
    parts.iter_mut().filter_map(|part| part.callee.as_mut()).for_each(renumber);
    ids
}

/// Puts automata where they are called, if that is one place, and makes jumps of calls at ends that lead back (`tail_recursion.rs`).
pub(crate) struct Inlining {
    called: Vec<Called>,
    tails: Tails,
    fragment: Fragment,
    /// Where each part begins in the fragment, and the state to which it leads there.
    starts: FxHashMap<(usize, u32), u32>,
    /// What stands in the fragment because it is called at one place.
    drawn: Vec<CalleeId>,
    /// Drawings whose edges are still to be drawn.
    work: Vec<Drawing>,
    /// The parts that have been drawn, and how many states may be drawn besides.
    is_drawn: Vec<bool>,
    copies_left: usize,
}

/// A part in the fragment.
#[derive(Clone, Copy)]
struct Drawing {
    part: usize,
    /// Its first state, behind which the others stand; and the state to which it leads.
    first: u32,
    to: u32,
    /// To which parts calls at its ends are jumps.
    scope: Option<Scope>,
}

impl Inlining {
    /// Finds out where everything is called, and, if `loops`, what leads back.
    ///
    /// # Complexity
    /// Linear in the automata.
    pub(crate) fn new(parts: &[Part], automata: &Automata, callees: &[Callee], loops: bool) -> Self {
        let unknown = Called { place: Place::Nowhere, part: None, is_needed: false };
        let mut called = vec![unknown; callees.len()];
        for (number, part) in parts.iter().enumerate() {
            if let Some(callee) = part.callee {
                called[callee.index()].part = Some(number);
            }
        }
        let views = parts.iter().map(|part| automata.get(part.automaton));
        let states: usize = views.clone().map(|view| view.len()).sum();
        let part_of = |callee: CalleeId| called[callee.index()].part.filter(|_| loops);
        let mut inlining = Self {
            tails: Tails::new(views.clone(), part_of),
            called,
            fragment: Fragment::new(),
            starts: FxHashMap::default(),
            drawn: Vec::new(),
            work: Vec::new(),
            is_drawn: vec![false; parts.len()],
            copies_left: states / PART_OF_STATES + SOME_COPIES,
        };
        callees.iter().flat_map(Callee::calls).for_each(|callee| inlining.stays(callee));
        if let Some(start) = parts.first().and_then(|part| part.callee) {
            inlining.stays(start);
        }
        for (number, view) in views.enumerate() {
            let scope = inlining.tails.scope(number);
            for &(label, state) in view.all_edges() {
                let Label::Call(callee) = label else { continue };
                let part = inlining.called[callee.index()].part;
                let is_jump = |part| inlining.tails.is_jump(scope, view, (number, part), state);
                if !part.is_some_and(is_jump) {
                    inlining.note(callee, number, state);
                }
            }
        }
        inlining
    }

    /// Makes what the automata become, from that of the start symbol on, and forgets those that nobody calls any more. Says of each callee whether it is still called.
    /// Nothing when somebody who is asked before each automaton says to stop.
    ///
    /// # Complexity
    /// Linear in the automata and in those that come of them, whose size is bounded by a multiple of that.
    pub(crate) fn inline(
        mut self,
        parts: &mut Vec<Part>,
        automata: &mut Automata,
        callees: &[Callee],
        determinizer: &mut Determinizer,
        mut is_stopped: impl FnMut() -> bool,
    ) -> Option<Vec<bool>> {
        let mut is_filled = vec![false; parts.len()];
        let mut needed = vec![0];
        let mut calls = Vec::new();
        while let Some(part) = needed.pop() {
            if std::mem::replace(&mut is_filled[part], true) {
                continue;
            }
            if is_stopped() {
                return None;
            }
            self.fill(parts, automata, part, determinizer);
            calls.extend(automata.get(parts[part].automaton).all_calls());
            while let Some(callee) = calls.pop() {
                let called = &mut self.called[callee.index()];
                if !std::mem::replace(&mut called.is_needed, true) {
                    needed.extend(called.part);
                    calls.extend(callees[callee.index()].calls());
                }
            }
        }
        let mut is_filled = is_filled.into_iter();
        parts.retain(|_| is_filled.next() == Some(true));
        let is_called: Vec<bool> = self.called.iter().map(|called| called.is_needed).collect();
        for part in parts {
            part.callee = part.callee.filter(|callee| is_called[callee.index()]);
        }
        Some(is_called)
    }

    /// This has to be called.
    fn stays(&mut self, callee: CalleeId) {
        self.called[callee.index()].place = Place::Apart;
    }

    /// In a part, a state follows on a call.
    fn note(&mut self, callee: CalleeId, part: usize, state: u32) {
        let called = &mut self.called[callee.index()];
        let here = Place::Before { part, state };
        called.place = match called.place {
            Place::Nowhere => here,
            known if known == here => here,
            _ => Place::Apart,
        };
    }

    /// Puts into a part all that belongs there. Where the automaton becomes too large it stays as it is, and what belongs there is called.
    fn fill(
        &mut self,
        parts: &mut [Part],
        automata: &mut Automata,
        part: usize,
        determinizer: &mut Determinizer,
    ) {
        let scope = self.tails.scope(part);
        let is_whole = |&(label, _): &(Label, u32)| match label {
            Label::Call(callee) => self.called[callee.index()].inlined().is_none(),
            _ => true,
        };
        if scope.is_none() && automata.get(parts[part].automaton).all_edges().iter().all(is_whole) {
            return;
        }
        self.fragment.clear();
        self.starts.clear();
        self.drawn.clear();
        self.is_drawn[part] = true;
        let first =
            self.draw_states(parts, automata, Drawing { part, first: 0, to: self.fragment.end(), scope });
        self.fragment.connect(self.fragment.start(), Label::Nothing, first);
        while let Some(drawing) = self.work.pop() {
            self.draw_edges(parts, automata, drawing);
        }
        let limit = self.fragment.len() * 4 + 16;
        match determinizer.make_deterministic(&self.fragment, limit) {
            Some(automaton) => parts[part].automaton = automata.add(automaton),
            None => self.drawn.drain(..).for_each(|callee| self.called[callee.index()].place = Place::Apart),
        }
    }

    /// States for a part; says which is the first.
    fn draw_states(&mut self, parts: &[Part], automata: &Automata, drawing: Drawing) -> u32 {
        let Drawing { part, to, .. } = drawing;
        let first = self.fragment.len() as u32;
        (0..automata.get(parts[part].automaton).len()).for_each(|_| _ = self.fragment.add_state());
        self.starts.insert((part, to), first);
        self.work.push(Drawing { first, ..drawing });
        first
    }

    /// The edges of a part whose states are drawn.
    fn draw_edges(&mut self, parts: &[Part], automata: &Automata, drawing: Drawing) {
        let automaton = automata.get(parts[drawing.part].automaton);
        for (state, at) in (0..automaton.len()).zip(drawing.first..) {
            if automaton.is_final(state) {
                self.fragment.connect(at, Label::Nothing, drawing.to);
            }
            for &(label, next) in automaton.edges(state) {
                let start = match label {
                    Label::Call(callee) => self.draw_called(parts, automata, drawing, callee, next),
                    _ => None,
                };
                match start {
                    Some(start) => self.fragment.connect(at, Label::Nothing, start),
                    None => self.fragment.connect(at, label, drawing.first + next),
                }
            }
        }
    }

    /// Where a callee begins, if it stands in the fragment in place of its call, which a state follows.
    fn draw_called(
        &mut self,
        parts: &[Part],
        automata: &Automata,
        drawing: Drawing,
        callee: CalleeId,
        next: u32,
    ) -> Option<u32> {
        let called = self.called[callee.index()];
        let part = called.part?;
        let automaton = automata.get(parts[drawing.part].automaton);
        if self.tails.is_jump(drawing.scope, automaton, (drawing.part, part), next) {
            return self.draw(parts, automata, Drawing { part, ..drawing }, true);
        }
        called.inlined()?;
        let scope = self.tails.scope(part);
        let here = Drawing { part, first: 0, to: drawing.first + next, scope };
        let start = self.draw(parts, automata, here, false)?;
        self.drawn.push(callee);
        Some(start)
    }

    /// Where a part begins that leads to a state, once it stands in the fragment: not where too much is drawn that is a copy, or has been drawn.
    fn draw(&mut self, parts: &[Part], automata: &Automata, drawing: Drawing, is_copy: bool) -> Option<u32> {
        let Drawing { part, to, .. } = drawing;
        if let Some(&start) = self.starts.get(&(part, to)) {
            return Some(start);
        }
        if std::mem::replace(&mut self.is_drawn[part], true) || is_copy {
            self.copies_left = self.copies_left.checked_sub(automata.get(parts[part].automaton).len())?;
        }
        Some(self.draw_states(parts, automata, drawing))
    }
}
