//! A regex as a table of bytes.

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::dfa::Dfa;

/// What an automaton and making it may take; some counters behind each other would take all memory.
const MOST_BYTES: usize = 8 << 20;

/// The strings that `pattern` matches from end to end, or what is wrong with it.
pub(super) fn compile(pattern: &str) -> Result<Dfa, String> {
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
    let hir = parser.parse(pattern).map_err(|error| error.to_string())?;
    let hir = without_ends(hir, true, true)?;
    let config = thompson::Config::new().utf8(false).which_captures(thompson::WhichCaptures::None);
    let nfa = thompson::Compiler::new()
        .configure(config)
        .build_from_hir(&hir)
        .map_err(|error| error.to_string())?;
    // All matches are wanted, not the preferred one, and the search is anchored.
    let config = dense::Config::new()
        .match_kind(MatchKind::All)
        .start_kind(StartKind::Anchored)
        .dfa_size_limit(Some(MOST_BYTES))
        .determinize_size_limit(Some(MOST_BYTES));
    let dense =
        dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|error| error.to_string())?;
    let start = dense.universal_start_state(Anchored::Yes).ok_or("depends on what stands before it")?;
    // A match shows one step late: here, when the end of the input is fed.
    let accepting = |&state: &_| dense.is_match_state(dense.next_eoi_state(state));
    Dfa::explore(start, accepting, |&state, byte| {
        Some(dense.next_state(state, byte)).filter(|&to| !dense.is_dead_state(to))
    })
    .map_err(|_| "too many states".to_owned())
}

/// Takes `^ $ \A \z` at the ends away; any other look-around is an error. The depth of a parsed regex is bounded by
/// regex-syntax's nest limit, so recursion is fine.
fn without_ends(hir: Hir, first: bool, last: bool) -> Result<Hir, String> {
    match hir.into_kind() {
        HirKind::Empty => Ok(Hir::empty()),
        HirKind::Literal(literal) => Ok(Hir::literal(literal.0)),
        HirKind::Class(class) => Ok(Hir::class(class)),
        HirKind::Look(Look::Start | Look::StartLF | Look::StartCRLF) if first => Ok(Hir::empty()),
        HirKind::Look(Look::End | Look::EndLF | Look::EndCRLF) if last => Ok(Hir::empty()),
        HirKind::Look(look) => Err(format!("the look-around {look:?} is not at an end")),
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(without_ends(*repetition.sub, false, false)?);
            Ok(Hir::repetition(repetition))
        }
        HirKind::Capture(capture) => without_ends(*capture.sub, first, last),
        HirKind::Alternation(parts) => {
            let parts: Result<_, _> = parts.into_iter().map(|part| without_ends(part, first, last)).collect();
            Ok(Hir::alternation(parts?))
        }
        HirKind::Concat(parts) => {
            let is_look = |part: &Hir| matches!(part.kind(), HirKind::Look(_));
            let begin = parts.iter().take_while(|part| is_look(part)).count();
            let end = parts.len() - parts.iter().rev().take_while(|part| is_look(part)).count();
            let parts: Result<_, _> = parts
                .into_iter()
                .enumerate()
                .map(|(i, part)| without_ends(part, first && i <= begin, last && i + 1 >= end))
                .collect();
            Ok(Hir::concat(parts?))
        }
    }
}
