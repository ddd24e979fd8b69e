//! Builds a vocabulary entry by entry, so that a loader stops at the first entry beyond a limit.

use std::borrow::Cow;

use super::{Attributes, Ranks, TokenBytes, Vocabulary, fingerprint};
use crate::{Config, EntryPlace, Error, TokenId, Trie, TrieNodeId};

/// The entries of a vocabulary that were added so far, in any order of ids.
pub(crate) struct Builder<'c> {
    config: &'c Config,
    tokens: Vec<Entry>,
    specials: Vec<Entry>,
    /// The bytes of all entries, in the order of insertion.
    bytes: Vec<u8>,
    /// Origin of the next entry. `None` if entries are numbered in the order of insertion.
    place: Option<EntryPlace>,
    /// Tokens that a file says end a sequence, besides those by name.
    #[cfg(feature = "loaders")]
    pub(crate) stated_ends: Vec<TokenId>,
    pub(crate) attributes: Attributes,
    /// See the field of [`Vocabulary`].
    pub(super) finds_ends: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    id: TokenId,
    /// Half-open range of the bytes of this entry in [`Builder::bytes`].
    start: u32,
    end: u32,
    place: EntryPlace,
}

impl<'c> Builder<'c> {
    pub(crate) fn new(config: &'c Config) -> Self {
        Self {
            config,
            tokens: Vec::new(),
            specials: Vec::new(),
            bytes: Vec::new(),
            place: None,
            #[cfg(feature = "loaders")]
            stated_ends: Vec::new(),
            attributes: Attributes::default(),
            finds_ends: false,
        }
    }

    /// Sets the origin of the next entry.
    pub(crate) fn at(&mut self, place: EntryPlace) -> &mut Self {
        self.place = Some(place);
        self
    }

    /// Returns the number of ordinary tokens so far.
    #[cfg(feature = "loaders")]
    pub(crate) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// Adds an ordinary token.
    pub(crate) fn token(&mut self, id: u64, bytes: &[u8]) -> Result<(), Error> {
        let id = self.config.limits.check_id(id)?;
        self.config.limits.check_token(id, bytes.len())?;
        let place = self.place.take().unwrap_or(EntryPlace::Entry(number(self.tokens.len())));
        let entry = self.entry(id, bytes, place)?;
        self.tokens.push(entry);
        Ok(())
    }

    /// Checks the id of an entry that is not a token.
    #[cfg(feature = "loaders")]
    pub(crate) fn check_unused(&mut self, id: u64) -> Result<(), Error> {
        self.place = None;
        self.config.limits.check_id(id).map(|_| ())
    }

    /// Adds a special token.
    pub(crate) fn special(&mut self, id: u64, name: &str) -> Result<(), Error> {
        let id = self.config.limits.check_id(id)?;
        let place = self.place.take().unwrap_or(EntryPlace::Special(number(self.specials.len())));
        let entry = self.entry(id, name.as_bytes(), place)?;
        self.specials.push(entry);
        Ok(())
    }

    fn entry(&mut self, id: TokenId, bytes: &[u8], place: EntryPlace) -> Result<Entry, Error> {
        let start = self.bytes.len();
        match (u32::try_from(start), u32::try_from(start + bytes.len())) {
            (Ok(start), Ok(end)) if end <= self.config.limits.max_bytes => {
                self.bytes.extend_from_slice(bytes);
                Ok(Entry { id, start, end, place })
            }
            _ => Err(self.config.limits.too_many_bytes(id)),
        }
    }

    /// Builds the vocabulary of all entries.
    pub(crate) fn finish(self) -> Result<Vocabulary, Error> {
        self.finish_with(None)
    }

