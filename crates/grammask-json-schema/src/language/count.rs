//! The number of texts of a language, and the texts themselves where they are few.

use grammask_regular::{RegularId, analysis};

use super::{LanguageId, Languages};

/// Maximum number of states, and maximum text length in bytes, up to which a language is enumerated.
const MAX_ENUMERATION_STATES: usize = 64;
const MAX_ENUMERATED_BYTES: usize = 32;

impl Languages {
    /// Returns all texts of a language, in byte order. Returns `None` if there are more than `most`, or if
    /// they are too long to enumerate.
    ///
    /// # Complexity
    /// At most 16,384 derivatives.
    pub(crate) fn enumerate(&mut self, id: LanguageId, most: usize) -> Option<Vec<String>> {
        let start = self.lower(id).ok()?;
        let mut texts = Vec::new();
        let mut states = 0;
        let mut open = vec![(start, Vec::new())];
        while let Some((state, text)) = open.pop() {
            states += 1;
            if states > MAX_ENUMERATION_STATES || text.len() > MAX_ENUMERATED_BYTES {
                return None;
            }
            for byte in (0..=255).rev() {
                let next = self.store.derivative(state, byte).ok()?;
                if next != RegularId::EMPTY {
                    let longer = text.iter().copied().chain([byte]).collect();
                    open.push((next, longer));
                }
            }
            if self.store.is_nullable(state) {
                texts.push(String::from_utf8(text).ok()?);
                if texts.len() > most {
                    return None;
                }
            }
        }
        Some(texts)
    }

    /// Returns true if the language has more JSON strings than any array holds.
    ///
    /// # Complexity
    /// Some thousand derivatives at most.
    pub(crate) fn has_many_strings(&mut self, id: LanguageId) -> bool {
        let mut strings = || {
            let texts = self.lower(id)?;
            let strings = self.store.json_string(texts)?;
            analysis::has_distinct_values(&mut self.store, strings, analysis::MORE_THAN_ANY_LIST)
        };
        // If a limit is exceeded, the size of the language is unknown.
        matches!(strings(), Ok::<_, grammask_regular::Error>(true))
    }

    /// Returns true if the language is known to have at least `least` numbers. Without `least`, more than any
    /// array holds.
    ///
    /// # Complexity
    /// Some thousand derivatives at most.
    pub(crate) fn has_many_numbers(&mut self, id: LanguageId, least: Option<u64>) -> bool {
        let mut numbers = || {
            let numbers = self.lower(id)?;
            let least = least.unwrap_or(analysis::MORE_THAN_ANY_LIST);
            analysis::has_distinct_values(&mut self.store, numbers, least)
        };
        // If a limit is exceeded, the size of the language is unknown.
        matches!(numbers(), Ok::<_, grammask_regular::Error>(true))
    }
}
