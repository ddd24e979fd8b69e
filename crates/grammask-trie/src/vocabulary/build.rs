//! Making a vocabulary entry by entry, so that a loader stops at the first entry that breaks a limit.

use super::{Ranks, Texts, Vocabulary, fingerprint};
use crate::{Config, EntryPlace, Error, NodeId, TokenId, Trie};

/// A vocabulary in the making: entries in any order.
pub(crate) struct Builder<'c> {
    config: &'c Config,
    tokens: Vec<Entry>,
    specials: Vec<Entry>,
    /// The bytes of all entries, in the order in which they came.
    bytes: Vec<u8>,
    /// Where the next entry comes from, if it does not count by itself.
    place: Option<EntryPlace>,
}

#[derive(Clone, Copy)]
struct Entry {
    id: TokenId,
    start: u32,
    end: u32,
    place: EntryPlace,
}

impl<'c> Builder<'c> {
    pub(crate) fn new(config: &'c Config) -> Self {
        Self { config, tokens: Vec::new(), specials: Vec::new(), bytes: Vec::new(), place: None }
    }

    /// Says where the next entry comes from.
    pub(crate) fn at(&mut self, place: EntryPlace) -> &mut Self {
        self.place = Some(place);
        self
    }

    /// Adds an ordinary token.
    pub(crate) fn token(&mut self, id: u64, bytes: &[u8]) -> Result<(), Error> {
        let id = self.id(id)?;
        let limit = self.config.max_token_bytes;
        if bytes.len() > usize::from(limit) {
            return Err(Error::TokenTooLong { id, length: bytes.len(), limit });
        }
        let place = self.place.take().unwrap_or(EntryPlace::Entry(number(self.tokens.len())));
        let entry = self.entry(id, bytes, place)?;
        self.tokens.push(entry);
        Ok(())
    }

    /// Adds a special token.
    pub(crate) fn special(&mut self, id: u64, name: &str) -> Result<(), Error> {
        let id = self.id(id)?;
        let place = self.place.take().unwrap_or(EntryPlace::Special(number(self.specials.len())));
        let entry = self.entry(id, name.as_bytes(), place)?;
        self.specials.push(entry);
        Ok(())
    }

    /// The id as one below the limit.
    pub(crate) fn id(&self, id: u64) -> Result<TokenId, Error> {
        let limit = self.config.id_limit;
        match u32::try_from(id) {
            Ok(small) if small < limit => Ok(TokenId(small)),
            _ => Err(Error::IdTooLarge { id, limit }),
        }
    }

    fn entry(&mut self, id: TokenId, bytes: &[u8], place: EntryPlace) -> Result<Entry, Error> {
        let start = self.bytes.len();
        let limit = self.config.max_bytes;
        match u32::try_from(start + bytes.len()) {
            Ok(end) if end <= limit => {
                self.bytes.extend_from_slice(bytes);
                Ok(Entry { id, start: start as u32, end, place })
            }
            _ => Err(Error::TooManyBytes { id, limit }),
        }
    }

    /// Whether every id stands once in the sorted entries.
    fn check_ids(&self, ordinary: &Ranks) -> Result<(), Error> {
        let pairs = self.tokens.windows(2).chain(self.specials.windows(2));
        let within = pairs.filter(|pair| pair[0].id == pair[1].id).map(|pair| (pair[0], pair[1]));
        let as_both = self.specials.iter().filter_map(|&special| {
            let rank = self.tokens.partition_point(|token| token.id < special.id);
            ordinary.rank(special.id).map(|_| (self.tokens[rank], special))
        });
        let mut twice: Vec<(Entry, Entry)> = within.chain(as_both).collect();
        // The order of the entries of one id is that in which they came.
        twice.sort_by_key(|(entry, _)| entry.id);
        let Some(&(first, second)) = twice.first() else { return Ok(()) };
        twice.dedup_by_key(|(entry, _)| entry.id);
        let others = twice.len() - 1;
        Err(Error::DuplicateId { id: first.id, first: first.place, second: second.place, others })
    }

    pub(crate) fn finish(mut self) -> Result<Vocabulary, Error> {
        sort(&mut self.tokens);
        sort(&mut self.specials);
        let ordinary = Ranks::new(self.tokens.iter().map(|entry| entry.id));
        self.check_ids(&ordinary)?;
        let content = |entry: &Entry| &self.bytes[entry.start as usize..entry.end as usize];

        let texts = Texts::new(self.tokens.iter().map(content));
        let specials: Box<[(TokenId, Box<str>)]> = self
            .specials
            .iter()
            // These bytes came in as a text: nothing is lost.
            .map(|entry| (entry.id, String::from_utf8_lossy(content(entry)).into()))
            .collect();
        let by_name = by_name(&specials)?;

        let tokens: Vec<(TokenId, &[u8])> =
            self.tokens.iter().map(|entry| (entry.id, content(entry))).collect();
        let names = specials.iter().map(|(id, name)| (*id, name.as_bytes()));
        let fingerprint = fingerprint::fingerprint(tokens.iter().copied(), names);
        let trie = Trie::new(&tokens, self.config)?;
        let single = |&node: &NodeId| !trie.tokens(node).is_empty();
        let every_byte = trie.children(NodeId::ROOT).filter(single).count() == 256;
        let longest = tokens.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0) as u16;
        let top =
            [self.tokens.last(), self.specials.last()].into_iter().flatten().map(|entry| entry.id).max();
        Ok(Vocabulary {
            ordinary,
            texts,
            id_count: top.map_or(0, |id| id.0 + 1),
            specials,
            by_name,
            trie,
            longest,
            every_byte,
            fingerprint,
        })
    }
}

/// Counts from one.
fn number(before: usize) -> u32 {
    u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1))
}

fn sort(entries: &mut [Entry]) {
    // Files list their tokens by id, as a rule.
    if !entries.is_sorted_by_key(|entry| entry.id) {
        entries.sort_by_key(|entry| entry.id);
    }
}

/// The places of the special tokens by name, which must all differ.
fn by_name(specials: &[(TokenId, Box<str>)]) -> Result<Box<[u32]>, Error> {
    let mut places: Vec<u32> = (0..specials.len() as u32).collect();
    places.sort_by_key(|&place| &specials[place as usize].1);
    for pair in places.windows(2) {
        let [(first, name), (second, other)] = [0, 1].map(|side| &specials[pair[side] as usize]);
        if name == other {
            return Err(Error::DuplicateName { name: name.to_string(), first: *first, second: *second });
        }
    }
    Ok(places.into())
}
