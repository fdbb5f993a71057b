//! Paths as a person wants to read them.

use crate::text;

/// A path relative to `directory` where it lies below it, else from `site-packages` on where it lies in there.
pub fn shorten(path: &str, directory: Option<&str>) -> String {
    let below = directory.and_then(|directory| {
        path.strip_prefix(directory.trim_end_matches('/'))?
            .strip_prefix('/')
    });
    let installed = path.rfind("/site-packages/").map(|at| &path[at..]);
    text::printable(&match (below, installed) {
        (_, Some(rest)) => format!("…{rest}"),
        (Some(rest), None) => rest.to_owned(),
        (None, None) => path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_directory_are_relative() {
        assert_eq!(shorten("/home/a/b/c.py", Some("/home/a")), "b/c.py");
        assert_eq!(shorten("/home/a/b/c.py", Some("/home/a/")), "b/c.py");
    }

    #[test]
    fn a_common_prefix_of_names_is_not_a_directory() {
        assert_eq!(shorten("/home/abc/d.py", Some("/home/a")), "/home/abc/d.py");
    }

    #[test]
    fn installed_packages_lose_their_prefix() {
        let path = "/usr/lib/python3.11/site-packages/torch/cuda/graphs.py";
        assert_eq!(shorten(path, None), "…/site-packages/torch/cuda/graphs.py");
    }
}
