//! The tokens that a lexeme takes, as they are kept: some, and where it nearly takes what another one takes, what that one's part has,
//! but for some.

use grammask_trie::{Mask, TokenId, TokenSet};

use super::{Lexicon, PartId};

/// A set of more tokens is not copied into what it is a part of.
const MANY: usize = 128;

/// As they are kept.
pub(crate) struct LexemeTokens {
    pub(crate) own: TokenSet,
    /// What it takes besides: what this part, of another lexeme, has for its own, but for some tokens.
    pub(crate) kin: Option<(PartId, Box<[TokenId]>)>,
}

/// As they are looked at.
#[derive(Clone, Copy)]
pub(crate) struct Taken<'a> {
    pub(crate) own: &'a TokenSet,
    pub(crate) kin: Option<Kin<'a>>,
}

/// What a lexeme takes because another one does.
#[derive(Clone, Copy)]
pub(crate) struct Kin<'a> {
    /// The part of the other one.
    pub(crate) part: PartId,
    tokens: &'a TokenSet,
    /// What the other one takes and this one does not.
    pub(crate) less: &'a [TokenId],
}

impl LexemeTokens {
    pub(super) fn bytes_used(&self) -> usize {
        self.own.bytes_used() + self.kin.as_ref().map_or(0, |(_, less)| size_of_val(&**less))
    }
}

impl Taken<'_> {
    /// Whether these are so many that they are better kept once.
    pub(crate) fn are_many(&self) -> bool {
        self.kin.is_some() || self.own.len() > MANY
    }

    pub(crate) fn contains(&self, id: TokenId) -> bool {
        self.own.contains(id)
            || self.kin.is_some_and(|kin| kin.tokens.contains(id) && !kin.less.contains(&id))
    }

    /// Adds them to a mask.
    pub(crate) fn union_into(&self, mask: &mut Mask) {
        if let Some(kin) = self.kin {
            let new: Vec<TokenId> = kin.less.iter().copied().filter(|&id| !mask.allows(id)).collect();
            mask.union_set(kin.tokens);
            new.into_iter().for_each(|id| mask.forbid(id));
        }
        mask.union_set(self.own);
    }
}

impl Lexicon {
    /// The tokens of a part.
    pub(crate) fn taken(&self, part: PartId) -> Taken<'_> {
        let tokens = |part| &self.part_of(part).tokens;
        let LexemeTokens { own, kin } = tokens(part);
        let kin = kin.as_ref().map(|(part, less)| Kin { part: *part, tokens: &tokens(*part).own, less });
        Taken { own, kin }
    }
}
