//! Inlines the automata of nonterminals at their only call site.
//!
//! `call_sites.rs` finds call sites among the symbols of productions. Minimal deterministic automata have
//! fewer call sites: in `sum ::= product {'+' product}`, equal states follow the first `product` and the ones
//! after an operator, so they are one site. The operators of all levels thus become one automaton that is as
//! large as their sum, and predicting a `sum` no longer predicts a `product`.
//!
//! A call at the end of a rule that leads back to the rule becomes a jump within the automaton
//! (`tail_recursion.rs`) and does not count as a call site.

use grammask_normal::NonterminalId;
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::build::determinize::Determinizer;
use crate::build::dfa::{DfaArena, DfaId};
use crate::build::max_dfa_states;
use crate::build::nfa::{Label, Nfa};
use crate::build::tail_recursion::{Scope, TailCalls};
use crate::{Callee, CalleeId};

/// Bound on copied states: copies for jumps and second copies may add `states / STATES_PER_COPY + MIN_COPIES`
/// states in total. Few rules are mutually tail-recursive in practice. Beyond the bound, calls stay calls.
const STATES_PER_COPY: usize = 4;
const MIN_COPIES: usize = 4_096;

/// The deterministic automaton of a nonterminal. The first one belongs to the start symbol.
pub(crate) struct RuleDfa {
    pub(crate) nonterminal: NonterminalId,
    /// The callee; `None` for a start symbol without calls.
    pub(crate) callee: Option<CalleeId>,
    pub(crate) dfa: DfaId,
}

/// The call sites of a callee.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallSite {
    None,
    /// One: in the automaton of `rule`, always followed by `state`.
    One {
        rule: usize,
        state: u32,
    },
    /// Several, or a counter or a permutation refers to the callee.
    Several,
}

/// Inlining facts about a callee.
#[derive(Clone, Copy)]
struct CalleeUse {
    site: CallSite,
    /// The index of its rule, if it is a nonterminal.
    rule: Option<usize>,
    /// True if a finished automaton calls it.
    is_needed: bool,
}

impl CalleeUse {
    /// Returns the index of the callee's rule if that rule replaces the call. Returns `None` if the call
    /// stays.
    fn inlined(&self) -> Option<usize> {
        self.rule.filter(|_| matches!(self.site, CallSite::One { .. }))
    }
}

/// Recomputes which lexemes are called, after some have been replaced by others.
pub(crate) fn mark_called_lexemes(
    rules: &[RuleDfa],
    dfas: &DfaArena,
    callees: &[Callee],
    is_called: &mut Vec<bool>,
) {
    is_called.resize(callees.len(), false);
    let is_lexeme = |callee: &Callee| matches!(callee, Callee::Lexeme { .. });
    for (is_called, _) in is_called.iter_mut().zip(callees).filter(|(_, callee)| is_lexeme(callee)) {
        *is_called = false;
    }
    let by_edges = rules.iter().flat_map(|rule| dfas.get(rule.dfa).all_calls());
    for callee in by_edges.chain(callees.iter().flat_map(Callee::calls)).map(CalleeId::index) {
        is_called[callee] |= is_lexeme(&callees[callee]);
    }
}

/// Removes the callees that are not called. Returns the new id of each callee, or `None` if it is removed.
/// The order is preserved.
pub(crate) fn remove_uncalled(
    rules: &mut [RuleDfa],
    callees: &mut Vec<Callee>,
    is_called: &[bool],
) -> Vec<Option<CalleeId>> {
    let mut ids = (0..).map(CalleeId);
    let ids: Vec<_> = is_called.iter().map(|&is_called| if is_called { ids.next() } else { None }).collect();
    let mut is_kept = is_called.iter();
    callees.retain(|_| is_kept.next() == Some(&true));
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
    rules.iter_mut().filter_map(|rule| rule.callee.as_mut()).for_each(renumber);
    ids
}

/// Inlines automata at their only call site, and turns tail-recursive calls into jumps.
pub(crate) struct Inliner {
    /// By callee.
    uses: Vec<CalleeUse>,
    tail_calls: TailCalls,
    nfa: Nfa,
    /// By inlined rule and the state of `nfa` that follows it: the first state of the rule's copy in `nfa`.
    starts: FxHashMap<(usize, u32), u32>,
    /// The callees inlined into `nfa`.
    inlined: Vec<CalleeId>,
    /// Copies whose edges are still to be added.
    pending: Vec<RuleCopy>,
    /// By rule, true if it has been copied; and the number of states that may still be copied again.
    is_copied: Vec<bool>,
    copies_left: usize,
}

