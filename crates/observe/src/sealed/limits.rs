//! What the child may take of the machine.

use super::files::{self, Descriptor};
use super::{Failure, checked};

/// The files that the child has: 0 to 3.
pub const FILES: u64 = 4;

/// By how much the child gives way to others.
const NICE: i32 = 10;

/// What a child is given.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How much address space more than it has.
    pub bytes: u64,
    /// How long on the processor.
    pub seconds: u32,
}

impl Limits {
    /// Sets them.
    pub fn set(self) -> Result<(), Failure> {
        let size = address_space()?.saturating_add(self.bytes);
        let seconds = u64::from(self.seconds);
        limit(libc::RLIMIT_AS, size, size)?;
        // The second of them kills, whatever is blocked.
        limit(libc::RLIMIT_CPU, seconds, seconds + 1)?;
        limit(libc::RLIMIT_CORE, 0, 0)?;
        limit(libc::RLIMIT_FSIZE, 0, 0)
    }
}

/// The child has no more files than it has now.
pub fn forbid_files() -> Result<(), Failure> {
    limit(libc::RLIMIT_NOFILE, FILES, FILES)
}

/// Lets others go first, where that can be asked for.
pub fn be_modest() {
    // SAFETY: takes a number only.
    unsafe { libc::nice(NICE) };
    if let Ok(score) = Descriptor::open(c"/proc/self/oom_score_adj", libc::O_WRONLY) {
        // Where memory runs out, the program is not what ends.
        score.write(b"1000");
    }
}

fn limit(what: libc::__rlimit_resource_t, soft: u64, hard: u64) -> Result<(), Failure> {
    let mut now = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: there is room for a limit.
    let read = unsafe { libc::getrlimit(what, &raw mut now) };
    checked(read, Failure::Limits)?;
    let hard = hard.min(now.rlim_max);
    let wanted = libc::rlimit {
        rlim_cur: soft.min(hard),
        rlim_max: hard,
    };
    // SAFETY: it is a limit.
    let set = unsafe { libc::setrlimit(what, &raw const wanted) };
    checked(set, Failure::Limits)?;
    Ok(())
}

/// How many bytes of address space this process has.
fn address_space() -> Result<u64, Failure> {
    let file = Descriptor::open(c"/proc/self/statm", libc::O_RDONLY).or(Err(Failure::Limits))?;
    let mut buffer = [0; 128];
    let text = file.read(&mut buffer).ok_or(Failure::Limits)?;
    let pages = files::number(text, 10).ok_or(Failure::Limits)?.0;
    // SAFETY: sysconf answers this without a lock.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = u64::try_from(page).or(Err(Failure::Limits))?;
    Ok(pages.saturating_mul(page))
}
