//! The second stage: what is likely where the patterns decide nothing. A text that complains about CUDA graphs is ranked by
//! what its patterns say, by the kind of its trouble, by the words that it shares with the entries, and by what is common.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use cgsan_catalogue::{Entry, entries};
use regex_lite::Regex;

use crate::candidate::{Candidate, Explanation, LEAVE_OPEN, LIKELY, Reason, sort};
use crate::concern::is_complaint;
use crate::kind::{Kind, Strengths, strengths};
use crate::likeness::likeness;
use crate::passing::{without_messages, without_passing};

/// Candidates that a text is given at least.
const ENOUGH: usize = 3;

/// Bytes of a text that are looked at: people say first what their trouble is.
const LOOKED_AT: usize = 8 << 10;

/// The most that all this says together: less than a likely pattern.
const MOST: f32 = 0.62;

/// How much of it each says. Other shares, from half to twice of these, change little.
const OF_KIND: f32 = 0.35;
const OF_COMMONNESS: f32 = 0.04;
const OF_WORDS: f32 = 1.0 - OF_KIND - OF_COMMONNESS;

/// The likeness of an entry, and the strength of a kind, from which they say all they can.
const LIKE_ENOUGH: f32 = 18.0;
const STRONG_ENOUGH: f32 = 4.0;

/// What an entry loses that is about a thing which the text does not name.
const WITHOUT_ITS_THING: f32 = 0.5;

/// The entries that ten or more of the 368 threads of docs/measurements/explain-threads.tsv are about, most often first.
const COMMON: [&str; 12] = [
    "CG203", "CG101", "CG301", "CG209", "CG120", "CG128", "CG211", "CG403", "CG303", "CG405",
    "CG119", "CG503",
];

/// The words of which a text has one if it is about the entry.
const THINGS: [(&str, &str); 26] = [
    ("CG104", "pin|page-?lock|HostAlloc|MallocHost|锁页"),
    ("CG109", "DDP|DistributedDataParallel|分布式"),
    ("CG110", "query|poll|is_completed|查询"),
    ("CG112", "pin|loader|prefetch|锁页"),
    (
        "CG113",
        "nccl|collective|all_?reduce|all_?gather|communicat|broadcast|process.?group|p2p|通信",
    ),
    ("CG114", "watchdog|nccl|ProcessGroup|看门狗"),
    (
        "CG115",
        "generator|seed|rng|\\brandom\\b|randn|dropout|随机",
    ),
    (
        "CG116",
        "rng|seed|\\brandom\\b|randn|dropout|generator|随机",
    ),
    (
        "CG117",
        "checkpointing|(?:activation|gradient|grad)[ _-]checkpoint|utils.checkpoint|recomput|preserve_rng|检查点",
    ),
    (
        "CG118",
        "checkpointing|(?:activation|gradient|grad)[ _-]checkpoint|utils.checkpoint|reentrant|检查点",
    ),
    (
        "CG119",
        "(?:compil|inductor|dynamo|jit).*(?:captur|warm)|(?:captur|warm).*(?:compil|inductor|dynamo|jit)|编译",
    ),
    ("CG125", "thread|线程"),
    ("CG129", "optim|adam|capturable|优化器"),
    ("CG131", "device|cuda:\\d|gpu ?\\d|gpus|设备|卡"),
    ("CG204", "autocast|\\bamp\\b|mixed|混合精度"),
    ("CG208", "pinned|pin_memory|non_blocking|host|staging|锁页"),
    ("CG213", "hook|钩子"),
    ("CG215", "graphed|pipeline|micro-?batch|流水线"),
    (
        "CG216",
        "thread|concurren|parallel|stream|worker|simultan|并发|线程",
    ),
    ("CG218", "grad|梯度"),
    ("CG219", "workspace|cublas|cudnn|工作区"),
    (
        "CG301",
        "illegal|segfault|segmentation|crash|page fault|invalid address|xid|core dump|access fault|非法|段错误|崩溃",
    ),
    ("CG307", "accumul|累积"),
    ("CG505", "ddp|hook|overlap|all-?reduce|重叠"),
    ("CG506", "stream|branch|connection|流"),
    (
        "CG507",
        "(?:compile|inductor|dynamo|reduce-overhead|partition).*(?:slow|speed|fast|latency|launch|skip)|(?:slow|speed|fast|latency|launch|skip).*(?:compile|inductor|dynamo|reduce-overhead|partition)|断图",
    ),
];

