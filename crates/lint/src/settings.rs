//! What is reported.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::finding::Confidence;
use crate::pattern;

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
        let wrong = || format!("`{text}` is no version of PyTorch; write it as 2.11");
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
    /// Whether to report what depends on values of which nothing is known.
    pub pedantic: bool,
    /// If not empty: the ids, or beginnings of ids, that alone are reported.
    pub select: Vec<String>,
    /// Ids, or beginnings of ids, that are not reported.
    pub ignore: Vec<String>,
    /// Files, by pattern, in which further ids are not reported.
    pub per_file_ignores: Vec<(String, Vec<String>)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            torch: Version::MEASURED,
            pedantic: false,
            select: Vec::new(),
            ignore: Vec::new(),
            per_file_ignores: Vec::new(),
        }
    }
}

impl Settings {
    /// Whether a finding is to be reported.
    pub(crate) fn wants(&self, id: &str, confidence: Confidence) -> bool {
        (self.pedantic || confidence != Confidence::Possible) && self.wants_id(id)
    }

    /// Whether an id is not to be reported in a file.
    pub(crate) fn ignores_in(&self, file: &Path, id: &str) -> bool {
        self.per_file_ignores.iter().any(|(pattern, ids)| {
            ids.iter().any(|it| id.starts_with(it.as_str())) && pattern::matches(pattern, file)
        })
    }

    fn wants_id(&self, id: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|it| id.starts_with(it.as_str()));
        (self.select.is_empty() || named(&self.select)) && !named(&self.ignore)
    }
}
