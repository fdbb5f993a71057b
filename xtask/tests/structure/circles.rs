//! Circles: modules that all lead to each other.

use std::collections::{BTreeMap, BTreeSet};

/// All circles of more than one module, by Tarjan's algorithm.
pub fn of(arrows: &BTreeSet<(String, String)>) -> Vec<BTreeSet<String>> {
    let mut search = Search::default();
    for (from, to) in arrows {
        search.next.entry(from).or_default().push(to);
    }
    for (from, _) in arrows {
        search.visit(from);
    }
    search.circles
}

#[derive(Default)]
struct Search<'a> {
    next: BTreeMap<&'a str, Vec<&'a str>>,
    /// When each was met, and the earliest that it leads back to.
    met: BTreeMap<&'a str, (usize, usize)>,
    open: Vec<&'a str>,
    circles: Vec<BTreeSet<String>>,
}

impl<'a> Search<'a> {
    /// The earliest module that this one leads back to.
    fn visit(&mut self, module: &'a str) -> usize {
        if let Some((_, back)) = self.met.get(module) {
            return *back;
        }
        let at = self.met.len();
        self.met.insert(module, (at, at));
        self.open.push(module);
        let mut back = at;
        for next in self.next.get(module).cloned().unwrap_or_default() {
            let is_done = self.met.contains_key(next) && !self.open.contains(&next);
            if !is_done {
                back = back.min(self.visit(next));
            }
        }
        self.met.insert(module, (at, back));
        if back == at {
            let begin = self.open.iter().position(|it| *it == module).unwrap_or(0);
            let circle: BTreeSet<String> = self.open.drain(begin..).map(str::to_owned).collect();
            if circle.len() > 1 {
                self.circles.push(circle);
            }
        }
        back
    }
}

#[test]
fn a_circle_is_found_and_what_leads_to_it_is_none() {
    let arrows = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "d")];
    let arrows = arrows.map(|(from, to)| (from.to_owned(), to.to_owned()));
    let circles = of(&arrows.into());
    assert_eq!(circles, [BTreeSet::from(["b".to_owned(), "c".to_owned()])]);
}
