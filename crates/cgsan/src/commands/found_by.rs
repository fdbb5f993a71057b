//! Which commands find a failure mode.

use cgsan_catalogue::Entry;

/// The names of the commands that find it.
pub fn found_by(entry: &Entry) -> Vec<&'static str> {
    let commands = [
        ("cgsan run", cgsan_diagnose::detects(entry.id)),
        ("cgsan attach", cgsan_attach::FINDS.contains(&entry.id)),
        #[cfg(feature = "lint")]
        (
            "cgsan lint",
            cgsan_lint::RULES.iter().any(|rule| rule.id == entry.id),
        ),
        #[cfg(feature = "perf")]
        ("cgsan perf", cgsan_perf::detects(entry.id)),
        ("cgsan explain", !entry.patterns.is_empty()),
    ];
    commands
        .into_iter()
        .filter_map(|(name, finds)| finds.then_some(name))
        .collect()
}

#[cfg(all(test, feature = "lint", feature = "perf"))]
mod tests {
    use super::*;

    #[test]
    fn every_rule_and_every_pattern_counts() {
        let of = |id| found_by(cgsan_catalogue::entry(id).expect("it exists"));
        assert_eq!(of("CG101"), ["cgsan run", "cgsan lint", "cgsan explain"]);
        assert_eq!(of("CG405"), ["cgsan run", "cgsan attach", "cgsan explain"]);
        assert_eq!(of("CG502"), ["cgsan perf", "cgsan explain"]);
        assert_eq!(of("CG606"), ["cgsan explain"]);
    }
}