static THING: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let things = THINGS.into_iter().map(|(id, words)| {
        let words = Regex::new(&format!("(?is){words}"));
        (id, words.expect("the words are compiled by each test"))
    });
    things.collect()
});

impl Explanation {
    /// Ranks the candidates anew and adds what is likely beside them, if the text is not decided and complains about graphs.
    /// It decides nothing itself.
    pub(crate) fn add_likely(&mut self) {
        let is_full = self.candidates.len() >= ENOUGH && self.candidates[0].score >= LIKELY;
        if is_full || self.is_decided() || self.elsewhere().is_some() {
            return;
        }
        let text = without_passing(beginning(&self.opening).trim_start());
        let likeness = likenesses(&text);
        let nearest = likeness.iter().copied().fold(0.0, f32::max);
        let is_known = self.is_of_graphs && !self.candidates.is_empty();
        if !is_known && !is_complaint(beginning(&self.opening), &text, nearest) {
            return;
        }
        self.is_of_graphs = true;
        let strengths = strengths(&text);
        let likely = self
            .candidates
            .first()
            .filter(|first| first.score >= LIKELY);
        let likely = likely.map(|first| first.entry.id);
        for (entry, likelihood) in likelihoods(&likeness, &strengths) {
            // Words cannot make likelier what leaves the cause open.
            if !LEAVE_OPEN.contains(&entry.id) {
                self.add(entry, likelihood, &strengths);
            }
        }
        sort(&mut self.candidates);
        // What a pattern says is likely keeps its place.
        if let Some(id) = likely {
            let candidates = &mut self.candidates;
            candidates.sort_by_key(|candidate| candidate.entry.id != id);
            let most = candidates[0].score;
            for candidate in candidates {
                candidate.score = candidate.score.min(most);
            }
        }
        let known: BTreeSet<&str> = self.by_patterns().map(|known| known.entry.id).collect();
        let mut rank = 0;
        self.candidates.retain(|candidate| {
            rank += 1;
            rank <= ENOUGH || known.contains(candidate.entry.id)
        });
        for candidate in &mut self.candidates {
            candidate.is_decisive = false;
        }
    }

    /// The candidates that something in the text names, rather than its words as a whole.
    fn by_patterns(&self) -> impl Iterator<Item = &Candidate> {
        let is_likely = |reason: &Reason| matches!(reason, Reason::Kind(_) | Reason::Words);
        let candidates = self.candidates.iter();
        candidates.filter(move |candidate| !candidate.reasons.iter().all(is_likely))
    }

    /// Adds what speaks for an entry: it takes its share of the doubt that the patterns leave.
    fn add(&mut self, entry: &'static Entry, likelihood: f32, strengths: &Strengths) {
        let mut candidates = self.candidates.iter_mut();
        if let Some(known) = candidates.find(|known| known.entry.id == entry.id) {
            let doubt = (1.0 - f32::from(known.score.min(100)) / 100.0) * (1.0 - likelihood);
            known.score = percent(1.0 - doubt);
            return;
        }
        let kind = Kind::of(entry).filter(|kind| kind.of_strengths(strengths) > 0.0);
        self.candidates.push(Candidate {
            entry,
            score: percent(likelihood).max(1),
            is_decisive: false,
            reasons: vec![kind.map_or(Reason::Words, Reason::Kind)],
            origin: None,
        });
    }
}

