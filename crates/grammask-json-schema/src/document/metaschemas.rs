//! The metaschemas of all drafts with their vocabularies, so that a schema may refer to them without a
//! document of its own.
//!
//! The texts are those of <https://json-schema.org>, without white space, one document a line. Their licence
//! is in the file `NOTICE` of the repository.

use std::sync::LazyLock;

use crate::json::read::read;
use crate::json::{Tree, Value};

/// Levels of arrays and objects in a metaschema, with room to spare: the deepest has 9.
const MAX_NESTING: u32 = 100;

/// URI and document of each metaschema.
static METASCHEMAS: LazyLock<Vec<(String, Tree)>> = LazyLock::new(|| {
    let lines = include_str!("metaschemas.jsonl").lines();
    let documents = lines.filter_map(|line| read(line, MAX_NESTING).ok());
    let named = documents.filter_map(|(document, _)| {
        let uri = ["$id", "id"].iter().find_map(|name| document.value().get(name)?.as_str())?;
        Some((uri.trim_end_matches('#').to_owned(), document))
    });
    named.collect()
});

/// Returns the metaschema with a URI, and its own URI. `uri` has no fragment, and the scheme `http` or
/// `https`.
pub(super) fn metaschema(uri: &str) -> Option<(&'static str, &'static Value)> {
    let place = |uri: &str| {
        uri.split_once("://")
            .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
            .map(|(_, place)| place.to_owned())
    };
    let wanted = place(uri).filter(|place| place.starts_with("json-schema.org/"))?;
    let found = METASCHEMAS.iter().find(|(known, _)| place(known).as_ref() == Some(&wanted));
    found.map(|(uri, document)| (&**uri, document.value()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_draft_has_its_metaschema() {
        assert_eq!(METASCHEMAS.len(), 19);
        for uri in [
            "http://json-schema.org/draft-04/schema",
            "http://json-schema.org/draft-06/schema",
            "https://json-schema.org/draft-07/schema",
            "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-12/schema",
            "https://json-schema.org/draft/2020-12/meta/unevaluated",
        ] {
            assert!(metaschema(uri).is_some(), "{uri}");
        }
        assert!(metaschema("https://json-schema.org/draft-03/schema").is_none());
        assert!(metaschema("ftp://json-schema.org/draft-07/schema").is_none());
    }
}
