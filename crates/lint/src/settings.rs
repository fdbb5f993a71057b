//! What is reported.

use std::fmt;
use std::str::FromStr;

use cgsan_selection::Policy;

use crate::finding::Confidence;

/// A version of PyTorch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 2 of 2.11.
    pub major: u16,
    /// 11 of 2.11.
    pub minor: u16,
}

impl Version {
    /// The version that the rules were measured with.
    pub const MEASURED: Self = Self::new(2, 11);

    /// A version.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl FromStr for Version {
    type Err = String;

    /// Reads `2.11`, `2.11.0` or `2.11.0+cu130`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a version of PyTorch; write it as 2.11");
        let mut parts = text.trim().split(['.', '+']);
        let mut number = || {
            parts
                .next()
                .and_then(|it| it.parse().ok())
                .ok_or_else(wrong)
        };
        Ok(Self::new(number()?, number()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What is reported, and for which PyTorch.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The version of PyTorch that the code is for.
    pub torch: Version,
    /// Whether to report what depends on unknown values.
    pub pedantic: bool,
    /// What is reported, by id and file.
    pub policy: Policy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            torch: Version::MEASURED,
            pedantic: false,
            policy: Policy::default(),
        }
    }
}

impl Settings {
    /// Whether a finding as sure as this is to be reported.
    pub(crate) fn wants(&self, confidence: Confidence) -> bool {
        self.pedantic || confidence != Confidence::Possible
    }
}
