//! Which of the files that a trace names are read.
//!
//! A trace may come from anybody, and name any file: what lies in it would go into a report, and with that to others.

use std::path::{Component, Path, PathBuf};

/// Where packages are installed.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// PyTorch, and the packages with NVIDIA's libraries for it.
const PYTORCH: [&str; 2] = ["torch", "nvidia"];

/// The files that are read.
#[derive(Debug)]
pub enum Reach {
    /// All: the program ran just now, with the rights of the one who reads the report.
    OwnRun,
    /// Those below these folders, or that are one of them, and PyTorch's.
    Below(Vec<PathBuf>),
}

impl Reach {
    /// Whether a file that is there may be read, by where it really is.
    pub fn holds(&self, path: &Path) -> bool {
        match self {
            Self::OwnRun => true,
            Self::Below(folders) => path.canonicalize().is_ok_and(|path| {
                folders.iter().any(|folder| path.starts_with(folder)) || is_of_pytorch(&path)
            }),
        }
    }
}

fn is_of_pytorch(path: &Path) -> bool {
    let parts: Vec<_> = path.components().map(Component::as_os_str).collect();
    parts.windows(2).any(|pair| {
        PACKAGES.iter().any(|it| pair[0] == *it) && PYTORCH.iter().any(|it| pair[1] == *it)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pytorch_is_known_by_where_packages_are() {
        for (path, expected) in [
            (
                "/venv/lib/python3.11/site-packages/torch/nn/modules/module.py",
                true,
            ),
            (
                "/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13",
                true,
            ),
            ("/usr/lib/python3/dist-packages/torch/__init__.py", true),
            ("/home/user/torch/secret.py", false),
            ("/venv/lib/python3.11/site-packages/torchtune/a.py", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(is_of_pytorch(Path::new(path)), expected, "{path}");
        }
    }
}
