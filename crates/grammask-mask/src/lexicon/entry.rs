//! The tokens of a lexicon entry: stored by itself, or as the difference from another entry.

use grammask_trie::{Mask, TokenId, TokenSet};

use crate::lexicon::walk::output::{OutputTokens, WalkOutput};
use crate::lexicon::{EntryId, Lexicon};
use crate::node_set::NodeSet;
use crate::node_set::continuation::ContinuationId;

/// Sets with more tokens than this are referenced instead of inlined.
const MAX_INLINED_TOKENS: usize = 128;

/// Stored tokens of an entry.
pub(crate) struct EntryTokens {
    pub(crate) own: StoredTokens,
    /// Base entry, of another lexeme, whose own tokens belong to this entry, too; with the tokens that are
    /// excepted.
    pub(crate) base: Option<(EntryId, Box<[TokenId]>)>,
}

/// Tokens that are stored without reference to another entry: as a set or, if they are many, as the number of
/// a row.
#[derive(Clone)]
pub(crate) enum StoredTokens {
    Set(TokenSet),
    Row(u32),
}

/// Tokens of [`StoredTokens`], with the row resolved.
#[derive(Clone, Copy)]
pub(crate) enum Tokens<'a> {
    Set(&'a TokenSet),
    Row(u32, &'a Mask),
}

/// Tokens of an entry, with rows and base resolved.
#[derive(Clone, Copy)]
pub(crate) struct TokenView<'a> {
    pub(crate) own: Tokens<'a>,
    pub(crate) base: Option<BaseEntry<'a>>,
}

/// Base of an entry: tokens that another lexeme accepts as well.
#[derive(Clone, Copy)]
pub(crate) struct BaseEntry<'a> {
    /// Entry of the other lexeme.
    pub(crate) entry: EntryId,
    tokens: Tokens<'a>,
    /// Tokens that only the other lexeme accepts.
    pub(crate) removed: &'a [TokenId],
}

impl StoredTokens {
    /// Returns the empty set.
    pub(crate) fn none() -> Self {
        Self::Set(TokenSet::empty())
    }

    /// Returns `true` if there are no tokens.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Set(set) if set.is_empty())
    }
}

impl Tokens<'_> {
    /// Returns `true` if there are too many tokens to be inlined.
    fn are_many(&self) -> bool {
        match self {
            Self::Set(set) => set.len() > MAX_INLINED_TOKENS,
            Self::Row(..) => true,
        }
    }

    fn contains(&self, id: TokenId) -> bool {
        match self {
            Self::Set(set) => set.contains(id),
            Self::Row(_, row) => row.allows(id),
        }
    }

    fn union_into(&self, mask: &mut Mask) {
        match self {
            Self::Set(set) => mask.union_set(set),
            Self::Row(_, row) => mask.union(row),
        }
    }

    /// Appends the tokens to a list, ascending.
    pub(crate) fn append_to(&self, list: &mut Vec<TokenId>) {
        match self {
            Self::Set(set) => set.append_to(list),
            Self::Row(_, row) => list.extend(row.iter()),
        }
    }
}

impl EntryTokens {
    /// Creates the tokens of an entry without a base.
    pub(crate) fn of(tokens: TokenSet) -> Self {
        Self { own: StoredTokens::Set(tokens), base: None }
    }

    /// Returns the bytes of memory without the rows, which are counted where they are stored.
    pub(crate) fn bytes_used(&self) -> usize {
        let own = match &self.own {
            StoredTokens::Set(set) => set.bytes_used(),
            StoredTokens::Row(_) => 0,
        };
        own + self.base.as_ref().map_or(0, |(_, removed)| size_of_val(&**removed))
    }
}

impl TokenView<'_> {
    /// Returns `true` if the entry has a base, or too many tokens to be inlined.
    pub(crate) fn are_many(&self) -> bool {
        self.base.is_some() || self.own.are_many()
    }

    pub(crate) fn contains(&self, id: TokenId) -> bool {
        self.own.contains(id)
            || self.base.is_some_and(|base| base.tokens.contains(id) && !base.removed.contains(&id))
    }

    /// Returns the union of some entries as a mask. Begins with a row if there is one: a row is copied in
    /// less time than it is added.
    pub(crate) fn union(id_count: usize, all: &[Self]) -> Mask {
        let first = all.iter().position(|view| matches!(view.base(), Tokens::Row(..))).unwrap_or(0);
        let mut union = all.get(first).map_or_else(|| Mask::new(id_count), |view| view.to_mask(id_count));
        let rest = all.iter().enumerate().filter(|&(position, _)| position != first);
        rest.for_each(|(_, view)| view.union_into(&mut union));
        union
    }

    /// Returns the tokens of the base if there is one, else the own tokens.
    fn base(&self) -> Tokens<'_> {
        self.base.map_or(self.own, |base| base.tokens)
    }

    /// Returns the tokens as a mask: the base without its removed tokens, and the own tokens.
    fn to_mask(self, id_count: usize) -> Mask {
        let mut mask = match self.base() {
            Tokens::Set(set) => {
                let mut mask = Mask::new(id_count);
                mask.union_set(set);
                mask
            }
            Tokens::Row(_, row) => row.clone(),
        };
        if let Some(base) = self.base {
            base.removed.iter().for_each(|&id| mask.forbid(id));
            self.own.union_into(&mut mask);
        }
        mask
    }

    /// Adds the tokens to a mask.
    pub(crate) fn union_into(&self, mask: &mut Mask) {
        if let Some(base) = self.base {
            let new: Vec<TokenId> = base.removed.iter().copied().filter(|&id| !mask.allows(id)).collect();
            base.tokens.union_into(mask);
            new.into_iter().for_each(|id| mask.forbid(id));
        }
        self.own.union_into(mask);
    }
}

