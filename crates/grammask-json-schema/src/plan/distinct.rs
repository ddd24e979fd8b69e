//! `uniqueItems`: items that are so few that each can be told from the others, and items that differ anyhow.

use crate::conjunction::GoalId;
use crate::context::{Stop, Translator};
use crate::language::number;
use crate::language::{Language, LanguageId};
use crate::plan::Elements;
use crate::value::{Array, Expressions, Values};

/// So many first items are compared with each other.
const MOST_DIFFERENT: usize = 16;

/// So deep it is looked whether two of them can be equal.
const DEPTH: u32 = 3;

/// So many values that bounds or a pattern leave are told apart one by one.
const MOST_MEMBERS: usize = 128;

impl Translator<'_> {
    /// Whether no two items of an array can be equal: there are only first ones, and no two of them have a value in common.
    pub(super) fn items_differ(&mut self, array: &Array) -> Result<bool, Stop> {
        let first = array.prefix.len();
        if first > MOST_DIFFERENT
            || array.rest != GoalId::NEVER && array.max.is_none_or(|max| max > first as u64)
        {
            return Ok(false);
        }
        for place in 0..first {
            for other in 0..place {
                let both = self.goals.both(array.prefix[place], array.prefix[other]);
                if self.may_reach(both, DEPTH)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// All values that reach a goal, if they can be told apart: one by one, but for strings of which there are very many.
    pub(super) fn elements(&mut self, goal: GoalId) -> Result<Option<Elements>, Stop> {
        let values = self.values(goal)?;
        if !values.arrays.is_empty() || !values.objects.is_empty() || values.expressions != Expressions::None
        {
            return Ok(None);
        }
        let (few, texts) = match self.members(values.string)? {
            Some(few) => (few, None),
            // To see that they are many takes less than to list them.
            None if self.languages.has_many_strings(values.string) => (Vec::new(), Some(values.string)),
            None => match self.few_texts(values.string) {
                Some(few) => (few, None),
                None => return Ok(None),
            },
        };
        let numbers = match self.members(values.number)? {
            Some(numbers) => Some(numbers),
            None => self.few_numbers(values.number)?,
        };
        let Some(numbers) = numbers else { return Ok(None) };
        let mut all = Vec::new();
        if values.null {
            all.push(Values { null: true, ..Values::NONE });
        }
        for truth in [0, 1] {
            if values.booleans[truth] {
                let mut booleans = [false; 2];
                booleans[truth] = true;
                all.push(Values { booleans, ..Values::NONE });
            }
        }
        all.extend(few.into_iter().map(|string| Values { string, ..Values::NONE }));
        all.extend(numbers.into_iter().map(|number| Values { number, ..Values::NONE }));
        Ok(Some(Elements { listed: all, texts }))
    }

    /// The texts of a language, or the numbers that it spells, one by one.
    pub(super) fn members(&mut self, language: LanguageId) -> Result<Option<Vec<LanguageId>>, Stop> {
        let is_one = |this: &Self, id: LanguageId| {
            matches!(this.languages.get(id), Language::Text(_)) || this.single_numbers.contains(&id)
        };
        let list = |this: &Self, id: LanguageId| match this.languages.get(id) {
            Language::None => Some(Vec::new()),
            _ if is_one(this, id) => Some(vec![id]),
            Language::Union(parts) if parts.iter().all(|&part| is_one(this, part)) => Some(parts.clone()),
            _ => None,
        };
        if let Some(all) = list(self, language) {
            return Ok(Some(all));
        }
        let Language::And(parts) = self.languages.get(language).clone() else { return Ok(None) };
        let Some(all) = parts.iter().find_map(|&part| list(self, part)) else { return Ok(None) };
        let mut some = Vec::new();
        for member in all {
            let both = self.languages.and([member, language]);
            if !self.is_empty(both)? {
                // A number may be spelled in fewer ways there; a text is itself.
                let is_text = matches!(self.languages.get(member), Language::Text(_));
                some.push(if is_text { member } else { both });
            }
        }
        Ok(Some(some))
    }

    /// The texts of a language, where a pattern says that they are few.
    fn few_texts(&mut self, language: LanguageId) -> Option<Vec<LanguageId>> {
        let texts = self.languages.few(language, MOST_MEMBERS)?;
        Some(texts.iter().map(|text| self.languages.text(text)).collect())
    }

    /// The numbers of a language one by one, where two bounds leave few multiples.
    fn few_numbers(&mut self, language: LanguageId) -> Result<Option<Vec<LanguageId>>, Stop> {
        let Some(candidates) = self.multiples_between_bounds(language) else { return Ok(None) };
        let mut members = Vec::new();
        for decimal in candidates {
            self.spend(1)?;
            match self.languages.contains(language, &decimal.to_string()) {
                Ok(false) => {}
                Ok(true) => {
                    // It may be spelled in fewer ways there.
                    let spellings = number::equal(&mut self.languages, &decimal);
                    members.push(self.languages.and([spellings, language]));
                }
                // Then nobody knows that they are few.
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(members))
    }

    /// The multiples between the bounds that a set of numbers is made of, where there are both, and few multiples.
    fn multiples_between_bounds(&mut self, language: LanguageId) -> Option<Vec<number::Decimal>> {
        let digits = number::digits(&mut self.languages);
        let Language::And(parts) = self.languages.get(language) else { return None };
        let known = &self.bounds;
        let bound = |is_least| {
            let mut bounds = parts.iter().filter_map(|part| known.get(part));
            bounds.find(|bound| bound.0 == is_least).map(|(_, bound)| bound)
        };
        // Any of several does: what the others exclude is not among the numbers.
        let (least, most) = (bound(true)?, bound(false)?);
        let of = parts.iter().find_map(|&part| match part == digits {
            true => Some("1"),
            false => self.languages.multiples_of(part),
        });
        number::multiples_between(of?, least, most, MOST_MEMBERS)
    }
}
