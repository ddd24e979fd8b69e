//! The mask of one state: looked up once, then written to a scratch or to a row of the caller.

use grammask_earley::{Error, SetId};
use grammask_trie::{Mask, clone_row, copy_row};

use crate::Masks;
use crate::masks::delta_mask::{MaskId, MaskRef, Owners, Scratch};

/// The mask of one state, which is known or still to be computed. Made by [`Masks::at`].
#[derive(Clone, Copy)]
pub struct StateMask<'a> {
    masks: &'a Masks,
    state: SetId,
    pub(super) known: Option<MaskId>,
}

impl StateMask<'_> {
    /// Returns `true` if the tables keep the mask, so that writing it is fast and needs no limit.
    #[inline]
    pub fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// Writes the mask to `scratch`, a scratch for this vocabulary, or refers to a stored row.
    /// [`Masks::written`] resolves the reference until `scratch` is written again.
    ///
    /// # Errors
    /// As [`Masks::mask`].
    pub fn write(&self, scratch: &mut Scratch) -> Result<MaskRef, Error> {
        let number = match self.known {
            Some(known) => Some(known),
            None => self.masks.make(self.state, scratch)?,
        };
        Ok(number.map_or(MaskRef(None), |number| self.masks.write_kept(number, scratch)))
    }

    /// Writes the mask to a packed row: token t is bit t % 32 of word t / 32. Words beyond the vocabulary
    /// become 0. A known mask leaves `scratch` unchanged.
    ///
    /// # Errors
    /// As [`Masks::mask`]. The row is unchanged then.
    ///
    /// # Panics
    /// Panics if the row is shorter than a mask.
    pub fn fill(&self, scratch: &mut Scratch, row: &mut [u32]) -> Result<(), Error> {
        let number = match self.known {
            Some(known) => Some(known),
            None => self.masks.make(self.state, scratch)?,
        };
        match number {
            Some(number) => self.masks.fill_kept(number, row),
            None => {
                let (front, padding) = row.split_at_mut(self.masks.vocabulary().mask_words());
                copy_row(scratch.mask().as_words(), front);
                padding.fill(0);
            }
        }
        Ok(())
    }
}

impl Masks {
    /// Looks up the mask of a state. It is computed when it is first written.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use grammask_earley::{Network, Recognizer};
    /// # use grammask_mask::{Lexicon, Masks};
    /// # use grammask_trie::{TokenId, Vocabulary};
    /// # let ast = grammask_syntax::parse("start ::= 'ab';", &Default::default())?;
    /// # let mut store = grammask_regular::Store::new(&Default::default());
    /// # let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default())?;
    /// # let network = Arc::new(Network::build(&normal, store, &Default::default())?);
    /// # let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())];
    /// # let vocabulary = Arc::new(Vocabulary::new(tokens, [], &Default::default())?);
    /// # let lexicon = Arc::new(Lexicon::new(vocabulary, &Default::default()));
    /// # let recognizer = Recognizer::new(network, &Default::default());
    /// let masks = Masks::new(recognizer, lexicon, &Default::default(), &Default::default())?;
    /// let (mut scratch, mut row) = (masks.scratch(), [0; 1]);
    /// let first = masks.recognizer().initial();
    /// assert!(!masks.at(first).is_known());
    /// masks.at(first).fill(&mut scratch, &mut row)?;
    /// assert!(masks.at(first).is_known());
    /// assert_eq!(row, [0b01]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn at(&self, state: SetId) -> StateMask<'_> {
        StateMask { masks: self, state, known: self.mask_ids.get(state.index()).map(MaskId) }
    }

    /// Writes a mask that these tables keep.
    fn write_kept(&self, MaskId(number): MaskId, scratch: &mut Scratch) -> MaskRef {
        let delta_mask = self.delta_masks.get(number);
        if let Some(row) = delta_mask.as_row() {
            return MaskRef(Some(row));
        }
        let owners = Owners { tables: self.owner, lexicon: self.lexicon.owner() };
        scratch.write(number, delta_mask, owners, |row| self.kept_row(row));
        delta_mask.count(|| self.new_row(scratch.mask().clone()));
        MaskRef(None)
    }

    /// Writes a mask that these tables keep to a packed row.
    fn fill_kept(&self, MaskId(number): MaskId, row: &mut [u32]) {
        let (front, padding) = row.split_at_mut(self.vocabulary().mask_words());
        let delta_mask = self.delta_masks.get(number);
        self.follow(delta_mask, front);
        if delta_mask.as_row().is_none() {
            delta_mask
                .count(|| self.new_row(Mask::from_words(self.vocabulary().id_count(), clone_row(front))));
        }
        padding.fill(0);
    }
}
