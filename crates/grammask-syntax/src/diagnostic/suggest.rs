//! The neighbour of a misspelt name.

/// The candidate that is most like `name`, when one is like it: few letters changed, added, left out or swapped with their
/// neighbour. Among equally like ones the first. A candidate equal to `name` is no suggestion.
///
/// Letters that differ only in case count as equal, but a candidate that differs in something else than case loses.
///
/// # Complexity
/// Linear in the total length of the candidates, times at most 7.
///
/// # Example
///
/// ```
/// assert_eq!(grammask_syntax::suggest("vlaue", ["start", "value", "values"]), Some("value"));
/// assert_eq!(grammask_syntax::suggest("x", ["start", "value"]), None);
/// ```
///
/// # Source
/// Optimal string alignment distance (Damerau 1964, restricted), computed in a band around the diagonal.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name_bytes = name.as_bytes();
    let mut limit = most_changes(name_bytes.len());
    let mut best = None;
    let mut rows = Rows::default();
    for candidate in candidates {
        if candidate == name {
            continue;
        }
        if let Some(distance) = rows.distance(name_bytes, candidate.as_bytes(), limit) {
            best = Some(candidate);
            if distance == 0 {
                break;
            }
            limit = distance - 1;
        }
    }
    best
}

/// How many changes still make a likely mistake of a name with so many bytes.
fn most_changes(length: usize) -> usize {
    match length {
        0 | 1 => 0,
        2..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

/// Three rows of the table of distances, reused from candidate to candidate.
#[derive(Default)]
struct Rows {
    before: Vec<usize>,
    previous: Vec<usize>,
    current: Vec<usize>,
}

impl Rows {
    /// The distance, if it is at most `limit`. Row `i` holds the distances of the first `i` bytes of `left` to the
    /// beginnings of `right` whose length differs from `i` by at most `limit`; cell `j + limit - i` is length `j`.
    fn distance(&mut self, left: &[u8], right: &[u8], limit: usize) -> Option<usize> {
        if left.len().abs_diff(right.len()) > limit {
            return None;
        }
        let width = 2 * limit + 1;
        let far = limit + 1;
        for row in [&mut self.before, &mut self.previous, &mut self.current] {
            row.clear();
            row.resize(width, far);
        }
        for i in 0..=left.len() {
            self.current.fill(far);
            for cell in 0..width {
                let Some(j) = (i + cell).checked_sub(limit).filter(|&j| j <= right.len()) else { continue };
                let mut least = if i == 0 { j } else { far };
                if i > 0 {
                    // Leaving out a byte of `left` keeps `j`, which lies one cell further in the row before.
                    least = least.min(self.previous.get(cell + 1).map_or(far, |distance| distance + 1));
                }
                if j > 0 && cell > 0 {
                    least = least.min(self.current[cell - 1] + 1);
                }
                if i > 0 && j > 0 {
                    let equal = left[i - 1].eq_ignore_ascii_case(&right[j - 1]);
                    least = least.min(self.previous[cell] + usize::from(!equal));
                    let swapped = i > 1
                        && j > 1
                        && left[i - 1].eq_ignore_ascii_case(&right[j - 2])
                        && left[i - 2].eq_ignore_ascii_case(&right[j - 1]);
                    if swapped {
                        least = least.min(self.before[cell] + 1);
                    }
                }
                self.current[cell] = least.min(far);
            }
            if self.current.iter().all(|&distance| distance > limit) {
                return None;
            }
            std::mem::swap(&mut self.before, &mut self.previous);
            std::mem::swap(&mut self.previous, &mut self.current);
        }
        let last = self.previous[right.len() + limit - left.len()];
        (last <= limit).then_some(last)
    }
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
    fn the_band_gives_the_distances_of_the_whole_table() {
        // All words over two letters with up to five of them.
        let words: Vec<Vec<u8>> =
            (1..64_u8).map(|code| (0..code.ilog2()).map(|bit| b'a' + (code >> bit & 1)).collect()).collect();
        let mut rows = Rows::default();
        for left in &words {
            for right in &words {
                let distance = whole_table(left, right);
                for limit in 0..4 {
                    let expected = Some(distance).filter(|&distance| distance <= limit);
                    assert_eq!(rows.distance(left, right, limit), expected, "{left:?} {right:?} {limit}");
                }
            }
        }
    }

    #[test]
    fn likely_mistakes_are_recognized() {
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
    fn nothing_far_is_suggested() {
        for wrong in ["x", "", "list", "stop", "expressive_number", "value"] {
            assert_eq!(suggest(wrong, ["start", "value", "expression", "e"]), None, "{wrong}");
        }
    }

    #[test]
    fn the_first_of_the_nearest_wins() {
        assert_eq!(suggest("item", ["items", "itam", "iTem", "Item"]), Some("iTem"));
        assert_eq!(suggest("item", ["items", "itam"]), Some("items"));
        assert_eq!(suggest("item", ["itam", "items"]), Some("itam"));
    }
}
