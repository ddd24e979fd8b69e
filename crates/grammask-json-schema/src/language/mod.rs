//! Regular languages of strings and numbers, as they are written into the grammar: a hash-consed arena of
//! expressions.
//!
//! Operands precede the expressions made of them. Whether a language is empty is decided by
//! `grammask-regular`.

mod count;
pub(crate) mod format;
mod length;
pub(crate) mod number;
mod offer;
mod spelling;

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grammask_regular::{Escapes, RegularId, Store};
use grammask_syntax::{Ast, Comparison, ExprId, ExprKind, Quantifier, Span, Text};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use crate::Config;
use offer::Offers;
use spelling::Spellings;

/// A language in [`Languages`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LanguageId(u32);

impl LanguageId {
    /// The empty language.
    pub(crate) const NONE: Self = Self(0);
    /// The language of every text.
    pub(crate) const ANY: Self = Self(1);
    /// The language of the empty text alone.
    pub(crate) const EMPTY_TEXT: Self = Self(2);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The direction in which a language may differ from the schema, where no regular language is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Approximation {
    /// A subset of what the schema allows. For values that a document may have.
    #[default]
    Under,
    /// A superset of what the schema allows. For values that are about to be subtracted.
    Over,
}

/// Pattern of every text.
const ANY_TEXT: &str = "(?s:.)*";

/// Initial capacity, enough for the languages of most schemas.
const INITIAL_LANGUAGES: usize = 56;

/// How a language is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    /// No text.
    None,
    /// One text.
    Text(Text),
    /// The texts that a pattern of the Rust `regex` crate matches from end to end.
    Regex(Text),
    Sequence(Vec<LanguageId>),
    Union(Vec<LanguageId>),
    And(Vec<LanguageId>),
    /// Every text that is not in the operand.
    Not(LanguageId),
    Repeat(LanguageId, u32, Option<u32>),
    /// The unsigned numbers whose value is a multiple of this one.
    Multiple(Text),
    /// The unsigned numbers for which `value comparison bound` holds.
    Compared(Comparison, Text),
    /// The JSON spellings of the texts of the operand.
    Json(LanguageId, Escapes),
}

/// An arena of languages.
pub(crate) struct Languages {
    nodes: Vec<Language>,
    /// The newest language for each hash; `older` chains the others.
    newest: FxHashMap<u64, LanguageId>,
    older: Vec<Option<LanguageId>>,
    lowered: Vec<Option<RegularId>>,
    store: Store,
    offers: Offers,
    spellings: Spellings,
    cancel: Option<Arc<AtomicBool>>,
}

impl Languages {
    pub(crate) fn new(config: &Config) -> Self {
        let mut languages = Self {
            nodes: Vec::with_capacity(INITIAL_LANGUAGES),
            newest: FxHashMap::with_capacity_and_hasher(INITIAL_LANGUAGES, FxBuildHasher),
            older: Vec::with_capacity(INITIAL_LANGUAGES),
            lowered: Vec::with_capacity(INITIAL_LANGUAGES),
            store: Store::new(&config.regular),
            offers: Offers::new(config),
            spellings: Spellings::new(config),
            cancel: config.cancel.clone(),
        };
        languages.intern(Language::None);
        languages.intern(Language::Regex(ANY_TEXT.into()));
        languages.intern(Language::Text(Text::default()));
        languages
    }

