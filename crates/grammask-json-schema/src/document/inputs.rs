//! The JSON texts of a translation: the schema and the documents to which it may refer.

use grammask_work::is_stopped;

use crate::config::Config;
use crate::error::{Error, Limit, Reason};
use crate::json::{Tree, Value};

/// The schema and [`Config::documents`], as values of this crate.
pub(crate) struct Inputs {
    root: Tree,
    documents: Vec<Tree>,
}

impl Inputs {
    /// Converts the schema and the documents.
    ///
    /// # Errors
    /// When one of them nests deeper than [`Limits::max_nesting`](crate::Limits::max_nesting).
    pub(crate) fn of_value(schema: &serde_json::Value, config: &Config) -> Result<Self, Error> {
        Self::new(convert(schema, "", config)?, config)
    }

    /// Adds the documents to a schema.
    ///
    /// # Errors
    /// When one of them nests deeper than [`Limits::max_nesting`](crate::Limits::max_nesting).
    pub(crate) fn new(root: Tree, config: &Config) -> Result<Self, Error> {
        let convert = |document: &crate::Document| {
            let uri = document.uri.split('#').next().unwrap_or_default();
            convert(&document.schema, &format!("{uri}#"), config)
        };
        let documents = config.documents.iter().map(convert).collect::<Result<_, _>>()?;
        Ok(Self { root, documents })
    }

    pub(super) fn root(&self) -> &Value {
        self.root.value()
    }

    /// Returns true if some document mentions `unevaluatedProperties` or `unevaluatedItems`.
    pub(super) fn mention_unevaluated(&self) -> bool {
        self.root.mentions_unevaluated || self.documents.iter().any(|tree| tree.mentions_unevaluated)
    }

    /// Returns the schemas of [`Config::documents`], in its order.
    pub(super) fn documents(&self) -> impl Iterator<Item = &Value> {
        self.documents.iter().map(Tree::value)
    }
}

fn convert(value: &serde_json::Value, prefix: &str, config: &Config) -> Result<Tree, Error> {
    let limit = config.limits.max_nesting;
    let tree = Tree::from_serde(value, limit).map_err(|pointer| {
        Error::new(format!("{prefix}{pointer}"), "", Reason::limit(Limit::Nesting, limit.into()))
    })?;
    if is_stopped() { Err(Error::cancelled()) } else { Ok(tree) }
}

#[cfg(test)]
mod tests {
    use grammask_work::{Allowance, within};

    use super::*;

    #[test]
    fn schema_that_is_read_beyond_an_account_is_an_error() {
        let schema = serde_json::json!({ "enum": [1, 2, 3, 4, 5, 6] });
        let convert =
            || Inputs::of_value(&schema, &Config::default()).map(|_| ()).map_err(|error| error.reason);
        assert_eq!(within(&Allowance::new("max_work", 100), convert), Ok(()));
        assert_eq!(within(&Allowance::new("max_work", 3), convert), Err(Reason::Cancelled));
    }
}
