//! Lowering: compiles terminals to regular languages in a store.

use grammask_regular::{Error, RegularId, Store};
use grammask_syntax::{Comparison, Escapes};
use grammask_work::narrow;

use crate::form::{NormalForm, Symbol, Terminal, TerminalId};

impl Terminal {
    /// Returns the terminals that this one combines, in order.
    pub fn operands(&self) -> &[TerminalId] {
        match self {
            Self::Sequence(operands) | Self::Alternatives(operands) | Self::And(operands) => operands,
            Self::Repeat { terminal, .. } | Self::Not(terminal) | Self::Json(terminal, _) => {
                std::slice::from_ref(terminal)
            }
            _ => &[],
        }
    }

    pub(crate) fn operands_mut(&mut self) -> &mut [TerminalId] {
        match self {
            Self::Sequence(operands) | Self::Alternatives(operands) | Self::And(operands) => operands,
            Self::Repeat { terminal, .. } | Self::Not(terminal) | Self::Json(terminal, _) => {
                std::slice::from_mut(terminal)
            }
            _ => &mut [],
        }
    }

    /// Returns true for a special token, which has no bytes.
    pub const fn is_special(&self) -> bool {
        matches!(self, Self::SpecialName(_) | Self::SpecialId(_) | Self::SpecialSet(_))
    }
}

/// A cache of the languages of a normal form's terminals in one store.
///
/// [`normalize_cancellable`](crate::normalize_cancellable) returns the languages that it compiled, for
/// callers that go on with the same store.
#[derive(Clone, Debug)]
pub struct Languages {
    /// By terminal: its language. `None` if it is not compiled yet.
    languages: Vec<Option<RegularId>>,
    /// Terminals still to be compiled; empty between calls, and kept for its capacity.
    stack: Vec<TerminalId>,
}

impl Languages {
    /// Creates a cache in which no language is compiled.
    pub fn new(normal: &NormalForm) -> Self {
        Self::compiled(vec![None; normal.terminals.len()])
    }

    /// Creates a cache of languages, by the index of the terminal.
    pub(crate) const fn compiled(languages: Vec<Option<RegularId>>) -> Self {
        Self { languages, stack: Vec::new() }
    }

    /// Returns the language of a terminal in `store`. All calls must pass the same store and normal form.
    ///
    /// # Errors
    /// As [`NormalForm::lower`].
    ///
    /// # Panics
    /// As [`NormalForm::lower`].
    ///
    /// # Complexity
    /// Linear in the number of direct and indirect operands that are not compiled yet.
    pub fn lower(
        &mut self,
        normal: &NormalForm,
        terminal: TerminalId,
        store: &mut Store,
    ) -> Result<RegularId, Error> {
        self.stack.clear();
        self.stack.push(terminal);
        while let Some(&id) = self.stack.last() {
            if self.languages[id.index()].is_some() {
                self.stack.pop();
                continue;
            }
            let language = &normal.terminals[id.index()];
            let regular = if let Some(texts) = literal_set(&normal.terminals, id) {
                store.literals(texts.iter().copied())?
            } else {
                let pending = self.stack.len();
                let uncompiled = language.operands().iter().filter(|id| self.languages[id.index()].is_none());
                self.stack.extend(uncompiled);
                if self.stack.len() > pending {
                    continue;
                }
                let operand =
                    |id: TerminalId| self.languages[id.index()].expect("operands are compiled first");
                combine(language, operand, store)?.expect("a special token has no language")
            };
            self.languages[id.index()] = Some(regular);
        }
        Ok(self.languages[terminal.index()].expect("it was the first on the stack"))
    }
}

impl NormalForm {
    /// Compiles the language of a terminal in `store`.
    ///
    /// # Errors
    /// Returns an error if the language exceeds a limit of the store.
    ///
    /// # Panics
    /// If the id is not of this normal form, or if the terminal or one of its operands is a special token,
    /// which has no language.
    ///
    /// # Complexity
    /// Linear in the number of direct and indirect operands.
    ///
    /// ```
    /// use grammask_normal::{Symbol, normalize};
    /// use grammask_regular::Store;
    ///
    /// let ast = grammask_syntax::parse("start ::= #'[0-9]+' & ~'7';", &Default::default()).unwrap();
    /// let normal = normalize(&ast, &Default::default()).unwrap();
    /// let Symbol::Terminal(terminal) = normal.nonterminals[0].productions[0][0] else { panic!() };
    /// let mut store = Store::new(&Default::default());
    /// let language = normal.lower(terminal, &mut store).unwrap();
    /// let after = store.derivative(language, b'7').unwrap();
    /// assert!(!store.is_nullable(after));
    /// ```
    pub fn lower(&self, terminal: TerminalId, store: &mut Store) -> Result<RegularId, Error> {
        Languages::new(self).lower(self, terminal, store)
    }

