//! Regular expressions of this crate's own.

use regex_lite::Regex;

/// One of them. It panics if it is none, which the first test that uses it shows.
pub fn compiled(expression: &str) -> Regex {
    Regex::new(expression).expect("the expressions are compiled by each test")
}