/// How much the text, its title twice, has in common with each entry, less what an entry loses whose thing it does not name.
fn likenesses(text: &str) -> Vec<f32> {
    let title = text.lines().next().unwrap_or_default();
    let mut likeness = likeness(&without_messages(&format!("{title}\n{text}")));
    for (entry, like) in entries().iter().zip(&mut likeness) {
        let thing = THING.iter().find(|(id, _)| *id == entry.id);
        if thing.is_some_and(|(_, words)| !words.is_match(text)) {
            *like *= WITHOUT_ITS_THING;
        }
    }
    likeness
}

/// How likely each entry is, from 0 to 1, by the text as a whole.
fn likelihoods(likeness: &[f32], strengths: &Strengths) -> Vec<(&'static Entry, f32)> {
    let most = likeness.iter().copied().fold(LIKE_ENOUGH, f32::max);
    let all = strengths.iter().sum::<f32>().max(STRONG_ENOUGH);
    let likelihood = |(entry, like): (&'static Entry, &f32)| {
        let kind = Kind::of(entry).map_or(0.0, |kind| kind.of_strengths(strengths));
        let is_common = COMMON.contains(&entry.id);
        let share = OF_WORDS * like / most
            + OF_KIND * kind / all
            + OF_COMMONNESS * f32::from(u8::from(is_common));
        (entry, MOST * share)
    };
    let mut likely: Vec<_> = entries().iter().zip(likeness).map(likelihood).collect();
    likely.sort_by_key(|(entry, likelihood)| (Reverse(percent(*likelihood)), entry.id));
    likely
}

/// The beginning of a text.
fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between 0 and 1"
)]
fn percent(share: f32) -> u8 {
    (share * 100.0).round() as u8
}

#[cfg(test)]
mod tests {
    use crate::Explanation;

    fn explained(text: &str) -> Explanation {
        crate::text(text).unwrap()
    }

    fn ids(explanation: &Explanation) -> Vec<&'static str> {
        let candidates = explanation.candidates.iter();
        candidates.map(|candidate| candidate.entry.id).collect()
    }

    #[test]
    fn a_symptom_without_a_cause_gets_the_likely_entries_of_its_kind_and_no_decision() {
        for (text, chapter) in [
            (
                "Our engine crashes as soon as it captures its graph.\nThe message is cut.",
                "CG1",
            ),
            (
                "The graph's numbers are garbage, eager ones are fine.",
                "CG2",
            ),
            ("CUDA 图重放之后结果全是乱码，关闭图就正常。", "CG2"),
            (
                "With CUDA graphs on, every request is slower: 9 ms rather than 7 ms.",
                "CG5",
            ),
        ] {
            let explanation = explained(text);
            let ids = ids(&explanation);
            assert!(ids[0].starts_with(chapter), "{text}: {ids:?}");
            assert_eq!(ids.len(), 3, "{text}: {ids:?}");
            assert!(!explanation.is_decided());
        }
    }

    #[test]
    fn the_same_trouble_without_graphs_gets_none() {
        for text in [
            "Our engine crashes as soon as it starts.\nThe message is cut.",
            "The model's numbers are garbage.",
            "Every request is slower: 9 ms rather than 7 ms.\nWe run with --enforce-eager.",
        ] {
            assert_eq!(ids(&explained(text)), [""; 0], "{text}");
        }
    }

    #[test]
    fn graphs_without_trouble_get_none() {
        for text in [
            "[Feature]: CUDA graphs for the audio encoder",
            "How can I draw a CUDA graph as a picture?",
        ] {
            assert_eq!(ids(&explained(text)), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_likely_candidate_keeps_its_place_and_the_highest_score() {
        let explanation = explained(
            "RuntimeError: CUDA error: capturing stream has unjoined work\nIt is stuck with garbage in the graph's pool.",
        );
        assert_eq!(explanation.candidates[0].entry.id, "CG106");
        let scores = explanation.candidates.iter().map(|known| known.score);
        assert!(scores.is_sorted_by(|a, b| a >= b));
    }
}
