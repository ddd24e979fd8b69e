//! Many branches at once: what is in one of them at least, and which of them a discriminating key leaves to be compared, so that
//! nobody looks at all pairs.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::languages::LanguageId;
use crate::translator::{Stop, Translator};
use crate::values::{Object, Values};

/// So few branches are compared, each with each.
const FEW: usize = 8;
/// So many keys are tried, at most.
const MOST_KEYS: usize = 8;

impl Translator<'_> {
    /// What is in one of them at least.
    pub fn union_of(&mut self, all: &[Values]) -> Result<Values, Stop> {
        let any_number = self.any_number;
        let number = match all.iter().any(|values| values.number == any_number) {
            true => any_number,
            false => self.languages.union(all.iter().map(|values| values.number)),
        };
        let arrays: Vec<_> = all.iter().flat_map(|values| values.arrays.iter().cloned()).collect();
        let objects: Vec<_> = all.iter().flat_map(|values| values.objects.iter().cloned()).collect();
        Ok(Values {
            null: all.iter().any(|values| values.null),
            booleans: [0, 1].map(|truth| all.iter().any(|values| values.booleans[truth])),
            number,
            string: self.languages.union(all.iter().map(|values| values.string)),
            expressions: all
                .iter()
                .map(|values| values.expressions)
                .max()
                .unwrap_or(Values::NONE.expressions),
            arrays: self.joined(Vec::new(), &arrays)?,
            objects: self.joined(Vec::new(), &objects)?,
        })
    }

    /// For each branch, in order, the others that may have something in common with it.
    ///
    /// # Complexity
    /// Linear in the branches where a key tells them apart: one that all their objects must have, each with texts of its own.
    pub fn rivals(&mut self, branches: &[Values]) -> Result<Vec<Vec<usize>>, Stop> {
        let all_but = |place: usize| (0..branches.len()).filter(|&other| other != place).collect();
        if branches.len() <= FEW {
            return Ok((0..branches.len()).map(all_but).collect());
        }
        let mut best: Vec<Option<Vec<LanguageId>>> = vec![None; branches.len()];
        let mut told = 0;
        for key in required_keys(branches) {
            let mut texts = Vec::with_capacity(branches.len());
            for branch in branches {
                texts.push(self.texts_of_key(branch, &key)?);
            }
            let count = texts.iter().filter(|texts| texts.is_some()).count();
            if count > told {
                (best, told) = (texts, count);
            }
            if told == branches.len() {
                break;
            }
        }
        let mut by_text: FxHashMap<LanguageId, Vec<usize>> = FxHashMap::default();
        let mut untold = Vec::new();
        for (place, texts) in best.iter().enumerate() {
            match texts {
                None => untold.push(place),
                Some(texts) => texts.iter().for_each(|&text| by_text.entry(text).or_default().push(place)),
            }
        }
        let rivals = |(place, texts): (usize, &Option<Vec<LanguageId>>)| match texts {
            None => all_but(place),
            Some(texts) => {
                let sharing = texts.iter().flat_map(|text| &by_text[text]);
                let mut rivals: Vec<usize> = sharing.chain(&untold).copied().collect();
                rivals.sort_unstable();
                rivals.dedup();
                rivals.retain(|&other| other != place);
                rivals
            }
        };
        Ok(best.iter().enumerate().map(rivals).collect())
    }

    /// The texts that a key may have, which all objects of the branch must have; nothing where there is another value, or no list.
    fn texts_of_key(&mut self, branch: &Values, key: &str) -> Result<Option<Vec<LanguageId>>, Stop> {
        let others = Values { objects: Vec::new(), ..branch.clone() };
        if !others.is_none() {
            return Ok(None);
        }
        let mut all = Vec::new();
        for object in &branch.objects {
            self.spend(1)?;
            let goal = match required(object).find(|property| &**property.0 == key) {
                Some((_, goal)) => goal,
                None => return Ok(None),
            };
            let values = match self.values_inside(goal) {
                Ok(values) => values,
                // It is being found out.
                Err(Stop::Busy) => return Ok(None),
                Err(error) => return Err(error),
            };
            let others = Values { string: LanguageId::NONE, ..(*values).clone() };
            match self.texts(values.string).filter(|_| others.is_none()) {
                Some(texts) => all.extend(texts),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }
}

/// The keys that objects must have and their goals.
fn required(object: &Object) -> impl Iterator<Item = (&Rc<str>, crate::goals::GoalId)> {
    let required = object.properties.iter().filter(|property| property.required);
    required.map(|property| (&property.key, property.goal))
}

/// The keys that most of the objects must have, in the order in which they are named.
fn required_keys(branches: &[Values]) -> Vec<Rc<str>> {
    let objects = || branches.iter().flat_map(|branch| &branch.objects);
    let mut counts: FxHashMap<&Rc<str>, usize> = FxHashMap::default();
    let mut keys = Vec::new();
    for (key, _) in objects().flat_map(|object| required(object)) {
        let count = counts.entry(key).or_default();
        *count += 1;
        if *count == 1 {
            keys.push(key);
        }
    }
    let half = objects().count() / 2;
    keys.into_iter().filter(|key| counts[key] > half).take(MOST_KEYS).cloned().collect()
}
