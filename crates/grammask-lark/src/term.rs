//! Languages of lexemes: a hash-consed arena of regular expressions, operands before the expressions made of
//! them. A [`Store`] decides what is empty, nullable or disjoint.

use grammask_notation::is_nullable_regex;
use grammask_pattern::{Language, Pattern};
use grammask_regular::{RegularId, Store};
use rustc_hash::{FxHashMap, FxHashSet};

/// An index into the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermId(pub u32);

impl TermId {
    pub(crate) const NEVER: Self = Self(0);
    pub(crate) const EMPTY: Self = Self(1);

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A regular language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Never,
    Text(String),
    /// A regex of the Rust crate, matched as a whole.
    Regex(String),
    Sequence(Vec<TermId>),
    Alternatives(Vec<TermId>),
    And(Vec<TermId>),
    /// All other byte strings.
    Not(TermId),
    Repeat(TermId, u32, Option<u32>),
    /// The non-empty texts without a shorter non-empty prefix in the language.
    Minimal(TermId),
    /// Any run of consecutive chunks, also none.
    Substrings(Vec<String>),
    /// The language of a terminal, by its index.
    Named(TermId, u32),
}

impl Term {
    pub(crate) fn operands(&self) -> &[TermId] {
        match self {
            Self::Sequence(parts) | Self::Alternatives(parts) | Self::And(parts) => parts,
            Self::Not(part) | Self::Repeat(part, ..) | Self::Minimal(part) | Self::Named(part, _) => {
                std::slice::from_ref(part)
            }
            Self::Never | Self::Text(_) | Self::Regex(_) | Self::Substrings(_) => &[],
        }
    }
}

