//! Reads values from a binary file. Each error has the byte offset of its value. No read allocates, so memory
//! is in proportion to the file, whatever lengths it states.

use crate::{BinaryProblem, Error};

/// A position in the bytes of a file.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    /// Byte offset in the file of the beginning of `bytes`.
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns an error at the current offset.
    pub(crate) fn error(&self, problem: BinaryProblem) -> Error {
        Error::Binary { offset: self.offset, problem }
    }

    /// Takes `count` bytes.
    pub(crate) fn take(&mut self, count: u64) -> Result<&'a [u8], Error> {
        let split = usize::try_from(count).ok().and_then(|count| self.bytes.split_at_checked(count));
        let Some((taken, rest)) = split else {
            let missing = count - self.bytes.len() as u64;
            return Err(self.error(BinaryProblem::End { missing }));
        };
        self.bytes = rest;
        self.offset += taken.len();
        Ok(taken)
    }

    /// Takes `count` bytes as a file of their own, with offsets in this one.
    #[cfg(feature = "loaders")]
    pub(crate) fn part(&mut self, count: u64) -> Result<Self, Error> {
        let offset = self.offset;
        Ok(Self { bytes: self.take(count)?, offset })
    }

    /// Takes all bytes.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        self.offset += self.bytes.len();
        std::mem::take(&mut self.bytes)
    }

    /// Takes a fixed number of bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self.take(N as u64)?;
        let mut array = [0; N];
        array.copy_from_slice(taken);
        Ok(array)
    }

    /// Takes a little-endian number of 32 bits.
    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    /// Takes a little-endian number of 64 bits.
    #[cfg(feature = "loaders")]
    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }

    /// Takes a number in groups of seven bits, the lowest first (LEB128, the varint of protobuf).
    pub(crate) fn varint(&mut self) -> Result<u64, Error> {
        let start = *self;
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let group = u64::from(byte & 0x7f);
            if shift == 63 && group > 1 {
                break;
            }
            value |= group << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(start.error(BinaryProblem::Number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_more_than_64_bits_are_errors() {
        let number = |bytes: &[u8]| Cursor::new(bytes).varint();
        assert_eq!(number(&[0x7f]), Ok(127));
        assert_eq!(number(&[0x80, 1]), Ok(128));
        let max = [&[0xff; 9][..], &[1]].concat();
        assert_eq!(number(&max), Ok(u64::MAX));
        let problem = |problem| Err(Error::Binary { offset: 0, problem });
        assert_eq!(number(&[&[0xff; 9][..], &[2]].concat()), problem(BinaryProblem::Number));
        assert_eq!(number(&[0xff; 10]), problem(BinaryProblem::Number));
        let end = BinaryProblem::End { missing: 1 };
        assert_eq!(number(&[0xff; 9]), Err(Error::Binary { offset: 9, problem: end }));
    }
}
