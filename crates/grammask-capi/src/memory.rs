//! Reading and writing the memory of the caller. All `unsafe` blocks on pointers are here.
#![expect(unsafe_code, reason = "the memory is the caller's")]

use crate::error::{Failure, fail};

/// Returns the object of a pointer.
///
/// # Safety
/// The pointer is null, or the caller got it from this library and has not freed it.
pub unsafe fn object<'a, T>(name: &str, pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: Valid unless it is null, by the condition of this function.
    unsafe { pointer.as_ref() }.map_or_else(|| fail(format_args!("{name}: the pointer is NULL")), Ok)
}

/// Returns the object of a pointer, to change it.
///
/// # Safety
/// As [`object`], and no other call uses the object at the same time.
pub unsafe fn object_mut<'a, T>(name: &str, pointer: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: Valid and unique unless it is null, by the condition of this function.
    unsafe { pointer.as_mut() }.map_or_else(|| fail(format_args!("{name}: the pointer is NULL")), Ok)
}

/// Returns `count` items. A null pointer is an error unless there are none.
///
/// # Safety
/// The pointer is null, or at least `count` items are there and no other thread writes them.
pub unsafe fn items<'a, T>(name: &str, pointer: *const T, count: usize) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || !pointer.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return fail(format_args!(
            "{name}: the pointer is NULL or not aligned, or {count} items are too many"
        ));
    }
    // SAFETY: Not null, aligned, of a possible length, and valid by the condition of this function.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns `count` items, to write them.
///
/// # Safety
/// As [`items`], and no other thread uses them during the call.
pub unsafe fn items_mut<'a, T>(name: &str, pointer: *mut T, count: usize) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() || !pointer.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return fail(format_args!(
            "{name}: the pointer is NULL or not aligned, or {count} items are too many"
        ));
    }
    // SAFETY: Not null, aligned, of a possible length, and valid and unique by the condition of this
    // function.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Returns a text.
///
/// # Safety
/// As [`items`].
pub unsafe fn text<'a>(name: &str, pointer: *const u8, length: usize) -> Result<&'a str, Failure> {
    // SAFETY: The condition is the same.
    let bytes = unsafe { items(name, pointer, length) }?;
    std::str::from_utf8(bytes).or_else(|error| fail(format_args!("{name}: {error}")))
}

/// Moves a value to the heap, for [`free`].
pub fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Frees what [`boxed`] made.
///
/// # Safety
/// The pointer is null, or `boxed` made it and it was not freed.
pub unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: Made by `boxed`, by the condition of this function.
        drop(unsafe { Box::from_raw(pointer) });
    }
}

/// Copies bytes to the caller, as many as fit; returns how many there are.
///
/// # Safety
/// As [`items_mut`].
pub unsafe fn copy_out(bytes: &[u8], pointer: *mut u8, capacity: usize) -> Result<i64, Failure> {
    if capacity > 0 && !pointer.is_null() {
        let count = bytes.len().min(capacity);
        // SAFETY: The condition is the same; `count` is at most `capacity`.
        unsafe { items_mut("buffer", pointer, count) }?.copy_from_slice(&bytes[..count]);
    }
    i64::try_from(bytes.len()).or_else(|_| fail("more than 2^63 bytes"))
}
