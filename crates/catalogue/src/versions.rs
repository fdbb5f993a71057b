//! What the programs of `examples/` did in each version of PyTorch, on the virtual GPU.
//!
//! The virtual GPU answers every call, the same in each version; so what differs is what PyTorch itself does.

use serde::Serialize;

use crate::entry::{Entry, Language, RefusedCall};

/// A version of PyTorch in which the programs ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Release {
    /// The release, e.g. `2.11.0`.
    pub pytorch: &'static str,
    /// The CUDA that it is built for, e.g. `13.0`.
    pub cuda: &'static str,
    /// The CPython that ran it, e.g. `3.11`.
    pub python: &'static str,
}

/// What a program did in the versions in which it ran as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The program, from the root of the repository.
    pub path: &'static str,
    /// Each thing that it did, by the first version in which it did so.
    pub results: &'static [InVersions],
}

/// What a program did in some versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct InVersions {
    /// The releases, ascending.
    pub versions: &'static [&'static str],
    /// How it ended.
    pub end: End,
    /// The refused call that cgsan's first finding names.
    pub call: Option<RefusedCall>,
    /// Its first exception with the first line of the message.
    pub exception: Option<&'static str>,
    /// The ids that cgsan found.
    pub findings: &'static [&'static str],
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With status 0.
    Well,
    /// With an error that began with a call that CUDA refused.
    RefusedByCuda,
    /// With an exception of PyTorch's or of its own, before CUDA refused anything.
    Refused,
    /// It made no progress until it was ended.
    Hang,
    /// By a signal.
    Crash,
}

/// How a failure mode showed in some versions that ran one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The releases, ascending.
    pub releases: Vec<&'static str>,
    /// How it showed.
    #[serde(flatten)]
    pub how: How,
}

/// How a program that is to show a failure mode did so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum How {
    /// CUDA refused a call.
    RefusedByCuda {
        /// The function of the driver.
        function: &'static str,
        /// The code that it returned.
        code: i32,
    },
    /// PyTorch refused before CUDA was asked.
    RefusedByPytorch,
    /// Nobody refused anything: what is wrong shows in results, in memory or in nothing.
    Silent,
    /// The program stood still.
    Hang,
    /// It showed as other failure modes.
    As {
        /// Their ids.
        ids: &'static [&'static str],
    },
    /// The program failed, and cgsan does not know the failure.
    Unknown,
    /// The program ended well, and cgsan found nothing.
    Nothing,
}

impl Release {
    /// The version without its last number, e.g. `2.11`.
    pub fn minor(&self) -> &'static str {
        minor(self.pytorch)
    }
}

impl Entry {
    /// How the failure mode showed in the versions that ran, ascending; empty if no program shows it.
    pub fn seen(&self) -> Vec<Seen> {
        let Some(case) = self.cases.iter().find(|case| case.is_smallest()) else {
            return Vec::new();
        };
        let mut seen: Vec<Seen> = Vec::new();
        for release in crate::releases().iter().map(|release| release.pytorch) {
            let mut results = case.results.iter();
            let Some(result) = results.find(|it| it.versions.contains(&release)) else {
                continue;
            };
            let how = result.how(self.id);
            match seen.last_mut() {
                Some(last) if last.how == how => last.releases.push(release),
                _ => seen.push(Seen {
                    releases: vec![release],
                    how,
                }),
            }
        }
        seen
    }
}

impl Case {
    /// Whether it is the program that shows the failure mode and nothing else.
    fn is_smallest(&self) -> bool {
        ["/fails.py", "/silent.py"]
            .iter()
            .any(|name| self.path.ends_with(name))
    }

    /// Whether it is to show the failure mode, in whatever form; others are sound.
    pub fn shows_failure(&self) -> bool {
        self.is_smallest() || self.path.contains("/variant_")
    }
}

impl InVersions {
    /// How the failure mode of an id showed.
    pub fn how(&self, id: &str) -> How {
        let found = self.findings.contains(&id);
        match (self.end, self.call) {
            (End::Well, _) if self.findings.is_empty() => How::Nothing,
            (End::Hang, _) => How::Hang,
            _ if self.findings.is_empty() => How::Unknown,
            _ if !found => How::As { ids: self.findings },
            // The virtual GPU says of some of these at once what a real one would wait for.
            _ if id.starts_with("CG4") => How::Hang,
            (End::Well, _) => How::Silent,
            (_, Some(call)) => How::RefusedByCuda {
                function: call.function,
                code: call.code,
            },
            (_, None) => How::RefusedByPytorch,
        }
    }
}

