//! The versions that the libraries report: those that the program's PyTorch was built with.
//!
//! They are what PyTorch's wheels require: cuDNN, cuSPARSELt and NCCL by PyTorch's release, the others by the CUDA
//! toolkit. PyTorch refuses a cuDNN that is older than the one it was built with.

use std::ffi::c_int;
use std::sync::OnceLock;

use super::export::Status;
use crate::ffi::Out;
use crate::gpu;

/// A library's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: c_int,
    pub minor: c_int,
    pub patch: c_int,
}

/// The libraries that come with a CUDA toolkit.
#[derive(Clone, Copy, Debug)]
pub struct Toolkit {
    /// The toolkit's own version (1000 × major + 10 × minor).
    cuda: c_int,
    /// cuBLAS and cuBLASLt.
    pub cublas: Version,
    pub cufft: Version,
    pub curand: Version,
    pub cusolver: Version,
    pub cusparse: Version,
}

/// The libraries that come with a release of PyTorch.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// PyTorch's version.
    torch: (c_int, c_int),
    /// The toolkit (1000 × major + 10 × minor) of the release on PyPI.
    cuda: c_int,
    pub cudnn: Version,
    pub cusparselt: Version,
    pub nccl: Version,
}

const TOOLKITS: [Toolkit; 5] = [
    Toolkit {
        cuda: 12_040,
        cublas: version(12, 4, 5),
        cufft: version(11, 2, 1),
        curand: version(10, 3, 5),
        cusolver: version(11, 6, 1),
        cusparse: version(12, 3, 1),
    },
    Toolkit {
        cuda: 12_060,
        cublas: version(12, 6, 4),
        cufft: version(11, 3, 0),
        curand: version(10, 3, 7),
        cusolver: version(11, 7, 1),
        cusparse: version(12, 5, 4),
    },
    Toolkit {
        cuda: 12_080,
        cublas: version(12, 8, 4),
        cufft: version(11, 3, 3),
        curand: version(10, 3, 9),
        cusolver: version(11, 7, 3),
        cusparse: version(12, 5, 8),
    },
    Toolkit {
        cuda: 13_000,
        cublas: version(13, 1, 0),
        cufft: version(12, 0, 0),
        curand: version(10, 4, 0),
        cusolver: version(12, 0, 4),
        cusparse: version(12, 6, 3),
    },
    Toolkit {
        cuda: 13_020,
        cublas: version(13, 4, 1),
        cufft: version(12, 2, 0),
        curand: version(10, 4, 2),
        cusolver: version(12, 2, 0),
        cusparse: version(12, 7, 10),
    },
];

// RELEASES: the lines of `api/releases.txt`.
include!(concat!(env!("OUT_DIR"), "/releases.rs"));

/// PyTorch 2.11, with which the virtual GPU was measured: assumed where the version is unknown.
const REFERENCE: Release = of_minor(11);

/// The release 2.`minor`, which is in the table: without it, this does not compile.
const fn of_minor(minor: c_int) -> Release {
    let mut at = 0;
    while RELEASES[at].torch.1 != minor {
        at += 1;
    }
    RELEASES[at]
}

static RELEASE: OnceLock<Release> = OnceLock::new();

/// Sets PyTorch's version from a text like `2.11.0+cu130`, once; a text that is none is ignored. The CUDA version is set
/// before.
pub fn set_torch(text: &str) {
    if let Some(torch) = parse(text) {
        let _ = RELEASE.set(release_of(torch, gpu::version::runtime()));
    }
}

/// The libraries of the program's PyTorch.
pub fn torch() -> Release {
    RELEASE.get().copied().unwrap_or(REFERENCE)
}

/// The libraries of the program's CUDA toolkit.
pub fn toolkit() -> Toolkit {
    toolkit_of(gpu::version::runtime())
}

/// The latest toolkit that is not newer than `cuda`.
fn toolkit_of(cuda: c_int) -> Toolkit {
    let known = TOOLKITS.iter().rev().find(|toolkit| toolkit.cuda <= cuda);
    *known.unwrap_or(&TOOLKITS[0])
}

