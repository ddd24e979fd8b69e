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

/// Which of many branches may have something in common. Lists for all pairs would be as large as the square of the branches.
pub(crate) struct Rivals {
    /// The texts that the key of a branch may have, if there is such a list.
    texts_of: Vec<Option<Vec<LanguageId>>>,
    by_text: FxHashMap<LanguageId, Vec<usize>>,
    untold: Vec<usize>,
}

impl Rivals {
    /// The other branches that may have something in common with one, ascending, and how much work it was to list them.
    pub fn of(&self, place: usize) -> (Box<dyn Iterator<Item = usize> + '_>, u64) {
        let Some(texts) = &self.texts_of[place] else {
            // As it goes: most often the first few leave nothing to be compared with the rest.
            return (Box::new((0..self.texts_of.len()).filter(move |&other| other != place)), 0);
        };
        let sharing = texts.iter().flat_map(|text| &self.by_text[text]);
        let mut rivals: Vec<usize> = sharing.chain(&self.untold).copied().collect();
        let work = rivals.len() as u64 / 8;
        rivals.sort_unstable();
        rivals.dedup();
        rivals.retain(|&other| other != place);
        (Box::new(rivals.into_iter()), work)
    }
}

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

    /// Which branches may have something in common.
    ///
    /// # Complexity
    /// Linear in the branches.
    pub fn rivals(&mut self, branches: &[Values]) -> Result<Rivals, Stop> {
        let mut texts_of: Vec<Option<Vec<LanguageId>>> = vec![None; branches.len()];
        let mut told = 0;
        let keys = if branches.len() <= FEW { Vec::new() } else { required_keys(branches) };
        for key in keys {
            let mut texts = Vec::with_capacity(branches.len());
            for branch in branches {
                texts.push(self.texts_of_key(branch, &key)?);
            }
            let count = texts.iter().filter(|texts| texts.is_some()).count();
            if count > told {
                (texts_of, told) = (texts, count);
            }
            if told == branches.len() {
                break;
            }
        }
        let mut rivals = Rivals { texts_of, by_text: FxHashMap::default(), untold: Vec::new() };
        for (place, texts) in rivals.texts_of.iter().enumerate() {
            match texts {
                None => rivals.untold.push(place),
                Some(texts) => {
                    texts.iter().for_each(|&text| rivals.by_text.entry(text).or_default().push(place));
                }
            }
        }
        Ok(rivals)
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