impl Seen {
    /// The versions, e.g. `PyTorch 2.6 to 2.15`; each by itself if some in between did not run.
    pub fn versions(&self, language: Language) -> String {
        let minors: Vec<&str> = self.releases.iter().map(|release| minor(release)).collect();
        let follows =
            |pair: &[&str]| number(pair[0]).is_some_and(|it| number(pair[1]) == Some(it + 1));
        match (&minors[..], language) {
            ([first, .., last], Language::English) if minors.windows(2).all(follows) => {
                format!("PyTorch {first} to {last}")
            }
            ([first, .., last], Language::Chinese) if minors.windows(2).all(follows) => {
                format!("PyTorch {first} 至 {last}")
            }
            (_, Language::English) => format!("PyTorch {}", minors.join(", ")),
            (_, Language::Chinese) => format!("PyTorch {}", minors.join("、")),
        }
    }
}

impl How {
    /// In words.
    pub fn words(&self, language: Language) -> String {
        let english = language == Language::English;
        let fixed = |text: [&str; 2]| text[usize::from(!english)].to_owned();
        match self {
            How::RefusedByCuda { function, code } if english => {
                format!("refused by CUDA: `{function}` returns {code}")
            }
            How::RefusedByCuda { function, code } => {
                format!("被 CUDA 拒绝：`{function}` 返回 {code}")
            }
            How::RefusedByPytorch => fixed(["refused by PyTorch", "被 PyTorch 拒绝"]),
            How::Silent => fixed(["silent: nothing is refused", "无提示：没有任何拒绝"]),
            How::Hang => fixed(["the program hangs", "程序挂起"]),
            How::As { ids } if english => format!("shows as {}", ids.join(", ")),
            How::As { ids } => format!("表现为 {}", ids.join("、")),
            How::Unknown => fixed(["fails, and cgsan names no cause", "失败，cgsan 未指出原因"]),
            How::Nothing => fixed(["ends well, nothing is found", "正常结束，未发现问题"]),
        }
    }
}

/// The release without its last number: the tables name minor versions.
fn minor(release: &str) -> &str {
    release
        .match_indices('.')
        .nth(1)
        .map_or(release, |(end, _)| &release[..end])
}

/// The number behind the first: 15 of `2.15`.
fn number(minor: &str) -> Option<u32> {
    minor.split_once('.')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_CUDA: InVersions = InVersions {
        versions: &[],
        end: End::RefusedByCuda,
        call: Some(RefusedCall {
            function: "cuMemAlloc_v2",
            code: 900,
        }),
        exception: None,
        findings: &["CG103"],
    };

    #[test]
    fn who_refused_is_told_by_the_end_and_the_finding() {
        let by_pytorch = InVersions {
            end: End::Refused,
            call: None,
            ..BY_CUDA
        };
        let silent = InVersions {
            end: End::Well,
            ..BY_CUDA
        };
        let nothing = InVersions {
            findings: &[],
            ..silent
        };
        assert_eq!(
            BY_CUDA.how("CG103").words(Language::English),
            "refused by CUDA: `cuMemAlloc_v2` returns 900"
        );
        assert_eq!(BY_CUDA.how("CG105"), How::As { ids: &["CG103"] });
        assert_eq!(by_pytorch.how("CG103"), How::RefusedByPytorch);
        assert_eq!(silent.how("CG103"), How::Silent);
        assert_eq!(nothing.how("CG103"), How::Nothing);
        let failed = InVersions {
            findings: &[],
            ..by_pytorch
        };
        assert_eq!(failed.how("CG103"), How::Unknown);
    }

    #[test]
    fn a_range_has_no_version_that_did_not_run() {
        let versions = |releases: &[&'static str], language| {
            let releases = releases.to_vec();
            Seen {
                releases,
                how: How::Silent,
            }
            .versions(language)
        };
        let english = |releases: &[&'static str]| versions(releases, Language::English);
        assert_eq!(
            english(&["2.9.1", "2.10.0", "2.11.0"]),
            "PyTorch 2.9 to 2.11"
        );
        assert_eq!(english(&["2.9.1", "2.11.0"]), "PyTorch 2.9, 2.11");
        assert_eq!(versions(&["2.9.1"], Language::Chinese), "PyTorch 2.9");
    }
}
