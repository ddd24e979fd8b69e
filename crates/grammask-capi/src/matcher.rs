//! `grammask_matcher_*`: one output under a grammar.
#![expect(unsafe_code, reason = "names are exported, and pointers are the caller's")]

use std::ptr;

use grammask::{Outcome, TokenId};

use crate::Grammar;
use crate::error::{Failure, GRAMMASK_ERROR, fail, guarded};
use crate::memory::{boxed, copy_out, free, items, object, object_mut};

/// Follows one output: which tokens may come next, and where the output is.
pub struct Matcher {
    pub(crate) inner: grammask::Matcher,
}

/// Fails if the last call met a limit.
pub(crate) fn check(matcher: &grammask::Matcher) -> Result<(), Failure> {
    matcher.error().map_or(Ok(()), fail)
}

fn accepted(matcher: &grammask::Matcher, outcome: Outcome) -> Result<i32, Failure> {
    check(matcher)?;
    Ok(i32::from(outcome.is_accepted()))
}

/// Makes a matcher at the beginning of an output.
///
/// # Safety
/// `grammar` is an object of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_new(grammar: *const Grammar) -> *mut Matcher {
    guarded(ptr::null_mut(), || {
        // SAFETY: The caller's promise.
        let grammar = unsafe { object("grammar", grammar)? };
        Ok(boxed(Matcher { inner: grammar.compiled.matcher() }))
    })
}

/// Makes a matcher in the same place, which goes its own way from here.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_clone(matcher: *const Matcher) -> *mut Matcher {
    guarded(ptr::null_mut(), || {
        // SAFETY: The caller's promise.
        let matcher = unsafe { object("matcher", matcher)? };
        Ok(boxed(Matcher { inner: matcher.inner.clone() }))
    })
}

/// Accepts a token. Returns 1 if it is allowed, 0 if not, and -1 if a limit is exceeded. Nothing changes
/// unless 1 is returned.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_accept(matcher: *mut Matcher, token: u32) -> i32 {
    guarded(GRAMMASK_ERROR, || {
        // SAFETY: The caller's promise.
        let matcher = &mut unsafe { object_mut("matcher", matcher)? }.inner;
        let outcome = matcher.accept(TokenId(token));
        accepted(matcher, outcome)
    })
}

/// Accepts bytes as if they were one token; returns as `grammask_matcher_accept`.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses, `bytes` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_accept_bytes(
    matcher: *mut Matcher,
    bytes: *const u8,
    length: usize,
) -> i32 {
    guarded(GRAMMASK_ERROR, || {
        // SAFETY: The caller's promise.
        let (matcher, bytes) = unsafe { (object_mut("matcher", matcher)?, items("bytes", bytes, length)?) };
        let outcome = matcher.inner.accept_bytes(bytes);
        accepted(&matcher.inner, outcome)
    })
}

/// Returns how many of the tokens could be accepted, one after the other, or -1. Changes nothing.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses, `tokens` has `count` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_validate(
    matcher: *mut Matcher,
    tokens: *const u32,
    count: usize,
) -> i64 {
    guarded(-1, || {
        // SAFETY: The caller's promise.
        let (matcher, tokens) = unsafe { (object_mut("matcher", matcher)?, items("tokens", tokens, count)?) };
        let tokens: Vec<TokenId> = tokens.iter().copied().map(TokenId).collect();
        let valid = matcher.inner.validate(&tokens);
        check(&matcher.inner)?;
        i64::try_from(valid).or_else(|_| fail("count: more than 2^63 tokens"))
    })
}

/// Takes back the last `count` tokens. Returns 0, or -1 if fewer were accepted.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_rollback(matcher: *mut Matcher, count: usize) -> i32 {
    guarded(GRAMMASK_ERROR, || {
        // SAFETY: The caller's promise.
        let matcher = unsafe { object_mut("matcher", matcher)? };
        matcher.inner.rollback(count).or_else(fail)?;
        Ok(0)
    })
}

/// Goes back to the beginning of the output. Returns 0.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_reset(matcher: *mut Matcher) -> i32 {
    guarded(GRAMMASK_ERROR, || {
        // SAFETY: The caller's promise.
        unsafe { object_mut("matcher", matcher)? }.inner.reset();
        Ok(0)
    })
}

/// Copies the bytes that every output has next to `buffer`, as many as fit; returns their number, or -1.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses, `buffer` has `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_forced_bytes(
    matcher: *mut Matcher,
    buffer: *mut u8,
    capacity: usize,
) -> i64 {
    guarded(-1, || {
        // SAFETY: The caller's promise.
        let matcher = unsafe { object_mut("matcher", matcher)? };
        let bytes = matcher.inner.forced_bytes();
        check(&matcher.inner)?;
        // SAFETY: The caller's promise.
        unsafe { copy_out(&bytes, buffer, capacity) }
    })
}

/// Returns 1 if the output so far is in the language, 0 if not.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_is_complete(matcher: *const Matcher) -> i32 {
    // SAFETY: The caller's promise.
    guarded(GRAMMASK_ERROR, || Ok(i32::from(unsafe { object("matcher", matcher)? }.inner.is_complete())))
}

/// Returns 1 if the output has ended: nothing more is accepted. Returns 0 if not.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_is_finished(matcher: *const Matcher) -> i32 {
    // SAFETY: The caller's promise.
    guarded(GRAMMASK_ERROR, || Ok(i32::from(unsafe { object("matcher", matcher)? }.inner.is_finished())))
}

/// Frees a matcher.
///
/// # Safety
/// `matcher` is `NULL` or an object of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_free(matcher: *mut Matcher) {
    guarded((), || {
        // SAFETY: The caller's promise.
        unsafe { free(matcher) };
        Ok(())
    });
}
