//! Lists of shapes as unions: intersection and difference of two lists. Shapes that are known to be empty,
//! and shapes that another shape subsumes, are dropped at once.

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::{LINEAR_SEARCH_MAX_PROPERTIES, SATISFIABILITY_DEPTH};
use crate::constraint::Constraints;
use crate::context::{Context, Stop};
use crate::error::Limit;

/// A shape of arrays or objects, as the algebra of unions needs it.
pub(crate) trait Shape: Eq + Hash + Sized {
    /// Returns true if every value of the JSON type has the shape, and the shape stores nothing else, such as
    /// evaluated keys or items.
    fn is_unrestricted(&self) -> bool;
    /// Returns the number of constraints of the shape, as a measure of work.
    fn size(&self) -> u64;
    /// Returns the intersection of two shapes. Returns `None` if it is known to be empty.
    fn meet(&self, other: &Self, cx: &mut Context<'_>) -> Result<Option<Self>, Stop>;
    /// Returns shapes whose union is the complement of this shape.
    fn complement(&self, cx: &mut Context<'_>) -> Vec<Rc<Self>>;
    /// Returns true if this shape is known to be a subset of the other one. Syntactic, so sound and
    /// incomplete.
    fn is_subsumed_by(&self, other: &Self, constraints: &Constraints) -> bool;
    /// Returns false if the shape is empty, as far as `depth` levels of nested values show. Otherwise returns
    /// true.
    fn may_be_nonempty(&self, cx: &mut Context<'_>, depth: u32) -> Result<bool, Stop>;
}

/// Returns the union: each shape once, or the unrestricted shape alone.
pub(super) fn unite_shapes<T: Shape>(cx: &mut Context<'_>, shapes: Vec<Rc<T>>) -> Result<Vec<Rc<T>>, Stop> {
    if let Some(all) = shapes.iter().find(|shape| shape.is_unrestricted()) {
        return Ok(vec![Rc::clone(all)]);
    }
    let mut all = ShapeSet::default();
    for shape in shapes {
        all.push(shape);
    }
    check_alternatives(cx, all.list.len())?;
    Ok(all.list)
}

/// Returns the intersection of two unions: the shapes `a ∩ b` of all pairs that may have a value.
pub(crate) fn intersect_shapes<T: Shape>(
    cx: &mut Context<'_>,
    a: &[Rc<T>],
    b: &[Rc<T>],
) -> Result<Vec<Rc<T>>, Stop> {
    match (a, b) {
        ([any], other) | (other, [any]) if any.is_unrestricted() => return Ok(other.to_vec()),
        _ => {}
    }
    // With one pair, no alternatives multiply, so the costlier test does not pay.
    let examines_values = a.len() * b.len() > 1;
    let mut all = ShapeSet::default();
    for one in a {
        for other in b {
            let both = if Rc::ptr_eq(one, other) {
                Some(Rc::clone(one))
            } else {
                intersect_pair(cx, one, other, examines_values)?
            };
            if let Some(both) = both {
                all.push(both);
            }
        }
        check_alternatives(cx, all.list.len())?;
    }
    Ok(all.list)
}

/// Returns the intersection of two shapes. Returns `None` if it is known to be empty. Examines nested values
/// only if `examines_values`.
fn intersect_pair<T: Shape>(
    cx: &mut Context<'_>,
    a: &Rc<T>,
    b: &Rc<T>,
    examines_values: bool,
) -> Result<Option<Rc<T>>, Stop> {
    if a.is_unrestricted() || b.is_unrestricted() {
        return Ok(Some(Rc::clone(if a.is_unrestricted() { b } else { a })));
    }
    cx.spend(1 + a.size() + b.size())?;
    let Some(both) = a.meet(b, cx)? else { return Ok(None) };
    if examines_values && !both.may_be_nonempty(cx, SATISFIABILITY_DEPTH)? {
        return Ok(None);
    }
    Ok(Some(Rc::new(both)))
}

/// Returns the difference of two unions. A shape that overlaps with a subtracted one is replaced by its
/// intersections with the shapes of the complement.
pub(super) fn subtract_shapes<T: Shape>(
    cx: &mut Context<'_>,
    a: &[Rc<T>],
    b: &[Rc<T>],
) -> Result<Vec<Rc<T>>, Stop> {
    let mut all = a.to_vec();
    for subtracted in b {
        if subtracted.is_unrestricted() {
            return Ok(Vec::new());
        }
        let mut left = ShapeSet::default();
        let mut complement = None;
        for shape in all {
            if intersect_pair(cx, &shape, subtracted, true)?.is_none() {
                left.push(shape);
                continue;
            }
            if complement.is_none() {
                complement = Some(subtracted.complement(cx));
            }
            for other in complement.iter().flatten() {
                if let Some(both) = intersect_pair(cx, &shape, other, true)? {
                    left.push(both);
                }
            }
            check_alternatives(cx, left.list.len())?;
        }
        all = drop_subsumed(cx, left.list)?;
    }
    Ok(all)
}

/// Returns the shapes that no other one subsumes.
pub(crate) fn drop_subsumed<T: Shape>(cx: &mut Context<'_>, shapes: Vec<Rc<T>>) -> Result<Vec<Rc<T>>, Stop> {
    if shapes.len() < 3 {
        return Ok(shapes);
    }
    drop_subsumed_by(cx, shapes, |shape, other, constraints| shape.is_subsumed_by(other, constraints))
}

/// Returns the elements that no other one subsumes. Of two that subsume each other, the first is kept.
pub(crate) fn drop_subsumed_by<T>(
    cx: &mut Context<'_>,
    list: Vec<T>,
    is_subsumed_by: impl Fn(&T, &T, &Constraints) -> bool,
) -> Result<Vec<T>, Stop> {
    let mut all: Vec<T> = Vec::with_capacity(list.len());
    for part in list {
        cx.spend(1 + all.len() as u64 / 8)?;
        if all.iter().any(|other| is_subsumed_by(&part, other, &cx.constraints)) {
            continue;
        }
        all.retain(|other| !is_subsumed_by(other, &part, &cx.constraints));
        all.push(part);
    }
    Ok(all)
}

/// Fails if there are more shapes than [`Limits::max_alternatives`](crate::Limits::max_alternatives).
fn check_alternatives(cx: &Context<'_>, count: usize) -> Result<(), Stop> {
    let limit = cx.config.limits.max_alternatives;
    if count <= limit {
        return Ok(());
    }
    Err(cx.limit_here(Limit::Alternatives, limit as u64))
}

/// A set of shapes in the order of insertion.
struct ShapeSet<T> {
    list: Vec<Rc<T>>,
    /// The elements of `list`. Empty while `list` is short enough for a linear search.
    set: FxHashSet<Rc<T>>,
}

impl<T> Default for ShapeSet<T> {
    fn default() -> Self {
        Self { list: Vec::new(), set: FxHashSet::default() }
    }
}

impl<T: Shape> ShapeSet<T> {
    /// Adds a shape unless it is in the set.
    fn push(&mut self, shape: Rc<T>) {
        if self.list.len() < LINEAR_SEARCH_MAX_PROPERTIES {
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
