//! `grammask_vocabulary_*`: the tokens of a model.
#![expect(unsafe_code, reason = "names are exported, and pointers are the caller's")]

use std::ptr;

use grammask::TokenId;

use crate::error::{Failure, fail, guarded};
use crate::memory::{boxed, free, items, object};

/// The tokens of a model, and those that end an output.
pub struct Vocabulary {
    pub(crate) tokens: grammask::Vocabulary,
    pub(crate) ends: Vec<TokenId>,
}

impl Vocabulary {
    fn new(tokens: grammask::Vocabulary, ends: &[u32]) -> *mut Self {
        boxed(Self { tokens, ends: ends.iter().copied().map(TokenId).collect() })
    }
}

/// Makes a vocabulary of `count` tokens. Token `i` has `lengths[i]` bytes, which follow those of token `i -
/// 1` in `bytes`. If `is_special[i]` is not 0, the bytes are the name of a special token, which has no text;
/// a token without bytes is left out. `is_special` may be `NULL`. `ends` are the tokens that end an output.
///
/// # Safety
/// `lengths` and `is_special` have `count` items, `bytes` as many as the sum of the lengths, `ends` has
/// `end_count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_vocabulary_new(
    bytes: *const u8,
    lengths: *const u32,
    is_special: *const u8,
    count: usize,
    ends: *const u32,
    end_count: usize,
) -> *mut Vocabulary {
    guarded(ptr::null_mut(), || {
        // SAFETY: The caller's promise.
        let (lengths, ends) = unsafe { (items("lengths", lengths, count)?, items("ends", ends, end_count)?) };
        let is_special: &[u8] = match is_special.is_null() {
            true => &[],
            // SAFETY: The caller's promise.
            false => unsafe { items("is_special", is_special, count)? },
        };
        let total = lengths.iter().try_fold(0_usize, |sum, &length| sum.checked_add(length as usize));
        let Some(total) = total else { return fail("lengths: their sum is too large") };
        // SAFETY: The caller's promise.
        let mut rest = unsafe { items("bytes", bytes, total)? };
        let (mut tokens, mut specials) = (Vec::new(), Vec::new());
        for (index, &length) in lengths.iter().enumerate() {
            let (own, others) = rest.split_at(length as usize);
            rest = others;
            let Ok(id) = u32::try_from(index).map(TokenId) else {
                return fail("count: more than 2^32 tokens");
            };
            if is_special.get(index).is_some_and(|&flag| flag != 0) {
                specials.push((id, String::from_utf8_lossy(own).into_owned()));
            } else if !own.is_empty() {
                tokens.push((id, own.to_vec()));
            }
        }
        let made = grammask::Vocabulary::new(tokens, specials).or_else(fail)?;
        Ok(Vocabulary::new(made, ends))
    })
}

/// Reads a tokenizer file: `tokenizer.json`, tiktoken, RWKV or plain JSON.
///
/// # Safety
/// `data` has `length` bytes, `ends` has `end_count` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_vocabulary_load(
    data: *const u8,
    length: usize,
    ends: *const u32,
    end_count: usize,
) -> *mut Vocabulary {
    guarded(ptr::null_mut(), || {
        // SAFETY: The caller's promise.
        let (data, ends) = unsafe { (items("data", data, length)?, items("ends", ends, end_count)?) };
        Ok(Vocabulary::new(grammask::Vocabulary::load(data).or_else(fail)?, ends))
    })
}

/// Returns the number of 32-bit words in a mask; 0 for `NULL`.
///
/// # Safety
/// `vocabulary` is an object of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_vocabulary_words(vocabulary: *const Vocabulary) -> usize {
    // SAFETY: The caller's promise.
    let words = || Ok::<_, Failure>(unsafe { object("vocabulary", vocabulary)? }.tokens.mask_words());
    guarded(0, words)
}

/// Frees a vocabulary. Grammars that were made with it stay valid.
///
/// # Safety
/// `vocabulary` is `NULL` or an object of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_vocabulary_free(vocabulary: *mut Vocabulary) {
    guarded((), || {
        // SAFETY: The caller's promise.
        unsafe { free(vocabulary) };
        Ok(())
    });
}
