//! Many branches at once: which of them a discriminating key leaves to be compared, so that nobody looks at all pairs.

use rustc_hash::FxHashMap;

use crate::context::{Stop, Translator};
use crate::language::LanguageId;
use crate::value::{Object, Values};
use grammask_syntax::Text;

/// So few branches are compared, each with each.
const FEW: usize = 8;
/// So many keys are tried, at most.
const MOST_KEYS: usize = 8;

/// Which of some branches may have something in common, as far as one key tells.
pub(crate) struct Rivals {
    /// The texts of the key in each branch, where it tells.
    texts: Vec<Option<Vec<LanguageId>>>,
    by_text: FxHashMap<LanguageId, Vec<usize>>,
    /// Branches in which the key tells nothing.
    untold: Vec<usize>,
}

impl Rivals {
    /// The other branches that may have something in common with one, some of them perhaps several times. Found while they are asked for:
    /// of a hundred thousand equal branches, one is enough.
    pub fn of(&self, place: usize) -> impl Iterator<Item = usize> {
        let texts = self.texts[place].as_deref();
        let all = if texts.is_none() { 0..self.texts.len() } else { 0..0 };
        let sharing = texts.unwrap_or_default().iter().flat_map(|text| &self.by_text[text]);
        let untold = if texts.is_some() { &self.untold[..] } else { &[] };
        all.chain(sharing.chain(untold).copied()).filter(move |&other| other != place)
    }
}

impl Translator<'_> {
    /// Which branches may have something in common.
    ///
    /// # Complexity
    /// Linear in the branches where a key tells them apart: one that all their objects must have, each with texts of its own.
    pub fn rivals(&mut self, branches: &[Values]) -> Result<Rivals, Stop> {
        let mut rivals =
            Rivals { texts: vec![None; branches.len()], by_text: FxHashMap::default(), untold: Vec::new() };
        if branches.len() <= FEW {
            return Ok(rivals);
        }
        let mut told = 0;
        for key in required_keys(branches) {
            let mut texts = Vec::with_capacity(branches.len());
            for branch in branches {
                texts.push(self.texts_of_key(branch, &key)?);
            }
            let count = texts.iter().filter(|texts| texts.is_some()).count();
            if count > told {
                (rivals.texts, told) = (texts, count);
            }
            if told == branches.len() {
                break;
            }
        }
        for (place, texts) in rivals.texts.iter().enumerate() {
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
fn required(object: &Object) -> impl Iterator<Item = (&Text, crate::conjunction::GoalId)> {
    let required = object.properties.iter().filter(|property| property.required);
    required.map(|property| (&property.key, property.goal))
}

/// The keys that most of the objects must have, in the order in which they are named.
fn required_keys(branches: &[Values]) -> Vec<Text> {
    let objects = || branches.iter().flat_map(|branch| &branch.objects);
    let mut counts: FxHashMap<&Text, usize> = FxHashMap::default();
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
