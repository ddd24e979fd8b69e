//! Values of numerals, by arithmetic on their digits.

/// The value in units of 10^-18, if it is an unsigned number, with an exponent only where it may have one:
/// behind one digit that is not 0.
pub fn value(word: &str, may_have_exponent: bool) -> Option<u128> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if !is_digits(whole) || !is_digits(fraction) || whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let mut power = 0;
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if !may_have_exponent || whole.len() > 1 || whole == "0" || !is_digits(digits) {
            return None;
        }
        // Beyond that nothing changes for numbers as short as here.
        power = digits.parse::<i32>().unwrap().min(12);
        power = if exponent.starts_with('-') { -power } else { power };
    }
    let zeros = (18 - fraction.len() as i32 + power).unsigned_abs();
    Some(format!("{whole}{fraction}").parse::<u128>().unwrap() * 10_u128.pow(zeros))
}
