//! The binary form of a vocabulary: the tokens in the order of the trie, each without the bytes that it
//! shares with the one before. It is read in linear time, and any bytes give a valid vocabulary or an error.

use super::{Attributes, Builder, Vocabulary, checksum};
use crate::cursor::Cursor;
use crate::{BinaryProblem, Config, Error, trie};

/// The first bytes of every file.
const MAGIC: [u8; 8] = *b"gmvocab\n";

/// Version of the format. A change of what [`Vocabulary::to_bytes`] writes makes a new one.
const VERSION: u32 = 1;

/// Maximum bytes of all tokens, per byte of the file, in addition to [`BASE_BYTES`]. Tokens in a file share
/// prefixes, so without this bound a short file could expand to any size. Vocabularies in use expand to one
/// or two bytes per byte.
const TOKEN_BYTES_PER_FILE_BYTE: usize = 16;

/// Bytes of all tokens that a file of any length may have.
const BASE_BYTES: usize = 1 << 20;

impl Vocabulary {
    /// Returns the vocabulary as bytes for [`from_bytes`](Self::from_bytes), with its ends, beginnings and
    /// rows. Equal vocabularies give equal bytes. o200k has 1.7 MB.
    ///
    /// ```
    /// # use grammask_trie::{Config, TokenId, Vocabulary};
    /// let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(7), b"ab".to_vec())];
    /// let vocabulary = Vocabulary::new(tokens, [(TokenId(9), "</s>".into())], &Config::default())?;
    /// assert_eq!(Vocabulary::from_bytes(&vocabulary.to_bytes(), &Config::default())?, vocabulary);
    /// # Ok::<(), grammask_trie::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(b) for b bytes of tokens.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(8 * self.token_count());
        for count in [self.token_count(), self.specials.len(), self.rows()] {
            write(&mut body, count as u64);
        }
        write(&mut body, u64::from(self.strips_first_space) | u64::from(self.finds_ends) << 1);
        for ids in [&self.ends, &self.begins] {
            write(&mut body, ids.len() as u64);
            ids.iter().for_each(|id| write(&mut body, id.0.into()));
        }
        for (id, name) in self.specials() {
            write(&mut body, id.0.into());
            write(&mut body, name.len() as u64);
            body.extend(name.as_bytes());
        }
        let mut last: &[u8] = &[];
        for &id in self.trie.columns().tokens {
            let bytes = self.bytes(id).unwrap_or_default();
            let shared = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            write(&mut body, id.0.into());
            write(&mut body, shared as u64);
            write(&mut body, (bytes.len() - shared) as u64);
            body.extend(&bytes[shared..]);
            last = bytes;
        }
        let mut bytes = Vec::with_capacity(body.len() + 28);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// Returns true if the bytes begin like those of [`to_bytes`](Self::to_bytes).
    pub fn is_saved(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Reads a vocabulary that [`to_bytes`](Self::to_bytes) wrote. Any bytes give a valid vocabulary or an
    /// error. The checksum detects damage, not malice.
    ///
    /// # Errors
    ///
    /// - [`Error::Binary`] if the bytes are damaged, or have another version of the format;
    /// - the errors of [`from_parts`](Self::from_parts).
    ///
    /// # Complexity
    ///
    /// O(b + n) for b bytes of tokens and n trie nodes. Memory is in proportion to the number of bytes.
    pub fn from_bytes(bytes: &[u8], config: &Config) -> Result<Self, Error> {
        let mut file = Cursor::new(bytes);
        if !Self::is_saved(bytes) {
            return Err(file.error(BinaryProblem::Magic("`gmvocab`")));
        }
        file.take(MAGIC.len() as u64)?;
        let place = file;
        let found = file.u32()?;
        if found != VERSION {
            return Err(place.error(BinaryProblem::Version { found, supported: "1" }));
        }
        let place = file;
        let expected = u128::from_le_bytes(file.array()?);
        let mut rest = file;
        let found = checksum(rest.rest());
        if found != expected {
            return Err(place.error(BinaryProblem::Checksum { found, expected }));
        }
        read(&mut file, bytes.len(), config)
    }
}

/// Reads what follows the checksum.
fn read(file: &mut Cursor<'_>, file_bytes: usize, config: &Config) -> Result<Vocabulary, Error> {
    let [tokens, specials, rows] = [file.varint()?, file.varint()?, file.varint()?];
    let flags = file.varint()?;
    let (strips_first_space, finds_ends) = (flags & 1 != 0, flags & 2 != 0);
    let mut lists = [Vec::new(), Vec::new()];
    for list in &mut lists {
        for _ in 0..file.varint()? {
            list.push(config.limits.check_id(file.varint()?)?);
        }
    }
    let [ends, begins] = lists;
    let mut builder = Builder::new(config);
    for _ in 0..specials {
        let (id, length) = (file.varint()?, file.varint()?);
        let place = *file;
        let name = str::from_utf8(file.take(length)?).map_err(|_| place.error(BinaryProblem::Utf8))?;
        builder.special(id, name)?;
    }
    let max_bytes = file_bytes.saturating_mul(TOKEN_BYTES_PER_FILE_BYTE).saturating_add(BASE_BYTES);
    // Each byte of a suffix is a node of the trie.
    let mut trie =
        trie::Builder::new(usize::try_from(tokens).unwrap_or(file_bytes).min(file_bytes), file_bytes);
    let mut last: Vec<u8> = Vec::new();
    let mut last_id = None;
    let mut total = 0usize;
    for _ in 0..tokens {
        let place = *file;
        let (id, shared, length) = (file.varint()?, file.varint()?, file.varint()?);
        let suffix = file.take(length)?;
        let shared = usize::try_from(shared).ok().filter(|&shared| shared <= last.len());
        let shared = shared.ok_or_else(|| {
            place.error(BinaryProblem::Value("a token shares more bytes than the one before has"))
        })?;
        let ascends = match (suffix.first(), last.get(shared)) {
            (Some(byte), Some(before)) => byte > before,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => last_id.is_none_or(|last| last < id),
        };
        if !ascends {
            return Err(place.error(BinaryProblem::Value("the tokens are not in order")));
        }
        last.truncate(shared);
        last.extend_from_slice(suffix);
        last_id = Some(id);
        total = total.saturating_add(last.len());
        if total > max_bytes {
            return Err(
                place.error(BinaryProblem::Value("the tokens share more bytes than a vocabulary does"))
            );
        }
        builder.token(id, &last)?;
        trie.push(config.limits.check_id(id)?, shared, suffix);
    }
    if !file.is_at_end() {
        return Err(file.error(BinaryProblem::Value("there are bytes after the last token")));
    }
    let rows = usize::try_from(rows).ok();
    builder.attributes = Attributes { ends: Some(ends), begins: Some(begins), strips_first_space, rows };
    builder.finds_ends = finds_ends;
    builder.finish_with(Some(trie.finish()))
}

/// Writes a number in groups of seven bits, the lowest first.
#[expect(clippy::cast_possible_truncation, reason = "the lowest bits are meant")]
fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TokenId;

