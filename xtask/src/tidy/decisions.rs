//! Every entry of docs/decisions.md has a question, a choice, what was rejected, and what would change it, in
//! this order.

use super::Finding;

/// Parts of an entry, in order.
const PARTS: [&str; 4] = ["Question", "Choice", "Rejected", "Would change our mind"];

/// Checks the entries, if the file is docs/decisions.md.
pub fn check(path: &str, content: &str) -> Vec<Finding> {
    if path != "docs/decisions.md" {
        return Vec::new();
    }
    let lines: Vec<&str> = content.lines().collect();
    let headings: Vec<usize> = (0..lines.len()).filter(|&line| lines[line].starts_with("## ")).collect();
    let ends = headings.iter().skip(1).copied().chain([lines.len()]);
    let mut findings = Vec::new();
    for (&heading, end) in headings.iter().zip(ends) {
        let title = lines[heading].trim_start_matches("## ");
        let mut finding = |message| {
            findings.push(Finding { path: path.to_owned(), line: heading + 1, message });
        };
        let place = |part: &str| {
            let opening = format!("**{part}.** ");
            lines[heading..end]
                .iter()
                .position(|line| line.starts_with(&opening) || *line == opening.trim_end())
        };
        let places = PARTS.map(place);
        for (part, _) in PARTS.iter().zip(places).filter(|(_, place)| place.is_none()) {
            finding(format!("the entry `{title}` has no **{part}.**"));
        }
        if !places.iter().flatten().is_sorted() {
            finding(format!("the parts of the entry `{title}` are not in order: {}", PARTS.join(", ")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(content: &str) -> Vec<String> {
        check("docs/decisions.md", content).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_entry_with_four_parts_in_order_is_fine() {
        let entry = "# D\n\n## A\n\n**Question.** q\n\n**Choice.**\n\n- c\n\n**Seen.** s\n\n**Rejected.** r\n\n**Would change our mind.** w\n";
        assert_eq!(messages(entry), [""; 0]);
        assert_eq!(check("docs/kbnf.md", "## A\n"), []);
    }

    #[test]
    fn what_is_missing_or_out_of_order_is_found() {
        let entries = "## A\n**Choice.** c\n**Question.** q\n**Rejected.** r\n**Would change our mind.** w\n\
            ## B\n**Question.** q\n**Choice.** c\n**Would change our mind.** w\n";
        assert_eq!(
            messages(entries),
            [
                "docs/decisions.md:1: the parts of the entry `A` are not in order: Question, Choice, Rejected, Would change our mind",
                "docs/decisions.md:6: the entry `B` has no **Rejected.**",
            ]
        );
    }
}
