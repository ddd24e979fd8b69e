//! Constraints on one value, as conjunctions of subjects and negated subjects.
//!
//! `{"allOf": [A, B], "not": C}` is the constraint "A and B and not C". Conjunctions are hash-consed, so
//! recursive schemas lead to finitely many constraints, and each constraint becomes one rule of the grammar.

pub(crate) mod discriminator;

use std::rc::Rc;

use crate::json::Value;
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::document::{ResourceId, SchemaId};

/// A constraint in [`Constraints`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConstraintId(u32);

impl ConstraintId {
    /// The empty conjunction: every value satisfies it.
    pub(crate) const ANY: Self = Self(0);
    /// A contradiction: no value satisfies it.
    pub(crate) const NEVER: Self = Self(1);

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A dynamic scope in [`Scopes`]: the schema resources that were entered before a schema was reached,
/// outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeId(u32);

impl ScopeId {
    /// The scope in which no resource was entered.
    pub(crate) const EMPTY: Self = Self(0);
}

/// A JSON value of `const` or `enum`, in [`Constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConstantId(u32);

/// A statement about one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// The value is valid under a schema.
    Schema(SchemaId, ScopeId),
    /// The value equals a constant.
    Constant(ConstantId),
    /// The value satisfies a constraint. Occurs only negated: the conjuncts of a constraint that holds are
    /// inlined.
    Constraint(ConstraintId),
}

/// One part of a conjunction: a subject, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Conjunct {
    pub subject: Subject,
    /// False for the negation.
    pub holds: bool,
}

/// An arena of constraints, each stored once.
pub(crate) struct Constraints {
    /// Conjuncts by constraint, sorted and distinct.
    list: Vec<Rc<[Conjunct]>>,
    ids: FxHashMap<Rc<[Conjunct]>, ConstraintId>,
    /// Memo of [`both`](Self::both), by ordered pair.
    memo: FxHashMap<(ConstraintId, ConstraintId), ConstraintId>,
}

impl Constraints {
    pub(crate) fn new() -> Self {
        let mut ids = FxHashMap::default();
        let none: Rc<[Conjunct]> = Rc::from([]);
        ids.insert(Rc::clone(&none), ConstraintId::ANY);
        // The second entry is a placeholder for `NEVER`, to which no list of conjuncts is mapped.
        Self { list: vec![Rc::clone(&none), none], ids, memo: FxHashMap::default() }
    }

    /// Returns the conjuncts of a constraint. Empty for [`ConstraintId::ANY`] and for
    /// [`ConstraintId::NEVER`].
    pub(crate) fn conjuncts(&self, constraint: ConstraintId) -> &[Conjunct] {
        &self.list[constraint.index()]
    }

    /// Returns the constraint with one conjunct.
    pub(crate) fn single(&mut self, conjunct: Conjunct) -> ConstraintId {
        match conjunct {
            Conjunct { subject: Subject::Constraint(constraint), holds: true } => constraint,
            Conjunct { subject: Subject::Constraint(ConstraintId::ANY), holds: false } => ConstraintId::NEVER,
            Conjunct { subject: Subject::Constraint(ConstraintId::NEVER), holds: false } => ConstraintId::ANY,
            conjunct => self.intern(&[conjunct]),
        }
    }

    /// Interns a conjunction. The conjuncts must be sorted and distinct.
    fn intern(&mut self, conjuncts: &[Conjunct]) -> ConstraintId {
        if let Some(&id) = self.ids.get(conjuncts) {
            return id;
        }
        let is_contradiction = conjuncts.windows(2).any(|pair| pair[0].subject == pair[1].subject);
        let id = if is_contradiction { ConstraintId::NEVER } else { ConstraintId(narrow(self.list.len())) };
        let conjuncts: Rc<[Conjunct]> = conjuncts.into();
        self.ids.insert(Rc::clone(&conjuncts), id);
        if !is_contradiction {
            self.list.push(conjuncts);
        }
        id
    }

