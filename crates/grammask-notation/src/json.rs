//! JSON texts with places: a reader of one string, and of values with their spans.

use grammask_syntax::Span;
use grammask_work::narrow;

/// Reads the JSON string that begins at byte `start` of a text. Returns its value and the offset after its
/// closing quote.
///
/// ```
/// use grammask_notation::json::read_string;
///
/// assert_eq!(read_string(r#"["a\n"]"#, 1), Ok(("a\n".to_owned(), 6)));
/// assert_eq!(read_string(r#"["a]"#, 1), Err((1, "the string is not closed")));
/// ```
///
/// # Errors
/// The offset of the error, and a message.
pub fn read_string(text: &str, start: usize) -> Result<(String, usize), (usize, &'static str)> {
    let bytes = text.as_bytes();
    if bytes.get(start) != Some(&b'"') {
        return Err((start, "a string is missing"));
    }
    let mut value = String::new();
    let mut at = start + 1;
    loop {
        let rest = &text[at..];
        let length = rest.find(|char| matches!(char, '"' | '\\') || char < ' ').unwrap_or(rest.len());
        value.push_str(&rest[..length]);
        at += length;
        match bytes.get(at) {
            Some(b'"') => return Ok((value, at + 1)),
            Some(b'\\') => {
                let (char, length) = escape(&text[at..]).ok_or((at, "not an escape of JSON"))?;
                value.push(char);
                at += length;
            }
            Some(_) => return Err((at, "a control character must be escaped")),
            None => return Err((start, "the string is not closed")),
        }
    }
}

/// Returns the character and the length of the escape at the start of a text. A lone surrogate is U+FFFD.
fn escape(text: &str) -> Option<(char, usize)> {
    let char = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\x08',
        b'f' => '\x0C',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = |at: usize| {
                let digits = text.get(at..at + 4)?;
                digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
                u32::from_str_radix(digits, 16).ok()
            };
            let high = unit(2)?;
            if (0xD800..0xDC00).contains(&high)
                && text.get(6..8) == Some("\\u")
                && let Some(low @ 0xDC00..=0xDFFF) = unit(8)
            {
                let point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Some((char::from_u32(point)?, 12));
            }
            return Some((char::from_u32(high).unwrap_or('\u{FFFD}'), 6));
        }
        _ => return None,
    };
    Some((char, 2))
}

/// A JSON text with the place of each value. Numbers keep their digits. Objects keep their order and repeated
/// keys.
///
/// ```
/// use grammask_notation::json::{Document, Kind};
///
/// let document = Document::read(r#"{"a": [1, "x"]}"#, 10).unwrap();
/// let list = document.root().get("a").unwrap();
/// let Kind::Array(items) = list.kind() else { panic!() };
/// assert_eq!(document.value(items[1]).as_str(), Some("x"));
/// assert_eq!((list.span().start, list.span().end), (6, 14));
/// assert_eq!(Document::read("[[1]]", 1).unwrap_err().1, "more than 1 levels of arrays and objects");
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    nodes: Vec<(Kind, Span)>,
}

/// The id of a value in its [`Document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueId(u32);

/// A JSON value without its place.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number, as it is written.
    Number(String),
    /// A string, without escapes.
    String(String),
    /// An array.
    Array(Vec<ValueId>),
    /// The keys with their values, in order.
    Object(Vec<(String, ValueId)>),
}

/// A value of a [`Document`].
#[derive(Clone, Copy, Debug)]
pub struct Value<'d> {
    document: &'d Document,
    id: ValueId,
}

impl Document {
    /// Reads a JSON text with at most `max_nesting` levels of arrays and objects.
    ///
    /// # Errors
    /// The offset of the error, and a message.
    ///
    /// # Complexity
    /// Linear in the text.
    pub fn read(text: &str, max_nesting: usize) -> Result<Self, (usize, String)> {
        let mut reader = Reader { text, at: 0, nodes: Vec::new(), open: Vec::new(), max_nesting };
        reader.run().map_err(|(at, message)| (at.min(text.len()), message))?;
        Ok(Self { nodes: reader.nodes })
    }

    /// Returns the whole value.
    pub const fn root(&self) -> Value<'_> {
        // The root is complete last.
        Value { document: self, id: ValueId(narrow(self.nodes.len() - 1)) }
    }

    /// Returns a value.
    pub const fn value(&self, id: ValueId) -> Value<'_> {
        Value { document: self, id }
    }
}

