//! Texts that a schema allows and that are not offered, after all questions about the schema are answered:
//! dates and times beyond [`DateTimes::Common`].
//!
//! Which values a schema excludes is decided with all texts. So fewer of the valid documents are offered, and
//! never an invalid one.

use rustc_hash::FxHashMap;

use super::{Language, LanguageId, Languages};
use crate::{Config, DateTimes};

/// Levels of nested languages in which texts are left out. Deeper ones offer all of their texts.
const MAX_LEVELS: u32 = 64;

/// The languages of which some texts are not offered.
pub(super) struct Offers {
    date_times: DateTimes,
    /// For each of these languages: the one that is offered in its place.
    replaced: FxHashMap<LanguageId, LanguageId>,
    /// Memo of [`Languages::offered`].
    offered: FxHashMap<LanguageId, LanguageId>,
}

impl Offers {
    pub(super) fn new(config: &Config) -> Self {
        Self { date_times: config.date_times, replaced: FxHashMap::default(), offered: FxHashMap::default() }
    }
}

impl Languages {
    /// Offers the subset that `common` returns in place of a language of dates or times, under
    /// [`DateTimes::Common`].
    pub(super) fn offer_common(&mut self, all: LanguageId, common: impl FnOnce(&mut Self) -> LanguageId) {
        if self.offers.date_times == DateTimes::Common && !self.offers.replaced.contains_key(&all) {
            let common = common(self);
            self.offers.replaced.insert(all, common);
        }
    }

    /// Returns the part of a language that is offered.
    ///
    /// A listed text is always offered. So are all texts of an intersection of which nothing else would
    /// remain.
    pub(super) fn offered(&mut self, id: LanguageId) -> LanguageId {
        if self.offers.replaced.is_empty() { id } else { self.offered_at(id, 0) }
    }

    /// Computes [`offered`](Self::offered). `level` counts the languages around the language.
    fn offered_at(&mut self, id: LanguageId, level: u32) -> LanguageId {
        if let Some(&replaced) = self.offers.replaced.get(&id) {
            return replaced;
        }
        // Lists may be long.
        if level > MAX_LEVELS || self.is_list(id) {
            return id;
        }
        if let Some(&known) = self.offers.offered.get(&id) {
            return known;
        }
        let offered = match self.get(id).clone() {
            Language::Sequence(parts) => {
                let parts = self.offered_parts(parts, level);
                self.sequence(parts)
            }
            Language::Union(parts) => {
                let parts = self.offered_parts(parts, level);
                self.union(parts)
            }
            Language::Repeat(part, min, max) => {
                let part = self.offered_at(part, level + 1);
                self.repeat(part, min, max)
            }
            Language::And(parts) if !parts.iter().any(|&part| self.is_list(part)) => {
                let parts = self.offered_parts(parts, level);
                let rest = self.and(parts);
                if rest == id || matches!(self.is_empty(rest), Ok(Some(false))) { rest } else { id }
            }
            // A complement leaves all texts of its operand out. The others have no operands, or a listed one.
            _ => return id,
        };
        self.offers.offered.insert(id, offered);
        offered
    }

    fn offered_parts(&mut self, parts: Vec<LanguageId>, level: u32) -> Vec<LanguageId> {
        parts.into_iter().map(|part| self.offered_at(part, level + 1)).collect()
    }
}
