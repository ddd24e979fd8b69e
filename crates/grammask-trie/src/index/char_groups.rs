//! Groups of ASCII characters that tokens and grammars mostly use together, such as lower-case letters.

/// Number of groups.
pub(super) const COUNT: u32 = 28;

/// Group of each ASCII character.
pub(super) const GROUPS: [u8; 128] = groups();

/// Returns the group of each ASCII character.
const fn groups() -> [u8; 128] {
    // Groups that a class has or lacks together have neighboring numbers: pairs, pairs of pairs, and so on.
    // The characters of words come first, because one row excludes all groups after the last one of a class.
    // The space comes before them, because most words begin with it.
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
            // The other control characters.
            _ => 11,
        };
        byte += 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::super::{ClassSignature, TextKind};
    use super::*;

    #[test]
    fn subset_tests_of_signatures_agree_with_those_of_classes() {
        assert!(GROUPS.iter().all(|&group| u32::from(group) < COUNT));
        let sets: Vec<u128> = (0..128u32)
            .flat_map(|n| [1 << n, u128::MAX >> n, u128::MAX << n, 0x7fff_ffe0_7fff_ffe0 << (n % 64)])
            .chain([0, 0x7fff_fffe_87ff_fffe_03ff_0000_0000_0000])
            .collect();
        let kinds =
            [TextKind::Ascii, TextKind::NoWhitespace, TextKind::NoLineEnds, TextKind::Utf8, TextKind::Bytes];
        for (index, &small) in sets.iter().enumerate() {
            for &large in &sets[index % 7..] {
                let (inside, outside) = (kinds[index % 5], kinds[index / 5 % 5]);
                let (above, _) = ClassSignature::approximate(small, inside);
                let (large_above, large_below) = ClassSignature::approximate(large, outside);
                let is_subset = small & !large == 0 && inside <= outside;
                assert!(!above.is_subset(large_below) || is_subset, "{small:x} {large:x}");
                assert!(above.is_subset(large_above) || !is_subset, "{small:x} {large:x}");
            }
        }
    }
}
