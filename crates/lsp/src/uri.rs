//! Addresses of files, as clients write them (RFC 3986 and RFC 8089).

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use gen_lsp_types::Uri;

const SCHEME: &str = "file://";

/// The path of a file. What is no file of this machine, such as a text that was never saved, stands for itself.
pub fn to_path(uri: &Uri) -> PathBuf {
    let rest = uri.0.strip_prefix(SCHEME);
    let path = rest.and_then(|rest| rest.find('/').map(|at| &rest[at..]));
    match path {
        Some(path) => PathBuf::from(OsString::from_vec(decode(path))),
        None => PathBuf::from(&uri.0),
    }
}

/// The path by which a text is known. The code of a notebook that a client gives as one text must not be taken for the
/// notebook's file.
pub fn to_text(uri: &Uri) -> PathBuf {
    let path = to_path(uri);
    if is_notebook(&path) {
        with_suffix(path, ".py")
    } else {
        path
    }
}

/// The path by which a notebook is known, whatever its name.
pub fn to_notebook(uri: &Uri) -> PathBuf {
    let path = to_path(uri);
    if is_notebook(&path) {
        path
    } else {
        with_suffix(path, ".ipynb")
    }
}

fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "ipynb")
}

fn with_suffix(path: PathBuf, suffix: &str) -> PathBuf {
    let mut path = path.into_os_string();
    path.push(suffix);
    PathBuf::from(path)
}

/// The address of a file.
pub fn from_path(path: &Path) -> Uri {
    if path.is_relative() {
        return Uri(path.to_string_lossy().into_owned());
    }
    let mut uri = SCHEME.to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    Uri(uri)
}

/// Undoes percent-encoding. A per cent sign that begins no code stands for itself.
fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(hexadecimal);
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    bytes
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_the_way_there_and_back() {
        for path in ["/a/b.py", "/a b/ä图#?.py", "/100%/c%41.py"] {
            assert_eq!(to_path(&from_path(Path::new(path))), Path::new(path));
        }
    }

    #[test]
    fn notebooks_and_texts_have_paths_of_their_own() {
        let uri = |uri: &str| Uri(uri.to_owned());
        let notebook = uri("file:///a.ipynb");
        assert_eq!(to_notebook(&notebook), Path::new("/a.ipynb"));
        assert_eq!(to_text(&notebook), Path::new("/a.ipynb.py"));
        assert_eq!(to_text(&uri("file:///a.py")), Path::new("/a.py"));
        let unnamed = uri("untitled:Untitled-1");
        assert_ne!(to_notebook(&unnamed), to_text(&unnamed));
    }

    #[test]
    fn clients_encode_in_their_own_ways() {
        let path = |uri: &str| to_path(&Uri(uri.to_owned()));
        assert_eq!(path("file:///a%20b/%E5%9B%BE.py"), Path::new("/a b/图.py"));
        assert_eq!(path("file:///a@b(c).py"), Path::new("/a@b(c).py"));
        assert_eq!(path("file://localhost/a.py"), Path::new("/a.py"));
        assert_eq!(path("file:///50%"), Path::new("/50%"));
        assert_eq!(
            path("untitled:Untitled-1"),
            Path::new("untitled:Untitled-1")
        );
    }
}
