//! What keeps this command from looking at a process, and what to set.

use std::fs;

use crate::subject::Subject;

/// `CAP_SYS_PTRACE`, as a bit of `CapEff`.
const CAP_SYS_PTRACE: u64 = 1 << 19;

/// Where Linux's Yama says who may look at whose memory.
const YAMA: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// What the system knows that decides.
#[derive(Clone, Debug, Default)]
struct Rights {
    user: u32,
    has_capability: bool,
    yama: Option<u32>,
}

/// What to set, so that a process may be looked at that may not be.
pub fn what_to_set(subject: &Subject) -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
    let capabilities = field("CapEff:").and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    let user = field("Uid:").and_then(|it| it.split_ascii_whitespace().nth(1)?.parse().ok());
    let yama = fs::read_to_string(YAMA).ok();
    advice(
        subject,
        &Rights {
            user: user.unwrap_or(0),
            has_capability: capabilities.unwrap_or(0) & CAP_SYS_PTRACE != 0,
            yama: yama.and_then(|it| it.trim().parse().ok()),
        },
    )
}

fn advice(subject: &Subject, rights: &Rights) -> String {
    let pid = subject.pid;
    if let Some(debugger) = subject.traced_by {
        return format!(
            "process {debugger} traces it already, as a debugger does; a process can be traced by one other at a time"
        );
    }
    if rights.yama == Some(3) {
        return format!(
            "`{YAMA}` is 3: nobody may trace a process until the machine is booted with another value"
        );
    }
    if rights.has_capability {
        return "the system refuses it although this process has CAP_SYS_PTRACE: a security module (AppArmor, SELinux), a seccomp filter or another user namespace does not permit it; in Docker and Podman, `--security-opt seccomp=unconfined` or `--cap-add SYS_PTRACE` permits it".to_owned();
    }
    if rights.user == 0 {
        return "root has no CAP_SYS_PTRACE here, as in a container: start the container with `--cap-add SYS_PTRACE` (Docker, Podman), in Kubernetes with `SYS_PTRACE` in `securityContext.capabilities.add`, or attach from the host".to_owned();
    }
    if subject.user != rights.user {
        return format!(
            "process {pid} belongs to another user ({}): run cgsan as that user or as root, such as by `sudo`",
            subject.user
        );
    }
    match rights.yama {
        Some(1) => format!(
            "`{YAMA}` is 1, so that only a parent may look at a process: run cgsan as root, or `sudo sysctl kernel.yama.ptrace_scope=0` until the next boot"
        ),
        Some(2) => format!(
            "`{YAMA}` is 2, so that only who has CAP_SYS_PTRACE may look at a process: run cgsan as root"
        ),
        _ => "the process has made itself private (`PR_SET_DUMPABLE`), or a seccomp filter or a security module forbids it: run cgsan as root".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_remedy() {
        let subject = |user, traced_by| Subject {
            pid: 7,
            user,
            traced_by,
            ..Subject::default()
        };
        let rights = |user, has_capability, yama| Rights {
            user,
            has_capability,
            yama,
        };
        let says = |subject: &Subject, rights: &Rights, text: &str| {
            let advice = advice(subject, rights);
            assert!(advice.contains(text), "{advice}");
        };
        says(
            &subject(5, Some(3)),
            &rights(0, true, None),
            "process 3 traces it",
        );
        says(
            &subject(5, None),
            &rights(0, false, None),
            "--cap-add SYS_PTRACE",
        );
        says(
            &subject(5, None),
            &rights(6, false, Some(1)),
            "another user (5)",
        );
        says(
            &subject(5, None),
            &rights(5, false, Some(1)),
            "kernel.yama.ptrace_scope=0",
        );
        says(
            &subject(5, None),
            &rights(5, false, Some(2)),
            "CAP_SYS_PTRACE",
        );
        says(&subject(5, None), &rights(0, true, Some(3)), "booted");
        says(&subject(5, None), &rights(0, true, Some(0)), "seccomp");
        says(&subject(5, None), &rights(5, false, None), "private");
    }
}