/// A copy of a rule's automaton in the NFA under construction.
#[derive(Clone, Copy)]
struct RuleCopy {
    rule: usize,
    /// Its first state, which the others follow; and the state to which it leads.
    first: u32,
    to: u32,
    /// The rules to whose copies the calls at its ends jump.
    scope: Option<Scope>,
}

impl Inliner {
    /// Finds all call sites and, with `loops`, tail recursion.
    ///
    /// # Complexity
    /// Linear in the automata.
    pub(crate) fn new(rules: &[RuleDfa], dfas: &DfaArena, callees: &[Callee], loops: bool) -> Self {
        let unused = CalleeUse { site: CallSite::None, rule: None, is_needed: false };
        let mut uses = vec![unused; callees.len()];
        for (number, rule) in rules.iter().enumerate() {
            if let Some(callee) = rule.callee {
                uses[callee.index()].rule = Some(number);
            }
        }
        let views = rules.iter().map(|rule| dfas.get(rule.dfa));
        let states: usize = views.clone().map(|view| view.len()).sum();
        let rule_of = |callee: CalleeId| uses[callee.index()].rule.filter(|_| loops);
        let mut inliner = Self {
            tail_calls: TailCalls::new(views.clone(), rule_of),
            uses,
            nfa: Nfa::new(),
            starts: FxHashMap::default(),
            inlined: Vec::new(),
            pending: Vec::new(),
            is_copied: vec![false; rules.len()],
            copies_left: states / STATES_PER_COPY + MIN_COPIES,
        };
        callees.iter().flat_map(Callee::calls).for_each(|callee| inliner.keep_callee(callee));
        if let Some(start) = rules.first().and_then(|rule| rule.callee) {
            inliner.keep_callee(start);
        }
        for (number, view) in views.enumerate() {
            let scope = inliner.tail_calls.scope(number);
            for &(label, state) in view.all_edges() {
                let Label::Call(callee) = label else { continue };
                let rule = inliner.uses[callee.index()].rule;
                let is_jump = |rule| inliner.tail_calls.is_jump(scope, view, number, rule, state);
                if !rule.is_some_and(is_jump) {
                    inliner.add_call_site(callee, number, state);
                }
            }
        }
        inliner
    }

    /// Inlines into the automata reachable from the start symbol and removes the others. Returns for each
    /// callee whether it is still called. Returns `None` if cancelled; `is_cancelled` is called before each
    /// automaton.
    ///
    /// # Complexity
    /// Linear in the input and the output, whose size is bounded by a multiple of the input's.
    pub(crate) fn inline(
        mut self,
        rules: &mut Vec<RuleDfa>,
        dfas: &mut DfaArena,
        callees: &[Callee],
        determinizer: &mut Determinizer,
        mut is_cancelled: impl FnMut() -> bool,
    ) -> Option<Vec<bool>> {
        let mut is_finished = vec![false; rules.len()];
        let mut needed = vec![0];
        let mut calls = Vec::new();
        while let Some(rule) = needed.pop() {
            if std::mem::replace(&mut is_finished[rule], true) {
                continue;
            }
            if is_cancelled() {
                return None;
            }
            self.inline_into(rules, dfas, rule, determinizer);
            calls.extend(dfas.get(rules[rule].dfa).all_calls());
            while let Some(callee) = calls.pop() {
                let callee_use = &mut self.uses[callee.index()];
                if !std::mem::replace(&mut callee_use.is_needed, true) {
                    needed.extend(callee_use.rule);
                    calls.extend(callees[callee.index()].calls());
                }
            }
        }
        let mut is_finished = is_finished.into_iter();
        rules.retain(|_| is_finished.next() == Some(true));
        let is_called: Vec<bool> = self.uses.iter().map(|callee_use| callee_use.is_needed).collect();
        for rule in rules {
            rule.callee = rule.callee.filter(|callee| is_called[callee.index()]);
        }
        Some(is_called)
    }

    /// Excludes a callee from inlining.
    fn keep_callee(&mut self, callee: CalleeId) {
        self.uses[callee.index()].site = CallSite::Several;
    }

    /// Adds a call site: in `rule`, `state` follows the call.
    fn add_call_site(&mut self, callee: CalleeId, rule: usize, state: u32) {
        let callee_use = &mut self.uses[callee.index()];
        let here = CallSite::One { rule, state };
        callee_use.site = match callee_use.site {
            CallSite::None => here,
            known if known == here => here,
            _ => CallSite::Several,
        };
    }