impl Lexicon {
    /// Returns the tokens of an entry.
    pub(crate) fn view(&self, entry: EntryId) -> TokenView<'_> {
        let tokens = |entry| &self.entry(entry).tokens;
        let EntryTokens { own, base } = tokens(entry);
        let base = base.as_ref().map(|(entry, removed)| BaseEntry {
            entry: *entry,
            tokens: self.tokens(&tokens(*entry).own),
            removed,
        });
        TokenView { own: self.tokens(own), base }
    }

    /// Adds the tokens and exits of an entry to an output.
    pub(crate) fn take_entry(&self, entry: EntryId, output: &mut WalkOutput<'_>) {
        self.take_tokens(entry, output);
        if output.wants_exits()
            && let Some(exits) = self.entry(entry).exit()
        {
            self.take_exit(exits, output);
        }
    }

    /// Adds the tokens of an entry to an output, as one row. A row covers all kinds of stored tokens, and an
    /// output unites rows word by word.
    pub(crate) fn take_tokens(&self, entry: EntryId, output: &mut WalkOutput<'_>) {
        let EntryTokens { own, base } = &self.entry(entry).tokens;
        if base.is_some() || !own.is_empty() {
            let mask = self.view(entry).to_mask(self.vocabulary.id_count());
            output.allow_row(mask.into_words());
        }
    }

    /// Adds exits to an output.
    pub(crate) fn take_exit(&self, exits: ContinuationId, output: &mut WalkOutput<'_>) {
        match self.continuation(exits).set() {
            NodeSet::List(list) => list.iter().for_each(|&inner| output.exit_at(inner)),
            NodeSet::Bits(bits) => output.exit_at_all(bits),
        }
    }

    fn tokens<'a>(&'a self, own: &'a StoredTokens) -> Tokens<'a> {
        match own {
            StoredTokens::Set(set) => Tokens::Set(set),
            StoredTokens::Row(number) => Tokens::Row(*number, self.row(*number)),
        }
    }

    /// Stores the tokens of an output. They become a row if a set would not be much smaller, and there is
    /// room for a row.
    pub(crate) fn store_tokens(&self, found: OutputTokens) -> StoredTokens {
        let row = match found {
            OutputTokens::Set(tokens) => return StoredTokens::Set(tokens),
            OutputTokens::Row(row) => row,
        };
        if !self.has_room_for_row() {
            return StoredTokens::Set(TokenSet::from_row(row));
        }
        match TokenSet::try_from_row(row, self.context().many()) {
            Ok(tokens) => StoredTokens::Set(tokens),
            Err(row) => StoredTokens::Row(self.keep_row(Mask::from_words(self.vocabulary.id_count(), row))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: usize = 100;

    fn row(is_in: impl Fn(u32) -> bool) -> Mask {
        let mut row = Mask::new(IDS);
        row.extend((0..IDS as u32).filter(|&id| is_in(id)).map(TokenId));
        row
    }

    /// The order of rows and sets does not matter, nor whether they have a base.
    #[test]
    fn the_union_is_what_each_takes() {
        let rows = [row(|id| id.is_multiple_of(3)), row(|id| id < 40), row(|id| id == 7)];
        let sets = rows.each_ref().map(|row| row.iter().collect::<TokenSet>());
        let removed: Vec<TokenId> = [0, 7, 9, 12, 39].map(TokenId).into();
        let mut all = Vec::new();
        for position in 0..rows.len() {
            for own in [Tokens::Set(&sets[position]), Tokens::Row(0, &rows[position])] {
                all.push((TokenView { own, base: None }, rows[position].clone()));
                let base = (position + 1) % rows.len();
                for tokens in [Tokens::Set(&sets[base]), Tokens::Row(1, &rows[base])] {
                    let mut expected = rows[base].clone();
                    removed.iter().for_each(|&id| expected.forbid(id));
                    expected.union(&rows[position]);
                    let base = Some(BaseEntry { entry: EntryId(0), tokens, removed: &removed });
                    all.push((TokenView { own, base }, expected));
                }
            }
        }
        assert_eq!(TokenView::union(IDS, &[]), Mask::new(IDS));
        for (one, ones) in &all {
            assert_eq!(TokenView::union(IDS, &[*one]), *ones);
            for (other, rest) in &all {
                for (third, thirds) in &all {
                    let mut expected = ones.clone();
                    expected.union(rest);
                    expected.union(thirds);
                    assert_eq!(TokenView::union(IDS, &[*one, *other, *third]), expected);
                }
            }
        }
    }
}
