//! The tokens that a lexeme takes, as they are kept: some, and where it nearly takes what another one takes, what that one's part has,
//! but for some.

use grammask_trie::{Mask, TokenId, TokenSet};

use crate::lexicon::walk::output::{Findings, Found};
use crate::lexicon::{Lexicon, PartId};
use crate::node_set::Places;
use crate::node_set::interned::ContinuationId;

/// A set of more tokens is not copied into what it is a part of.
const MANY: usize = 128;

/// As they are kept.
pub(crate) struct LexemeTokens {
    pub(crate) own: Own,
    /// What it takes besides: what this part, of another lexeme, has for its own, but for some tokens.
    pub(crate) kin: Option<(PartId, Box<[TokenId]>)>,
}

/// Tokens that are kept by themselves: as a set, or where they are many as a row, by its number, of which masks can be made as it is.
#[derive(Clone)]
pub(crate) enum Own {
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
pub(crate) struct Taken<'a> {
    pub(crate) own: Tokens<'a>,
    pub(crate) kin: Option<Kin<'a>>,
}

/// What a lexeme takes because another one does.
#[derive(Clone, Copy)]
pub(crate) struct Kin<'a> {
    /// The part of the other one.
    pub(crate) part: PartId,
    tokens: Tokens<'a>,
    /// What the other one takes and this one does not.
    pub(crate) less: &'a [TokenId],
}

impl Own {
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
            Self::Set(set) => set.len() > MANY,
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

impl LexemeTokens {
    /// Those of a lexeme without kin.
    pub(crate) fn of(tokens: TokenSet) -> Self {
        Self { own: Own::Set(tokens), kin: None }
    }

    /// Without the rows, which are counted where they are kept.
    pub(crate) fn bytes_used(&self) -> usize {
        let own = match &self.own {
            Own::Set(set) => set.bytes_used(),
            Own::Row(_) => 0,
        };
        own + self.kin.as_ref().map_or(0, |(_, less)| size_of_val(&**less))
    }
}

impl Taken<'_> {
    /// Whether these are so many that they are better kept once.
    pub(crate) fn are_many(&self) -> bool {
        self.kin.is_some() || self.own.are_many()
    }

    pub(crate) fn contains(&self, id: TokenId) -> bool {
        self.own.contains(id)
            || self.kin.is_some_and(|kin| kin.tokens.contains(id) && !kin.less.contains(&id))
    }

    /// What some take together, as a mask. A row is copied in less time than it is added to a mask that was cleared before.
    pub(crate) fn union(id_count: usize, all: &[Self]) -> Mask {
        let first = all.iter().position(|taken| matches!(taken.base(), Tokens::Row(..))).unwrap_or(0);
        let mut union = all.get(first).map_or_else(|| Mask::new(id_count), |taken| taken.to_mask(id_count));
        let others = all.iter().enumerate().filter(|&(place, _)| place != first);
        others.for_each(|(_, taken)| taken.union_into(&mut union));
        union
    }

    /// What most of them stand in: that of the kin, if there is one.
    fn base(&self) -> Tokens<'_> {
        self.kin.map_or(self.own, |kin| kin.tokens)
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
        if let Some(kin) = self.kin {
            kin.less.iter().for_each(|&id| mask.forbid(id));
            self.own.union_into(&mut mask);
        }
        mask
    }

    /// Adds them to a mask.
    pub(crate) fn union_into(&self, mask: &mut Mask) {
        if let Some(kin) = self.kin {
            let new: Vec<TokenId> = kin.less.iter().copied().filter(|&id| !mask.allows(id)).collect();
            kin.tokens.union_into(mask);
            new.into_iter().for_each(|id| mask.forbid(id));
        }
        self.own.union_into(mask);
    }
}

