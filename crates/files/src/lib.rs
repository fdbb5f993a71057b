//! How files come in and go out: read up to a limit, whatever their names lead to; replaced whole, or not at all; kept where
//! only their user can change them.
//!
//! A path may come from a trace, from a client of a server, or from a folder that somebody sent. What it leads to is read only
//! if it is a regular file on a disk, and never beyond a limit, whatever its size is said to be.
#![forbid(unsafe_code)]

mod input;
mod output;
mod private;
mod words;

pub use input::{Unread, open, open_or_pipe, read, read_text};
pub use output::{
    Begun, Destination, Links, Replaced, Unwritten, folder_of, is_being_written, sweep,
};
pub use private::{Exposed, PrivateFolder, private_file, private_folder, temporary_folder};
pub use words::in_words;

/// A pipe in a folder of a test's.
#[cfg(test)]
fn pipe_in(folder: &std::path::Path) -> std::path::PathBuf {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let pipe = folder.join("pipe");
    let made = mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0);
    made.expect("a pipe");
    pipe
}