    /// Reserves capacity for more languages.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.nodes.reserve(more);
        self.newest.reserve(more);
        self.older.reserve(more);
        self.lowered.reserve(more);
    }

    pub(crate) fn get(&self, id: LanguageId) -> &Language {
        &self.nodes[id.index()]
    }

    fn intern(&mut self, language: Language) -> LanguageId {
        let hash = match &language {
            Language::Text(text) => hash_of(&(TEXT_HASH_TAG, text.as_str())),
            Language::Regex(pattern) => hash_of(&(REGEX_HASH_TAG, pattern.as_str())),
            other => hash_of(other),
        };
        match self.find(hash, |other| *other == language) {
            Some(known) => known,
            None => self.add(hash, language),
        }
    }

    fn find(&self, hash: u64, is_same: impl Fn(&Language) -> bool) -> Option<LanguageId> {
        let mut next = self.newest.get(&hash).copied();
        while let Some(id) = next {
            if is_same(self.get(id)) {
                return Some(id);
            }
            next = self.older[id.index()];
        }
        None
    }

    fn add(&mut self, hash: u64, language: Language) -> LanguageId {
        let id = LanguageId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 languages"));
        self.nodes.push(language);
        self.lowered.push(None);
        self.older.push(self.newest.insert(hash, id));
        id
    }

    pub(crate) fn text(&mut self, text: &str) -> LanguageId {
        self.text_or(text, || text.into())
    }

    /// Interns a text that is shared instead of copied.
    pub(crate) fn shared_text(&mut self, text: &Text) -> LanguageId {
        self.text_or(text, || text.clone())
    }

    fn text_or(&mut self, text: &str, shared: impl Fn() -> Text) -> LanguageId {
        let hash = hash_of(&(TEXT_HASH_TAG, text));
        match self.find(hash, |other| matches!(other, Language::Text(other) if other == text)) {
            Some(known) => known,
            None => self.add(hash, Language::Text(shared())),
        }
    }

    /// Interns the texts that a pattern of the Rust `regex` crate matches from end to end. The pattern must
    /// be valid.
    pub(crate) fn regex(&mut self, pattern: &str) -> LanguageId {
        let hash = hash_of(&(REGEX_HASH_TAG, pattern));
        match self.find(hash, |other| matches!(other, Language::Regex(other) if other == pattern)) {
            Some(known) => known,
            None => self.add(hash, Language::Regex(pattern.into())),
        }
    }

    /// Interns the texts in which a pattern matches. Returns the notes about the pattern as well.
    ///
    /// # Errors
    /// Those of [`grammask_pattern::translate`].
    pub(crate) fn pattern(
        &mut self,
        source: &str,
        config: &grammask_pattern::Config,
    ) -> Result<(LanguageId, Vec<grammask_pattern::Note>), grammask_pattern::Error> {
        let pattern = grammask_pattern::translate(source, config, &mut self.store)?;
        let mut ids: Vec<Option<LanguageId>> = vec![None; pattern.languages.len()];
        let mut stack = vec![pattern.root];
        while let Some(&top) = stack.last() {
            let language = pattern.get(top);
            let pending = stack.len();
            // In reverse, so that the first operand is interned first.
            stack.extend(language.operands().iter().rev().filter(|part| ids[part.index()].is_none()));
            if stack.len() > pending {
                continue;
            }
            let parts: Vec<_> = language.operands().iter().filter_map(|part| ids[part.index()]).collect();
            ids[top.index()] = Some(match language {
                grammask_pattern::Language::None => LanguageId::NONE,
                grammask_pattern::Language::Text(text) => self.text(text),
                grammask_pattern::Language::Regex(regex) => self.regex(regex),
                grammask_pattern::Language::Sequence(_) => self.sequence(parts),
                grammask_pattern::Language::Union(_) => self.union(parts),
                grammask_pattern::Language::And(_) => self.and(parts),
                grammask_pattern::Language::Not(_) => self.not(parts[0]),
                grammask_pattern::Language::Repeat(_, min, max) => self.repeat(parts[0], *min, *max),
            });
            stack.pop();
        }
        Ok((ids[pattern.root.index()].unwrap_or(LanguageId::NONE), pattern.notes))
    }

    /// Interns the unsigned numbers whose value is a multiple of `of`, a positive decimal numeral.
    pub(crate) fn multiple(&mut self, of: &str) -> LanguageId {
        self.intern(Language::Multiple(of.into()))
    }

    /// Interns the unsigned numbers for which `value comparison bound` holds. `bound` is an unsigned decimal
    /// numeral.
    pub(crate) fn compared(&mut self, comparison: Comparison, bound: &str) -> LanguageId {
        self.intern(Language::Compared(comparison, bound.into()))
    }

    /// Interns the concatenation of some languages. Nested concatenations are flattened.
    pub(crate) fn sequence(&mut self, parts: impl IntoIterator<Item = LanguageId>) -> LanguageId {
        let mut all = Vec::new();
        for part in parts {
            match self.get(part) {
                Language::None => return LanguageId::NONE,
                Language::Sequence(inner) => all.extend_from_slice(inner),
                _ if part == LanguageId::EMPTY_TEXT => {}
                _ => all.push(part),
            }
        }
        match all[..] {
            [] => LanguageId::EMPTY_TEXT,
            [part] => part,
            _ => self.intern(Language::Sequence(all)),
        }
    }

    /// Interns the union of some languages. Nested unions are flattened, and lengths are merged.
    pub(crate) fn union(&mut self, parts: impl IntoIterator<Item = LanguageId>) -> LanguageId {
        let mut all = Vec::new();
        for part in parts {
            match self.get(part) {
                Language::None => {}
                Language::Union(inner) => all.extend_from_slice(inner),
                _ if part == LanguageId::ANY => return LanguageId::ANY,
                _ => all.push(part),
            }
        }
        self.union_lengths(&mut all);
        if all.contains(&LanguageId::ANY) {
            return LanguageId::ANY;
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => LanguageId::NONE,
            [part] => part,
            _ => self.intern(Language::Union(all)),
        }
    }

    /// Interns the intersection of some languages. Nested intersections are flattened; lengths and multiples
    /// are merged.
    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = LanguageId>) -> LanguageId {
        let mut all = Vec::new();
        for part in parts {
            match self.get(part) {
                Language::None => return LanguageId::NONE,
                Language::And(inner) => all.extend_from_slice(inner),
                _ if part == LanguageId::ANY => {}
                _ => all.push(part),
            }
        }
        self.merge_multiples(&mut all);
        self.intersect_lengths(&mut all);
        if all.contains(&LanguageId::NONE) {
            return LanguageId::NONE;
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => LanguageId::ANY,
            [part] => part,
            _ => self.intern(Language::And(all)),
        }
    }

    /// Replaces multiples of several numbers by those of their least common multiple, whose automaton is
    /// smaller.
    fn merge_multiples(&mut self, parts: &mut Vec<LanguageId>) {
        let mut joined: Option<(usize, LanguageId, String)> = None;
        let mut index = 0;
        while index < parts.len() {
            if let Some((sign, of)) = self.as_multiples(parts[index]) {
                match &mut joined {
                    Some((first, first_sign, common)) if *first_sign == sign => {
                        if let Some(least) = number::least_common_multiple(common, of) {
                            let unsigned = self.multiple(&least);
                            parts[*first] = self.sequence([sign, unsigned]);
                            *common = least;
                            parts.remove(index);
                            continue;
                        }
                    }
                    Some(_) => {}
                    None => joined = Some((index, sign, of.to_owned())),
                }
            }
            index += 1;
        }
    }

    /// Returns the sign and the number of a language of multiples. Returns `None` for any other language.
    fn as_multiples(&self, id: LanguageId) -> Option<(LanguageId, &str)> {
        let Language::Sequence(parts) = self.get(id) else { return None };
        let [sign, unsigned] = parts[..] else { return None };
        match self.get(unsigned) {
            Language::Multiple(of) => Some((sign, of)),
            _ => None,
        }
    }

    /// Returns the number whose multiples the language consists of. Returns `None` for any other language.
    pub(crate) fn multiples_of(&self, id: LanguageId) -> Option<&str> {
        self.as_multiples(id).map(|(_, of)| of)
    }

    /// Interns the complement of a language, among all texts.
    pub(crate) fn not(&mut self, of: LanguageId) -> LanguageId {
        match *self.get(of) {
            Language::None => LanguageId::ANY,
            Language::Not(inner) => inner,
            _ if of == LanguageId::ANY => LanguageId::NONE,
            _ => match self.as_length(of) {
                // The complement of a length is a union of two lengths, which the automata count instead of
                // unrolling.
                Some((min, max)) => {
                    let shorter = min.checked_sub(1).map(|most| self.length(0, Some(most)));
                    let longer = max.and_then(|max| max.checked_add(1)).map(|least| self.length(least, None));
                    self.union(shorter.into_iter().chain(longer))
                }
                None => self.intern(Language::Not(of)),
            },
        }
    }

    pub(crate) fn repeat(&mut self, of: LanguageId, min: u32, max: Option<u32>) -> LanguageId {
        match (min, max) {
            (1, Some(1)) => of,
            (_, Some(0)) => LanguageId::EMPTY_TEXT,
            _ if of == LanguageId::EMPTY_TEXT => of,
            _ if of == LanguageId::NONE => {
                if min == 0 {
                    LanguageId::EMPTY_TEXT
                } else {
                    of
                }
            }
            _ => self.intern(Language::Repeat(of, min, max)),
        }
    }

    /// Returns the size of the automata in units of 64 bytes. They only grow, so differences measure work.
    pub(crate) fn size(&self) -> usize {
        self.store.bytes_used() / 64
    }

    /// Returns true if the language is empty. Returns `None` if the search was cancelled.
    ///
    /// # Errors
    /// When a limit of the automata is exceeded.
    pub(crate) fn is_empty(&mut self, id: LanguageId) -> Result<Option<bool>, grammask_regular::Error> {
        let regular = self.lower(id)?;
        let cancel = self.cancel.as_deref();
        self.store.cancellable(|| is_set(cancel)).is_empty(regular)
    }

    /// Returns true if the translation is cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        is_set(self.cancel.as_deref())
    }

    /// Returns true if a text is in the language.
    ///
    /// # Errors
    /// When a limit of the automata is exceeded.
    pub(crate) fn contains(&mut self, id: LanguageId, text: &str) -> Result<bool, grammask_regular::Error> {
        let mut state = self.lower(id)?;
        for byte in text.bytes() {
            if state == RegularId::EMPTY {
                return Ok(false);
            }
            state = self.store.derivative(state, byte)?;
        }
        Ok(self.store.is_nullable(state))
    }

    /// Compiles a language to an expression of the store, operands first.
    pub(crate) fn lower(&mut self, id: LanguageId) -> Result<RegularId, grammask_regular::Error> {
        let mut stack = vec![id];
        while let Some(&top) = stack.last() {
            if self.lowered[top.index()].is_some() {
                stack.pop();
                continue;
            }
            let pending = stack.len();
            for &operand in operands(&self.nodes[top.index()]) {
                if self.lowered[operand.index()].is_none() {
                    stack.push(operand);
                }
            }
            if stack.len() > pending {
                continue;
            }
            let of = |part: &LanguageId| self.lowered[part.index()].unwrap_or(RegularId::EMPTY);
            let store = &mut self.store;
            let regular = match &self.nodes[top.index()] {
                Language::None => RegularId::EMPTY,
                Language::Text(text) => store.literal(text.as_bytes())?,
                Language::Regex(pattern) => store.regex(pattern)?,
                Language::Sequence(parts) => store.concat(&parts.iter().map(of).collect::<Vec<_>>())?,
                Language::Union(parts) => store.union(&parts.iter().map(of).collect::<Vec<_>>())?,
                Language::And(parts) => store.intersection(&parts.iter().map(of).collect::<Vec<_>>())?,
                Language::Not(part) => {
                    let any = store.regex(ANY_TEXT)?;
                    let rest = store.complement(of(part))?;
                    store.intersection(&[any, rest])?
                }
                Language::Repeat(part, min, max) => store.repeat(of(part), *min, *max)?,
                Language::Json(part, escapes) => store.json_text_with(of(part), *escapes)?,
                Language::Multiple(numeral) => store.multiple(numeral)?,
                Language::Compared(comparison, bound) => store.compared(compared(*comparison), bound)?,
            };
            self.lowered[top.index()] = Some(regular);
            stack.pop();
        }
        Ok(self.lowered[id.index()].unwrap_or(RegularId::EMPTY))
    }

    /// Writes the expression into a syntax tree. After cancellation ([`is_cancelled`](Self::is_cancelled)),
    /// writes an arbitrary expression.
    pub(crate) fn write(&self, id: LanguageId, ast: &mut Ast) -> ExprId {
        enum Task {
            Visit(LanguageId),
            Make(LanguageId),
        }
        // Fast path: usually the operands are leaves.
        let is_leaf = |&part: &LanguageId| operands(self.get(part)).is_empty();
        let parts = operands(self.get(id));
        if parts.len() < STEPS_PER_CANCEL_CHECK && parts.iter().all(is_leaf) {
            let parts =
                parts.iter().map(|&part| ast.push(to_expr(self.get(part), Vec::new()), Span::default()));
            let parts = parts.collect();
            return ast.push(to_expr(self.get(id), parts), Span::default());
        }
        let mut done: Vec<ExprId> = Vec::new();
        let mut tasks = vec![Task::Visit(id)];
        let mut steps = 0_usize;
        while let Some(task) = tasks.pop() {
            steps += 1;
            if steps.is_multiple_of(STEPS_PER_CANCEL_CHECK) && self.is_cancelled() {
                return ast.push(to_expr(&Language::None, Vec::new()), Span::default());
            }
            match task {
                Task::Visit(id) => {
                    tasks.push(Task::Make(id));
                    tasks.extend(operands(self.get(id)).iter().rev().map(|&part| Task::Visit(part)));
                }
                Task::Make(id) => {
                    let count = operands(self.get(id)).len();
                    let parts = done.split_off(done.len() - count);
                    done.push(ast.push(to_expr(self.get(id), parts), Span::default()));
                }
            }
        }
        done.pop().expect("one expression for one language")
    }
}

