//! A regex as a table of bytes.

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::dfa::{Dfa, TooLarge};

/// What an automaton and making it may take; some counters behind each other would take all memory.
const MOST_BYTES: usize = 8 << 20;

/// The strings that `pattern` matches from end to end, or what is wrong with it.
pub(super) fn compile(pattern: &str) -> Result<Dfa, String> {
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
    let hir = parser.parse(pattern).map_err(|error| error.to_string())?;
    let (hir, conditions) = without_boundaries(hir)?;
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
    let regex = Dfa::explore(start, accepting, |&state, byte| {
        Some(dense.next_state(state, byte)).filter(|&to| !dense.is_dead_state(to))
    });
    conditions
        .iter()
        .try_fold(regex.map_err(too_large)?, |regex, condition| regex.intersection(condition))
        .map_err(too_large)
}

fn too_large(TooLarge: TooLarge) -> String {
    "too many states".to_owned()
}

/// Takes word boundaries at the very ends away, and gives what they ask of the whole string: beyond its ends there is no word, so a
/// boundary is where the first or the last character is one of a word. Those that tell the sides of a boundary apart are not known here.
fn without_boundaries(mut hir: Hir) -> Result<(Hir, Vec<Dfa>), String> {
    while let HirKind::Capture(capture) = hir.kind() {
        hir = (*capture.sub).clone();
    }
    let whole = hir.clone();
    let parts = match hir.into_kind() {
        HirKind::Concat(parts) => parts,
        HirKind::Look(look) => vec![Hir::look(look)],
        _ => return Ok((whole, Vec::new())),
    };
    let is_look = |part: &Hir| matches!(part.kind(), HirKind::Look(_));
    let begin = parts.iter().take_while(|part| is_look(part)).count();
    let end = parts.len() - parts.iter().rev().take_while(|part| is_look(part)).count();
    let (mut rest, mut conditions) = (Vec::new(), Vec::new());
    for (place, part) in parts.into_iter().enumerate() {
        let (at_start, at_end) = (place < begin, place >= end);
        let boundary = match part.kind() {
            HirKind::Look(Look::WordUnicode) => Some((r"\w", true)),
            HirKind::Look(Look::WordUnicodeNegate) => Some((r"\w", false)),
            HirKind::Look(Look::WordAscii) => Some(("[0-9A-Z_a-z]", true)),
            HirKind::Look(Look::WordAsciiNegate) => Some(("[0-9A-Z_a-z]", false)),
            _ => None,
        };
        let Some((word, is_there)) = boundary.filter(|_| at_start || at_end) else {
            rest.push(part);
            continue;
        };
        let any = "(?s-u:.)*";
        let with_word = compile(&if at_start { format!("{word}{any}") } else { format!("{any}{word}") })?;
        conditions.push(if is_there { with_word } else { with_word.complement().map_err(too_large)? });
    }
    Ok((Hir::concat(rest), conditions))
}

/// Takes `^ $ \A \z` at the ends away; what is left of look-arounds is an error. The depth of a parsed regex is bounded by
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
