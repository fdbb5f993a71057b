//! The expressions of the catalogue's patterns, asked about the lines of one incident.
//!
//! Most expressions need some literal text. One search finds all of those texts at once, and an expression is compiled only if
//! its text is there: of several hundred expressions a traceback needs a few dozen.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use cgsan_catalogue::{Entry, Expression, Pattern, Place, entries, expressions};
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
    /// For each pattern, its own expression and those of its conditions of which a literal must be there.
    needs: Vec<Vec<usize>>,
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
            needs: patterns().map(needs).collect(),
        }
    }

    /// The patterns that may match an incident, by their literals alone, in the order of [`patterns`]; `None` if none may.
    pub fn possible(&self, incident: &Incident) -> Option<Vec<bool>> {
        let mut seen = vec![false; expressions().len()];
        for block in &incident.blocks {
            for line in block.errors.iter().chain(&block.code).chain(&block.calls) {
                for found in self.literals.find_overlapping_iter(line) {
                    for &expression in &self.needed_by[found.pattern().as_usize()] {
                        seen[expression] = true;
                    }
                }
            }
        }
        let is_possible = |needs: &Vec<usize>| needs.iter().all(|&expression| seen[expression]);
        let possible: Vec<bool> = self.needs.iter().map(is_possible).collect();
        possible.contains(&true).then_some(possible)
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

/// Every pattern of the catalogue with its entry.
pub fn patterns() -> impl Iterator<Item = (&'static Entry, &'static Pattern)> {
    let entries = entries().iter();
    entries.flat_map(|entry| entry.patterns.iter().map(move |pattern| (entry, pattern)))
}

/// The expressions of a pattern that need a literal and without which it does not match.
fn needs((_, pattern): (&Entry, &Pattern)) -> Vec<usize> {
    let conditions = pattern.with.iter().map(|condition| condition.matches);
    conditions
        .chain([pattern.matches])
        .filter_map(index_of)
        .filter(|&index| !expressions()[index].literals.is_empty())
        .collect()
}

fn index_of(expression: &str) -> Option<usize> {
    expressions()
        .binary_search_by(|known: &Expression| known.text.cmp(expression))
        .ok()
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
        let Some(index) = index_of(expression) else {
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