/// Returns the expression of a language, given those of its operands.
fn to_expr(language: &Language, parts: Vec<ExprId>) -> ExprKind {
    match language {
        // A class without members.
        Language::None => ExprKind::Regex("[a&&b]".into()),
        Language::Text(text) => ExprKind::Text(text.clone()),
        Language::Regex(pattern) => ExprKind::Regex(pattern.clone()),
        Language::Sequence(_) => ExprKind::Sequence(parts.into()),
        Language::Union(_) => ExprKind::Alternatives(parts.into()),
        Language::And(_) => ExprKind::And(parts.into()),
        Language::Not(_) => ExprKind::Not(parts[0]),
        Language::Json(_, escapes) => ExprKind::Json(parts[0], operator_of(*escapes)),
        Language::Repeat(_, min, max) => {
            let quantifier = match (*min, *max) {
                (0, Some(1)) => Quantifier::Option,
                (0, None) => Quantifier::Star,
                (1, None) => Quantifier::Plus,
                (min, max) => Quantifier::Bounds { min, max },
            };
            ExprKind::Repeat { expr: parts[0], quantifier }
        }
        Language::Multiple(numeral) => ExprKind::Multiple(numeral.clone()),
        Language::Compared(comparison, bound) => ExprKind::Compared(*comparison, bound.clone()),
    }
}

