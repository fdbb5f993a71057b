//! The numbers that a program prints.

/// What is less than this counts as this much where differences are put in proportion.
const SMALLEST: f64 = 1e-4;

/// Lines of nothing but numbers; what packages print beside them is left out.
#[derive(Debug)]
pub struct Numbers(Vec<Vec<f64>>);

impl Numbers {
    /// Those of a program's output.
    pub fn printed(output: &str) -> Numbers {
        let lines = output.lines().filter_map(|line| {
            let words = line.split_whitespace();
            words.map(|word| word.parse().ok()).collect::<Option<_>>()
        });
        Numbers(lines.filter(|line: &Vec<f64>| !line.is_empty()).collect())
    }

    /// The largest relative difference, or what is further from these than the tolerance.
    pub fn compared(&self, others: &Numbers, tolerance: f64) -> Result<f64, String> {
        let shape = |it: &Numbers| it.0.iter().map(Vec::len).collect::<Vec<usize>>();
        if self.0.is_empty() || shape(self) != shape(others) {
            return Err(format!(
                "{} lines of numbers, {} on the CPU",
                others.0.len(),
                self.0.len()
            ));
        }
        let mut worst = 0.0_f64;
        for (line, (expected, found)) in (1..).zip(self.0.iter().zip(&others.0)) {
            for (expected, found) in expected.iter().zip(found) {
                let difference = (found - expected).abs() / expected.abs().max(SMALLEST);
                // The same infinity, or not a number on both sides, has no difference.
                if expected.total_cmp(found).is_ne()
                    && (difference.is_nan() || difference > tolerance)
                {
                    return Err(format!("line {line} has {found}, {expected} on the CPU"));
                }
                worst = worst.max(difference);
            }
        }
        Ok(worst)
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn only_lines_of_numbers_count() {
        let numbers = Numbers::printed("{'loss': 1}\n0.5 2\nstep 3\n\n-4e-1\n");
        assert_eq!(numbers.0, [vec![0.5, 2.0], vec![-0.4]]);
    }

    #[test]
    fn what_is_not_a_number_differs_from_what_is() {
        let [one, none] = ["1.0", "nan"].map(Numbers::printed);
        assert!(one.compared(&none, 1.0).is_err());
        assert!(none.compared(&one, 1.0).is_err());
        assert!(none.compared(&none, 1.0).is_ok());
        assert!(one.compared(&Numbers::printed("1.0005"), 1e-3).is_ok());
        assert!(one.compared(&Numbers::printed("1.002"), 1e-3).is_err());
        assert!(one.compared(&Numbers::printed("1.0\n1.0"), 1.0).is_err());
    }

    #[test]
    fn nothing_does_not_agree_with_nothing() {
        let nothing = Numbers::printed("");
        assert!(nothing.compared(&nothing, 1.0).is_err());
    }
}
