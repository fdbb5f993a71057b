//! What the system gives as bytes, in texts: paths, words of command lines, names.
//!
//! A trace, a report and JSON hold texts in UTF-8. A byte that is none is written as `\xHH`, which a person can read, and which
//! leads back to the file.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Bytes as text.
pub fn shown(bytes: &OsStr) -> String {
    let mut text = String::new();
    for chunk in bytes.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// The file that a text names: the one of exactly this name if there is one, and else the one whose bytes [`shown`] wrote out.
pub fn file(text: &Path) -> PathBuf {
    let bytes = text.as_os_str().as_encoded_bytes();
    if !bytes.windows(2).any(|pair| pair == b"\\x") || text.exists() {
        return text.to_owned();
    }
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first() {
        if let Some((byte, behind)) = written_out(rest) {
            found.push(byte);
            rest = behind;
        } else {
            found.push(*first);
            rest = behind;
        }
    }
    PathBuf::from(OsString::from_vec(found))
}

/// The byte that is written out at the beginning of a text, and what is behind it.
fn written_out(text: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, behind) = text.strip_prefix(b"\\x")?.split_first_chunk::<2>()?;
    let byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    (byte >= 0x80).then_some((byte, behind))
}

/// A path in JSON: a string, or its bytes as numbers where it is not UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Form")]
pub struct WrittenPath(pub PathBuf);

#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    Text(PathBuf),
    Bytes(Vec<u8>),
}

impl From<Form> for WrittenPath {
    fn from(form: Form) -> Self {
        Self(match form {
            Form::Text(path) => path,
            Form::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn a_text_leads_back_to_the_file() {
        let path = Path::new(OsStr::from_bytes(b"/a\xff\xc3\xa9/\\x41\xc3"));
        let text = shown(path.as_os_str());
        assert_eq!(text, "/a\\xff\u{e9}/\\x41\\xc3");
        assert_eq!(file(Path::new(&text)), path);
        assert_eq!(file(Path::new("/a\\x")), Path::new("/a\\x"));
        assert_eq!(file(Path::new("/a\\xf")), Path::new("/a\\xf"));
        assert_eq!(file(Path::new("/a\\x+f")), Path::new("/a\\x+f"));
    }

    #[test]
    fn a_path_in_json_is_a_string_or_bytes() {
        let read = |json: &str| serde_json::from_str::<WrittenPath>(json).ok();
        assert_eq!(read("\"/a\""), Some(WrittenPath("/a".into())));
        let bytes = PathBuf::from(OsStr::from_bytes(b"/\xff"));
        assert_eq!(read("[47, 255]"), Some(WrittenPath(bytes)));
        assert_eq!(read("[47, 256]"), None);
    }
}
