//! `grammask vocab`: prints what a vocabulary file holds.

use std::path::Path;

use grammask::TokenId;
use grammask_trie::{TrieNodeId, Vocabulary};
use serde_json::{Value, json};

use crate::Status;
use crate::args::Vocab;
use crate::failure::Failure;
use crate::input::vocabulary::{EMBEDDED_NAMES, Loaded, load_named};
use crate::output::listing::token_json;
use crate::output::{Output, quoted};

/// Maximum number of special tokens, unknown ids and duplicates that are listed as text.
const MAX_LISTED: usize = 20;

pub(crate) fn run(arguments: &Vocab, out: &mut Output) -> Result<Status, Failure> {
    if arguments.list {
        return list(out);
    }
    let name = arguments.name.as_deref().unwrap_or(Path::new(EMBEDDED_NAMES[0]));
    let loaded = load_named(name, &arguments.file)?;
    let report = Report::new(&loaded.vocabulary);
    if out.is_json() {
        let answer = report.to_json(&loaded, &arguments.find);
        out.json(&answer)?;
    } else {
        out.text(report.to_text(&loaded, &arguments.find))?;
    }
    Ok(Status::Yes)
}

/// Prints the names of the built-in vocabularies.
fn list(out: &mut Output) -> Result<Status, Failure> {
    if out.is_json() {
        out.json(&json!({ "names": EMBEDDED_NAMES }))?;
    } else {
        for name in EMBEDDED_NAMES {
            out.line(name)?;
        }
    }
    Ok(Status::Yes)
}

/// Facts that are computed of a vocabulary.
struct Report<'a> {
    vocabulary: &'a Vocabulary,
    /// Ids below the highest that are no token, as half-open ranges.
    unknown: Vec<(u32, u32)>,
    /// Tokens whose bytes another token with a smaller id has, each with that token.
    duplicates: Vec<(TokenId, TokenId)>,
    /// Bytes that are no token by themselves.
    missing_bytes: Vec<u8>,
    /// Number of tokens without bytes.
    empty: usize,
}

impl<'a> Report<'a> {
    fn new(vocabulary: &'a Vocabulary) -> Self {
        let mut unknown: Vec<(u32, u32)> = Vec::new();
        for id in (0..).take(vocabulary.id_count()).filter(|&id| !vocabulary.is_known(TokenId(id))) {
            match unknown.last_mut() {
                Some((_, end)) if *end == id => *end += 1,
                _ => unknown.push((id, id + 1)),
            }
        }
        let trie = vocabulary.trie();
        let mut duplicates = Vec::new();
        for node in (0..).map(TrieNodeId).take(trie.len()) {
            if let [first, others @ ..] = trie.tokens(node) {
                duplicates.extend(others.iter().map(|&id| (id, *first)));
            }
        }
        duplicates.sort_unstable();
        let is_token = |byte| trie.child(TrieNodeId::ROOT, byte).is_some_and(|n| !trie.tokens(n).is_empty());
        Self {
            vocabulary,
            unknown,
            duplicates,
            missing_bytes: (0..=u8::MAX).filter(|&byte| !is_token(byte)).collect(),
            empty: trie.tokens(TrieNodeId::ROOT).len(),
        }
    }

    fn unknown_count(&self) -> u32 {
        self.unknown.iter().map(|(start, end)| end - start).sum()
    }

    fn name(&self, id: TokenId) -> String {
        match self.vocabulary.special_name(id) {
            Some(name) => name.to_owned(),
            None => self.vocabulary.display(id).to_string(),
        }
    }

    fn to_json(&self, loaded: &Loaded, texts: &[String]) -> Value {
        let vocabulary = self.vocabulary;
        let named = |ids: &[TokenId]| -> Value {
            ids.iter().map(|&id| json!({ "id": id.0, "name": self.name(id) })).collect()
        };
        let specials: Vec<TokenId> = vocabulary.special_tokens().map(|(id, _)| id).collect();
        let mut answer = json!({
            "kind": loaded.kind,
            "ids": vocabulary.id_count(),
            "rows": vocabulary.rows(),
            "tokens": vocabulary.token_count(),
            "specials": named(&specials),
            "ends": named(vocabulary.ends()),
            "begins": named(vocabulary.begins()),
            "strips_first_space": vocabulary.strips_first_space(),
            "unknown": {
                "count": self.unknown_count(),
                "ranges": self.unknown.iter().map(|(start, end)| json!([start, end])).collect::<Value>(),
            },
            "duplicates": self.duplicates.iter().map(|(id, first)| json!([id.0, first.0])).collect::<Value>(),
            "missing_bytes": self.missing_bytes,
            "empty_tokens": self.empty,
            "longest_token": vocabulary.longest_token(),
            "fingerprint": format!("{:032x}", vocabulary.fingerprint()),
            "notes": loaded.notes,
        });
        if !texts.is_empty() {
            answer["found"] = texts.iter().map(|text| self.found_json(text)).collect();
        }
        answer
    }

