//! Compares token sets with the Roaring bitmaps that they convert to.
#![cfg(feature = "roaring")]

use grammask_trie::{Config, Error, Limit, TokenId, TokenSet};
use proptest::collection::vec;
use proptest::prelude::*;
use roaring::RoaringBitmap;

/// Lists of ids for all three forms and for several containers of 65,536 ids.
fn ids() -> impl Strategy<Value = Vec<u32>> {
    let scattered = vec(0u32..200_000, 0..40);
    let dense = vec(65_000u32..66_000, 0..600);
    let ranges = vec((0u32..140_000, 0u32..9_000), 0..5)
        .prop_map(|ranges| ranges.into_iter().flat_map(|(first, count)| first..first + count).collect());
    prop_oneof![scattered, dense, ranges]
}

proptest! {
    #[test]
    fn conversions_keep_the_ids(ids in ids()) {
        let set: TokenSet = ids.iter().copied().map(TokenId).collect();
        let bitmap = RoaringBitmap::from(&set);
        prop_assert_eq!(&bitmap, &ids.iter().copied().collect::<RoaringBitmap>());
        let back = TokenSet::from(&bitmap);
        back.check().unwrap();
        prop_assert_eq!(&back, &set);
        let bytes = set.to_roaring_bytes();
        prop_assert_eq!(TokenSet::from_roaring_bytes(&bytes, &Config::default()), Ok(set));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in vec(any::<u8>(), 0..60)) {
        let _ = TokenSet::from_roaring_bytes(&bytes, &Config::default());
    }
}

/// The bytes of the format specification: a bitmap without run containers with the ids 1, 2 and 4.
#[test]
fn portable_format_is_that_of_the_specification() {
    let set: TokenSet = [1, 2, 4].map(TokenId).into_iter().collect();
    let header = [0x3A, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 16, 0, 0, 0];
    let expected = [&header[..], &[1, 0, 2, 0, 4, 0]].concat();
    assert_eq!(set.to_roaring_bytes(), expected);
}

#[test]
fn wrong_bytes_and_huge_ids_are_errors() {
    let config = Config::default();
    let mut bytes = TokenSet::new(&[TokenId(7)]).to_roaring_bytes();
    bytes.push(0);
    let error = TokenSet::from_roaring_bytes(&bytes, &config).unwrap_err();
    assert_eq!(error.to_string(), "the bytes are not a Roaring bitmap: 1 bytes after the end of the bitmap");
    assert!(matches!(TokenSet::from_roaring_bytes(b"x", &config), Err(Error::Roaring { .. })));
    let huge = TokenSet::new(&[TokenId(1 << 24)]).to_roaring_bytes();
    let Err(Error::LimitExceeded { id, exceeded }) = TokenSet::from_roaring_bytes(&huge, &config) else {
        panic!("an id that is not below `max_ids`")
    };
    assert_eq!((id, exceeded.limit), (Some(1 << 24), Limit::MaxIds));
}