impl<'d> Value<'d> {
    /// Returns the content.
    pub fn kind(self) -> &'d Kind {
        &self.document.nodes[self.id.0 as usize].0
    }

    /// Returns the place in the text.
    pub fn span(self) -> Span {
        self.document.nodes[self.id.0 as usize].1
    }

    /// Returns the member of an object, the last one of equal keys.
    pub fn get(self, key: &str) -> Option<Self> {
        let Kind::Object(members) = self.kind() else { return None };
        let (_, id) = members.iter().rev().find(|(name, _)| name == key)?;
        Some(self.document.value(*id))
    }

    /// Returns the members of an object, in order. Empty for other values.
    pub fn members(self) -> impl Iterator<Item = (&'d str, Self)> {
        let members: &[(String, ValueId)] = match self.kind() {
            Kind::Object(members) => members,
            _ => &[],
        };
        members.iter().map(move |(name, id)| (name.as_str(), self.document.value(*id)))
    }

    /// Returns the items of an array.
    pub fn items(self) -> Option<Vec<Self>> {
        let Kind::Array(items) = self.kind() else { return None };
        Some(items.iter().map(|id| self.document.value(*id)).collect())
    }

    /// Returns the text of a string.
    pub fn as_str(self) -> Option<&'d str> {
        match self.kind() {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value of an integer.
    pub fn as_i64(self) -> Option<i64> {
        match self.kind() {
            Kind::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

/// An array or object that is being read.
enum Open {
    Array(usize, Vec<ValueId>),
    Object(usize, Vec<(String, ValueId)>, String),
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    nodes: Vec<(Kind, Span)>,
    open: Vec<Open>,
    max_nesting: usize,
}

type Problem = (usize, String);

impl Reader<'_> {
    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn push(&mut self, kind: Kind, start: usize) -> ValueId {
        let id = ValueId(narrow(self.nodes.len()));
        self.nodes.push((kind, Span::new(start, self.at)));
        id
    }

    fn string(&mut self) -> Result<String, Problem> {
        let (value, end) = read_string(self.text, self.at).map_err(|(at, why)| (at, why.to_owned()))?;
        self.at = end;
        Ok(value)
    }

    /// Reads the key of a member and the colon.
    fn key(&mut self) -> Result<(), Problem> {
        self.skip_space();
        let key = self.string()?;
        if !self.eat(b':') {
            return Err((self.at, "`:` is missing".to_owned()));
        }
        if let Some(Open::Object(_, _, last)) = self.open.last_mut() {
            *last = key;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), Problem> {
        loop {
            self.skip_space();
            let start = self.at;
            let mut done = match self.peek() {
                Some(byte @ (b'[' | b'{')) => {
                    if self.open.len() >= self.max_nesting {
                        let limit = self.max_nesting;
                        return Err((start, format!("more than {limit} levels of arrays and objects")));
                    }
                    self.at += 1;
                    self.open.push(match byte {
                        b'[' => Open::Array(start, Vec::new()),
                        _ => Open::Object(start, Vec::new(), String::new()),
                    });
                    match byte {
                        b'[' if self.eat(b']') => self.close(),
                        b'{' if self.eat(b'}') => self.close(),
                        b'{' => {
                            self.key()?;
                            None
                        }
                        _ => None,
                    }
                }
                _ => {
                    let kind = self.scalar()?;
                    Some(self.push(kind, start))
                }
            };
            while let Some(id) = done {
                match self.open.last_mut() {
                    None => {
                        self.skip_space();
                        let is_end = self.at == self.text.len();
                        return if is_end {
                            Ok(())
                        } else {
                            Err((self.at, "text after the value".to_owned()))
                        };
                    }
                    Some(Open::Array(_, items)) => {
                        items.push(id);
                        if self.eat(b',') {
                            break;
                        }
                        if !self.eat(b']') {
                            return Err((self.at, "`,` or `]` is missing".to_owned()));
                        }
                    }
                    Some(Open::Object(_, members, key)) => {
                        members.push((std::mem::take(key), id));
                        if self.eat(b',') {
                            self.key()?;
                            break;
                        }
                        if !self.eat(b'}') {
                            return Err((self.at, "`,` or `}` is missing".to_owned()));
                        }
                    }
                }
                done = self.close();
            }
        }
    }

    /// Ends the innermost array or object.
    fn close(&mut self) -> Option<ValueId> {
        Some(match self.open.pop()? {
            Open::Array(start, items) => self.push(Kind::Array(items), start),
            Open::Object(start, members, _) => self.push(Kind::Object(members), start),
        })
    }

    fn scalar(&mut self) -> Result<Kind, Problem> {
        let rest = &self.text[self.at..];
        if rest.starts_with('"') {
            return self.string().map(Kind::String);
        }
        for (word, kind) in
            [("null", Kind::Null), ("true", Kind::Boolean(true)), ("false", Kind::Boolean(false))]
        {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(kind);
            }
        }
        let length = number_length(rest.as_bytes()).ok_or((self.at, "a value is missing".to_owned()))?;
        self.at += length;
        Ok(Kind::Number(rest[..length].to_owned()))
    }
}

/// Returns the length of the number at the start of a text.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let digits =
        |at: usize| bytes[at.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || whole > 1 && bytes[at] == b'0' {
        return None;
    }
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent == 0 {
            return None;
        }
        at += 1 + sign + exponent;
    }
    Some(at)
}
