//! A place in the text, and the tokens there.

/// The reason why a text is not a graph, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The error message.
    pub message: String,
}

/// A place in the text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0 }
    }

    /// A second cursor at the same place, to look ahead with.
    pub(super) fn fork(&self) -> Cursor<'a> {
        Cursor { text: self.text, at: self.at }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// An error at this place.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        self.error_at(self.at, message)
    }

    /// An error at an earlier place.
    pub(super) fn error_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ParseError> {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        Err(ParseError { line, column, message: message.into() })
    }

    /// The offset of the next token, in bytes.
    pub(super) fn here(&mut self) -> usize {
        self.skip(false);
        self.at
    }

    /// Skips spaces and, if `lines`, ends of lines and comments.
    pub(super) fn skip(&mut self, lines: bool) {
        loop {
            let blank = |c: char| c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'));
            self.at += self.rest().len() - self.rest().trim_start_matches(blank).len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The next character.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip(false);
        self.rest().chars().next()
    }

    /// Takes the token if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        self.skip(false);
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Takes the word if it comes next and ends there.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.skip(false);
        let start = self.at;
        if self.take_while(is_word) == word {
            return true;
        }
        self.at = start;
        false
    }

    /// Takes the token or fails.
    pub(super) fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.eat(token) { Ok(()) } else { self.error(format!("expected `{token}`")) }
    }

    /// Takes what satisfies `f`, from here on.
    pub(super) fn take_while(&mut self, f: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !f(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A name: letters, digits and `_`.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, ParseError> {
        self.skip(false);
        let word = self.take_while(is_word);
        if word.is_empty() { self.error(format!("expected {what}")) } else { Ok(word) }
    }

    /// A number's text: digits, a point, an exponent with its sign, `inf`, `nan`.
    pub(super) fn number(&mut self) -> &'a str {
        self.skip(false);
        let rest = self.rest();
        let mut end = usize::from(rest.starts_with(['-', '+']));
        let bytes = rest.as_bytes();
        while let Some(&b) = bytes.get(end) {
            let signed_exponent = matches!(b, b'-' | b'+') && matches!(bytes[end - 1], b'e' | b'E');
            if !(b.is_ascii_alphanumeric() || b == b'.' || (end > 0 && signed_exponent)) {
                break;
            }
            end += 1;
        }
        self.at += end;
        &rest[..end]
    }

    /// The text up to a `,` or closing bracket that no bracket inside encloses.
    pub(super) fn expression(&mut self) -> &'a str {
        self.skip(false);
        let mut depth = 0usize;
        let end = self.rest().find(|c| match c {
            '(' | '[' | '{' => {
                depth += 1;
                false
            }
            ')' | ']' | '}' if depth > 0 => {
                depth -= 1;
                false
            }
            ',' | ')' | ']' | '}' => depth == 0,
            _ => c == '\n',
        });
        let text = &self.rest()[..end.unwrap_or(self.rest().len())];
        self.at += text.len();
        text.trim_end()
    }

    /// A string in double quotes.
    pub(super) fn string(&mut self) -> Result<String, ParseError> {
        self.expect("\"")?;
        let mut out = String::new();
        loop {
            match self.rest().chars().next() {
                None | Some('\n') => return self.error("a string without its closing quote"),
                Some('"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some('\\') => out.push(self.escape()?),
                Some(c) => {
                    self.at += c.len_utf8();
                    out.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        let start = self.at;
        let code = self.rest().chars().nth(1);
        self.at += 1 + code.map_or(0, char::len_utf8);
        match code {
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('0') => Ok('\0'),
            Some(c @ ('\\' | '"' | '\'')) => Ok(c),
            Some('u') if self.rest().starts_with('{') => {
                let end = self.rest().find('}').unwrap_or(1);
                let digits = &self.rest()[1..end];
                self.at += end + 1;
                match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
                    Some(c) => Ok(c),
                    None => self.error_at(start, "no such character"),
                }
            }
            _ => self.error_at(start, "unknown escape"),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