/// Hash tags of the two kinds of languages that are looked up before they are allocated.
const TEXT_HASH_TAG: u8 = 1;
const REGEX_HASH_TAG: u8 = 2;

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Steps between two checks of the cancellation flag.
const STEPS_PER_CANCEL_CHECK: usize = 1_024;

fn is_set(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

fn operands(language: &Language) -> &[LanguageId] {
    match language {
        Language::Sequence(parts) | Language::Union(parts) | Language::And(parts) => parts,
        Language::Not(part) | Language::Repeat(part, ..) | Language::Json(part, _) => {
            std::slice::from_ref(part)
        }
        Language::None
        | Language::Text(_)
        | Language::Regex(_)
        | Language::Multiple(_)
        | Language::Compared(..) => &[],
    }
}

/// Converts spellings to those of the syntax tree.
const fn operator_of(escapes: Escapes) -> grammask_syntax::Escapes {
    match escapes {
        Escapes::Any => grammask_syntax::Escapes::Any,
        Escapes::Short => grammask_syntax::Escapes::Short,
        Escapes::Required => grammask_syntax::Escapes::Required,
    }
}

const fn compared(comparison: Comparison) -> grammask_regular::Comparison {
    match comparison {
        Comparison::AtLeast => grammask_regular::Comparison::AtLeast,
        Comparison::Above => grammask_regular::Comparison::Above,
        Comparison::AtMost => grammask_regular::Comparison::AtMost,
        Comparison::Below => grammask_regular::Comparison::Below,
        Comparison::Equal => grammask_regular::Comparison::Equal,
    }
}
