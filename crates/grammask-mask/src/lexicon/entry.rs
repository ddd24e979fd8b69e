//! The tokens of a lexicon entry: stored by itself, or as the difference from another entry.

use grammask_trie::{Mask, TokenId, TokenSet};

use crate::lexicon::walk::output::{OutputTokens, WalkOutput};
use crate::lexicon::{EntryId, Lexicon};
use crate::node_set::NodeSet;
use crate::node_set::continuation::ContinuationId;

/// Sets with more tokens than this are referenced instead of inlined.
const MAX_INLINED_TOKENS: usize = 128;

/// As they are kept.
pub(crate) struct EntryTokens {
    pub(crate) own: StoredTokens,
    /// What it takes besides: what this entry, of another lexeme, has for its own, but for some tokens.
    pub(crate) base: Option<(EntryId, Box<[TokenId]>)>,
}

/// Tokens that are kept by themselves: as a set, or where they are many as a row, by its number, of which
/// masks can be made as it is.
#[derive(Clone)]
pub(crate) enum StoredTokens {
    Set(TokenSet),
    Row(u32),
}

/// The same, as they are looked at.
#[derive(Clone, Copy)]
pub(crate) enum Tokens<'a> {
    Set(&'a TokenSet),
    Row(u32, &'a Mask),
}

/// As they are looked at.
#[derive(Clone, Copy)]
pub(crate) struct TokenView<'a> {
    pub(crate) own: Tokens<'a>,
    pub(crate) base: Option<BaseEntry<'a>>,
}

/// What a lexeme takes because another one does.
#[derive(Clone, Copy)]
pub(crate) struct BaseEntry<'a> {
    /// The entry of the other one.
    pub(crate) entry: EntryId,
    tokens: Tokens<'a>,
    /// What the other one takes and this one does not.
    pub(crate) removed: &'a [TokenId],
}

impl StoredTokens {
    /// None.
    pub(crate) fn none() -> Self {
        Self::Set(TokenSet::empty())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Set(set) if set.is_empty())
    }
}

impl Tokens<'_> {
    /// Whether these are so many that they are better kept once.
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

    /// Appends them to a list, ascending.
    pub(crate) fn append_to(&self, list: &mut Vec<TokenId>) {
        match self {
            Self::Set(set) => set.append_to(list),
            Self::Row(_, row) => list.extend(row.iter()),
        }
    }
}

impl EntryTokens {
    /// Those of a lexeme without base.
    pub(crate) fn of(tokens: TokenSet) -> Self {
        Self { own: StoredTokens::Set(tokens), base: None }
    }

    /// Without the rows, which are counted where they are kept.
    pub(crate) fn bytes_used(&self) -> usize {
        let own = match &self.own {
            StoredTokens::Set(set) => set.bytes_used(),
            StoredTokens::Row(_) => 0,
        };
        own + self.base.as_ref().map_or(0, |(_, removed)| size_of_val(&**removed))
    }
}

impl TokenView<'_> {
    /// Whether these are so many that they are better kept once.
    pub(crate) fn are_many(&self) -> bool {
        self.base.is_some() || self.own.are_many()
    }

    pub(crate) fn contains(&self, id: TokenId) -> bool {
        self.own.contains(id)
            || self.base.is_some_and(|base| base.tokens.contains(id) && !base.removed.contains(&id))
    }

    /// What some take together, as a mask. A row is copied in less time than it is added to a mask that was
    /// cleared before.
    pub(crate) fn union(id_count: usize, all: &[Self]) -> Mask {
        let first = all.iter().position(|view| matches!(view.base(), Tokens::Row(..))).unwrap_or(0);
        let mut union = all.get(first).map_or_else(|| Mask::new(id_count), |view| view.to_mask(id_count));
        let others = all.iter().enumerate().filter(|&(place, _)| place != first);
        others.for_each(|(_, view)| view.union_into(&mut union));
        union
    }

    /// What most of them stand in: that of the base, if there is one.
    fn base(&self) -> Tokens<'_> {
        self.base.map_or(self.own, |base| base.tokens)
    }

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

    /// Adds them to a mask.
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

    /// Adds what is known of an entry: its tokens, and where it is complete.
    pub(crate) fn take_entry(&self, entry: EntryId, output: &mut WalkOutput<'_>) {
        self.take_tokens(entry, output);
        if output.wants_exits()
            && let Some(places) = self.entry(entry).exit()
        {
            self.take_exit(places, output);
        }
    }

    /// Adds the tokens of an entry.
    pub(crate) fn take_tokens(&self, entry: EntryId, output: &mut WalkOutput<'_>) {
        let EntryTokens { own, base } = &self.entry(entry).tokens;
        if base.is_some() || !own.is_empty() {
            let mask = self.view(entry).to_mask(self.vocabulary.id_count());
            output.allow_row(mask.into_words());
        }
    }

    /// Adds trie nodes where something is complete.
    pub(crate) fn take_exit(&self, places: ContinuationId, output: &mut WalkOutput<'_>) {
        match self.continuation(places).set() {
            NodeSet::List(list) => list.iter().for_each(|&branch| output.exit_at(branch)),
            NodeSet::Bits(bits) => output.exit_at_all(bits),
        }
    }

    fn tokens<'a>(&'a self, own: &'a StoredTokens) -> Tokens<'a> {
        match own {
            StoredTokens::Set(set) => Tokens::Set(set),
            StoredTokens::Row(number) => Tokens::Row(*number, self.row(*number)),
        }
    }

    /// Keeps what has been found: as a row, if it was one, has so many tokens that a set would not be much
    /// smaller, and if there is room for it.
    pub(crate) fn own(&self, found: OutputTokens) -> StoredTokens {
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

    /// Whatever comes first, rows or sets, with base or without.
    #[test]
    fn the_union_is_what_each_takes() {
        let rows = [row(|id| id.is_multiple_of(3)), row(|id| id < 40), row(|id| id == 7)];
        let sets = rows.each_ref().map(|row| row.iter().collect::<TokenSet>());
        let removed: Vec<TokenId> = [0, 7, 9, 12, 39].map(TokenId).into();
        let mut all = Vec::new();
        for place in 0..rows.len() {
            for own in [Tokens::Set(&sets[place]), Tokens::Row(0, &rows[place])] {
                all.push((TokenView { own, base: None }, rows[place].clone()));
                let base = (place + 1) % rows.len();
                for tokens in [Tokens::Set(&sets[base]), Tokens::Row(1, &rows[base])] {
                    let mut expected = rows[base].clone();
                    removed.iter().for_each(|&id| expected.forbid(id));
                    expected.union(&rows[place]);
                    let base = Some(BaseEntry { entry: EntryId(0), tokens, removed: &removed });
                    all.push((TokenView { own, base }, expected));
                }
            }
        }
        assert_eq!(TokenView::union(IDS, &[]), Mask::new(IDS));
        for (one, ones) in &all {
            assert_eq!(TokenView::union(IDS, &[*one]), *ones);
            for (other, others) in &all {
                for (third, thirds) in &all {
                    let mut expected = ones.clone();
                    expected.union(others);
                    expected.union(thirds);
                    assert_eq!(TokenView::union(IDS, &[*one, *other, *third]), expected);
                }
            }
        }
    }
}