    /// Returns the conjunction of two constraints.
    pub(crate) fn both(&mut self, a: ConstraintId, b: ConstraintId) -> ConstraintId {
        match (a, b) {
            (ConstraintId::NEVER, _) | (_, ConstraintId::NEVER) => return ConstraintId::NEVER,
            (ConstraintId::ANY, other) | (other, ConstraintId::ANY) => return other,
            _ if a == b => return a,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.memo.get(&key) {
            return known;
        }
        let mut conjuncts: Vec<Conjunct> =
            self.conjuncts(a).iter().chain(self.conjuncts(b)).copied().collect();
        conjuncts.sort_unstable();
        conjuncts.dedup();
        let constraint = self.intern(&conjuncts);
        self.memo.insert(key, constraint);
        constraint
    }

    /// Returns true if the conjuncts of `other` are a subset of those of `constraint`. Syntactic, so sound
    /// and incomplete.
    pub(crate) fn implies(&self, constraint: ConstraintId, other: ConstraintId) -> bool {
        if constraint == other || constraint == ConstraintId::NEVER || other == ConstraintId::ANY {
            return true;
        }
        if other == ConstraintId::NEVER {
            return false;
        }
        let own = self.conjuncts(constraint);
        self.conjuncts(other).iter().all(|conjunct| own.binary_search(conjunct).is_ok())
    }

    /// Returns the negation of a constraint.
    pub(crate) fn negate(&mut self, constraint: ConstraintId) -> ConstraintId {
        match (constraint, self.conjuncts(constraint)) {
            (ConstraintId::ANY, _) => ConstraintId::NEVER,
            (ConstraintId::NEVER, _) => ConstraintId::ANY,
            (_, &[Conjunct { subject, holds }]) => self.single(Conjunct { subject, holds: !holds }),
            _ => self.single(Conjunct { subject: Subject::Constraint(constraint), holds: false }),
        }
    }

    /// Returns the constraint that `constraint` negates. Returns `None` if `constraint` is not a single
    /// negated conjunct.
    pub(crate) fn excluded(&mut self, constraint: ConstraintId) -> Option<ConstraintId> {
        match *self.conjuncts(constraint) {
            [Conjunct { subject, holds: false }] => Some(self.single(Conjunct { subject, holds: true })),
            _ => None,
        }
    }

    /// Returns the disjunction of two constraints, as the negation of a conjunction.
    pub(crate) fn either(&mut self, a: ConstraintId, b: ConstraintId) -> ConstraintId {
        let (a, b) = (self.negate(a), self.negate(b));
        let neither = self.both(a, b);
        self.negate(neither)
    }
}

/// The values of `const` and `enum`, each location once.
#[derive(Default)]
pub(crate) struct Constants<'a> {
    values: Vec<&'a Value>,
    /// By address: every constant is borrowed from a document, so the address identifies the location.
    ids: FxHashMap<usize, ConstantId>,
}

impl<'a> Constants<'a> {
    pub(crate) fn intern(&mut self, value: &'a Value) -> ConstantId {
        let values = &mut self.values;
        *self.ids.entry(std::ptr::from_ref(value).addr()).or_insert_with(|| {
            let id = ConstantId(narrow(values.len()));
            values.push(value);
            id
        })
    }

    pub(crate) fn value(&self, id: ConstantId) -> &'a Value {
        self.values[id.0 as usize]
    }
}

/// Dynamic scopes, each stored once. `$dynamicRef` and `$recursiveRef` depend on them.
pub(crate) struct Scopes {
    list: Vec<Box<[ResourceId]>>,
    ids: FxHashMap<Box<[ResourceId]>, ScopeId>,
}

impl Scopes {
    /// Creates an arena that contains only [`ScopeId::EMPTY`].
    pub(crate) fn new() -> Self {
        Self { list: vec![Box::default()], ids: FxHashMap::default() }
    }

    /// Returns the scope after a resource is entered. Entering a resource again changes nothing.
    pub(crate) fn enter(&mut self, scope: ScopeId, resource: ResourceId) -> ScopeId {
        let entered = &self.list[scope.0 as usize];
        if entered.contains(&resource) {
            return scope;
        }
        let inner: Box<[ResourceId]> = entered.iter().copied().chain([resource]).collect();
        let list = &mut self.list;
        *self.ids.entry(inner).or_insert_with_key(|inner| {
            let id = ScopeId(narrow(list.len()));
            list.push(inner.clone());
            id
        })
    }

    /// Returns the resources of a scope, outermost first.
    pub(crate) fn resources(&self, scope: ScopeId) -> &[ResourceId] {
        &self.list[scope.0 as usize]
    }
}