/// Returns true if all parts are true, and `None` if that depends on an unknown one.
fn all(parts: &mut dyn Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

/// An arena of regular languages.
pub(crate) struct Terms {
    terms: Vec<Term>,
    ids: FxHashMap<Term, TermId>,
    /// Number of expressions if each operand is written out.
    sizes: Vec<usize>,
    depths: Vec<usize>,
    lowered: Vec<Option<RegularId>>,
    /// By expression, once it was asked for: true if it has the empty text. It is `Some(None)` if only an
    /// automaton tells.
    nullable: Vec<Option<Option<bool>>>,
    store: Store,
    /// Answers of [`Terms::may_begin_with`].
    overlaps: FxHashMap<(TermId, TermId), bool>,
}

impl Terms {
    pub(crate) fn new(store: Store) -> Self {
        let mut terms = Self {
            terms: Vec::new(),
            ids: FxHashMap::default(),
            sizes: Vec::new(),
            depths: Vec::new(),
            lowered: Vec::new(),
            nullable: Vec::new(),
            store,
            overlaps: FxHashMap::default(),
        };
        terms.intern(Term::Never);
        terms.intern(Term::Text(String::new()));
        terms
    }

    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.terms[id.index()]
    }

    pub(crate) fn size(&self, id: TermId) -> usize {
        self.sizes[id.index()]
    }

    pub(crate) fn depth(&self, id: TermId) -> usize {
        self.depths[id.index()]
    }

    pub(crate) fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    fn intern(&mut self, term: Term) -> TermId {
        if let Some(&known) = self.ids.get(&term) {
            return known;
        }
        let id = TermId(u32::try_from(self.terms.len()).expect("fewer than 2^32 terms"));
        let own = if let Term::Substrings(chunks) = &term { chunks.len() } else { 1 };
        let parts = term.operands();
        let size = parts.iter().fold(own, |sum, part| sum.saturating_add(self.size(*part)));
        let depth = parts.iter().map(|part| self.depth(*part) + 1).max().unwrap_or(0);
        self.sizes.push(size);
        self.depths.push(depth);
        self.lowered.push(None);
        self.nullable.push(None);
        self.terms.push(term.clone());
        self.ids.insert(term, id);
        id
    }

    pub(crate) fn text(&mut self, text: &str) -> TermId {
        self.intern(Term::Text(text.to_owned()))
    }

    /// Interns a regex, which must be valid.
    pub(crate) fn regex(&mut self, regex: &str) -> TermId {
        self.intern(Term::Regex(regex.to_owned()))
    }

    pub(crate) fn substrings(&mut self, chunks: Vec<String>) -> TermId {
        let chunks: Vec<String> = chunks.into_iter().filter(|chunk| !chunk.is_empty()).collect();
        if chunks.is_empty() { TermId::EMPTY } else { self.intern(Term::Substrings(chunks)) }
    }

    pub(crate) fn named(&mut self, term: TermId, terminal: u32) -> TermId {
        self.intern(Term::Named(term, terminal))
    }

    pub(crate) fn sequence(&mut self, parts: Vec<TermId>) -> TermId {
        let mut all: Vec<TermId> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.get(part) {
                Term::Never => return TermId::NEVER,
                Term::Sequence(inner) => all.extend_from_slice(inner),
                _ if part == TermId::EMPTY => {}
                Term::Text(text) => match all.last().map(|&last| self.get(last)) {
                    Some(Term::Text(before)) => {
                        let joined = format!("{before}{text}");
                        all.pop();
                        all.push(self.intern(Term::Text(joined)));
                    }
                    _ => all.push(part),
                },
                _ => all.push(part),
            }
        }
        match all[..] {
            [] => TermId::EMPTY,
            [part] => part,
            _ => self.intern(Term::Sequence(all)),
        }
    }

    pub(crate) fn alternatives(&mut self, parts: Vec<TermId>) -> TermId {
        let mut all: Vec<TermId> = Vec::with_capacity(parts.len());
        let mut known = FxHashSet::default();
        for part in parts {
            match self.get(part) {
                Term::Never => {}
                Term::Alternatives(inner) => all.extend(inner.iter().filter(|&&part| known.insert(part))),
                _ if known.insert(part) => all.push(part),
                _ => {}
            }
        }
        match all[..] {
            [] => TermId::NEVER,
            [part] => part,
            _ => self.intern(Term::Alternatives(all)),
        }
    }

    pub(crate) fn and(&mut self, parts: Vec<TermId>) -> TermId {
        let mut all: Vec<TermId> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.get(part) {
                Term::Never => return TermId::NEVER,
                Term::And(inner) => all.extend_from_slice(inner),
                _ => all.push(part),
            }
        }
        match all[..] {
            [part] => part,
            _ => self.intern(Term::And(all)),
        }
    }

    pub(crate) fn not(&mut self, part: TermId) -> TermId {
        self.intern(Term::Not(part))
    }

    pub(crate) fn repeat(&mut self, part: TermId, min: u32, max: Option<u32>) -> TermId {
        match (min, max) {
            (1, Some(1)) => part,
            (_, Some(0)) => TermId::EMPTY,
            _ if part == TermId::EMPTY => part,
            (0, _) if part == TermId::NEVER => TermId::EMPTY,
            _ if part == TermId::NEVER => part,
            _ => self.intern(Term::Repeat(part, min, max)),
        }
    }

    pub(crate) fn minimal(&mut self, part: TermId) -> TermId {
        match self.get(part) {
            Term::Text(text) if !text.is_empty() => part,
            _ => self.intern(Term::Minimal(part)),
        }
    }

    /// Adds the language of a pattern.
    pub(crate) fn pattern(&mut self, pattern: &Pattern) -> TermId {
        let mut made: Vec<TermId> = Vec::with_capacity(pattern.languages.len());
        for language in &pattern.languages {
            let of = |parts: &[grammask_pattern::LanguageId]| -> Vec<TermId> {
                parts.iter().map(|part| made[part.index()]).collect()
            };
            let term = match language {
                Language::None => TermId::NEVER,
                Language::Text(text) => self.text(text),
                Language::Regex(regex) => self.plain(regex),
                Language::Sequence(parts) => self.sequence(of(parts)),
                Language::Union(parts) => self.alternatives(of(parts)),
                Language::And(parts) => self.and(of(parts)),
                // The complement of a pattern has texts only.
                Language::Not(part) => {
                    let other = self.not(made[part.index()]);
                    let any = self.regex(ANY_TEXT);
                    self.and(vec![any, other])
                }
                Language::Repeat(part, min, max) => self.repeat(made[part.index()], *min, *max),
            };
            made.push(term);
        }
        made[pattern.root.index()]
    }

    /// Interns a regex; one of plain characters is a text.
    fn plain(&mut self, regex: &str) -> TermId {
        let is_plain = |char: char| {
            char.is_alphanumeric()
                || matches!(char, ' ' | '_' | '<' | '>' | '"' | '=' | ',' | ':' | ';' | '!' | '\'')
        };
        if !regex.is_empty() && regex.chars().all(is_plain) {
            return self.text(regex);
        }
        match regex.strip_prefix(ANY_CHAR_SPELT_OUT) {
            Some(rest) if matches!(rest, "" | "*" | "+") || rest.starts_with('*') && !rest.contains('|') => {
                let rest = format!("(?s:.){rest}");
                self.regex(&rest)
            }
            _ => self.regex(regex),
        }
    }

    /// Returns an expression and those below it, operands first. Leaves out known ones and all below them.
    fn unknown_terms(&self, id: TermId, is_known: impl Fn(TermId) -> bool) -> Vec<TermId> {
        let mut found = FxHashSet::default();
        let mut open = vec![id];
        while let Some(term) = open.pop() {
            if !is_known(term) && found.insert(term) {
                open.extend(self.get(term).operands());
            }
        }
        // Operands have smaller numbers.
        let mut found: Vec<TermId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Returns the language in the store. `None` if a limit of the automata is exceeded.
    pub(crate) fn lower(&mut self, id: TermId) -> Option<RegularId> {
        for unknown in self.unknown_terms(id, |term| self.lowered[term.index()].is_some()) {
            let term = &self.terms[unknown.index()];
            let parts: Vec<RegularId> =
                term.operands().iter().filter_map(|part| self.lowered[part.index()]).collect();
            let store = &mut self.store;
            let regular = match term {
                Term::Never => Ok(RegularId::EMPTY),
                Term::Text(text) => store.literal(text.as_bytes()),
                Term::Regex(regex) => store.regex(regex),
                Term::Sequence(_) => store.concat(&parts),
                Term::Alternatives(_) => store.union(&parts),
                Term::And(_) => store.intersection(&parts),
                Term::Not(_) => store.complement(parts[0]),
                Term::Repeat(_, min, max) => store.repeat(parts[0], *min, *max),
                Term::Minimal(_) => store.shortest_match(parts[0]),
                Term::Substrings(chunks) => store.substrings(chunks.concat().as_bytes()),
                Term::Named(..) => Ok(parts[0]),
            };
            self.lowered[unknown.index()] = Some(regular.ok()?);
        }
        self.lowered[id.index()]
    }

    /// Returns true if the empty text is in the language, and also beyond a limit.
    pub(crate) fn is_nullable(&mut self, id: TermId) -> bool {
        if let Some(known) = self.is_nullable_by_parts(id) {
            return known;
        }
        self.lower(id).is_none_or(|regular| self.store.is_nullable(regular))
    }

    /// Returns true if the empty text is in the language, where its parts tell.
    fn is_nullable_by_parts(&mut self, id: TermId) -> Option<bool> {
        for unknown in self.unknown_terms(id, |term| self.nullable[term.index()].is_some()) {
            let term = &self.terms[unknown.index()];
            let mut parts = term.operands().iter().map(|part| self.nullable[part.index()].flatten());
            let answer = match term {
                Term::Never | Term::Minimal(_) => Some(false),
                Term::Text(text) => Some(text.is_empty()),
                Term::Regex(regex) => is_nullable_regex(regex),
                Term::Substrings(_) | Term::Repeat(_, 0, _) => Some(true),
                Term::Sequence(_) | Term::And(_) => all(&mut parts),
                Term::Alternatives(_) => all(&mut parts.map(|part| part.map(|part| !part))).map(|none| !none),
                Term::Not(_) => parts.next().flatten().map(|part| !part),
                Term::Repeat(..) | Term::Named(..) => parts.next().flatten(),
            };
            self.nullable[unknown.index()] = Some(answer);
        }
        self.nullable[id.index()].flatten()
    }

    /// Returns the non-empty texts.
    pub(crate) fn non_empty(&mut self, id: TermId) -> TermId {
        if !self.is_nullable(id) {
            return id;
        }
        if let &Term::Repeat(part, 0, max) = self.get(id)
            && !self.is_nullable(part)
        {
            return self.repeat(part, 1, max);
        }
        let others = self.not(TermId::EMPTY);
        self.and(vec![id, others])
    }

    /// Returns the byte strings with a prefix in the language, or with a proper one.
    pub(crate) fn beginning_with(&mut self, id: TermId, is_proper: bool) -> TermId {
        let any = self.regex("(?s-u:.)");
        let rest = self.repeat(any, u32::from(is_proper), None);
        self.sequence(vec![id, rest])
    }

    /// Returns true if some text of `id` has a prefix in `head`, and also beyond a limit.
    pub(crate) fn may_begin_with(&mut self, id: TermId, head: TermId) -> bool {
        if let Some(&known) = self.overlaps.get(&(id, head)) {
            return known;
        }
        let longer = self.beginning_with(head, false);
        let found = match (self.lower(id), self.lower(longer)) {
            (Some(first), Some(second)) => match self.store.intersection(&[first, second]) {
                Ok(both) => !self.store.is_empty(both).unwrap_or(false),
                Err(_) => true,
            },
            _ => true,
        };
        self.overlaps.insert((id, head), found);
        found
    }

    /// Returns true if a text of `text` before one of `head` is a text of `head` again. False beyond a limit.
    pub(crate) fn is_absorbed(&mut self, text: TermId, head: TermId) -> bool {
        let both = self.sequence(vec![text, head]);
        let (Some(both), Some(head)) = (self.lower(both), self.lower(head)) else { return false };
        let store = &mut self.store;
        let difference = store.complement(head).and_then(|others| store.intersection(&[both, others]));
        difference.and_then(|difference| store.is_empty(difference)).unwrap_or(false)
    }

    /// Returns the language as one regex of at most `max_bytes` bytes. `None` if it needs `&`, `~` or another
    /// operator of KBNF. Named languages are written out.
    pub(crate) fn to_regex(&self, id: TermId, max_bytes: usize) -> Option<String> {
        /// Around an expression: an alternative or nothing, a sequence, or a quantifier.
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        enum Level {
            Alternative,
            Sequence,
            Quantified,
        }
        enum Step {
            Write(TermId, Level),
            Piece(String),
        }
        let mut out = String::new();
        let mut steps = vec![Step::Write(id, Level::Alternative)];
        while let Some(step) = steps.pop() {
            if out.len() > max_bytes {
                return None;
            }
            let (id, level) = match step {
                Step::Piece(piece) => {
                    out.push_str(&piece);
                    continue;
                }
                Step::Write(id, level) => (id, level),
            };
            let needs_group = match self.get(id) {
                Term::Text(text) => level == Level::Quantified && text.chars().count() != 1,
                Term::Regex(regex) if regex.contains('|') || regex.starts_with("(?") => {
                    level > Level::Alternative && !is_atom(regex)
                }
                Term::Regex(regex) => level == Level::Quantified && !is_atom(regex),
                Term::Alternatives(_) => level > Level::Alternative,
                Term::Sequence(_) | Term::Repeat(..) => level == Level::Quantified,
                _ => false,
            };
            if needs_group {
                out.push_str("(?:");
                steps.push(Step::Piece(")".to_owned()));
            }
            match self.get(id) {
                Term::Text(text) => out.push_str(&regex_syntax::escape(text)),
                Term::Regex(regex) => out.push_str(regex),
                Term::Sequence(parts) => {
                    steps.extend(parts.iter().rev().map(|&part| Step::Write(part, Level::Sequence)));
                }
                Term::Alternatives(parts) => {
                    for (i, &part) in parts.iter().enumerate().rev() {
                        steps.push(Step::Write(part, Level::Alternative));
                        if i > 0 {
                            steps.push(Step::Piece("|".to_owned()));
                        }
                    }
                }
                &Term::Repeat(part, min, max) => {
                    steps.push(Step::Piece(match (min, max) {
                        (0, None) => "*".to_owned(),
                        (1, None) => "+".to_owned(),
                        (0, Some(1)) => "?".to_owned(),
                        (min, None) => format!("{{{min},}}"),
                        (min, Some(max)) if min == max => format!("{{{min}}}"),
                        (min, Some(max)) => format!("{{{min},{max}}}"),
                    }));
                    steps.push(Step::Write(part, Level::Quantified));
                }
                &Term::Named(part, _) => {
                    steps.push(Step::Write(part, if needs_group { Level::Alternative } else { level }));
                }
                Term::Never | Term::And(_) | Term::Not(_) | Term::Minimal(_) | Term::Substrings(_) => {
                    return None;
                }
            }
        }
        Some(out)
    }
}

