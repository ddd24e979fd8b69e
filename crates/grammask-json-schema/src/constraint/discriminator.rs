//! Discriminator analysis: `oneOf` of many branches is compared pair by pair only where a key does not
//! separate them.
//!
//! If every branch requires the key `kind`, each with another constant, no two branches overlap, and no pair
//! is compared.

use grammask_syntax::Text;
use rustc_hash::FxHashMap;

use crate::context::{Context, Stop};
use crate::language::LanguageId;
use crate::value::algebra;
use crate::value::evaluate;
use crate::value::{Object, Values};

/// Up to this many branches, all pairs are compared.
const MAX_BRANCHES_IN_ALL_PAIRS: usize = 8;
/// Number of keys that are tried as a discriminator.
const MAX_KEYS_TRIED: usize = 8;

/// Overlap candidates among the branches of a `oneOf`, by the texts of one discriminating key.
pub(crate) struct Discriminator {
    /// Texts of the key by branch. `None` if the branch does not restrict the key to listed texts.
    texts: Vec<Option<Vec<LanguageId>>>,
    by_text: FxHashMap<LanguageId, Vec<usize>>,
    /// Branches with `None` in `texts`. They may overlap with any branch.
    undiscriminated: Vec<usize>,
}

impl Discriminator {
    /// Returns the branches that may overlap with the branch `branch_index`. A branch may occur several
    /// times.
    ///
    /// The iterator is lazy: among 100,000 equal branches, the caller needs only the first.
    pub(crate) fn candidates(&self, branch_index: usize) -> impl Iterator<Item = usize> {
        let texts = self.texts[branch_index].as_deref();
        let all = if texts.is_none() { 0..self.texts.len() } else { 0..0 };
        let sharing = texts.unwrap_or_default().iter().flat_map(|text| &self.by_text[text]);
        let undiscriminated = if texts.is_some() { &self.undiscriminated[..] } else { &[] };
        all.chain(sharing.chain(undiscriminated).copied()).filter(move |&other| other != branch_index)
    }
}

/// Finds the key that separates most branches.
///
/// # Complexity
/// Linear in the number of branches, for each of at most [`MAX_KEYS_TRIED`] keys.
pub(crate) fn discriminate(cx: &mut Context<'_>, branches: &[Values]) -> Result<Discriminator, Stop> {
    let mut discriminator = Discriminator {
        texts: vec![None; branches.len()],
        by_text: FxHashMap::default(),
        undiscriminated: Vec::new(),
    };
    if branches.len() <= MAX_BRANCHES_IN_ALL_PAIRS {
        return Ok(discriminator);
    }
    let mut discriminated = 0;
    for key in required_keys(branches) {
        let mut texts = Vec::with_capacity(branches.len());
        for branch in branches {
            texts.push(texts_of_key(cx, branch, &key, true)?);
        }
        let count = texts.iter().filter(|texts| texts.is_some()).count();
        if count > discriminated {
            (discriminator.texts, discriminated) = (texts, count);
        }
        if discriminated == branches.len() {
            break;
        }
    }
    for (branch_index, texts) in discriminator.texts.iter().enumerate() {
        match texts {
            None => discriminator.undiscriminated.push(branch_index),
            Some(texts) => {
                texts
                    .iter()
                    .for_each(|&text| discriminator.by_text.entry(text).or_default().push(branch_index));
            }
        }
    }
    Ok(discriminator)
}

/// Returns the texts that a key may have in a branch. Returns `None` if the branch has values other than
/// objects that name the key, or if the key may have values other than listed texts. With `must_be_required`,
/// the objects must also require the key.
pub(crate) fn texts_of_key(
    cx: &mut Context<'_>,
    branch: &Values,
    key: &str,
    must_be_required: bool,
) -> Result<Option<Vec<LanguageId>>, Stop> {
    let others = Values { objects: Vec::new(), ..branch.clone() };
    if !others.is_none() {
        return Ok(None);
    }
    let mut all = Vec::new();
    for object in &branch.objects {
        cx.spend(1)?;
        let mut named = object.properties.iter().filter(|property| property.required || !must_be_required);
        let constraint = match named.find(|property| &*property.key == key) {
            Some(property) => property.constraint,
            None => return Ok(None),
        };
        let values = match evaluate::values_inside(cx, constraint) {
            Ok(values) => values,
            // An outer evaluation is still computing the values of the key, so they are unknown.
            Err(Stop::Cycle) => return Ok(None),
            Err(error) => return Err(error),
        };
        let others = Values { string: LanguageId::NONE, ..(*values).clone() };
        match algebra::listed_texts(cx, values.string).filter(|_| others.is_none()) {
            Some(texts) => all.extend(texts),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// Returns the required keys of a shape and the constraints on their values.
fn required(object: &Object) -> impl Iterator<Item = (&Text, crate::constraint::ConstraintId)> {
    let required = object.properties.iter().filter(|property| property.required);
    required.map(|property| (&property.key, property.constraint))
}

/// Returns the keys that more than half of all shapes require, in the order of the schema.
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
    keys.into_iter().filter(|key| counts[key] > half).take(MAX_KEYS_TRIED).cloned().collect()
}
