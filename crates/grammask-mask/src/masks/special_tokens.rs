//! The special tokens that a grammar names, and the tokens of the vocabulary that they are.

use grammask_earley::{Network, Special, SpecialMember, SpecialSet};
use grammask_trie::{TokenId, Vocabulary};

use crate::{BindError, Ending};

/// The tokens of each special symbol of a network.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpecialTokens {
    /// By symbol: its tokens.
    by_symbol: Vec<Box<[TokenId]>>,
    /// Pairs of a token and a symbol, sorted.
    by_token: Vec<(TokenId, u32)>,
}

impl SpecialTokens {
    /// Finds the tokens of the special symbols of a network. Appends an error for each that the vocabulary
    /// lacks.
    pub(crate) fn find(
        network: &Network,
        vocabulary: &Vocabulary,
        ending: &Ending,
        errors: &mut Vec<BindError>,
    ) -> Self {
        let mut by_symbol = Vec::with_capacity(network.specials.len());
        for special in &network.specials {
            let tokens: Box<[TokenId]> = match special {
                Special::Set(set) => {
                    tokens_of_set(set, vocabulary, ending, |error| errors.push(error)).into()
                }
                Special::Name(name) => vocabulary.special(name).into_iter().collect(),
                Special::Id(id) => {
                    let is_special = |&id: &TokenId| vocabulary.special_name(id).is_some();
                    Some(TokenId(*id)).filter(is_special).into_iter().collect()
                }
            };
            if tokens.is_empty() && !matches!(special, Special::Set(_)) {
                errors.push(BindError::UnknownSpecial { special: special.clone() });
            }
            by_symbol.push(tokens);
        }
        let pairs = (0..).zip(&by_symbol);
        let mut by_token: Vec<(TokenId, u32)> =
            pairs.flat_map(|(symbol, tokens)| tokens.iter().map(move |&token| (token, symbol))).collect();
        by_token.sort_unstable();
        Self { by_symbol, by_token }
    }

    /// Returns the number of symbols.
    pub(crate) fn len(&self) -> usize {
        self.by_symbol.len()
    }

    /// Returns `true` if no symbol has a token.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_token.is_empty()
    }

    /// Returns the tokens of each symbol.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[TokenId]> {
        self.by_symbol.iter().map(|tokens| &**tokens)
    }

    /// Returns all tokens, those of several symbols several times.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = TokenId> {
        self.by_token.iter().map(|&(token, _)| token)
    }

    /// Returns the grammar's symbols for a token. There may be several: a grammar can refer to one token by
    /// its name and by its id.
    pub(crate) fn symbols(&self, token: TokenId) -> impl Iterator<Item = usize> {
        let from = self.by_token.partition_point(|&(other, _)| other < token);
        let of_token = self.by_token[from..].iter().take_while(move |&&(other, _)| other == token);
        of_token.map(|&(_, symbol)| symbol as usize)
    }
}

/// Returns the special tokens of a vocabulary that belong to a set, by ascending id. Passes an error to
/// `report` for each member that the vocabulary lacks. The tokens of `ending` are in no complement.
///
/// # Complexity
/// O(s log m + n) for s special tokens, m members and n ids below the greatest one.
///
/// ```
/// use grammask_earley::{SpecialMember, SpecialSet};
/// use grammask_mask::{Ending, tokens_of_set};
/// use grammask_trie::{Config, TokenId, Vocabulary};
///
/// let special = [(TokenId(7), "<a>".to_owned()), (TokenId(8), "<b>".to_owned()), (TokenId(9), "</s>".to_owned())];
/// let vocabulary = Vocabulary::new([], special, &Config::default())?;
/// let others = SpecialSet { is_complement: true, members: vec![SpecialMember::Name("<a>".to_owned())] };
/// let ending = Ending::EndOfSequence(vec![TokenId(9)]);
/// let tokens = tokens_of_set(&others, &vocabulary, &ending, |error| panic!("{error}"));
/// assert_eq!(tokens, [TokenId(8)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
pub fn tokens_of_set(
    set: &SpecialSet,
    vocabulary: &Vocabulary,
    ending: &Ending,
    mut report: impl FnMut(BindError),
) -> Vec<TokenId> {
    let mut listed: Vec<TokenId> = Vec::new();
    for member in &set.members {
        let unknown = |special| BindError::UnknownSpecial { special };
        match member {
            SpecialMember::Name(name) => match vocabulary.special(name) {
                Some(token) => listed.push(token),
                None => report(unknown(Special::Set(SpecialSet {
                    is_complement: false,
                    members: vec![member.clone()],
                }))),
            },
            &SpecialMember::Ids(first, last) => {
                let before = listed.len();
                let ids = first..=last.min(u32::try_from(vocabulary.id_count()).unwrap_or(u32::MAX));
                if let Some(id) = ids.map(TokenId).find(|&id| vocabulary.bytes(id).is_some()) {
                    report(match first == last {
                        true => unknown(Special::Id(first)),
                        false => BindError::OrdinaryInRange { first, last, id },
                    });
                    continue;
                }
                let in_range = |id: &TokenId| (first..=last).contains(&id.0);
                listed.extend(vocabulary.specials().map(|(id, _)| id).filter(in_range));
                if listed.len() == before {
                    report(match first == last {
                        true => unknown(Special::Id(first)),
                        false => unknown(Special::Set(SpecialSet {
                            is_complement: false,
                            members: vec![member.clone()],
                        })),
                    });
                }
            }
        }
    }
    listed.sort_unstable();
    listed.dedup();
    if !set.is_complement {
        return listed;
    }
    let ending = ending.resolved(vocabulary);
    let is_other = |id: &TokenId| listed.binary_search(id).is_err() && !ending.tokens().contains(id);
    vocabulary.specials().map(|(id, _)| id).filter(is_other).collect()
}
