//! Compiles a regex to a byte automaton.

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::dfa::{Dfa, TooLarge};

/// Bytes of an automaton, and of its construction. Consecutive counters could use all memory. Beyond it, the
/// regex is an error.
const MAX_AUTOMATON_BYTES: usize = 8 << 20;

/// Returns the strings that match `pattern` as a whole.
///
/// # Errors
/// Returns the message of the regex parser, or that the automaton is too large.
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
    // Find all matches instead of the preferred one, anchored at both ends.
    let config = dense::Config::new()
        .match_kind(MatchKind::All)
        .start_kind(StartKind::Anchored)
        .dfa_size_limit(Some(MAX_AUTOMATON_BYTES))
        .determinize_size_limit(Some(MAX_AUTOMATON_BYTES));
    let dense =
        dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|error| error.to_string())?;
    let start = dense.universal_start_state(Anchored::Yes).ok_or("depends on the text before it")?;
    // The automaton reports a match one step late, at the end of the input.
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

/// Removes word boundaries at both ends. Returns the languages that they require the whole string to be in.
///
/// No word extends beyond the ends of a string, so a boundary at an end requires a word character there.
/// Boundaries of one side are not supported.
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

/// Removes `^ $ \A \z` at the ends. Other look-arounds are an error.
///
/// The nest limit of regex-syntax bounds the recursion.
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