impl Lexicon {
    /// The tokens of a part.
    pub(crate) fn taken(&self, part: PartId) -> Taken<'_> {
        let tokens = |part| &self.part_of(part).tokens;
        let LexemeTokens { own, kin } = tokens(part);
        let kin = kin.as_ref().map(|(part, less)| Kin {
            part: *part,
            tokens: self.tokens(&tokens(*part).own),
            less,
        });
        Taken { own: self.tokens(own), kin }
    }

    /// Adds what is known of a part: its tokens, and where it is complete.
    pub(crate) fn take_part(&self, part: PartId, findings: &mut Findings<'_>) {
        self.take_tokens(part, findings);
        if findings.wants_places()
            && let Some(places) = self.part_of(part).handover()
        {
            self.take_handover(places, findings);
        }
    }

    /// Adds the tokens of a part.
    pub(crate) fn take_tokens(&self, part: PartId, findings: &mut Findings<'_>) {
        let LexemeTokens { own, kin } = &self.part_of(part).tokens;
        if kin.is_some() || !own.is_empty() {
            let mask = self.taken(part).to_mask(self.vocabulary.id_count());
            findings.allow_row(mask.into_words());
        }
    }

    /// Adds places where something is complete.
    pub(crate) fn take_handover(&self, places: ContinuationId, findings: &mut Findings<'_>) {
        match self.continuation(places).places() {
            Places::List(list) => list.iter().for_each(|&branch| findings.hand_over(branch)),
            Places::Bits(bits) => findings.hand_over_all(bits),
        }
    }

    fn tokens<'a>(&'a self, own: &'a Own) -> Tokens<'a> {
        match own {
            Own::Set(set) => Tokens::Set(set),
            Own::Row(number) => Tokens::Row(*number, self.row(*number)),
        }
    }

    /// Keeps what has been found: as a row, if it was one, has so many tokens that a set would not be much smaller, and if there is room for it.
    pub(crate) fn own(&self, found: Found) -> Own {
        let row = match found {
            Found::Set(tokens) => return Own::Set(tokens),
            Found::Row(row) => row,
        };
        if !self.has_room_for_row() {
            return Own::Set(TokenSet::from_row(row));
        }
        match TokenSet::try_from_row(row, self.ground().many()) {
            Ok(tokens) => Own::Set(tokens),
            Err(row) => Own::Row(self.keep_row(Mask::from_words(self.vocabulary.id_count(), row))),
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

    /// Whatever comes first, rows or sets, with kin or without.
    #[test]
    fn the_union_is_what_each_takes() {
        let rows = [row(|id| id.is_multiple_of(3)), row(|id| id < 40), row(|id| id == 7)];
        let sets = rows.each_ref().map(|row| row.iter().collect::<TokenSet>());
        let less: Vec<TokenId> = [0, 7, 9, 12, 39].map(TokenId).into();
        let mut all = Vec::new();
        for place in 0..rows.len() {
            for own in [Tokens::Set(&sets[place]), Tokens::Row(0, &rows[place])] {
                all.push((Taken { own, kin: None }, rows[place].clone()));
                let kin = (place + 1) % rows.len();
                for tokens in [Tokens::Set(&sets[kin]), Tokens::Row(1, &rows[kin])] {
                    let mut expected = rows[kin].clone();
                    less.iter().for_each(|&id| expected.forbid(id));
                    expected.union(&rows[place]);
                    let kin = Some(Kin { part: PartId(0), tokens, less: &less });
                    all.push((Taken { own, kin }, expected));
                }
            }
        }
        assert_eq!(Taken::union(IDS, &[]), Mask::new(IDS));
        for (one, ones) in &all {
            assert_eq!(Taken::union(IDS, &[*one]), *ones);
            for (other, others) in &all {
                for (third, thirds) in &all {
                    let mut expected = ones.clone();
                    expected.union(others);
                    expected.union(thirds);
                    assert_eq!(Taken::union(IDS, &[*one, *other, *third]), expected);
                }
            }
        }
    }
}
