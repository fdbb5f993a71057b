//! Whether a graph is worth it.

use serde::Serialize;

use crate::Bounds;

/// The share of a step's time that a graph has to save to be worth its constraints.
pub(crate) const WORTH: f64 = 0.1;

/// Whether a graph is worth it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Even the lower end of the predicted gain is 10 % or more.
    WorthIt,
    /// Even the upper end is less than 10 %.
    NotWorthIt,
    /// Neither, or there is no prediction.
    CannotTell,
}

impl Verdict {
    /// What a gain says, as a share of the time of a step.
    pub fn of(gain: Bounds) -> Self {
        if gain.low >= WORTH {
            Self::WorthIt
        } else if gain.high < WORTH {
            Self::NotWorthIt
        } else {
            Self::CannotTell
        }
    }

    /// In words, as the first line of a report has it.
    pub fn words(self) -> &'static str {
        match self {
            Self::WorthIt => "worth it",
            Self::NotWorthIt => "not worth it",
            Self::CannotTell => "cannot tell",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_the_range_decide() {
        assert_eq!(Verdict::of(Bounds::new(0.10, 0.9)), Verdict::WorthIt);
        assert_eq!(Verdict::of(Bounds::new(0.09, 0.9)), Verdict::CannotTell);
        assert_eq!(Verdict::of(Bounds::new(-0.2, 0.09)), Verdict::NotWorthIt);
    }
}
