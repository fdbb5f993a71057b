//! The releases of PyTorch that cgsan supports: the lines of `crates/vgpu/api/releases.txt`, from which the virtual GPU has its versions
//! of libraries, too.

const TABLE: &str = include_str!("../../crates/vgpu/api/releases.txt");

/// The last release of each minor version, ascending, e.g. `2.11.0`.
pub fn all() -> impl DoubleEndedIterator<Item = &'static str> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split(' ').next().filter(|it| !it.is_empty()))
}

/// The second number of a version: 11 of `2.11.0`.
pub fn minor(release: &str) -> Option<u32> {
    release.split('.').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_in_order() {
        let minors: Option<Vec<u32>> = all().map(minor).collect();
        let minors = minors.expect("each has two numbers");
        assert!(minors.len() > 9 && minors.is_sorted(), "{minors:?}");
    }
}
