//! Regular languages as a hash-consed arena of expressions. Operands precede the expressions made of them.
//!
//! Whether a language is empty is decided by a [`Store`] of the caller, which keeps its automata.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grammask_regular::{RegularId, Store};
use rustc_hash::FxHashMap;

use crate::syntax::class::WORD;
use crate::{Config, Limits};

/// A language of a [`Pattern`](crate::Pattern).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LanguageId(u32);

impl LanguageId {
    /// The empty language.
    pub const NONE: Self = Self(0);
    /// The language of every text.
    pub const ANY: Self = Self(1);
    /// The language of the empty text alone.
    pub const EMPTY_TEXT: Self = Self(2);

    /// Returns the position of the language in [`Pattern::languages`](crate::Pattern::languages).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression of a regular language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// No text.
    None,
    /// One text.
    Text(String),
    /// The texts that a regex of the Rust `regex` crate matches from end to end. It has no assertions.
    Regex(String),
    /// One text of each operand, in order.
    Sequence(Vec<LanguageId>),
    /// The texts of all operands.
    Union(Vec<LanguageId>),
    /// The texts that all operands have.
    And(Vec<LanguageId>),
    /// Every text that is not in the operand.
    Not(LanguageId),
    /// Texts of the operand, one after the other, at least and at most so often. `None` is unbounded.
    Repeat(LanguageId, u32, Option<u32>),
}

impl Language {
    /// Returns the operands.
    pub fn operands(&self) -> &[LanguageId] {
        match self {
            Self::Sequence(parts) | Self::Union(parts) | Self::And(parts) => parts,
            Self::Not(part) | Self::Repeat(part, ..) => std::slice::from_ref(part),
            Self::None | Self::Text(_) | Self::Regex(_) => &[],
        }
    }
}

/// Pattern of every text.
const ANY_TEXT: &str = "(?s:.)*";

/// An arena of languages.
pub(crate) struct Languages<'s> {
    nodes: Vec<Language>,
    ids: FxHashMap<Language, LanguageId>,
    lowered: Vec<Option<RegularId>>,
    store: &'s mut Store,
    limits: Limits,
    /// Members of the class of word characters.
    word: String,
    cancel: Option<Arc<AtomicBool>>,
}

impl<'s> Languages<'s> {
    pub(crate) fn new(config: &Config, store: &'s mut Store) -> Self {
        let mut languages = Self {
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            lowered: Vec::new(),
            store,
            limits: config.limits,
            word: WORD.to_owned(),
            cancel: config.cancel.clone(),
        };
        languages.intern(Language::None);
        languages.intern(Language::Regex(ANY_TEXT.to_owned()));
        languages.intern(Language::Text(String::new()));
        languages
    }

    pub(crate) fn into_nodes(self) -> Vec<Language> {
        self.nodes
    }

    /// Returns the members of the class of word characters.
    pub(crate) fn word(&self) -> &str {
        &self.word
    }

    pub(crate) fn set_word(&mut self, word: String) {
        self.word = word;
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn get(&self, id: LanguageId) -> &Language {
        &self.nodes[id.index()]
    }

    fn intern(&mut self, language: Language) -> LanguageId {
        if let Some(&known) = self.ids.get(&language) {
            return known;
        }
        let id = LanguageId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 languages"));
        self.nodes.push(language.clone());
        self.lowered.push(None);
        self.ids.insert(language, id);
        id
    }

    pub(crate) fn text(&mut self, text: &str) -> LanguageId {
        self.intern(Language::Text(text.to_owned()))
    }

    /// Interns the texts that a regex matches from end to end. The regex must be valid.
    pub(crate) fn regex(&mut self, regex: &str) -> LanguageId {
        self.intern(Language::Regex(regex.to_owned()))
    }

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
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => LanguageId::NONE,
            [part] => part,
            _ => self.intern(Language::Union(all)),
        }
    }

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
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => LanguageId::ANY,
            [part] => part,
            _ => self.intern(Language::And(all)),
        }
    }

    pub(crate) fn not(&mut self, of: LanguageId) -> LanguageId {
        match *self.get(of) {
            Language::None => LanguageId::ANY,
            Language::Not(inner) => inner,
            _ if of == LanguageId::ANY => LanguageId::NONE,
            _ => self.intern(Language::Not(of)),
        }
    }

    pub(crate) fn repeat(&mut self, of: LanguageId, min: u32, max: Option<u32>) -> LanguageId {
        match (min, max) {
            (1, Some(1)) => of,
            (_, Some(0)) => LanguageId::EMPTY_TEXT,
            _ if of == LanguageId::EMPTY_TEXT => of,
            (0, _) if of == LanguageId::NONE => LanguageId::EMPTY_TEXT,
            _ if of == LanguageId::NONE => of,
            _ => self.intern(Language::Repeat(of, min, max)),
        }
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

    fn lower(&mut self, id: LanguageId) -> Result<RegularId, grammask_regular::Error> {
        let mut stack = vec![id];
        while let Some(&top) = stack.last() {
            if self.lowered[top.index()].is_some() {
                stack.pop();
                continue;
            }
            let language = &self.nodes[top.index()];
            let pending = stack.len();
            let open = language.operands().iter().filter(|part| self.lowered[part.index()].is_none());
            stack.extend(open.copied());
            if stack.len() > pending {
                continue;
            }
            let parts: Vec<RegularId> =
                language.operands().iter().filter_map(|part| self.lowered[part.index()]).collect();
            let store = &mut *self.store;
            let regular = match language {
                Language::None => RegularId::EMPTY,
                Language::Text(text) => store.literal(text.as_bytes())?,
                Language::Regex(regex) => store.regex(regex)?,
                Language::Sequence(_) => store.concat(&parts)?,
                Language::Union(_) => store.union(&parts)?,
                Language::And(_) => store.intersection(&parts)?,
                Language::Not(_) => {
                    let any = store.regex(ANY_TEXT)?;
                    let rest = store.complement(parts[0])?;
                    store.intersection(&[any, rest])?
                }
                Language::Repeat(_, min, max) => store.repeat(parts[0], *min, *max)?,
            };
            self.lowered[top.index()] = Some(regular);
            stack.pop();
        }
        Ok(self.lowered[id.index()].unwrap_or(RegularId::EMPTY))
    }
}

fn is_set(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}
