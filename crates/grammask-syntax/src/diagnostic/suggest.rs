//! Suggestions for a misspelt name: "did you mean ...?".

use strsim::osa_distance;

/// Returns the candidate that is most similar to `name`: with the fewest letters changed, inserted, deleted,
/// or swapped with their neighbor. Among equally similar candidates, returns the first one. Returns `None` if
/// no candidate is similar enough for a typo. A candidate equal to `name` is ignored.
///
/// ASCII letters are compared without their case.
///
/// # Complexity
/// O(c + n d^2) for n candidates of c bytes together. Here d is the length of the part in which a candidate
/// differs from `name`, in bytes. It is at most 256, because candidates with longer differences are not
/// suggested.
///
/// # Example
///
/// ```
/// assert_eq!(grammask_syntax::suggest("vlaue", ["start", "value", "values"]), Some("value"));
/// assert_eq!(grammask_syntax::suggest("x", ["start", "value"]), None);
/// ```
///
/// # Source
/// Optimal string alignment distance: F. J. Damerau, "A technique for computer detection and correction of
/// spelling errors", Communications of the ACM 7 (1964), restricted to one edit per substring.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut limit = max_edits(name.len());
    let mut best = None;
    for candidate in candidates.into_iter().filter(|&candidate| candidate != name) {
        if let Some(distance) = distance_within(name, candidate, limit) {
            best = Some(candidate);
            if distance == 0 {
                break;
            }
            limit = distance - 1;
        }
    }
    best
}

/// Returns the number of edits up to which a name of this length, in bytes, is a likely typo.
fn max_edits(length: usize) -> usize {
    match length {
        0 | 1 => 0,
        2..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

/// Maximum length of the parts in which two names may differ, in bytes. The time for a distance is quadratic
/// in it.
const MAX_DIFFERENCE_BYTES: usize = 256;

/// Returns the distance of two names, without the case of ASCII letters. Returns `None` if it is more than
/// `limit`.
fn distance_within(left: &str, right: &str, limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let (left, right) = without_common_ends(left, right);
    let longer = left.len().max(right.len());
    if longer > MAX_DIFFERENCE_BYTES || (limit == 0 && longer > 0) {
        return None;
    }
    let distance = osa_distance(&left.to_ascii_lowercase(), &right.to_ascii_lowercase());
    (distance <= limit).then_some(distance)
}

/// Removes the longest common prefix and the longest common suffix, without the case of ASCII letters. The
/// distance of the rest is the distance of the whole.
fn without_common_ends<'a>(left: &'a str, right: &'a str) -> (&'a str, &'a str) {
    let is_equal = |(left, right): &(char, char)| left.eq_ignore_ascii_case(right);
    let prefix = left.chars().zip(right.chars()).take_while(is_equal);
    let length: usize = prefix.map(|(character, _)| character.len_utf8()).sum();
    let (left, right) = (&left[length..], &right[length..]);
    let suffix = left.chars().rev().zip(right.chars().rev()).take_while(is_equal);
    let length: usize = suffix.map(|(character, _)| character.len_utf8()).sum();
    (&left[..left.len() - length], &right[..right.len() - length])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance by its definition: the whole table, letters as they are.
    fn whole_table(left: &[u8], right: &[u8]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                table[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => {
                        let changed = table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                        let mut least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                        if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                            least = least.min(table[i - 2][j - 2] + 1);
                        }
                        least
                    }
                };
            }
        }
        table[left.len()][right.len()]
    }

    #[test]
    fn distances_are_those_of_the_definition() {
        // All words over two letters with up to five of them.
        let words: Vec<String> = (1..64_u8)
            .map(|code| (0..code.ilog2()).map(|bit| char::from(b'a' + (code >> bit & 1))).collect())
            .collect();
        for left in &words {
            for right in &words {
                let distance = whole_table(left.as_bytes(), right.as_bytes());
                for limit in 0..4 {
                    let expected = Some(distance).filter(|&distance| distance <= limit);
                    assert_eq!(distance_within(left, right, limit), expected, "{left:?} {right:?} {limit}");
                }
            }
        }
    }

    #[test]
    fn likely_typos_are_recognized() {
        let names = ["start", "value", "values", "expression", "expr", "e", "ws"];
        for (wrong, right) in [
            ("Start", "start"),
            ("vaule", "value"),
            ("vlaues", "values"),
            ("expresion", "expression"),
            ("exprssoin", "expression"),
            ("EXPR", "expr"),
            ("WS", "ws"),
            ("wss", "ws"),
        ] {
            assert_eq!(suggest(wrong, names), Some(right), "{wrong}");
        }
    }

    #[test]
    fn distant_names_are_not_suggested() {
        for wrong in ["x", "", "list", "stop", "expressive_number", "value"] {
            assert_eq!(suggest(wrong, ["start", "value", "expression", "e"]), None, "{wrong}");
        }
    }

    #[test]
    fn first_of_the_nearest_names_wins() {
        assert_eq!(suggest("item", ["items", "itam", "iTem", "Item"]), Some("iTem"));
        assert_eq!(suggest("item", ["items", "itam"]), Some("items"));
        assert_eq!(suggest("item", ["itam", "items"]), Some("itam"));
    }
}
