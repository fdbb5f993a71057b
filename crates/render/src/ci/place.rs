//! Places as other tools name them: relative to the directory, as references, with lines and columns that start at 1.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::Options;

/// A file, relative to the directory where it lies below it.
pub fn file<'a>(file: &'a Path, options: &Options) -> &'a Path {
    let directory = options.directory.as_deref().filter(|it| !it.is_empty());
    directory
        .and_then(|directory| file.strip_prefix(directory).ok())
        .filter(|below| !below.as_os_str().is_empty())
        .unwrap_or(file)
}

/// A path as a relative or absolute reference of RFC 3986.
pub fn uri(path: &Path) -> String {
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str("file://");
    }
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri(Path::new("src/a b:ü.py")), "src/a%20b%3A%C3%BC.py");
        assert_eq!(uri(Path::new("/src/a.py")), "file:///src/a.py");
        assert_eq!(uri(Path::new(OsStr::from_bytes(b"\xe9\n.py"))), "%E9%0A.py");
    }

    #[test]
    fn files_below_the_directory_are_relative() {
        let options = Options {
            directory: Some("/home/a".to_owned()),
            ..Options::default()
        };
        let relative = |path| file(Path::new(path), &options).to_str();
        assert_eq!(relative("/home/a/b.py"), Some("b.py"));
        assert_eq!(relative("/home/ab.py"), Some("/home/ab.py"));
        assert_eq!(relative("/home/a"), Some("/home/a"));
    }
}
