//! A histogram of times as SVG, with a logarithmic time axis and two series side by side, for light and dark
//! pages.

use std::fmt::Write;

use crate::timing::{Times, readable};

/// Size of the picture, and the edges of the plot in it.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 740.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 320.0;

/// Number of bars of each series per power of ten.
const BARS_PER_DECADE: usize = 10;

/// Characters of the title that fit into the picture. Longer titles are cut.
const MAX_TITLE_CHARS: usize = 90;

const STYLE: &str = "\
text { font: 12px sans-serif; fill: #1f2328 } .title { font-size: 15px; font-weight: bold } .frame { fill: #ffffff }
.grid { stroke: #d0d7de } .axis { stroke: #57606a } .a { fill: #0969da } .b { fill: #d4700b }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .frame { fill: #0d1117 } .grid { stroke: #30363d } .axis { stroke: #8b949e } .a { fill: #58a6ff } .b { fill: #f0a04b }
}";

/// Draws a histogram: for each of two series, the share of its times that fall into each bar.
pub(crate) fn draw(title: &str, subtitle: &str, series: [(&str, &Times); 2]) -> String {
    let (first_decade, last_decade) = decades(series);
    let bars = (last_decade - first_decade) * BARS_PER_DECADE;
    let shares = series.map(|(_, times)| shares(times, first_decade, bars));
    let highest = shares.iter().flatten().copied().fold(0.0, f64::max);
    let top = [5.0, 10.0, 20.0, 40.0, 60.0, 80.0].into_iter().find(|&top| highest <= top).unwrap_or(100.0);
    let x = |bar: f64| LEFT + (RIGHT - LEFT) * bar / bars as f64;
    let y = |share: f64| BOTTOM - (BOTTOM - TOP) * share / top;

    let mut svg = String::new();
    let mut add = |line: std::fmt::Arguments<'_>| writeln!(svg, "{line}").expect("a text can be written to");
    add(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">"#
    ));
    let (title, subtitle) = (escaped(title), escaped(subtitle));
    add(format_args!("<title>{title}</title>\n<style>\n{STYLE}\n</style>"));
    add(format_args!(r#"<rect class="frame" width="{WIDTH}" height="{HEIGHT}" rx="6"/>"#));
    add(format_args!(r#"<text class="title" x="{LEFT}" y="26">{title}</text>"#));
    add(format_args!(r#"<text x="{LEFT}" y="44">{subtitle}</text>"#));
    for (place, (kind, times)) in series.into_iter().enumerate() {
        let at = LEFT + place as f64 * (RIGHT - LEFT) / 2.0;
        let summary = times.summary();
        let (p50, p99) = (precise(summary.p50), precise(summary.p99));
        add(format_args!(r#"<rect class="{}" x="{at}" y="57" width="11" height="11"/>"#, ["a", "b"][place]));
        let text = escaped(&format!("{kind}: {}, p50 {p50}, p99 {p99}", times.len()));
        add(format_args!(r#"<text x="{}" y="67">{text}</text>"#, at + 16.0));
    }
    for quarter in 0..=4 {
        let share = top * f64::from(quarter) / 4.0;
        let at = y(share);
        add(format_args!(r#"<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{at:.1}" y2="{at:.1}"/>"#));
        let end = LEFT - 6.0;
        add(format_args!(r#"<text x="{end}" y="{:.1}" text-anchor="end">{share} %</text>"#, at + 4.0));
    }
    for decade in first_decade..=last_decade {
        let at = x(((decade - first_decade) * BARS_PER_DECADE) as f64);
        add(format_args!(r#"<line class="grid" x1="{at:.1}" x2="{at:.1}" y1="{TOP}" y2="{BOTTOM}"/>"#));
        let label = power_of_ten(decade);
        add(format_args!(r#"<text x="{at:.1}" y="{}" text-anchor="middle">{label}</text>"#, BOTTOM + 18.0));
    }
    for (place, shares) in shares.iter().enumerate() {
        let class = ["a", "b"][place];
        for (bar, &share) in shares.iter().enumerate().filter(|&(_, &share)| share > 0.0) {
            let (from, to) = (x(bar as f64 + 0.5 * place as f64), x(bar as f64 + 0.5 * (place + 1) as f64));
            // Keep the rarest bars visible.
            let height = (BOTTOM - y(share)).max(1.5);
            add(format_args!(
                r#"<rect class="{class}" x="{from:.2}" y="{:.2}" width="{:.2}" height="{height:.2}"/>"#,
                BOTTOM - height,
                to - from
            ));
        }
    }
    add(format_args!(r#"<line class="axis" x1="{LEFT}" x2="{RIGHT}" y1="{BOTTOM}" y2="{BOTTOM}"/>"#));
    let middle = (LEFT + RIGHT) / 2.0;
    let low = BOTTOM + 42.0;
    add(format_args!(
        r#"<text x="{middle}" y="{low}" text-anchor="middle">time of a mask (logarithmic)</text>"#
    ));
    let middle = (TOP + BOTTOM) / 2.0;
    add(format_args!(
        r#"<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">share of its kind</text>"#
    ));
    add(format_args!("</svg>"));
    svg
}

/// Returns the powers of ten, in nanoseconds, that enclose all times: at least two decades.
fn decades(series: [(&str, &Times); 2]) -> (usize, usize) {
    let all = || series.into_iter().flat_map(|(_, times)| times.nanoseconds()).map(|&time| time.max(1));
    let first = all().min().map_or(1, |least| least.ilog10() as usize);
    let last = all().max().map_or(1, |most| most.ilog10() as usize + 1);
    (first, last.max(first + 2))
}

/// Returns the share of the times in each bar, in percent.
fn shares(times: &Times, first_decade: usize, bars: usize) -> Vec<f64> {
    let mut counts = vec![0_usize; bars];
    for &time in times.nanoseconds() {
        let bar = ((time.max(1) as f64).log10() - first_decade as f64) * BARS_PER_DECADE as f64;
        // Rounding can lead just outside of the range.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole bars are meant")]
        let bar = (bar.max(0.0) as usize).min(bars - 1);
        counts[bar] += 1;
    }
    counts.into_iter().map(|count| 100.0 * count as f64 / times.len().max(1) as f64).collect()
}

/// Returns a time with a unit, in nanoseconds below a microsecond.
fn precise(nanoseconds: u64) -> String {
    if nanoseconds < 1000 { format!("{nanoseconds} ns") } else { readable(nanoseconds) }
}

/// Returns a power of ten, in nanoseconds, with a suitable unit.
fn power_of_ten(decade: usize) -> String {
    let zeros = "0".repeat(decade % 3);
    match ["ns", "us", "ms", "s"].get(decade / 3) {
        Some(unit) => format!("1{zeros} {unit}"),
        None => format!("1{} s", "0".repeat(decade - 9)),
    }
}

/// Escapes a text for XML, replaces characters that XML forbids, and cuts it to [`MAX_TITLE_CHARS`].
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for (place, character) in text.chars().enumerate() {
        if place == MAX_TITLE_CHARS {
            escaped.push('…');
            break;
        }
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn times(nanoseconds: &[u64]) -> Times {
        let mut times = Times::default();
        times.extend(nanoseconds.iter().map(|&time| Duration::from_nanos(time)));
        times
    }

    #[test]
    fn every_time_is_in_one_bar() {
        let all = times(&[0, 1, 9, 10, 99, 100, 1_000, 999_999, 1_000_000]);
        let (first, last) = decades([("", &all), ("", &Times::default())]);
        assert_eq!((first, last), (0, 7));
        let shares = shares(&all, first, (last - first) * BARS_PER_DECADE);
        assert!((shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        for (decade, count) in [3, 2, 1, 1, 0, 1, 1].into_iter().enumerate() {
            let share: f64 = shares[decade * BARS_PER_DECADE..][..BARS_PER_DECADE].iter().sum();
            assert!((share - 100.0 * f64::from(count) / 9.0).abs() < 1e-9, "{decade}: {share}");
        }
    }

    #[test]
    fn extreme_times_are_drawn_inside_the_frame() {
        for series in [[&[][..], &[]], [&[0], &[u64::MAX]], [&[7, 7, 7], &[]]] {
            let [a, b] = series.map(times);
            let svg = draw("t", "s", [("a", &a), ("b", &b)]);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            for bar in svg.lines().filter(|line| line.starts_with("<rect class=\"a\"")) {
                let x = bar.split("x=\"").nth(1).and_then(|rest| rest.split('"').next());
                let x: f64 = x.unwrap().parse().unwrap();
                assert!((LEFT..RIGHT).contains(&x), "{bar}");
            }
        }
    }

    #[test]
    fn titles_are_escaped_and_cut() {
        assert_eq!(escaped("<a> & \u{1}"), "&lt;a&gt; &amp; \u{fffd}");
        assert_eq!(escaped(&"é".repeat(1000)).chars().count(), MAX_TITLE_CHARS + 1);
    }

    #[test]
    fn powers_of_ten_have_their_unit() {
        let labels = [0, 2, 3, 5, 8, 9, 11, 12].map(power_of_ten);
        assert_eq!(labels, ["1 ns", "100 ns", "1 us", "100 us", "100 ms", "1 s", "100 s", "1000 s"]);
    }
}