    /// Compiles the languages of all terminals in productions, and of their operands, in `store`.
    ///
    /// The result has the language of each terminal. It is `None` for special tokens, and for texts that
    /// occur only in alternatives of texts, which are compiled as one set.
    ///
    /// # Errors
    /// Returns an error if a language exceeds a limit of the store.
    ///
    /// # Complexity
    /// Linear in the size of the terminals.
    pub fn lower_all(&self, store: &mut Store) -> Result<Vec<Option<RegularId>>, Error> {
        let count = self.terminals.len();
        let mut needed = vec![false; count];
        for symbol in
            self.nonterminals.iter().flat_map(|nonterminal| nonterminal.productions.iter().flatten())
        {
            if let Symbol::Terminal(id) = symbol {
                needed[id.index()] = true;
            }
        }
        for id in (0..count).rev() {
            if needed[id] && literal_set(&self.terminals, TerminalId(narrow(id))).is_none() {
                for operand in self.terminals[id].operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        let mut lowered: Vec<Option<RegularId>> = vec![None; count];
        for id in 0..count {
            if needed[id] {
                lowered[id] = match literal_set(&self.terminals, TerminalId(narrow(id))) {
                    Some(texts) => Some(store.literals(texts.iter().copied())?),
                    None => combine(
                        &self.terminals[id],
                        |operand| lowered[operand.index()].expect("operands are compiled first"),
                        store,
                    )?,
                };
            }
        }
        Ok(lowered)
    }
}

/// Returns the texts of a terminal whose alternatives are all texts. `None` for other terminals.
pub(crate) fn literal_set(terminals: &[Terminal], id: TerminalId) -> Option<Vec<&[u8]>> {
    let Terminal::Alternatives(operands) = &terminals[id.index()] else { return None };
    let text = |operand: &TerminalId| match &terminals[operand.index()] {
        Terminal::Text(text) => Some(text.as_bytes()),
        _ => None,
    };
    text(operands.first()?)?;
    operands.iter().map(text).collect()
}

/// Compiles a terminal whose operands are compiled. Returns `Ok(None)` for a special token.
pub(crate) fn combine(
    terminal: &Terminal,
    lowered: impl Fn(TerminalId) -> RegularId,
    store: &mut Store,
) -> Result<Option<RegularId>, Error> {
    // Most terminals have at most four operands, which need no allocation.
    let mut inline = [RegularId::EMPTY; 4];
    let mut spilled = Vec::new();
    let operands = terminal.operands();
    let all = match inline.get_mut(..operands.len()) {
        Some(inline) => {
            inline.iter_mut().zip(operands).for_each(|(slot, &id)| *slot = lowered(id));
            &*inline
        }
        None => {
            spilled.extend(operands.iter().map(|&id| lowered(id)));
            &spilled[..]
        }
    };
    Ok(Some(match terminal {
        Terminal::Text(text) => store.literal(text.as_bytes())?,
        Terminal::Regex(pattern) => store.regex(pattern)?,
        Terminal::Early(pattern) => {
            let inner = store.regex(pattern)?;
            store.shortest_match(inner)?
        }
        Terminal::Without(pattern) => {
            let inner = store.regex(pattern)?;
            store.without_substring(inner)?
        }
        Terminal::Substrings(text) => store.substrings(text.as_bytes())?,
        Terminal::Except(except) => {
            let texts: Vec<&[u8]> = except.texts.iter().map(|text| text.as_bytes()).collect();
            store.except(&texts, except.max)?
        }
        Terminal::ChunkRuns(chunks) => {
            let chunks: Vec<&[u8]> = chunks.iter().map(|chunk| chunk.as_bytes()).collect();
            store.chunk_runs(&chunks)?
        }
        Terminal::SpecialName(_) | Terminal::SpecialId(_) | Terminal::SpecialSet(_) => return Ok(None),
        Terminal::Sequence(_) => store.concat(all)?,
        Terminal::Alternatives(_) => store.union(all)?,
        Terminal::Repeat { min, max, .. } => store.repeat(all[0], *min, *max)?,
        Terminal::And(_) => store.intersection(all)?,
        Terminal::Not(_) => store.complement(all[0])?,
        Terminal::Json(_, escapes) => store.json_text_with(all[0], spelled(*escapes))?,
        Terminal::Multiple(numeral) => store.multiple(numeral)?,
        Terminal::Compared(comparison, bound) => store.compared(compared(*comparison), bound)?,
    }))
}

/// Converts the spellings of the syntax tree.
const fn spelled(escapes: Escapes) -> grammask_regular::Escapes {
    match escapes {
        Escapes::Any => grammask_regular::Escapes::Any,
        Escapes::Short => grammask_regular::Escapes::Short,
        Escapes::Required => grammask_regular::Escapes::Required,
    }
}

/// Converts a comparison of the syntax tree.
const fn compared(comparison: Comparison) -> grammask_regular::Comparison {
    match comparison {
        Comparison::AtLeast => grammask_regular::Comparison::AtLeast,
        Comparison::Above => grammask_regular::Comparison::Above,
        Comparison::AtMost => grammask_regular::Comparison::AtMost,
        Comparison::Below => grammask_regular::Comparison::Below,
        Comparison::Equal => grammask_regular::Comparison::Equal,
    }
}
