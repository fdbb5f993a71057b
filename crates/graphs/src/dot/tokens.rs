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
#[derive(Clone)]
pub(super) struct Tokens<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Tokens {
            rest: text,
            line: 1,
        }
    }

    /// The line of what was read last, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The next one, which is still to come.
    pub(super) fn peek(&self) -> Option<Token> {
        self.clone().next().and_then(Result::ok)
    }

    pub(super) fn next(&mut self) -> Option<Result<Token, &'static str>> {
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
    fn quoted(&mut self) -> Result<Token, &'static str> {
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