    fn found_json(&self, text: &str) -> Value {
        let found = self.find(text);
        json!({
            "text": text,
            "tokens": found.exact.iter().map(|&id| token_json(self.vocabulary, id)).collect::<Value>(),
            "special": found.special.map(|id| id.0),
            "longer": found.longer,
        })
    }

    /// Finds the tokens with a text, and counts those that begin with it and are longer.
    fn find(&self, text: &str) -> Found<'_> {
        let trie = self.vocabulary.trie();
        let node = trie.find(text.as_bytes());
        Found {
            exact: node.map_or(&[], |node| trie.tokens(node)),
            longer: node.map_or(0, |node| trie.tokens_below(node).len()),
            special: self.vocabulary.special(text),
        }
    }

    fn to_text(&self, loaded: &Loaded, texts: &[String]) -> String {
        let vocabulary = self.vocabulary;
        let mut text = format!("kind: {}\n", loaded.kind);
        for note in &loaded.notes {
            text.push_str(&format!("note: {note}\n"));
        }
        let named = |ids: &[TokenId]| match ids {
            [] => "none".to_owned(),
            ids => ids.iter().map(|&id| format!("{} {}", id.0, self.name(id))).collect::<Vec<_>>().join(", "),
        };
        let unknown = match self.unknown_count() {
            0 => "none".to_owned(),
            count => format!("{count}: {}", listed(&self.unknown, |(start, end)| range(*start, end - 1))),
        };
        let duplicates = match self.duplicates.len() {
            0 => "none".to_owned(),
            count => {
                let pair = |(id, first): &(TokenId, TokenId)| format!("{} as {}", id.0, first.0);
                format!("{count}: {}", listed(&self.duplicates, pair))
            }
        };
        let missing = match self.missing_bytes.len() {
            0 => "none".to_owned(),
            count => format!("{count}: {}", listed(&self.missing_bytes, |byte| format!("{byte:02x}"))),
        };
        let first_space = if vocabulary.strips_first_space() { "stripped" } else { "kept" };
        let lines = [
            ("ids", vocabulary.id_count().to_string()),
            ("rows", vocabulary.rows().to_string()),
            (
                "tokens",
                format!("{}, the longest has {} bytes", vocabulary.token_count(), vocabulary.longest_token()),
            ),
            ("ends", named(vocabulary.ends())),
            ("begins", named(vocabulary.begins())),
            ("first space of a text", first_space.to_owned()),
            ("unknown ids", unknown),
            ("tokens with the bytes of another", duplicates),
            ("bytes that are no token", missing),
            ("empty tokens", self.empty.to_string()),
            ("fingerprint", format!("{:032x}", vocabulary.fingerprint())),
            ("special tokens", vocabulary.special_tokens().len().to_string()),
        ];
        for (title, value) in lines {
            text.push_str(&format!("{title}: {value}\n"));
        }
        for (id, name) in vocabulary.special_tokens().take(MAX_LISTED) {
            text.push_str(&format!("  {} {}\n", id.0, name.escape_debug()));
        }
        if vocabulary.special_tokens().len() > MAX_LISTED {
            text.push_str("  ...\n");
        }
        texts.iter().for_each(|wanted| text.push_str(&self.found_text(wanted)));
        text
    }

    fn found_text(&self, wanted: &str) -> String {
        let found = self.find(wanted);
        let mut ids: Vec<String> = found.exact.iter().map(|id| id.0.to_string()).collect();
        ids.extend(found.special.map(|id| format!("{} (special)", id.0)));
        let ids = if ids.is_empty() { "no token".to_owned() } else { ids.join(", ") };
        format!("{}: {ids}; {} longer tokens begin with it\n", quoted(wanted.as_bytes()), found.longer)
    }
}

/// The tokens with a text.
struct Found<'a> {
    exact: &'a [TokenId],
    /// Number of tokens that begin with the text and are longer.
    longer: usize,
    special: Option<TokenId>,
}

/// Returns a range of ids, both ends inclusive.
fn range(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Returns the first entries of a list, with commas between.
fn listed<T>(list: &[T], one: impl Fn(&T) -> String) -> String {
    let first: Vec<String> = list.iter().take(MAX_LISTED).map(one).collect();
    let more = if list.len() > MAX_LISTED { ", ..." } else { "" };
    first.join(", ") + more
}