/// The frequent `(.|\n)`, as patterns are written.
const ANY_CHAR_SPELT_OUT: &str = "(?:[^\\n]|\\n)";

/// Regex of every text.
pub(crate) const ANY_TEXT: &str = "(?s:.)*";

/// Returns true if a regex is one class or character, so that a quantifier applies to all of it.
fn is_atom(regex: &str) -> bool {
    if matches!(regex, "(?s:.)" | "." | "(?s-u:.)") || regex.chars().count() == 1 {
        return true;
    }
    let inner = regex.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| {
        let mut is_escaped = false;
        !inner.is_empty()
            && inner.bytes().all(|byte| {
                let is_bracket = matches!(byte, b'[' | b']') && !is_escaped;
                is_escaped = byte == b'\\' && !is_escaped;
                !is_bracket
            })
            && !is_escaped
    })
}

#[cfg(test)]
mod tests {
    use grammask_regular::{Limits, Store};

    use super::{TermId, Terms, is_atom};

    #[test]
    fn classes_are_atoms() {
        assert!(is_atom("[a-z]") && is_atom(r"[\]]") && is_atom("(?s:.)") && is_atom("é"));
        assert!(!is_atom("[a][b]") && !is_atom(r"[a\]") && !is_atom("ab") && !is_atom("[]"));
    }

