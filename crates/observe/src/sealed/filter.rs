//! The system calls that the child may make.
//!
//! Four filters, of which the kernel obeys the strictest at each call. One ends the process at every call that is not listed. Another
//! answers who would make memory writable with "no memory": shared memory that was protected must stay so, and the C library
//! allocates in another way then. The third lets no wait without an end begin: whom it is for, the child does not have. The last
//! answers who asks whether a file is a terminal that it is none.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use super::Failure;

/// Calls that are harmless whatever they are given: memory, clocks, the calling process and its signals.
const ALLOWED: &[c_long] = &[
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_membarrier,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // How the kernel goes on with one of these when the process was stopped for a while.
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// What may be written to.
const FILES: [c_long; 3] = [1, 2, 3];

/// The ways to wait at a lock.
const WAITS: &[i32] = &[
    libc::FUTEX_WAIT,
    libc::FUTEX_WAIT_BITSET,
    libc::FUTEX_LOCK_PI,
];

/// What may be said of memory. `MADV_REMOVE` is not among them: it makes a hole in the file behind a map, and those that swap out
/// or merge pages act on what others use.
const ADVICE: &[i32] = &[
    libc::MADV_NORMAL,
    libc::MADV_RANDOM,
    libc::MADV_SEQUENTIAL,
    libc::MADV_WILLNEED,
    libc::MADV_DONTNEED,
    libc::MADV_FREE,
    libc::MADV_HUGEPAGE,
    libc::MADV_NOHUGEPAGE,
    libc::MADV_DONTDUMP,
    libc::MADV_DODUMP,
    libc::MADV_POPULATE_READ,
];

/// What `isatty` asks; newer C libraries have the second.
const TERMINAL: &[libc::Ioctl] = &[libc::TCGETS, libc::TCGETS2];

/// The filters as the kernel takes them.
#[derive(Debug)]
pub struct Filters {
    read_only: BpfProgram,
    terminals: BpfProgram,
    waits: BpfProgram,
    main: BpfProgram,
}

/// The filters, compiled at the first call; `None` if they cannot be. Call it in the parent.
pub fn compiled() -> Option<&'static Filters> {
    static COMPILED: OnceLock<Option<Filters>> = OnceLock::new();
    COMPILED.get_or_init(|| compile().ok()).as_ref()
}

impl Filters {
    /// Installs them for good. The main one comes last, since it forbids that.
    pub fn install(&self) -> Result<(), Failure> {
        for program in [&self.read_only, &self.terminals, &self.waits, &self.main] {
            seccompiler::apply_filter(program).or(Err(Failure::Filter))?;
        }
        Ok(())
    }
}

fn compile() -> Result<Filters, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let program = |rules, otherwise, then| {
        SeccompFilter::new(rules, otherwise, then, architecture)?.try_into()
    };
    let errno = |error: i32| SeccompAction::Errno(error.cast_unsigned());
    let terminals = Rules::from([(libc::SYS_ioctl, asks_for_terminal()?)]);
    Ok(Filters {
        read_only: program(makes_writable()?, SeccompAction::Allow, errno(libc::ENOMEM))?,
        terminals: program(terminals, SeccompAction::Allow, errno(libc::ENOTTY))?,
        // Its signal's handler ends the child with a code of its own.
        waits: program(waits_for_ever()?, SeccompAction::Allow, SeccompAction::Trap)?,
        main: program(allowed()?, SeccompAction::KillProcess, SeccompAction::Allow)?,
    })
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

fn allowed() -> Result<Rules, BackendError> {
    let mut rules: Rules = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    let files = FILES
        .iter()
        .map(|file| when(0, SeccompCmpOp::Eq, file.cast_unsigned()))
        .collect::<Result<Vec<_>, _>>()?;
    rules.insert(libc::SYS_write, files.clone());
    rules.insert(libc::SYS_writev, files);
    let advice = ADVICE
        .iter()
        .map(|advice| when(2, SeccompCmpOp::Eq, u64::from(advice.cast_unsigned())));
    rules.insert(libc::SYS_madvise, advice.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_futex, futex()?);
    rules.insert(libc::SYS_ioctl, asks_for_terminal()?);
    let of_its_name = [libc::PR_GET_NAME, libc::PR_SET_NAME]
        .map(|it| when(0, SeccompCmpOp::Eq, u64::from(it.cast_unsigned())));
    rules.insert(
        libc::SYS_prctl,
        of_its_name.into_iter().collect::<Result<_, _>>()?,
    );
    Ok(rules)
}

fn asks_for_terminal() -> Result<Vec<SeccompRule>, BackendError> {
    TERMINAL
        .iter()
        .map(|request| when(1, SeccompCmpOp::Eq, *request & u64::from(u32::MAX)))
        .collect()
}

/// In memory that is shared, it may wait, but not wake or move those of other processes that wait there.
fn futex() -> Result<Vec<SeccompRule>, BackendError> {
    let bits = |number: i32| u64::from(number.cast_unsigned());
    let private = bits(libc::FUTEX_PRIVATE_FLAG);
    let operation = bits(libc::FUTEX_CMD_MASK);
    Ok(vec![
        when(1, SeccompCmpOp::MaskedEq(private), private)?,
        when(1, SeccompCmpOp::MaskedEq(operation), bits(libc::FUTEX_WAIT))?,
        when(
            1,
            SeccompCmpOp::MaskedEq(operation),
            bits(libc::FUTEX_WAIT_BITSET),
        )?,
    ])
}

/// Waiting at a lock with no limit of time: the one thread that there is would have to release it.
fn waits_for_ever() -> Result<Rules, BackendError> {
    let operation = u64::from(libc::FUTEX_CMD_MASK.cast_unsigned());
    let waits = WAITS.iter().map(|wait| {
        let is = SeccompCmpOp::MaskedEq(operation);
        SeccompRule::new(vec![
            condition(1, is, u64::from(wait.cast_unsigned()))?,
            // The pointer to the limit.
            SeccompCondition::new(3, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?,
        ])
    });
    Ok(Rules::from([(
        libc::SYS_futex,
        waits.collect::<Result<_, _>>()?,
    )]))
}

fn makes_writable() -> Result<Rules, BackendError> {
    let write = u64::from(libc::PROT_WRITE.cast_unsigned());
    let rule = when(2, SeccompCmpOp::MaskedEq(write), write)?;
    Ok(Rules::from([(libc::SYS_mprotect, vec![rule])]))
}

/// The rule that an argument, of which the kernel reads 32 bits, is as given.
fn when(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![condition(argument, is, value)?])
}

fn condition(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, is, value)
}
