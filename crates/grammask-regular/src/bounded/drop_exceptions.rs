//! What a language is without its exceptions: `[a-z]{1,8}` where it is that but for `if` and `else`.

use crate::store::node::{Kind, PLAIN, RegularId, Spelling};
use crate::{Error, Store};

/// Exceptions are texts of so many bytes at most.
const SHORT: u32 = 64;

impl Store {
    /// A language without the complements of few short texts that it is met with: on the surface, or as the texts that a JSON string spells. Nothing where
    /// there are no such.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// Linear in the members of the intersection.
    ///
    /// ```
    /// # use grammask_regular::{Config, Store};
    /// let mut store = Store::new(&Config::default());
    /// let (name, keywords) = (store.regex("[a-z]{1,8}")?, store.regex("if|else")?);
    /// let others = store.complement(keywords)?;
    /// let identifier = store.intersection(&[name, others])?;
    /// assert_eq!(store.without_exceptions(identifier)?, Some(name));
    /// assert_eq!(store.without_exceptions(name)?, None);
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn without_exceptions(&mut self, a: RegularId) -> Result<Option<RegularId>, Error> {
        let (head, tail) = match self.node(a).kind {
            Kind::Concat(head, tail) => (head, Some(tail)),
            _ => (a, None),
        };
        let (met, is_spelled) = match self.node(head).kind {
            Kind::Json { text, at: Spelling::Text } => (text, true),
            _ => (head, false),
        };
        let Kind::And(list) = self.node(met).kind else { return Ok(None) };
        let mut members = self.list(list).to_vec();
        let all = members.len();
        members.retain(|&member| !self.excepts_short_texts(member));
        if members.is_empty() || members.len() == all {
            return Ok(None);
        }
        let mut other = self.intersection(&members)?;
        if is_spelled {
            other = self.json_node(other)?;
        }
        if let Some(tail) = tail {
            other = self.concat_two(other, tail)?;
        }
        Ok(Some(other))
    }

    fn excepts_short_texts(&self, a: RegularId) -> bool {
        let Kind::Not(exceptions) = self.node(a).kind else { return false };
        let exceptions = self.node(exceptions);
        exceptions.has(PLAIN) && exceptions.max <= SHORT
    }
}
