//! Goals: what a value has to be, as a conjunction of claims. Two ways to ask for the same are one goal, so recursive schemas
//! come to finitely many.

mod discriminator;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::document::SchemaId;

/// A conjunction of claims in [`Goals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GoalId(u32);

impl GoalId {
    /// Every value: no claim at all.
    pub const ANY: Self = Self(0);
    /// No value.
    pub const NEVER: Self = Self(1);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The schema resources entered on the way to a schema, from the outside to the inside: what `$dynamicRef` depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeId(pub u32);

/// A JSON value that `const` or `enum` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConstantId(pub u32);

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// The value obeys a schema.
    Schema(SchemaId, ScopeId),
    /// The value equals a constant.
    Constant(ConstantId),
    /// The value reaches a goal.
    Goal(GoalId),
}

/// That something holds, or that it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Claim {
    pub subject: Subject,
    pub holds: bool,
}

/// All goals, each once.
pub(crate) struct Goals {
    list: Vec<Rc<[Claim]>>,
    ids: FxHashMap<Rc<[Claim]>, GoalId>,
    conjunctions: FxHashMap<(GoalId, GoalId), GoalId>,
}

impl Goals {
    pub fn new() -> Self {
        let mut ids = FxHashMap::default();
        let none: Rc<[Claim]> = Rc::default();
        ids.insert(Rc::clone(&none), GoalId::ANY);
        // Nothing stands for what is never reached; no list of claims has its id.
        Self { list: vec![Rc::clone(&none), none], ids, conjunctions: FxHashMap::default() }
    }

    /// The claims of a goal; none for [`GoalId::NEVER`], too.
    pub fn claims(&self, goal: GoalId) -> &[Claim] {
        &self.list[goal.index()]
    }

    pub fn single(&mut self, claim: Claim) -> GoalId {
        match claim {
            Claim { subject: Subject::Goal(goal), holds: true } => goal,
            Claim { subject: Subject::Goal(GoalId::ANY), holds: false } => GoalId::NEVER,
            Claim { subject: Subject::Goal(GoalId::NEVER), holds: false } => GoalId::ANY,
            claim => self.intern(&[claim]),
        }
    }

    /// Claims that are sorted and distinct.
    fn intern(&mut self, claims: &[Claim]) -> GoalId {
        if let Some(&id) = self.ids.get(claims) {
            return id;
        }
        let is_contradiction = claims.windows(2).any(|pair| pair[0].subject == pair[1].subject);
        let id = if is_contradiction { GoalId::NEVER } else { GoalId(self.list.len() as u32) };
        let claims: Rc<[Claim]> = claims.into();
        self.ids.insert(Rc::clone(&claims), id);
        if !is_contradiction {
            self.list.push(claims);
        }
        id
    }

    /// Both goals at once.
    pub fn both(&mut self, a: GoalId, b: GoalId) -> GoalId {
        match (a, b) {
            (GoalId::NEVER, _) | (_, GoalId::NEVER) => return GoalId::NEVER,
            (GoalId::ANY, other) | (other, GoalId::ANY) => return other,
            _ if a == b => return a,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.conjunctions.get(&key) {
            return known;
        }
        let mut claims: Vec<Claim> = self.claims(a).iter().chain(self.claims(b)).copied().collect();
        claims.sort_unstable();
        claims.dedup();
        let goal = self.intern(&claims);
        self.conjunctions.insert(key, goal);
        goal
    }

    /// Whether all claims of the second goal are among those of the first.
    pub fn implies(&self, goal: GoalId, other: GoalId) -> bool {
        if goal == other || goal == GoalId::NEVER || other == GoalId::ANY {
            return true;
        }
        if other == GoalId::NEVER {
            return false;
        }
        let own = self.claims(goal);
        self.claims(other).iter().all(|claim| own.binary_search(claim).is_ok())
    }

    /// Whatever does not reach the goal.
    pub fn negate(&mut self, goal: GoalId) -> GoalId {
        match (goal, self.claims(goal)) {
            (GoalId::ANY, _) => GoalId::NEVER,
            (GoalId::NEVER, _) => GoalId::ANY,
            (_, &[Claim { subject, holds }]) => self.single(Claim { subject, holds: !holds }),
            _ => self.single(Claim { subject: Subject::Goal(goal), holds: false }),
        }
    }

    /// What a goal excludes, where that is all that it says.
    pub fn excluded(&mut self, goal: GoalId) -> Option<GoalId> {
        match *self.claims(goal) {
            [Claim { subject, holds: false }] => Some(self.single(Claim { subject, holds: true })),
            _ => None,
        }
    }

    /// Whatever reaches one of two goals.
    pub fn either(&mut self, a: GoalId, b: GoalId) -> GoalId {
        let (a, b) = (self.negate(a), self.negate(b));
        let neither = self.both(a, b);
        self.negate(neither)
    }
}