    /// Builds the vocabulary of all entries, and its trie if it is not known. With a trie, the tokens were
    /// added in the order of their bytes, then of their ids.
    pub(super) fn finish_with(self, trie: Option<Trie>) -> Result<Vocabulary, Error> {
        let (tokens, specials) = (sorted(&self.tokens), sorted(&self.specials));
        let ordinary = Ranks::new(tokens.iter().map(|entry| entry.id));
        check_ids(&tokens, &specials, &ordinary)?;
        let content = |entry: &Entry| &self.bytes[entry.start as usize..entry.end as usize];

        let top = [tokens.last(), specials.last()].into_iter().flatten().map(|entry| entry.id).max();
        let specials: Box<[(TokenId, Box<str>)]> = specials
            .iter()
            // The bytes were copied from a `str`, so the conversion is lossless.
            .map(|entry| (entry.id, String::from_utf8_lossy(content(entry)).into()))
            .collect();
        let by_name = by_name(&specials)?;

        let by_id = tokens.iter().map(|entry| (entry.id, content(entry)));
        let names = specials.iter().map(|(id, name)| (*id, name.as_bytes()));
        let fingerprint = fingerprint::fingerprint(by_id.clone(), names);
        let rank = |id| ordinary.rank(id).unwrap_or_default();
        let (trie, texts) = match trie {
            Some(trie) => {
                let descending = self.tokens.iter().rev().map(|entry| (rank(entry.id), content(entry)));
                (trie, TokenBytes::new(tokens.len(), descending))
            }
            None => {
                let trie = Trie::new(&by_id.collect::<Vec<_>>(), self.config)?;
                let descending = trie.columns().tokens.iter().rev().map(|&id| rank(id));
                let descending = descending.map(|rank| (rank, content(&tokens[rank])));
                let texts = TokenBytes::new(tokens.len(), descending);
                (trie, texts)
            }
        };
        let single = |&node: &TrieNodeId| !trie.tokens(node).is_empty();
        let every_byte = trie.children(TrieNodeId::ROOT).filter(single).count() == 256;
        #[expect(clippy::cast_possible_truncation, reason = "`max_token_bytes`, a `u16`, limits the length")]
        let longest = tokens.iter().map(|entry| entry.end - entry.start).max().unwrap_or(0) as u16;
        let id_count = top.map_or(0, |id| id.0 + 1);
        let mut vocabulary = Vocabulary {
            ordinary,
            texts,
            id_count,
            specials,
            by_name,
            trie,
            longest,
            every_byte,
            fingerprint,
            ends: Box::default(),
            begins: Box::default(),
            finds_ends: false,
            strips_first_space: false,
            rows: id_count,
        };
        let attributes = self.attributes;
        let finds_ends = self.finds_ends || attributes.ends.is_none();
        #[cfg(feature = "loaders")]
        let attributes = if self.stated_ends.is_empty() || attributes.ends.is_some() {
            attributes
        } else {
            let mut ends = self.stated_ends;
            for id in super::ends::by_name(vocabulary.specials()) {
                if !ends.contains(&id) {
                    ends.push(id);
                }
            }
            Attributes { ends: Some(ends), ..attributes }
        };
        vocabulary.set_attributes(&attributes, self.config)?;
        vocabulary.finds_ends = finds_ends;
        Ok(vocabulary)
    }
}

/// Returns the number of an entry, from 1, after `before` entries.
fn number(before: usize) -> u32 {
    u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1))
}

/// Greatest number of ids for each entry at which entries are distributed over an array of all ids.
const MAX_IDS_PER_ENTRY: usize = 4;

/// Returns entries sorted by id, stable for equal ids.
///
/// # Complexity
///
/// O(n) for n entries if their ids are below 4 n, and O(n log n) otherwise.
fn sorted(entries: &[Entry]) -> Cow<'_, [Entry]> {
    // Most files list their tokens by id.
    if entries.is_sorted_by_key(|entry| entry.id) {
        return entries.into();
    }
    let mut sorted = entries.to_vec();
    let bound = entries.iter().map(|entry| entry.id.index() + 1).max().unwrap_or(0);
    if bound > MAX_IDS_PER_ENTRY * entries.len() {
        sorted.sort_by_key(|entry| entry.id);
        return sorted.into();
    }
    let mut next = vec![0u32; bound];
    entries.iter().for_each(|entry| next[entry.id.index()] += 1);
    let mut before = 0;
    for count in &mut next {
        before += std::mem::replace(count, before);
    }
    for &entry in entries {
        let index = &mut next[entry.id.index()];
        sorted[*index as usize] = entry;
        *index += 1;
    }
    sorted.into()
}

/// Returns an error if an id occurs twice. The entries are sorted.
fn check_ids(tokens: &[Entry], specials: &[Entry], ordinary: &Ranks) -> Result<(), Error> {
    let pairs = tokens.windows(2).chain(specials.windows(2));
    let within = pairs.filter(|pair| pair[0].id == pair[1].id).map(|pair| (pair[0], pair[1]));
    let as_both = specials.iter().filter_map(|&special| {
        let rank = tokens.partition_point(|token| token.id < special.id);
        ordinary.rank(special.id).map(|_| (tokens[rank], special))
    });
    let mut twice: Vec<(Entry, Entry)> = within.chain(as_both).collect();
    // A stable sort keeps entries with equal ids in the order of insertion.
    twice.sort_by_key(|(entry, _)| entry.id);
    let Some(&(first, second)) = twice.first() else { return Ok(()) };
    twice.dedup_by_key(|(entry, _)| entry.id);
    let others = twice.len() - 1;
    Err(Error::DuplicateId { id: first.id, first: first.place, second: second.place, others })
}

/// Returns the indices of the special tokens, sorted by name. Returns an error if two names are equal.
fn by_name(specials: &[(TokenId, Box<str>)]) -> Result<Box<[u32]>, Error> {
    let mut indices: Vec<u32> = (0..).take(specials.len()).collect();
    indices.sort_by_key(|&index| &specials[index as usize].1);
    for pair in indices.windows(2) {
        let [(first, name), (second, other)] = [0, 1].map(|side| &specials[pair[side] as usize]);
        if name == other {
            return Err(Error::DuplicateName { name: name.to_string(), first: *first, second: *second });
        }
    }
    Ok(indices.into())
}