/// The latest release that is not newer than `torch`. A build for another toolkit than that of the release on PyPI may
/// have been made with a newer cuDNN.
fn release_of(torch: (c_int, c_int), cuda: c_int) -> Release {
    let known = RELEASES.iter().rev().find(|release| release.torch <= torch);
    let release = *known.unwrap_or(&RELEASES[0]);
    if release.cuda == cuda {
        return release;
    }
    Release {
        cudnn: release.cudnn.max(REFERENCE.cudnn),
        ..release
    }
}

fn parse(text: &str) -> Option<(c_int, c_int)> {
    let mut numbers = text.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

const fn release(
    minor: c_int,
    cuda: c_int,
    cudnn: Version,
    cusparselt: Version,
    nccl: Version,
) -> Release {
    Release {
        torch: (2, minor),
        cuda,
        cudnn,
        cusparselt,
        nccl,
    }
}

const fn version(major: c_int, minor: c_int, patch: c_int) -> Version {
    Version {
        major,
        minor,
        patch,
    }
}

impl Version {
    /// The number as CUDA's libraries write it: 1000 × major + 100 × minor + patch.
    pub const fn thousands(self) -> c_int {
        self.major * 1000 + self.minor * 100 + self.patch
    }

    /// The number as cuBLAS, cuDNN and NCCL write it: 10000 × major + 100 × minor + patch.
    pub const fn ten_thousands(self) -> c_int {
        self.major * 10_000 + self.minor * 100 + self.patch
    }

    /// Writes the part that a `libraryPropertyType` names: 0 major, 1 minor, 2 patch.
    pub fn property(self, kind: c_int, value: Out<c_int>, invalid: c_int) -> Result<(), Status> {
        let part = match kind {
            0 => self.major,
            1 => self.minor,
            2 => self.patch,
            _ => return Err(Status(invalid)),
        };
        value.put_if_wanted(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_written_as_each_library_writes_them() {
        assert_eq!(REFERENCE.cudnn.ten_thousands(), 91_900);
        assert_eq!(REFERENCE.nccl.ten_thousands(), 22_809);
        assert_eq!(toolkit_of(13_000).cusparse.thousands(), 12_603);
    }

    #[test]
    fn each_release_has_its_own_libraries() {
        let of = |text, cuda| release_of(parse(text).expect("a version"), cuda);
        assert_eq!(of("2.6.0", 12_040).cudnn, version(9, 1, 0));
        assert_eq!(of("2.8.0+cu128", 12_080).nccl, version(2, 27, 3));
        assert_eq!(of("2.15.0a0+git1", 13_020).cudnn, version(9, 26, 0));
    }

    #[test]
    fn a_build_for_another_toolkit_gets_a_cudnn_that_is_new_enough() {
        assert_eq!(release_of((2, 6), 12_060).cudnn, REFERENCE.cudnn);
        assert_eq!(release_of((2, 15), 13_000).cudnn, version(9, 26, 0));
    }

    #[test]
    fn what_is_not_in_the_tables_gets_its_nearest() {
        assert_eq!(release_of((2, 5), 12_040).torch, (2, 6));
        let newest = RELEASES.last().expect("one");
        assert_eq!(release_of((3, 0), 14_000).torch, newest.torch);
        assert_eq!(toolkit_of(11_080).cuda, 12_040);
        assert_eq!(toolkit_of(12_090).cuda, 12_080);
        assert_eq!(toolkit_of(14_000).cuda, 13_020);
    }

    #[test]
    fn what_is_no_version_is_none() {
        for text in ["", "2", "two.six", "git"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_tables_are_in_order() {
        assert!(TOOLKITS.is_sorted_by_key(|toolkit| toolkit.cuda));
        assert!(RELEASES.is_sorted_by_key(|release| release.torch));
    }

    #[test]
    fn each_release_has_its_toolkit() {
        for release in RELEASES {
            let cuda = release.cuda;
            assert_eq!(toolkit_of(cuda).cuda, cuda, "TOOLKITS has no CUDA {cuda}");
        }
    }
}
