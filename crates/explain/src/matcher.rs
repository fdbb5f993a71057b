//! The expressions of the catalogue's patterns, asked about the lines of one incident.
//!
//! Most expressions need some literal text. One search finds all of those texts at once, and an expression is compiled only if
//! its text is there: of several hundred expressions a traceback needs a few dozen.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use cgsan_catalogue::{Expression, Place, expressions};
use regex_lite::Regex;

use crate::incident::{Block, Incident};

/// Every expression, compiled where it was needed.
pub struct Matcher {
    literals: AhoCorasick,
    /// The expressions that need a literal, by the literal's number.
    needed_by: Vec<Vec<usize>>,
    /// The expressions that need none.
    without_literals: Vec<usize>,
    compiled: Vec<OnceLock<Regex>>,
}

impl Matcher {
    pub fn new() -> Self {
        let mut literals: Vec<&str> = expressions()
            .iter()
            .flat_map(|expression| expression.literals)
            .copied()
            .collect();
        literals.sort_unstable();
        literals.dedup();
        let mut needed_by = vec![Vec::new(); literals.len()];
        let mut without_literals = Vec::new();
        for (index, expression) in expressions().iter().enumerate() {
            if expression.literals.is_empty() {
                without_literals.push(index);
            }
            for literal in expression.literals {
                if let Ok(number) = literals.binary_search(literal) {
                    needed_by[number].push(index);
                }
            }
        }
        Matcher {
            literals: AhoCorasickBuilder::new()
                .ascii_case_insensitive(true)
                .build(&literals)
                .expect("the catalogue is small"),
            needed_by,
            without_literals,
            compiled: vec![OnceLock::new(); expressions().len()],
        }
    }

    /// The lines of an incident, ready to be asked about.
    pub fn lines<'a>(&'a self, incident: &'a Incident) -> Lines<'a> {
        let blocks = incident.blocks.iter();
        Lines {
            matcher: self,
            blocks: blocks.map(|block| self.block(block)).collect(),
            known: RefCell::default(),
        }
    }

    fn block<'a>(&self, block: &'a Block) -> [Searched<'a>; 3] {
        let errors: Vec<&str> = block.errors.iter().map(String::as_str).collect();
        let code: Vec<&str> = block.code.iter().map(String::as_str).collect();
        let calls = block.calls.iter().map(String::as_str);
        let calls: Vec<&str> = calls.chain(errors.iter().copied()).collect();
        [errors, code, calls].map(|lines| self.search(lines))
    }

    fn search<'a>(&self, lines: Vec<&'a str>) -> Searched<'a> {
        let mut possible: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, line) in lines.iter().enumerate() {
            for found in self.literals.find_overlapping_iter(line) {
                for &expression in &self.needed_by[found.pattern().as_usize()] {
                    let numbers = possible.entry(expression).or_default();
                    if numbers.last() != Some(&number) {
                        numbers.push(number);
                    }
                }
            }
        }
        let all: Vec<usize> = (0..lines.len()).collect();
        for &expression in &self.without_literals {
            possible.insert(expression, all.clone());
        }
        Searched { lines, possible }
    }

    fn regex(&self, index: usize) -> &Regex {
        self.compiled[index].get_or_init(|| {
            Regex::new(expressions()[index].text).expect("the build compiled it too")
        })
    }
}

/// The lines of one place, with the lines on which each expression may match.
struct Searched<'a> {
    lines: Vec<&'a str>,
    possible: HashMap<usize, Vec<usize>>,
}

/// The lines of one incident.
pub struct Lines<'a> {
    matcher: &'a Matcher,
    blocks: Vec<[Searched<'a>; 3]>,
    known: RefCell<HashMap<(usize, usize, usize), bool>>,
}

impl Lines<'_> {
    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Whether an expression matches a line of that place in a block.
    pub fn match_in(&self, block: usize, place: Place, expression: &str) -> bool {
        let Ok(index) =
            expressions().binary_search_by(|known: &Expression| known.text.cmp(expression))
        else {
            return false;
        };
        let place = match place {
            Place::Error => 0,
            Place::Code => 1,
            Place::Call => 2,
        };
        if let Some(&known) = self.known.borrow().get(&(block, place, index)) {
            return known;
        }
        let searched = &self.blocks[block][place];
        let matches = searched.possible.get(&index).is_some_and(|numbers| {
            let regex = self.matcher.regex(index);
            numbers
                .iter()
                .any(|&number| regex.is_match(searched.lines[number]))
        });
        self.known
            .borrow_mut()
            .insert((block, place, index), matches);
        matches
    }

    /// Whether an expression matches a line of that place anywhere in the incident.
    pub fn match_anywhere(&self, place: Place, expression: &str) -> bool {
        (0..self.blocks()).any(|block| self.match_in(block, place, expression))
    }
}
