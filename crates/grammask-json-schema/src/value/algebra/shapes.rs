//! Lists of shapes as sets: what arrays and objects have in common. Shapes that obviously nothing has, and those within others, are
//! dropped on the way.

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::{FEW, LOOK};
use crate::conjunction::Goals;
use crate::context::{Stop, Translator};
use crate::error::Reason;

/// Arrays and objects alike: what the algebra of their lists needs.
pub(crate) trait Shape: Eq + Hash + Sized {
    fn is_all(&self) -> bool;
    /// How much there is to look at.
    fn size(&self) -> u64;
    /// Both shapes; nothing where that is impossible.
    fn meet(&self, other: &Self, translator: &mut Translator<'_>) -> Result<Option<Self>, Stop>;
    /// Shapes that together have everything that this one has not.
    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>>;
    /// Whether everything of this shape is obviously of the other one, too.
    fn is_within(&self, other: &Self, goals: &Goals) -> bool;
    /// Whether something has the shape, as far as can be seen: `false` is certain.
    fn may_be(&self, translator: &mut Translator<'_>, depth: u32) -> Result<bool, Stop>;
}

impl Translator<'_> {
    /// The shapes, each once; one alone where that is all there is.
    pub(super) fn joined<T: Shape>(&mut self, shapes: Vec<Rc<T>>) -> Result<Vec<Rc<T>>, Stop> {
        if let Some(all) = shapes.iter().find(|shape| shape.is_all()) {
            return Ok(vec![Rc::clone(all)]);
        }
        let mut all = Distinct::default();
        for shape in shapes {
            all.push(shape);
        }
        self.check_bound(all.list.len())?;
        Ok(all.list)
    }

    pub(crate) fn both_lists<T: Shape>(&mut self, a: &[Rc<T>], b: &[Rc<T>]) -> Result<Vec<Rc<T>>, Stop> {
        match (a, b) {
            ([any], other) | (other, [any]) if any.is_all() => return Ok(other.to_vec()),
            _ => {}
        }
        let many = a.len() * b.len() > 1;
        let mut all = Distinct::default();
        for one in a {
            for other in b {
                let both =
                    if Rc::ptr_eq(one, other) { Some(Rc::clone(one)) } else { self.both(one, other, many)? };
                if let Some(both) = both {
                    all.push(both);
                }
            }
            self.check_bound(all.list.len())?;
        }
        Ok(all.list)
    }

    /// Two shapes at once, if anything may have both.
    fn both<T: Shape>(&mut self, a: &Rc<T>, b: &Rc<T>, look: bool) -> Result<Option<Rc<T>>, Stop> {
        if a.is_all() || b.is_all() {
            return Ok(Some(Rc::clone(if a.is_all() { b } else { a })));
        }
        self.spend(1 + a.size() + b.size())?;
        let Some(both) = a.meet(b, self)? else { return Ok(None) };
        if look && !both.may_be(self, LOOK)? {
            return Ok(None);
        }
        Ok(Some(Rc::new(both)))
    }

    pub(super) fn without<T: Shape>(&mut self, a: &[Rc<T>], b: &[Rc<T>]) -> Result<Vec<Rc<T>>, Stop> {
        let mut all = a.to_vec();
        for taken in b {
            if taken.is_all() {
                return Ok(Vec::new());
            }
            let mut left = Distinct::default();
            let mut others = None;
            for shape in all {
                if self.both(&shape, taken, true)?.is_none() {
                    left.push(shape);
                    continue;
                }
                if others.is_none() {
                    others = Some(taken.others(self));
                }
                for other in others.iter().flatten() {
                    if let Some(both) = self.both(&shape, other, true)? {
                        left.push(both);
                    }
                }
                self.check_bound(left.list.len())?;
            }
            all = self.absorbed(left.list)?;
        }
        Ok(all)
    }

    /// The shapes without those that are within others.
    pub fn absorbed<T: Shape>(&mut self, shapes: Vec<Rc<T>>) -> Result<Vec<Rc<T>>, Stop> {
        if shapes.len() < 3 {
            return Ok(shapes);
        }
        self.outermost(shapes, |shape, other, goals| shape.is_within(other, goals))
    }

    /// A list without what is within other parts of it; of two that are within each other, the first is kept.
    pub fn outermost<T>(
        &mut self,
        list: Vec<T>,
        is_within: impl Fn(&T, &T, &Goals) -> bool,
    ) -> Result<Vec<T>, Stop> {
        let mut all: Vec<T> = Vec::with_capacity(list.len());
        for part in list {
            self.spend(1 + all.len() as u64 / 8)?;
            if all.iter().any(|other| is_within(&part, other, &self.goals)) {
                continue;
            }
            all.retain(|other| !is_within(other, &part, &self.goals));
            all.push(part);
        }
        Ok(all)
    }

    fn check_bound(&self, count: usize) -> Result<(), Stop> {
        if count <= self.config.alternatives {
            return Ok(());
        }
        let value = self.config.alternatives as u64;
        Err(self.error_here(Reason::Limit { limit: "alternatives", value }))
    }
}

/// Shapes, each once, in the order in which they came.
struct Distinct<T> {
    list: Vec<Rc<T>>,
    /// The same, once there are more than a few.
    set: FxHashSet<Rc<T>>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { list: Vec::new(), set: FxHashSet::default() }
    }
}

impl<T: Shape> Distinct<T> {
    fn push(&mut self, shape: Rc<T>) {
        if self.list.len() < FEW {
            if self.list.contains(&shape) {
                return;
            }
        } else {
            if self.set.is_empty() {
                self.set.extend(self.list.iter().cloned());
            }
            if !self.set.insert(Rc::clone(&shape)) {
                return;
            }
        }
        self.list.push(shape);
    }
}