    #[test]
    fn a_regex_of_terms_groups_what_a_quantifier_applies_to() {
        let mut terms = Terms::new(Store::new(&Limits::default()));
        let (ab, class) = (terms.text("a.b"), terms.regex("[a-z]"));
        let either = terms.alternatives(vec![ab, class]);
        let parts = [terms.repeat(ab, 2, Some(3)), terms.repeat(class, 0, None), either];
        let all = terms.sequence(parts.to_vec());
        let all = terms.repeat(all, 1, None);
        assert_eq!(terms.to_regex(all, 100).unwrap(), r"(?:(?:a\.b){2,3}[a-z]*(?:a\.b|[a-z]))+");
        assert_eq!(terms.to_regex(all, 5), None);
        let other = terms.not(all);
        assert_eq!(terms.to_regex(other, 100), None);
    }

    #[test]
    fn heads_meet_what_may_contain_them() {
        let mut terms = Terms::new(Store::new(&Limits::default()));
        let head = terms.regex("(?s:.)*<f>");
        let (text, name) = (terms.regex("(?s:.)*"), terms.regex("[a-z]*"));
        assert!(terms.may_begin_with(text, head) && !terms.may_begin_with(name, head));
        assert!(terms.is_nullable(text));
        let some = terms.non_empty(text);
        assert!(!terms.is_nullable(some));
        assert_eq!(terms.sequence(vec![TermId::EMPTY, TermId::EMPTY]), TermId::EMPTY);
    }
}
