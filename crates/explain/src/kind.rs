//! What kind of trouble a text speaks of, where it does not say what causes it: a capture that fails, wrong results, lack
//! of memory. Each kind is a chapter of the catalogue.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use cgsan_catalogue::{Entry, Text};
use regex_lite::Regex;

use crate::expression::compiled;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A capture fails.
    Capture,
    /// A replay computes something else.
    Results,
    /// Graphs need too much memory, or touch what is not theirs.
    Memory,
    /// The program stands still.
    Hang,
    /// Graphs bring no speed.
    Speed,
    /// A graph is not instantiated or updated.
    Update,
}

/// How strongly a text speaks of each kind, in the order of [`Kind::ALL`].
pub type Strengths = [f32; Kind::ALL.len()];

/// How much a sign says for each time that it is worded differently, up to so many.
const MOST_WORDINGS: u8 = 4;

/// How much more a sign says that stands in the title, where people put what they complain about.
const IN_TITLE: f32 = 1.5;

/// Words of symptom: of which kind, and how much they say.
struct Sign {
    kind: Kind,
    weight: f32,
    words: Regex,
}

static SIGNS: LazyLock<Vec<Sign>> = LazyLock::new(|| {
    let signs = WORDS.into_iter().map(|(kind, weight, words)| Sign {
        kind,
        weight,
        words: compiled(&format!("(?i){words}")),
    });
    signs.collect()
});

const WORDS: [(Kind, f32, &str); 8] = [
    (
        Kind::Capture,
        2.0,
        r"captur\w*[^.\n]{0,40}(?:fail|error|abort|crash|refus|invalid|\bdies\b|broke)|(?:fail|error|crash|abort|refus|\bdies?\b|break|problem|trouble|bug)\w*[^.\n]{0,60}(?:captur|cuda[ _-]?graph)|cuda[ _-]?graphs?[^.\n]{0,60}(?:fail|error|crash|bug|problem)|(?:not|n.t|never) work[^.\n]{0,40}(?:cuda[ _-]?graph|captur)|(?:cuda[ _-]?graphs?|captur\w*)[^.\n]{0,30}(?:not|n.t|never) work",
    ),
    (
        Kind::Capture,
        2.0,
        r"stream is capturing|StreamCapture|capture_(?:begin|end)|EndCapture|BeginCapture|not permitted|(?:can(?:no|.)t|unable to|won.t|cannot) (?:be )?(?:captur|record)|while (?:it )?captur|during captur|captur\w* dies|record\w* dies|CUDA error:? 90\d|error code 90\d|捕获.{0,12}(?:失败|报错|错误)",
    ),
    (
        Kind::Capture,
        1.5,
        r"_initialize_cuda_graph|graph_runner|CudaGraphRunner|capture_model|capture_\w*graphs?|cudagraphify|Traceback|RuntimeError|AcceleratorError|\bassert",
    ),
    (
        Kind::Results,
        2.0,
        r"\bwrong|incorrect|garbage|gibberish|\bnans?\b|\bzeros?\b|\b0s\b|\bstale|\bold (?:value|result|data|weight|ones)|\bdiffer(?:s|ent|ently|ence|ences)?\b|mismatch|accuracy|diverg|corrupt|bad (?:output|result)|same (?:result|output|value|token|word|number)|constant|(?:not|never|n.t|no longer) (?:update|change|follow)|nonsense|silently|allclose|repetit|[iu]nconsisten|\bweird|absurd|\bloss\b|mixed up|overwrit|(?:score|reward|curve|\bmap|perplexity|metric)\w*\b[^.\n]{0,24}\b(?:lower|worse)|(?:lower|worse) (?:score|reward|metric|perplexity)|identical|degrad|\bquality\b|artifact|\bnoise\b|off by one|(?:no|without) effect|\bsalad\b|\bdrops?\b|relative err|rel err|乱码|不一致|结果错误|错误的结果|不更新|不变",
    ),
    (
        Kind::Memory,
        2.0,
        r"out of (?:cuda |gpu |device )?memory|\boom\b|memory (?:usage|grow|leak|use|consum|increas|explode)|\bleak|\d ?G(?:i?B)?\b|vram|\breserved|\bgrow|fragment|mempool|memory pool|\bmem usage|\brss\b|memory|illegal memory access|显存|内存",
    ),
    (
        Kind::Hang,
        3.0,
        r"\bhang|\bhung|\bstuck|dead-?lock|freez|frozen|never (?:return|finish|exit)|timed? ?out|blocks? (?:forever|in)|watchdog|waits? forever|卡住|卡死|死锁|挂起",
    ),
    (
        Kind::Speed,
        2.0,
        r"\bslow|speed-?up|speeds? up|\bonly \d+(?:\.\d+)? ?%|faster|latency|\bgains?\b|no difference|\b(?:qps|tok/s|tokens/s|fps)\b|overhead|throughput|\bidle\b|\bgaps?\b|\bperf|utili[sz]ation|\d ?(?:ms|µs|us)\b|overlap|变慢|更慢|加速",
    ),
    (
        Kind::Update,
        3.0,
        r"GraphExecUpdate|graph.update|topology|ExecUpdate|NodeTypeChanged|update (?:of )?the (?:executable )?graph|graph executable|command buffer|GraphInstantiate",
    ),
];

impl Kind {
    /// Every kind, in the order of the chapters.
    pub const ALL: [Kind; 6] = [
        Kind::Capture,
        Kind::Results,
        Kind::Memory,
        Kind::Hang,
        Kind::Speed,
        Kind::Update,
    ];

