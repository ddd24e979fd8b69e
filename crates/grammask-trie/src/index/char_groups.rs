//! Groups of ASCII characters that mostly occur or are wanted together.

/// How many groups there are.
pub(super) const COUNT: u32 = 28;

/// The group of each character.
pub(super) const GROUPS: [u8; 128] = groups();

const fn groups() -> [u8; 128] {
    // Those that are wanted or left out together stand side by side: as pairs, pairs of pairs, and so on. What words are made of stands at the
    // front, as all that is behind the last one wanted is left out at once; and before it the space, which leads to words.
    let mut groups = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        groups[byte as usize] = match byte {
            b' ' => 0,
            b'a'..=b'f' => 1,
            b'g'..=b'z' => 2,
            b'A'..=b'F' => 3,
            b'G'..=b'Z' => 4,
            b'0'..=b'9' => 5,
            b'_' => 6,
            b'-' => 7,
            b'.' => 8,
            b'\n' => 9,
            b'\t' | b'\r' => 10,
            b'"' => 12,
            b'\\' => 13,
            b'\'' => 14,
            b'/' => 15,
            b'<' | b'>' => 16,
            b'&' => 17,
            b',' => 18,
            b':' => 19,
            b';' => 20,
            b'(' | b')' => 21,
            b'[' | b']' => 22,
            b'{' | b'}' => 23,
            b'+' | b'*' | b'%' | b'=' => 24,
            b'@' => 25,
            b'#' | b'$' | b'!' | b'?' => 26,
            b'~' | b'^' | b'|' | b'`' => 27,
            // What is named nowhere: control characters.
            _ => 11,
        };
        byte += 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::super::{Encoding, Traits};
    use super::*;

    #[test]
    fn coarse_answers_are_right_where_they_are_given() {
        assert!(GROUPS.iter().all(|&group| u32::from(group) < COUNT));
        let sets: Vec<u128> = (0..128u32)
            .flat_map(|n| [1 << n, u128::MAX >> n, u128::MAX << n, 0x7fff_ffe0_7fff_ffe0 << (n % 64)])
            .chain([0, 0x7fff_fffe_87ff_fffe_03ff_0000_0000_0000])
            .collect();
        let encodings = [Encoding::Ascii, Encoding::Words, Encoding::Lines, Encoding::Utf8, Encoding::Bytes];
        for (place, &small) in sets.iter().enumerate() {
            for &large in &sets[place % 7..] {
                let (inside, outside) = (encodings[place % 5], encodings[place / 5 % 5]);
                let (some, _) = Traits::of(small, inside);
                let (any, all) = Traits::of(large, outside);
                let is_subset = small & !large == 0 && inside <= outside;
                assert!(!some.is_subset(all) || is_subset, "{small:x} {large:x}");
                assert!(some.is_subset(any) || !is_subset, "{small:x} {large:x}");
            }
        }
    }
}
