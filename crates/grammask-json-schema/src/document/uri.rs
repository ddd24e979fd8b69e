//! URI references of schemas: resolution against a base, and decoding of fragments. A base may itself be
//! relative, for documents without a URI.

use std::borrow::Cow;

/// Splits a reference into the part before `#` and the fragment.
pub(super) fn split(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (reference, None),
    }
}

/// Resolves a reference without fragment against a base without fragment.
///
/// # Source
/// RFC 3986, section 5.2. Unlike there, a relative path stays relative if `..` removes its first segment,
/// since a base without scheme is not absolute.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let base = Parts::of(base);
    let reference = Parts::of(reference);
    let path = |path: &str| without_dots(path);
    let target = if reference.scheme.is_some() {
        Parts { path: path(reference.path), ..reference.own() }
    } else if reference.authority.is_some() {
        Parts { scheme: base.scheme, path: path(reference.path), ..reference.own() }
    } else if reference.path.is_empty() {
        Parts { query: reference.query.or(base.query), path: base.path.to_owned(), ..base.own() }
    } else if reference.path.starts_with('/') {
        Parts { query: reference.query, path: path(reference.path), ..base.own() }
    } else {
        let merged = match base.path.rfind('/') {
            Some(slash) => format!("{}{}", &base.path[..=slash], reference.path),
            None if base.authority.is_some() => format!("/{}", reference.path),
            None => reference.path.to_owned(),
        };
        Parts { query: reference.query, path: path(&merged), ..base.own() }
    };
    target.to_text()
}

/// Decodes percent escapes. Returns `None` if an escape is incomplete or the result is not UTF-8.
pub(super) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// The components of a reference without fragment.
#[derive(Clone, Copy)]
struct Parts<'a, P> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: P,
    query: Option<&'a str>,
}

impl<'a> Parts<'a, &'a str> {
    /// Splits a reference into its parts (RFC 3986, appendix B), apart from the fragment.
    fn of(text: &'a str) -> Self {
        let (rest, query) = match text.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (text, None),
        };
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(&rest[..end]), &rest[end..])
            }
            None => (None, rest),
        };
        Self { scheme, authority, path, query }
    }

    fn own(self) -> Parts<'a, String> {
        Parts { scheme: self.scheme, authority: self.authority, path: String::new(), query: self.query }
    }
}

impl Parts<'_, String> {
    fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(scheme) = self.scheme {
            text.push_str(scheme);
            text.push(':');
        }
        if let Some(authority) = self.authority {
            text.push_str("//");
            text.push_str(authority);
        }
        text.push_str(&self.path);
        if let Some(query) = self.query {
            text.push('?');
            text.push_str(query);
        }
        text
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Removes `.` and `..` from a path (RFC 3986, section 5.2.4).
fn without_dots(path: &str) -> String {
    let (root, rest) = match path.strip_prefix('/') {
        Some(rest) => ("/", rest),
        None => ("", path),
    };
    let mut kept = Vec::new();
    let mut segments = rest.split('/').peekable();
    while let Some(segment) = segments.next() {
        let dots = matches!(segment, "." | "..");
        if segment == ".." {
            kept.pop();
        }
        if !dots {
            kept.push(segment);
        } else if segments.peek().is_none() {
            // `a/.` and `a/b/..` name the folder `a/`.
            kept.push("");
        }
    }
    let mut text = root.to_owned();
    text.push_str(&kept.join("/"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_as_in_the_examples_of_rfc_3986() {
        let base = "http://a/b/c/d;p?q";
        for (reference, target) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
        ] {
            assert_eq!(resolve(base, reference), target, "{reference}");
        }
    }

    #[test]
    fn bases_may_lack_a_scheme_or_have_an_opaque_path() {
        for (base, reference, target) in [
            ("", "a.json", "a.json"),
            ("a/b.json", "c.json", "a/c.json"),
            ("a/b.json", "../c.json", "c.json"),
            ("a/b.json", "/c.json", "/c.json"),
            ("http://a", "b", "http://a/b"),
            ("urn:uuid:12", "", "urn:uuid:12"),
            ("http://a/b", "urn:x:y", "urn:x:y"),
            ("file:///c:/folder/file.json", "other.json", "file:///c:/folder/other.json"),
        ] {
            assert_eq!(resolve(base, reference), target, "{base} {reference}");
        }
    }

    #[test]
    fn percent_escapes_are_bytes_of_utf_8() {
        assert_eq!(decode("a%25b%C3%A9").as_deref(), Some("a%bé"));
        for wrong in ["%", "%2", "%zz", "%C3", "%+1"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
