//! A text in DOT as words, quoted texts and signs.

/// What a text is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, or a text between quotation marks; in the latter, a backslash still stands before what it escapes, unless that is a
    /// quotation mark.
    Text(String),
    /// `->`
    Arrow,
    /// Any other sign.
    Sign(char),
}

/// The tokens of a text, one after the other.
pub(super) struct Tokens<'t> {
    rest: &'t str,
    line: usize,
    /// The next one, if it was looked at, and the line behind it.
    peeked: Option<(Option<Read>, usize)>,
}

/// A token, or why there is none.
type Read = Result<Token, &'static str>;

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Tokens {
            rest: text,
            line: 1,
            peeked: None,
        }
    }

    /// The line of what was read last, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The next one, which is still to come.
    pub(super) fn peek(&mut self) -> Option<&Token> {
        if self.peeked.is_none() {
            let line = self.line;
            let next = self.advance();
            self.peeked = Some((next, std::mem::replace(&mut self.line, line)));
        }
        let (next, _) = self.peeked.as_ref()?;
        next.as_ref()?.as_ref().ok()
    }

    pub(super) fn next(&mut self) -> Option<Read> {
        let Some((next, line)) = self.peeked.take() else {
            return self.advance();
        };
        self.line = line;
        next
    }

    fn advance(&mut self) -> Option<Read> {
        self.skip_spaces();
        let first = self.rest.chars().next()?;
        if first == '"' {
            return Some(self.quoted());
        }
        if self.rest.starts_with("->") {
            self.take(2);
            return Some(Ok(Token::Arrow));
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let length = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        if length > 0 {
            let word = self.take(length).to_owned();
            return Some(Ok(Token::Text(word)));
        }
        self.take(first.len_utf8());
        Some(Ok(Token::Sign(first)))
    }

    fn skip_spaces(&mut self) {
        let spaces = self.rest.len() - self.rest.trim_start().len();
        self.take(spaces);
    }

    /// A text that begins with a quotation mark.
    fn quoted(&mut self) -> Read {
        let mut text = String::new();
        let mut is_escaped = false;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                '"' if is_escaped => {
                    text.pop();
                    text.push(c);
                }
                '"' => {
                    self.take(at + 1);
                    return Ok(Token::Text(text));
                }
                _ => text.push(c),
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        self.take(self.rest.len());
        Err("a quotation mark is missing")
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.bytes().filter(|it| *it == b'\n').count();
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Result<Token, &'static str>> {
        let mut tokens = Tokens::of(text);
        std::iter::from_fn(|| tokens.next()).collect()
    }

    #[test]
    fn texts_arrows_and_signs() {
        let text = |text: &str| Ok(Token::Text(text.to_owned()));
        assert_eq!(
            tokens("\"a\n\\\"b\\<\" -> c_1[x=\"\"];"),
            [
                text("a\n\"b\\<"),
                Ok(Token::Arrow),
                text("c_1"),
                Ok(Token::Sign('[')),
                text("x"),
                Ok(Token::Sign('=')),
                text(""),
                Ok(Token::Sign(']')),
                Ok(Token::Sign(';')),
            ]
        );
        assert_eq!(tokens("\"a\\\\\"")[0], text("a\\\\"));
    }
}
