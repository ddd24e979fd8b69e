//! Names and characters of a text in the form in which messages show them.

/// Maximum length of a name in a message, in bytes. The rest is cut off.
const MAX_NAME_BYTES: usize = 60;

/// Returns a name for a message: at most [`MAX_NAME_BYTES`] bytes of it.
pub(crate) fn shorten(name: &str) -> String {
    let cut = name.floor_char_boundary(MAX_NAME_BYTES);
    format!("{}{}", &name[..cut], if cut < name.len() { "…" } else { "" })
}

/// Returns a character for a message: as it is, or as U+XXXX if it is invisible.
pub(super) fn displayed(character: char) -> String {
    if character == ' ' || (!character.is_whitespace() && !crate::print::is_invisible(character)) {
        character.to_string()
    } else {
        format!("U+{:04X}", u32::from(character))
    }
}

/// Returns a character for a message: in backticks, or as U+XXXX if it is invisible.
pub(super) fn quoted(character: char) -> String {
    let text = displayed(character);
    if text.starts_with("U+") { text } else { format!("`{text}`") }
}
