//! Terminals to regular languages: what a terminal of the normal form means, in a store.

use grammask_regular::{Error, RegularId, Store};
use grammask_syntax::Comparison;

use crate::form::{NormalForm, Symbol, Terminal, TerminalId};

impl Terminal {
    /// The terminals that this one is made of, in order.
    pub fn operands(&self) -> &[TerminalId] {
        match self {
            Self::Sequence(operands) | Self::Alternatives(operands) | Self::And(operands) => operands,
            Self::Repeat { terminal, .. } | Self::Not(terminal) | Self::Json(terminal) => {
                std::slice::from_ref(terminal)
            }
            _ => &[],
        }
    }

    pub(crate) fn operands_mut(&mut self) -> &mut [TerminalId] {
        match self {
            Self::Sequence(operands) | Self::Alternatives(operands) | Self::And(operands) => operands,
            Self::Repeat { terminal, .. } | Self::Not(terminal) | Self::Json(terminal) => {
                std::slice::from_mut(terminal)
            }
            _ => &mut [],
        }
    }

    /// Whether this is a special token, which stands for no bytes.
    pub const fn is_special(&self) -> bool {
        matches!(self, Self::SpecialName(_) | Self::SpecialId(_))
    }
}

/// The languages of the terminals of a normal form in a store, as far as they are known.
///
/// [`normalize_with_languages`](crate::normalize_with_languages) has made some of them already; whoever goes on with the same store need not make them again.
#[derive(Clone, Debug)]
pub struct Languages {
    known: Vec<Option<RegularId>>,
    /// What is left to do; kept for its room.
    stack: Vec<TerminalId>,
}

impl Languages {
    /// Nothing is known yet.
    pub fn new(normal: &NormalForm) -> Self {
        Self::known(vec![None; normal.terminals.len()])
    }

    /// These are known, by the numbers of the terminals.
    pub(crate) const fn known(known: Vec<Option<RegularId>>) -> Self {
        Self { known, stack: Vec::new() }
    }

    /// The regular language of a terminal in `store`, which must be the same each time, as must be the normal form.
    ///
    /// # Errors
    /// As [`NormalForm::lower`].
    ///
    /// # Panics
    /// As [`NormalForm::lower`].
    ///
    /// # Complexity
    /// Linear in the number of terminals below this one that are not known.
    pub fn lower(
        &mut self,
        normal: &NormalForm,
        terminal: TerminalId,
        store: &mut Store,
    ) -> Result<RegularId, Error> {
        self.stack.clear();
        self.stack.push(terminal);
        while let Some(&id) = self.stack.last() {
            if self.known[id.index()].is_some() {
                self.stack.pop();
                continue;
            }
            let language = &normal.terminals[id.index()];
            let regular = if let Some(texts) = literal_set(&normal.terminals, id) {
                store.literals(texts.iter().copied())?
            } else {
                let pending = self.stack.len();
                let unknown = language.operands().iter().filter(|id| self.known[id.index()].is_none());
                self.stack.extend(unknown);
                if self.stack.len() > pending {
                    continue;
                }
                let operand = |id: TerminalId| self.known[id.index()].expect("operands are lowered first");
                combine(language, operand, store)?.expect("a special token is no language")
            };
            self.known[id.index()] = Some(regular);
        }
        Ok(self.known[terminal.index()].expect("it was the first on the stack"))
    }
}

impl NormalForm {
    /// The regular language of a terminal, in `store`.
    ///
    /// # Errors
    /// When a limit of the store is exceeded; also for an operand that is a special token, which
    /// [`check`](NormalForm::check) excludes.
    ///
    /// # Panics
    /// When the id is not from this normal form, or the terminal is a special token, which is no language.
    ///
    /// # Complexity
    /// Linear in the number of terminals below this one.
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

    /// The regular languages of all terminals that stand in productions, in `store`, and of what they are made of. `None` for
    /// special tokens, and for texts that stand in nothing but sets of texts: a set is lowered as one.
    ///
    /// # Errors
    /// When a limit of the store is exceeded.
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
            if needed[id] && literal_set(&self.terminals, TerminalId(id as u32)).is_none() {
                for operand in self.terminals[id].operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        let mut lowered: Vec<Option<RegularId>> = vec![None; count];
        for id in 0..count {
            if needed[id] {
                lowered[id] = match literal_set(&self.terminals, TerminalId(id as u32)) {
                    Some(texts) => Some(store.literals(texts.iter().copied())?),
                    None => combine(
                        &self.terminals[id],
                        |operand| lowered[operand.index()].expect("operands are lowered first"),
                        store,
                    )?,
                };
            }
        }
        Ok(lowered)
    }
}

/// The texts of alternatives that are nothing but texts.
pub(crate) fn literal_set(terminals: &[Terminal], id: TerminalId) -> Option<Vec<&[u8]>> {
    let Terminal::Alternatives(operands) = &terminals[id.index()] else { return None };
    let text = |operand: &TerminalId| match &terminals[operand.index()] {
        Terminal::Text(text) => Some(text.as_bytes()),
        _ => None,
    };
    text(operands.first()?)?;
    operands.iter().map(text).collect()
}

/// The language of a terminal whose operands are lowered; `None` for a special token.
pub(crate) fn combine(
    terminal: &Terminal,
    lowered: impl Fn(TerminalId) -> RegularId,
    store: &mut Store,
) -> Result<Option<RegularId>, Error> {
    // Most have few operands, and need no vector.
    let mut few = [RegularId::EMPTY; 4];
    let mut many = Vec::new();
    let operands = terminal.operands();
    let all = match few.get_mut(..operands.len()) {
        Some(few) => {
            few.iter_mut().zip(operands).for_each(|(place, &id)| *place = lowered(id));
            &*few
        }
        None => {
            many.extend(operands.iter().map(|&id| lowered(id)));
            &many[..]
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
        Terminal::SpecialName(_) | Terminal::SpecialId(_) => return Ok(None),
        Terminal::Sequence(_) => store.concat(all)?,
        Terminal::Alternatives(_) => store.union(all)?,
        Terminal::Repeat { min, max, .. } => store.repeat(all[0], *min, *max)?,
        Terminal::And(_) => store.intersection(all)?,
        Terminal::Not(_) => store.complement(all[0])?,
        Terminal::Json(_) => store.json_text(all[0])?,
        Terminal::Multiple(numeral) => store.multiple(numeral)?,
        Terminal::Compared(comparison, bound) => store.compared(compared(*comparison), bound)?,
    }))
}

/// The comparison that a spelling means.
const fn compared(comparison: Comparison) -> grammask_regular::Comparison {
    match comparison {
        Comparison::AtLeast => grammask_regular::Comparison::AtLeast,
        Comparison::Above => grammask_regular::Comparison::Above,
        Comparison::AtMost => grammask_regular::Comparison::AtMost,
        Comparison::Below => grammask_regular::Comparison::Below,
        Comparison::Equal => grammask_regular::Comparison::Equal,
    }
}
