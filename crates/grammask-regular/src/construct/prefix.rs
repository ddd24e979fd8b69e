//! Languages without the empty string, and languages of first matches.

use crate::store::node::{Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};

impl Store {
    /// The strings of `a` but the empty one.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub fn non_empty(&mut self, a: RegularId) -> Result<RegularId, Error> {
        if !self.is_nullable(a) {
            return Ok(self.resolved(a));
        }
        if let Some(some) = self.directly_non_empty(a)? {
            return Ok(some);
        }
        let some = self.repeat(RegularId::ANY, 1, None)?;
        self.intersection(&[a, some])
    }

    /// The same, if that can be written without an intersection. `a` contains the empty string.
    pub(crate) fn directly_non_empty(&mut self, a: RegularId) -> Result<Option<RegularId>, Error> {
        match self.node(a).kind {
            Kind::Epsilon => Ok(Some(RegularId::EMPTY)),
            Kind::Repeat { base, min: 0, max } if !self.is_nullable(base) => {
                self.repeat(base, 1, (max != UNBOUNDED).then_some(max)).map(Some)
            }
            Kind::Or(list) if self.list(list)[0] == RegularId::EPSILON => {
                self.without_epsilon_member(a).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The non-empty strings of `a` no proper non-empty prefix of which is in `a`.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// ```
    /// # use grammask_regular::{Config, RegularId, Store};
    /// let mut store = Store::new(&Config::default());
    /// let many = store.regex("a*")?;
    /// let first = store.early(many)?;
    /// assert_eq!(store.derivative(first, b'a')?, RegularId::EPSILON);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn early(&mut self, a: RegularId) -> Result<RegularId, Error> {
        let a = self.non_empty(a)?;
        self.until_first(a)
    }

    /// The strings of `a` no proper prefix of which is in `a`.
    pub(crate) fn until_first(&mut self, a: RegularId) -> Result<RegularId, Error> {
        let a = self.resolved(a);
        let node = self.node(a);
        if self.is_nullable(a) {
            Ok(RegularId::EPSILON)
        } else if node.min == node.max && node.max != UNBOUNDED || matches!(node.kind, Kind::Early(_)) {
            Ok(a)
        } else {
            self.intern(Kind::Early(a))
        }
    }
}
