//! How ranks reach each other: files in a folder that all of them know.
//!
//! A message is written under a name of its own and then linked to the name that its receiver looks for, so that it is
//! whole when it is found, and written once however many receive it. Who received it removes the name. Nobody has to be
//! alive for that: what a killed rank sent is still there, and what it did not send never comes. All is gone with the folder
//! of the run.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The folder of a communicator, as one of its ranks sees it.
#[derive(Debug)]
pub struct Mailbox {
    folder: PathBuf,
    rank: usize,
}

/// Which message it is, beside who sent it to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// Of the collective of this number, counted on each rank.
    Collective(u64),
    /// The send of this number from one rank to another, counted on both.
    Transfer(u64),
}

/// Between two looks for what others did.
pub const PAUSE: Duration = Duration::from_micros(200);

impl Mailbox {
    /// The mailbox of a rank in a folder that is there.
    pub fn new(folder: PathBuf, rank: usize) -> Mailbox {
        Mailbox { folder, rank }
    }

    /// A folder beside this one, for some of its ranks, which may outlive it.
    pub fn folder_beside(&self, name: &str) -> io::Result<PathBuf> {
        let mut path = self.folder.clone().into_os_string();
        path.push(format!("-{name}"));
        let folder = PathBuf::from(path);
        cgsan_files::private_folder(&folder)?;
        Ok(folder)
    }

    /// Sends a message to some ranks.
    pub fn send(&self, letter: Letter, to: &[usize], parts: &[&[u8]]) -> io::Result<()> {
        let draft = self.draft(parts)?;
        for receiver in to {
            fs::hard_link(&draft, self.folder.join(name(letter, self.rank, *receiver)))?;
        }
        fs::remove_file(draft)
    }

    /// The message of a rank, if it has come; it comes once.
    pub fn receive(&self, letter: Letter, from: usize) -> io::Result<Option<Vec<u8>>> {
        let path = self.folder.join(name(letter, from, self.rank));
        let message = read(&path)?;
        if message.is_some() {
            fs::remove_file(path)?;
        }
        Ok(message)
    }

    /// Tells all ranks something, under a name that this rank uses once.
    pub fn publish(&self, name: &str, text: &[u8]) -> io::Result<()> {
        let draft = self.draft(&[text])?;
        fs::rename(draft, self.folder.join(format!("{name}.{}", self.rank)))
    }

    /// What all ranks published under a name, in their order. Waits for the last.
    pub fn collect(&self, name: &str, ranks: usize) -> io::Result<Vec<Vec<u8>>> {
        (0..ranks)
            .map(|rank| {
                let path = self.folder.join(format!("{name}.{rank}"));
                loop {
                    if let Some(text) = read(&path)? {
                        return Ok(text);
                    }
                    thread::sleep(PAUSE);
                }
            })
            .collect()
    }

    /// Removes the folder if all ranks published under a name.
    pub fn remove_if_published(&self, name: &str, ranks: usize) {
        let is_published = |rank| self.folder.join(format!("{name}.{rank}")).exists();
        if (0..ranks).all(is_published) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    /// Writes a message that nobody sees yet.
    fn draft(&self, parts: &[&[u8]]) -> io::Result<PathBuf> {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("draft.{}.{number}", self.rank));
        let mut file =
            cgsan_files::private_file(&path, File::options().write(true).create_new(true))?;
        for part in parts {
            file.write_all(part)?;
        }
        Ok(path)
    }
}

fn name(letter: Letter, from: usize, to: usize) -> String {
    match letter {
        Letter::Collective(number) => format!("collective.{number}.{from}.{to}"),
        Letter::Transfer(number) => format!("transfer.{number}.{from}.{to}"),
    }
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut message = Vec::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_end(&mut message).map(|_| Some(message)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