    /// Inlines into a rule. If its automaton becomes too large, it stays unchanged and its calls stay calls.
    fn inline_into(
        &mut self,
        rules: &mut [RuleDfa],
        dfas: &mut DfaArena,
        rule: usize,
        determinizer: &mut Determinizer,
    ) {
        let scope = self.tail_calls.scope(rule);
        let is_kept = |&(label, _): &(Label, u32)| match label {
            Label::Call(callee) => self.uses[callee.index()].inlined().is_none(),
            _ => true,
        };
        if scope.is_none() && dfas.get(rules[rule].dfa).all_edges().iter().all(is_kept) {
            return;
        }
        self.nfa.clear();
        self.starts.clear();
        self.inlined.clear();
        self.is_copied[rule] = true;
        let first = self.add_states(rules, dfas, RuleCopy { rule, first: 0, to: self.nfa.end(), scope });
        self.nfa.connect(self.nfa.start(), Label::Epsilon, first);
        while let Some(copy) = self.pending.pop() {
            self.add_edges(rules, dfas, copy);
        }
        match determinizer.determinize_composed(&self.nfa, max_dfa_states(&self.nfa)) {
            Some(dfa) => rules[rule].dfa = dfas.add(dfa),
            None => {
                self.inlined.drain(..).for_each(|callee| self.uses[callee.index()].site = CallSite::Several);
            }
        }
    }

    /// Adds states for a rule and returns the first.
    fn add_states(&mut self, rules: &[RuleDfa], dfas: &DfaArena, copy: RuleCopy) -> u32 {
        let RuleCopy { rule, to, .. } = copy;
        let first = narrow(self.nfa.len());
        (0..dfas.get(rules[rule].dfa).len()).for_each(|_| _ = self.nfa.add_state());
        self.starts.insert((rule, to), first);
        self.pending.push(RuleCopy { first, ..copy });
        first
    }

    /// Adds the edges of a copy whose states have been added.
    fn add_edges(&mut self, rules: &[RuleDfa], dfas: &DfaArena, copy: RuleCopy) {
        let dfa = dfas.get(rules[copy.rule].dfa);
        for (state, at) in (0..dfa.len()).zip(copy.first..) {
            if dfa.is_final(state) {
                self.nfa.connect(at, Label::Epsilon, copy.to);
            }
            for &(label, next) in dfa.edges(state) {
                let start = match label {
                    Label::Call(callee) => self.inline_call(rules, dfas, copy, callee, next),
                    _ => None,
                };
                match start {
                    Some(start) => self.nfa.connect(at, Label::Epsilon, start),
                    None => self.nfa.connect(at, label, copy.first + next),
                }
            }
        }
    }

    /// Returns the first state of a callee's rule if the rule replaces the call, which `next` follows.
    fn inline_call(
        &mut self,
        rules: &[RuleDfa],
        dfas: &DfaArena,
        copy: RuleCopy,
        callee: CalleeId,
        next: u32,
    ) -> Option<u32> {
        let callee_use = self.uses[callee.index()];
        let rule = callee_use.rule?;
        let dfa = dfas.get(rules[copy.rule].dfa);
        if self.tail_calls.is_jump(copy.scope, dfa, copy.rule, rule, next) {
            return self.add_copy(rules, dfas, RuleCopy { rule, ..copy }, true);
        }
        callee_use.inlined()?;
        let scope = self.tail_calls.scope(rule);
        let here = RuleCopy { rule, first: 0, to: copy.first + next, scope };
        let start = self.add_copy(rules, dfas, here, false)?;
        self.inlined.push(callee);
        Some(start)
    }

    /// Returns the first state of a copy, which is added if there is none. Returns `None` if that would
    /// exceed the states that may be copied again.
    fn add_copy(
        &mut self,
        rules: &[RuleDfa],
        dfas: &DfaArena,
        copy: RuleCopy,
        is_repeated: bool,
    ) -> Option<u32> {
        let RuleCopy { rule, to, .. } = copy;
        if let Some(&start) = self.starts.get(&(rule, to)) {
            return Some(start);
        }
        if std::mem::replace(&mut self.is_copied[rule], true) || is_repeated {
            self.copies_left = self.copies_left.checked_sub(dfas.get(rules[rule].dfa).len())?;
        }
        Some(self.add_states(rules, dfas, copy))
    }
}
