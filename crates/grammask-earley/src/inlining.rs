//! Automata in the place where they are called.
//!
//! While productions are symbols, places are known to be the same where productions begin or end alike (`places.rs`). Once they are deterministic
//! automata without equivalent states, more places turn out to be one: in `sum ::= product {'+' product}` a product comes first, or behind an
//! operator, and the same follows. What is called at one place needs no callee: its automaton stands there. So operators of all levels become
//! one automaton, which has no more states than they have together, and whoever predicts a sum need not predict a product.

use grammask_normal::NonterminalId;

use crate::automata::{Automata, AutomatonId};
use crate::automaton::{Determinizer, Fragment, Label};
use crate::{Callee, CalleeId};

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
    /// Where it begins in the fragment that is being drawn, if it stands there.
    start: Option<u32>,
}

impl Called {
    /// Its automaton, if that belongs to the place where it is called.
    fn inlined(&self) -> Option<usize> {
        self.part.filter(|_| matches!(self.place, Place::Before { .. }))
    }
}

/// Puts automata where they are called, if that is one place. Says of each callee whether it is still called. Nothing when somebody who is asked before each
/// automaton that stays says to stop.
///
/// # Complexity
/// Linear in the automata and in those that come of them, whose size is bounded by a multiple of that.
pub(crate) fn inline(
    parts: &mut Vec<Part>,
    automata: &mut Automata,
    callees: &[Callee],
    determinizer: &mut Determinizer,
    mut is_stopped: impl FnMut() -> bool,
) -> Option<Vec<bool>> {
    let mut inlining = Inlining::new(parts, automata, callees);
    for part in 0..parts.len() {
        if !inlining.is_inlined(&parts[part]) {
            if is_stopped() {
                return None;
            }
            inlining.fill(parts, automata, part, determinizer);
        }
    }
    parts.retain(|part| !inlining.is_inlined(part));
    Some(inlining.called.iter().map(|called| called.inlined().is_none()).collect())
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
    let edges = parts.iter().flat_map(|part| automata.get(part.automaton).all_edges());
    let by_edges =
        edges.filter_map(|&(label, _)| if let Label::Call(callee) = label { Some(callee) } else { None });
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

struct Inlining {
    called: Vec<Called>,
    fragment: Fragment,
    /// What stands in the fragment.
    drawn: Vec<CalleeId>,
    /// Parts whose edges are still to be drawn, with their first state and the one to which they lead.
    work: Vec<(usize, u32, u32)>,
}

impl Inlining {
    /// Finds out where everything is called.
    fn new(parts: &[Part], automata: &Automata, callees: &[Callee]) -> Self {
        let unknown = Called { place: Place::Nowhere, part: None, start: None };
        let mut inlining = Self {
            called: vec![unknown; callees.len()],
            fragment: Fragment::new(),
            drawn: Vec::new(),
            work: Vec::new(),
        };
        for (number, part) in parts.iter().enumerate() {
            if let Some(callee) = part.callee {
                inlining.called[callee.index()].part = Some(number);
            }
        }
        callees.iter().flat_map(Callee::calls).for_each(|callee| inlining.stays(callee));
        if let Some(start) = parts.first().and_then(|part| part.callee) {
            inlining.stays(start);
        }
        for (number, part) in parts.iter().enumerate() {
            for &(label, state) in automata.get(part.automaton).all_edges() {
                if let Label::Call(callee) = label {
                    inlining.note(callee, number, state);
                }
            }
        }
        inlining
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

    fn is_inlined(&self, part: &Part) -> bool {
        part.callee.is_some_and(|callee| self.called[callee.index()].inlined().is_some())
    }

    /// Puts into a part all that belongs there. Where the automaton becomes too large it stays as it is, and what belongs there is called.
    fn fill(
        &mut self,
        parts: &mut [Part],
        automata: &mut Automata,
        part: usize,
        determinizer: &mut Determinizer,
    ) {
        let is_whole = |&(label, _): &(Label, u32)| match label {
            Label::Call(callee) => self.called[callee.index()].inlined().is_none(),
            _ => true,
        };
        if automata.get(parts[part].automaton).all_edges().iter().all(is_whole) {
            return;
        }
        self.fragment.clear();
        let first = self.draw_states(parts, automata, part, self.fragment.end());
        self.fragment.connect(self.fragment.start(), Label::Nothing, first);
        while let Some((part, first, to)) = self.work.pop() {
            self.draw_edges(parts, automata, part, first, to);
        }
        let limit = self.fragment.len() * 4 + 16;
        match determinizer.make_deterministic(&self.fragment, limit) {
            Some(automaton) => parts[part].automaton = automata.add(automaton),
            None => self.drawn.drain(..).for_each(|callee| self.called[callee.index()].place = Place::Apart),
        }
        self.drawn.clear();
    }

    /// States for a part that leads to a state; says which is the first.
    fn draw_states(&mut self, parts: &[Part], automata: &Automata, part: usize, to: u32) -> u32 {
        let first = self.fragment.len() as u32;
        (0..automata.get(parts[part].automaton).len()).for_each(|_| _ = self.fragment.add_state());
        self.work.push((part, first, to));
        first
    }

    /// The edges of a part whose states are drawn.
    fn draw_edges(&mut self, parts: &[Part], automata: &Automata, part: usize, first: u32, to: u32) {
        let automaton = automata.get(parts[part].automaton);
        for (state, at) in (0..automaton.len()).zip(first..) {
            if automaton.is_final(state) {
                self.fragment.connect(at, Label::Nothing, to);
            }
            for &(label, next) in automaton.edges(state) {
                match label {
                    Label::Call(callee) if self.called[callee.index()].inlined().is_some() => {
                        let start = self.draw_inlined(parts, automata, callee, first + next);
                        self.fragment.connect(at, Label::Nothing, start);
                    }
                    _ => self.fragment.connect(at, label, first + next),
                }
            }
        }
    }

    /// Where something begins that leads to a state and stands in the fragment once.
    fn draw_inlined(&mut self, parts: &[Part], automata: &Automata, callee: CalleeId, to: u32) -> u32 {
        let Called { part: Some(part), start, .. } = self.called[callee.index()] else {
            unreachable!("what is inlined has an automaton")
        };
        start.unwrap_or_else(|| {
            let start = self.draw_states(parts, automata, part, to);
            self.called[callee.index()].start = Some(start);
            self.drawn.push(callee);
            start
        })
    }
}
