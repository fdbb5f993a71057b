//! How the ranks of a communicator find each other, and how they divide.

use std::env;
use std::ffi::{OsStr, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::peers::Peers;
use super::{INVALID_ARGUMENT, SYSTEM_ERROR, last_error};
use crate::libraries::export::Status;

/// `ncclUniqueId`, which goes by value: the path of the folder in which the ranks meet, up to a null byte.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UniqueId {
    words: [u64; 16],
}

const _: () = assert!(size_of::<UniqueId>() == 128);

crate::ffi::plain! {
    UniqueId { words: [u64; 16] }
}

impl UniqueId {
    /// The identity of a new meeting.
    pub fn new() -> Result<UniqueId, Status> {
        let folder = new_folder().map_err(|error| {
            last_error::set(&format!(
                "no folder for the ranks to meet in: {}; set TMPDIR to one that is writable and has room",
                cgsan_files::in_words(&error)
            ));
            SYSTEM_ERROR
        })?;
        let mut bytes = folder.as_os_str().as_encoded_bytes().to_vec();
        // A path that fills all of it would have no end.
        if bytes.len() >= size_of::<UniqueId>() {
            last_error::set(
                "the path of the folder for temporary files is too long; set TMPDIR to a shorter one",
            );
            return Err(SYSTEM_ERROR);
        }
        bytes.resize(size_of::<UniqueId>(), 0);
        let (words, _) = bytes.as_chunks::<8>();
        Ok(UniqueId {
            words: std::array::from_fn(|index| u64::from_le_bytes(words[index])),
        })
    }

    /// The folder of the meeting.
    pub fn folder(&self) -> PathBuf {
        let bytes: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let path = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        PathBuf::from(OsStr::from_bytes(path))
    }
}

/// A folder in that of the run, or where temporary files go.
fn new_folder() -> io::Result<PathBuf> {
    let parent = env::var_os("CGSAN_RUN_DIRECTORY").map_or_else(env::temp_dir, PathBuf::from);
    Ok(cgsan_files::temporary_folder(&parent, "nccl-")?.keep())
}

/// Tells the other ranks the color that this one wants, and the key that says where it wants to be.
pub fn propose(parent: &Peers, number: u64, color: c_int, key: c_int) -> Result<(), Status> {
    let wanted = [color.to_le_bytes(), key.to_le_bytes()].concat();
    let published = parent.mailbox.publish(&name_of(number), &wanted);
    published.map_err(|_| SYSTEM_ERROR)
}

/// The ranks of one color, in the order of their keys; waits for all. None if this rank wants none.
pub fn split(
    parent: &Peers,
    number: u64,
    color: c_int,
    stays_out: bool,
) -> Result<Option<Peers>, Status> {
    let wanted = parent.collect(&name_of(number))?;
    if stays_out {
        return Ok(None);
    }
    let mut members: Vec<(c_int, usize)> = wanted
        .iter()
        .enumerate()
        .filter_map(|(rank, wanted)| {
            let (wanted_color, key) = wanted.split_first_chunk::<4>()?;
            let (key, _) = key.split_first_chunk::<4>()?;
            let is_member = c_int::from_le_bytes(*wanted_color) == color;
            is_member.then(|| (c_int::from_le_bytes(*key), rank))
        })
        .collect();
    members.sort_unstable();
    let members: Vec<usize> = members.into_iter().map(|(_, rank)| rank).collect();
    join(parent, &format!("{}-{color}", name_of(number)), &members).map(Some)
}

/// The ranks without some of them.
pub fn shrink(parent: &Peers, excluded: &[c_int]) -> Result<Peers, Status> {
    let number = parent.next_division();
    let stays = |rank: &usize| !excluded.iter().any(|it| usize::try_from(*it) == Ok(*rank));
    let members: Vec<usize> = (0..parent.ranks).filter(stays).collect();
    join(parent, &name_of(number), &members)
}

fn name_of(number: u64) -> String {
    format!("division-{number}")
}

fn join(parent: &Peers, name: &str, members: &[usize]) -> Result<Peers, Status> {
    let rank = members.iter().position(|rank| *rank == parent.rank);
    let rank = rank.ok_or(INVALID_ARGUMENT)?;
    let folder = parent
        .mailbox
        .folder_beside(name)
        .map_err(|_| SYSTEM_ERROR)?;
    let peers = Peers::join(folder, rank, members.len(), parent.device)?;
    peers.meet()?;
    Ok(peers)
}

#[cfg(test)]
mod tests {
    use cgsan_model::Device;

    use super::*;

    /// What four ranks have after a split: their new rank, and how many there are.
    fn split_four(colors: [c_int; 4], keys: [c_int; 4]) -> Vec<(usize, usize)> {
        let id = UniqueId::new().unwrap();
        let act = |rank: usize| {
            let device = Device(u32::try_from(rank).unwrap());
            let peers = Peers::join(id.folder(), rank, 4, device).unwrap();
            let number = peers.next_division();
            propose(&peers, number, colors[rank], keys[rank]).unwrap();
            let part = split(&peers, number, colors[rank], false).unwrap().unwrap();
            part.leave();
            peers.leave();
            (part.rank, part.ranks)
        };
        std::thread::scope(|scope| {
            let ranks = [0, 1, 2, 3].map(|rank| scope.spawn(move || act(rank)));
            ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
        })
    }

    #[test]
    fn ranks_of_one_color_are_ordered_by_key_and_then_by_rank() {
        assert_eq!(
            split_four([0, 1, 0, 1], [0; 4]),
            [(0, 2), (0, 2), (1, 2), (1, 2)]
        );
        assert_eq!(
            split_four([7, 7, 7, 3], [2, 1, 1, 0]),
            [(2, 3), (0, 3), (1, 3), (0, 1)]
        );
    }

    #[test]
    fn an_identity_carries_its_folder() {
        let folders = [(); 2].map(|()| UniqueId::new().unwrap().folder());
        assert_ne!(folders[0], folders[1]);
        for folder in folders {
            std::fs::remove_dir(folder).unwrap();
        }
    }
}
