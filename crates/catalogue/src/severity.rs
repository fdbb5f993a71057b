//! How bad a failure mode is.

/// What a failure mode does to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It runs, and takes more memory or time than it needs.
    Warning,
    /// A capture fails, the numbers are wrong, or the program hangs.
    Error,
}

impl Severity {
    /// That of an id: its first digit is its family. Families 3 and 5 are memory and time.
    pub fn of(id: &str) -> Self {
        match id.as_bytes().get(2) {
            Some(b'3' | b'5') => Self::Warning,
            _ => Self::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_time_are_a_warnings_matter() {
        let of = |ids: [&str; 3]| ids.map(Severity::of);
        assert_eq!(of(["CG101", "CG211", "CG401"]), [Severity::Error; 3]);
        assert_eq!(of(["CG303", "CG306", "CG507"]), [Severity::Warning; 3]);
    }
}