    fn sample() -> Vocabulary {
        let tokens: [(u32, &[u8]); 6] =
            [(300, b"a"), (2, b"ab"), (1, b"ab"), (0, b""), (7, b"\xff\0"), (5, b"abcdefghi")];
        let tokens = tokens.map(|(id, bytes)| (TokenId(id), bytes.to_vec()));
        let special = [(TokenId(3), "</s>".to_owned()), (TokenId(4), "<s>".to_owned())];
        let attributes = Attributes {
            ends: Some(vec![TokenId(7), TokenId(3)]),
            begins: None,
            strips_first_space: true,
            rows: Some(320),
        };
        Vocabulary::from_parts(tokens, special, attributes, &Config::default()).unwrap()
    }

    /// Returns a file with this body and its checksum.
    fn file(body: &[u8]) -> Vec<u8> {
        [&MAGIC[..], &VERSION.to_le_bytes(), &checksum(body).to_le_bytes(), body].concat()
    }

    fn says(bytes: &[u8]) -> String {
        Vocabulary::from_bytes(bytes, &Config::default()).unwrap_err().to_string()
    }

    #[test]
    fn vocabularies_are_read_as_they_were_written() {
        for vocabulary in [sample(), Vocabulary::new([], [], &Config::default()).unwrap()] {
            let bytes = vocabulary.to_bytes();
            let read = Vocabulary::from_bytes(&bytes, &Config::default()).unwrap();
            read.check().unwrap();
            assert_eq!(read, vocabulary);
            assert_eq!(read.to_bytes(), bytes);
        }
    }

    #[test]
    fn damaged_bytes_have_the_place_of_the_damage() {
        let bytes = sample().to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Vocabulary::from_bytes(&damaged, &Config::default()).is_err(), "{at}");
            assert!(Vocabulary::from_bytes(&bytes[..at], &Config::default()).is_err(), "{at}");
        }
        // Counts of tokens, specials, rows, the flag, ends and beginnings; then tokens.
        let with = |tokens: &[u8]| says(&file(&[&[2, 0, 0, 0, 0, 0][..], tokens].concat()));
        assert_eq!(
            with(&[0, 0, 1, b'a', 1, 2, 0]),
            "byte 38: a token shares more bytes than the one before has"
        );
        assert_eq!(with(&[0, 0, 1, b'b', 1, 0, 1, b'a']), "byte 38: the tokens are not in order");
        assert_eq!(with(&[1, 0, 1, b'a', 0, 1, 0]), "byte 38: the tokens are not in order");
        assert_eq!(with(&[0, 0, 1, b'a', 1, 1, 0, 9]), "byte 41: there are bytes after the last token");
        assert_eq!(with(&[0, 0, 1, b'a']), "byte 38: the file ends 1 bytes before the end of this value");
        assert_eq!(says(b"gmvocab\n\x02\0\0\0"), "byte 8: version 2 of the format is not supported, only 1");
    }

    #[test]
    fn shared_bytes_do_not_multiply_the_memory() {
        // A long token, then many that share it.
        let mut body = Vec::new();
        for number in [1 << 20, 0, 0, 0, 0, 0] {
            write(&mut body, number);
        }
        for id in 0..10_000u64 {
            write(&mut body, id);
            let (shared, length) = if id == 0 { (0, 60_000) } else { (60_000, 0) };
            write(&mut body, shared);
            write(&mut body, length);
            body.extend(vec![b'a'; length as usize]);
        }
        assert!(says(&file(&body)).ends_with("the tokens share more bytes than a vocabulary does"));
    }
}
