//! `match`.

use super::event::Event;
use super::value::Value;
use super::{Interp, Next, Semantics};
use crate::syntax::ast::{self, CmpOp, MatchCase, Pattern, Ranged as _, Singleton};

impl<'p, L: Semantics> Interp<'p, L> {
    pub(super) fn match_statement(&mut self, it: &'p ast::StmtMatch) -> Next {
        let subject = self.expression(&it.subject);
        self.emit(Event::Matches {
            subject: &it.subject,
        });
        self.cases(&subject, &it.cases)
    }

    /// Follows the case that fits, or all of which that is not known.
    fn cases(&mut self, subject: &Value<'p>, cases: &'p [MatchCase]) -> Next {
        let Some((case, rest)) = cases.split_first() else {
            return Next::Goes;
        };
        let mut fits = self.fits(&case.pattern, subject);
        if fits != Some(false)
            && let Some(guard) = &case.guard
        {
            fits = match self.condition(guard) {
                Some(true) => fits,
                Some(false) => Some(false),
                None => None,
            };
        }
        match fits {
            Some(true) => self.block(&case.body),
            Some(false) => self.cases(subject, rest),
            None => self.some_may_leave(|it| {
                it.in_doubt(|it| it.either(|it| it.block(&case.body), |it| it.cases(subject, rest)))
            }),
        }
    }

    /// Whether a pattern fits a value, if that is known. Gives its names their values.
    fn fits(&mut self, pattern: &'p Pattern, value: &Value<'p>) -> Option<bool> {
        match pattern {
            Pattern::MatchValue(it) => {
                let wanted = self.expression(&it.value);
                self.compare_two(value, CmpOp::Eq, &wanted, it.range())
                    .truth()
            }
            Pattern::MatchSingleton(it) => match (it.value, value) {
                (_, Value::Unknown) => None,
                (Singleton::None, value) => Some(matches!(value, Value::None)),
                (Singleton::True, Value::Bool(it)) => *it,
                (Singleton::False, Value::Bool(it)) => it.map(|it| !it),
                _ => Some(false),
            },
            Pattern::MatchAs(it) => {
                let fits = match &it.pattern {
                    Some(pattern) => self.fits(pattern, value),
                    None => Some(true),
                };
                if let Some(name) = &it.name {
                    self.set_name(name.as_str(), value.clone());
                }
                fits
            }
            Pattern::MatchOr(it) => {
                let mut fits = Some(false);
                for pattern in &it.patterns {
                    match self.fits(pattern, value) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => fits = None,
                    }
                }
                fits
            }
            Pattern::MatchSequence(it) => self.fits_sequence(&it.patterns, value),
            Pattern::MatchClass(it) => {
                let class = self.expression(&it.cls);
                let fits = L::is_instance(self, value, &class);
                for keyword in &it.arguments.keywords {
                    let part = self.attribute(value, keyword.attr.as_str(), keyword.range());
                    self.fits(&keyword.pattern, &part);
                }
                for pattern in &it.arguments.patterns {
                    self.fits(pattern, &Value::Unknown);
                }
                let is_bare = it.arguments.keywords.is_empty() && it.arguments.patterns.is_empty();
                fits.filter(|fits| !fits || is_bare)
            }
            Pattern::MatchMapping(it) => {
                for pattern in &it.patterns {
                    self.fits(pattern, &Value::Unknown);
                }
                if let Some(rest) = &it.rest {
                    self.set_name(rest.as_str(), Value::Unknown);
                }
                None
            }
            Pattern::MatchStar(it) => {
                if let Some(name) = &it.name {
                    self.set_name(name.as_str(), Value::Unknown);
                }
                None
            }
        }
    }

    fn fits_sequence(&mut self, patterns: &'p [Pattern], value: &Value<'p>) -> Option<bool> {
        let items = match value {
            Value::List(cell) => self.heap.list(*cell).filter(|list| list.exact),
            _ => None,
        };
        let items = items.map(|list| list.items.clone());
        let star = patterns.iter().position(Pattern::is_match_star);
        match (items, star) {
            (Some(items), None) if items.len() == patterns.len() => self.fits_all(patterns, &items),
            (Some(mut items), Some(star)) if items.len() + 1 >= patterns.len() => {
                let behind = items.len() + 1 - patterns.len();
                let middle = items.drain(star..star + behind).collect();
                let middle = self.new_list(middle, true);
                if let Pattern::MatchStar(it) = &patterns[star]
                    && let Some(name) = &it.name
                {
                    self.set_name(name.as_str(), middle);
                }
                let before = self.fits_all(&patterns[..star], &items[..star]);
                let after = self.fits_all(&patterns[star + 1..], &items[star..]);
                match (before, after) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            (Some(_), _) => Some(false),
            _ => {
                for pattern in patterns {
                    self.fits(pattern, &Value::Unknown);
                }
                None
            }
        }
    }

    /// Whether each pattern fits its value.
    fn fits_all(&mut self, patterns: &'p [Pattern], values: &[Value<'p>]) -> Option<bool> {
        let mut fits = Some(true);
        for (pattern, value) in patterns.iter().zip(values) {
            match self.fits(pattern, value) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => fits = None,
            }
        }
        fits
    }
}