    /// The kind of an entry.
    pub fn of(entry: &Entry) -> Option<Kind> {
        let chapter: usize = entry.id.get(2..3)?.parse().ok()?;
        Kind::ALL.get(chapter.checked_sub(1)?).copied()
    }

    /// What people meet most often of it, by how many of the threads of `docs/measurements/explain-threads.tsv` are about each.
    pub fn common(self) -> &'static [&'static str] {
        match self {
            Kind::Capture => &["CG101", "CG120", "CG128"],
            Kind::Results => &["CG211", "CG203", "CG209"],
            Kind::Memory => &["CG301", "CG303", "CG302"],
            Kind::Hang => &["CG405", "CG403", "CG401"],
            Kind::Speed => &["CG502", "CG507", "CG503"],
            Kind::Update => &["CG602", "CG605", "CG606"],
        }
    }

    /// The strength of this kind.
    pub fn of_strengths(self, strengths: &Strengths) -> f32 {
        strengths[self as usize]
    }

    /// What a text of it says, and what it leaves open.
    pub fn open(self) -> Text {
        let (english, chinese) = match self {
            Kind::Capture => (
                "The text says that a capture fails, but not why. By its words and by what is common, this is likely; `cgsan run` shows the refused call.",
                "文本说明捕获失败，但没有说明原因。从用词和常见程度看，这一种可能性较大；`cgsan run` 能显示被拒绝的调用。",
            ),
            Kind::Results => (
                "The text says that results are wrong, but not why. By its words and by what is common, this is likely; `cgsan run` checks what each graph reads.",
                "文本说明结果不对，但没有说明原因。从用词和常见程度看，这一种可能性较大；`cgsan run` 会检查每个图读取了什么。",
            ),
            Kind::Memory => (
                "The text is about memory, but does not say what takes it. By its words and by what is common, this is likely; `cgsan run --memory` shows whose it is.",
                "文本与显存有关，但没有说明被什么占用。从用词和常见程度看，这一种可能性较大；`cgsan run --memory` 能显示归属。",
            ),
            Kind::Hang => (
                "The text says that the program hangs, but not where. By its words and by what is common, this is likely; `cgsan run --hang-timeout 60` shows where each rank waits.",
                "文本说明程序卡住，但没有说明卡在哪里。从用词和常见程度看，这一种可能性较大；`cgsan run --hang-timeout 60` 能显示每个 rank 在哪里等待。",
            ),
            Kind::Speed => (
                "The text is about speed, but does not say what costs it. By its words and by what is common, this is likely; `cgsan perf` measures it.",
                "文本与速度有关，但没有说明时间花在哪里。从用词和常见程度看，这一种可能性较大；`cgsan perf` 可以测量。",
            ),
            Kind::Update => (
                "The text says that a graph was not instantiated or updated, but not why. By its words, this is likely; `cgsan run` shows the refused call.",
                "文本说明图没有被实例化或更新，但没有说明原因。从用词看，这一种可能性较大；`cgsan run` 能显示被拒绝的调用。",
            ),
        };
        Text { english, chinese }
    }
}

/// How strongly a text speaks of each kind. Its first line is its title.
pub fn strengths(text: &str) -> Strengths {
    let mut strengths = [0.0; Kind::ALL.len()];
    let title = text.lines().next().unwrap_or_default();
    for sign in SIGNS.iter() {
        let wordings: BTreeSet<String> = sign
            .words
            .find_iter(text)
            .map(|found| found.as_str().to_lowercase())
            .collect();
        let wordings = u8::try_from(wordings.len()).unwrap_or(u8::MAX);
        let times = f32::from(wordings.min(MOST_WORDINGS)).sqrt();
        let in_title = if sign.words.is_match(title) {
            IN_TITLE
        } else {
            0.0
        };
        strengths[sign.kind as usize] += sign.weight * (times + in_title);
    }
    strengths
}

/// Whether a passage speaks of trouble of some kind.
pub fn is_of_trouble(passage: &str) -> bool {
    SIGNS
        .iter()
        .any(|sign| sign.weight >= 2.0 && sign.words.is_match(passage))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strongest(text: &str) -> Kind {
        let strengths = strengths(text);
        let strength = |kind: &Kind| kind.of_strengths(&strengths);
        Kind::ALL
            .into_iter()
            .max_by(|a, b| strength(a).total_cmp(&strength(b)))
            .unwrap()
    }

    #[test]
    fn symptoms_tell_the_kind() {
        let kinds = [
            ("the server crashes when it captures", Kind::Capture),
            ("each replay prints garbage", Kind::Results),
            ("VRAM keeps growing until it is out of memory", Kind::Memory),
            ("all ranks are stuck after the third replay", Kind::Hang),
            (
                "with graphs a step is slower, 8 ms rather than 7 ms",
                Kind::Speed,
            ),
            ("cudaGraphExecUpdate returns an error", Kind::Update),
            ("重放得到乱码", Kind::Results),
        ];
        for (text, kind) in kinds {
            assert_eq!(strongest(text), kind, "{text}");
        }
    }

    #[test]
    fn each_chapter_has_its_kind() {
        for entry in cgsan_catalogue::entries() {
            assert!(Kind::of(entry).is_some(), "{}", entry.id);
        }
    }

    #[test]
    fn a_calm_text_speaks_of_none() {
        assert!(!is_of_trouble("we use cuda graphs for decoding"));
    }
}
