//! What the pages themselves say, in each language.

use cgsan_catalogue::{Basis, Language, Tally, Thread, Version};
use cgsan_explain::Writer;

/// The texts around the catalogue's.
pub struct Words {
    pub name: &'static str,
    pub also_called: &'static str,
    pub error: &'static str,
    pub happened: &'static str,
    pub why: &'static str,
    pub tell: &'static str,
    pub looks: &'static str,
    pub change: &'static str,
    pub cost: &'static str,
    pub dead_ends: &'static str,
    pub program: &'static str,
    pub untested: &'static str,
    pub seen: &'static str,
    pub versions: &'static str,
    pub measured: &'static str,
    pub programs: &'static str,
    pub comes_from: &'static str,
    pub leads_to: &'static str,
    pub related: &'static str,
    pub sources: &'static str,
    pub found_by: &'static str,
    pub ran_to_its_end: &'static str,
    pub first_refused: &'static str,
    pub error_line: &'static str,
    pub code_line: &'static str,
    pub call: &'static str,
    pub meaning: &'static str,
    pub modes: &'static str,
    pub recorded: &'static str,
    pub answer: &'static str,
    pub decided: &'static str,
    pub likely: &'static str,
    pub proof: &'static str,
    pub first_change: &'static str,
    /// Other changes than the first.
    pub other_changes: &'static str,
    /// How to see all that is known.
    pub all: &'static str,
    pub no_failure_of_a_graph: &'static str,
    pub of_hip: &'static str,
    pub candidates: &'static str,
    pub score: &'static str,
    pub more: &'static str,
    pub decide: &'static str,
    pub watch: &'static str,
    pub undecided: &'static str,
    pub no_graphs: &'static str,
    /// That most likely no graph failed, and what the candidates are then.
    pub hardly_a_graph: &'static str,
    /// That it may also be that no graph failed.
    pub or_no_graph: &'static str,
    /// Between the items of a list in a sentence.
    pub comma: &'static str,
    /// Between a name and what it is about.
    pub colon: &'static str,
    /// Before and after a remark.
    pub brackets: [&'static str; 2],
}

/// The texts in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

const ENGLISH: Words = Words {
    name: "name",
    also_called: "also called",
    error: "error",
    happened: "What happened",
    why: "Why",
    tell: "How to tell",
    looks: "What it looks like",
    change: "What to change",
    cost: "Cost",
    dead_ends: "What does not help",
    program: "program",
    untested: "not tested",
    seen: "Versions of PyTorch, on the virtual GPU",
    versions: "Versions",
    measured: "Measured",
    programs: "Programs of the fixes and dead ends",
    comes_from: "What leads to it",
    leads_to: "What it leads to",
    related: "See also",
    sources: "Sources",
    found_by: "found by",
    ran_to_its_end: "ran to its end",
    first_refused: "first refused call",
    error_line: "in an error",
    code_line: "in a line of the program",
    call: "a call of CUDA",
    meaning: "What it means",
    modes: "What it shows up with",
    recorded: "How often it was recorded",
    answer: "The answer",
    decided: "the text decides it",
    likely: "most likely; the text leaves it open",
    proof: "seen in",
    first_change: "What to change first",
    other_changes: "Or",
    all: "all of it, with versions, measurements and sources",
    no_failure_of_a_graph: "This is not a CUDA graph failure.",
    of_hip: "The text is of AMD's HIP, which refuses what CUDA refuses; names are given as CUDA's. cgsan watches a build of PyTorch for CUDA: the virtual GPU needs neither NVIDIA's hardware nor AMD's.",
    candidates: "What it may be instead",
    score: "score",
    more: "More",
    decide: "What decides",
    watch: "To see the call, its thread and its line of the program, watch it:",
    undecided: "The text alone does not decide. A yes to one of these does:",
    no_graphs: "The text does not speak of CUDA graphs. If the program uses none, this is not a failure of a graph, and none of these.",
    hardly_a_graph: "By its words, this is most likely not a CUDA graph failure. If a graph failed after all, it is likely one of these.",
    or_no_graph: "It may also not be a CUDA graph failure: then it happens without graphs too.",
    comma: ", ",
    colon: ": ",
    brackets: [" (", ")"],
};

const CHINESE: Words = Words {
    name: "名称",
    also_called: "别名",
    error: "错误",
    happened: "现象",
    why: "原因",
    tell: "如何区分",
    looks: "典型文本",
    change: "怎么改",
    cost: "代价",
    dead_ends: "没有用的做法",
    program: "程序",
    untested: "未测试",
    seen: "PyTorch 各版本（虚拟 GPU 上）",
    versions: "版本",
    measured: "实测环境",
    programs: "修复与无效做法的程序",
    comes_from: "由什么引起",
    leads_to: "会引起什么",
    related: "另见",
    sources: "参考资料",
    found_by: "检测方式",
    ran_to_its_end: "运行至结束",
    first_refused: "第一个被拒绝的调用",
    error_line: "错误信息中",
    code_line: "程序代码行中",
    call: "CUDA 调用",
    meaning: "含义",
    modes: "伴随它出现的失败模式",
    recorded: "记录到的次数",
    answer: "结论",
    decided: "文本足以确定",
    likely: "最有可能；仅凭文本不能确定",
    proof: "依据",
    first_change: "先改什么",
    other_changes: "或者",
    all: "全部内容，包括版本、实测和参考资料",
    no_failure_of_a_graph: "这不是 CUDA Graph 的故障。",
    of_hip: "这段文本来自 AMD 的 HIP，它拒绝的与 CUDA 相同；下文使用 CUDA 的名称。cgsan 监视的是 CUDA 版 PyTorch：虚拟 GPU 既不需要 NVIDIA 的硬件，也不需要 AMD 的。",
    candidates: "也可能是",
    score: "得分",
    more: "详情",
    decide: "靠什么确定",
    watch: "要看到那个调用、它所在的线程和程序行，请在监视下运行：",
    undecided: "仅凭这段文本无法确定。哪个问题答“是”，就是哪一个：",
    no_graphs: "这段文本没有提到 CUDA Graph。如果程序没有用到它，这就不是图的问题，也不属于以下任何一种。",
    hardly_a_graph: "从用词看，这多半不是 CUDA Graph 的故障。如果确实是图出了问题，以下几种可能性较大。",
    or_no_graph: "也可能不是 CUDA Graph 的故障：那样的话，不用图时现象也一样。",
    comma: "、",
    colon: "：",
    brackets: ["（", "）"],
};

/// The versions that a fact holds for, and how it is known.
pub fn range(version: &Version, language: Language) -> String {
    let product = version.product.name();
    let (from, until) = (version.from, version.until);
    match (language, version.basis, from, until) {
        (Language::English, Basis::Measured, Some(measured), _) => {
            format!("{product} {measured}, measured")
        }
        (Language::Chinese, Basis::Measured, Some(measured), _) => {
            format!("{product} {measured}，实测")
        }
        (Language::English, _, Some(from), Some(until)) => {
            format!("{product} {from} up to, not including, {until}")
        }
        (Language::Chinese, _, Some(from), Some(until)) => {
            format!("{product} {from} 起，{until} 之前")
        }
        (Language::English, _, Some(from), None) => format!("{product} {from} and later"),
        (Language::Chinese, _, Some(from), None) => format!("{product} {from} 起"),
        (Language::English, _, None, Some(until)) => format!("{product} before {until}"),
        (Language::Chinese, _, None, Some(until)) => format!("{product} {until} 之前"),
        (_, _, None, None) => product.to_owned(),
    }
}

/// Where in a text something was found.
pub fn place(line: u64, writer: Writer, language: Language) -> String {
    match (language, writer) {
        (Language::English, Writer::Unknown) => format!("line {line}"),
        (Language::English, Writer::Rank(rank)) => format!("line {line}, rank {rank}"),
        (Language::English, Writer::Process(pid)) => format!("line {line}, process {pid}"),
        (Language::Chinese, Writer::Unknown) => format!("第 {line} 行"),
        (Language::Chinese, Writer::Rank(rank)) => format!("第 {line} 行，rank {rank}"),
        (Language::Chinese, Writer::Process(pid)) => format!("第 {line} 行，进程 {pid}"),
    }
}

/// Who made a call, and in which mode of the capture.
pub fn conditions(thread: Thread, mode: &str, language: Language) -> String {
    match (thread, language) {
        (Thread::Capturing, Language::English) => format!("by the capturing thread, mode `{mode}`"),
        (Thread::Other, Language::English) => format!("by another thread, mode `{mode}`"),
        (Thread::Capturing, Language::Chinese) => format!("由捕获线程调用，模式 `{mode}`"),
        (Thread::Other, Language::Chinese) => format!("由其他线程调用，模式 `{mode}`"),
    }
}

/// What a call returned, and the end of its capture.
pub fn answer(code: i32, end: i32, language: Language) -> String {
    match language {
        Language::English => format!("returned {code}; the end of the capture returned {end}"),
        Language::Chinese => format!("返回 {code}；随后结束捕获返回 {end}"),
    }
}

/// How often a code was recorded, and in what.
pub fn recorded(
    programs: u32,
    calls: u32,
    counted: cgsan_catalogue::Counted,
    language: Language,
) -> String {
    let (all, every) = (counted.programs, counted.calls);
    match language {
        Language::English => format!(
            "{programs} of {all} recorded programs had it as the result of their first refused call; {calls} of {every} \
             single calls that were recorded during captures and around them returned it"
        ),
        Language::Chinese => format!(
            "在记录的 {all} 个程序中，有 {programs} 个的第一个被拒绝的调用返回它；在捕获期间及前后记录的 {every} 次单独调用中，有 \
             {calls} 次返回它"
        ),
    }
}

/// How many programs of an entry did what it claims.
pub fn programs(tally: Tally, language: Language) -> String {
    let Tally {
        machine,
        held,
        programs,
        ..
    } = tally;
    match (language, tally.gpus) {
        (Language::English, 0) => format!(
            "{held} of {programs} programs that need no real GPU did what is claimed, {machine}"
        ),
        (Language::English, _) => {
            format!("{held} of {programs} programs did what is claimed, {machine}")
        }
        (Language::Chinese, 0) => {
            format!("{programs} 个无需真实 GPU 的程序中有 {held} 个与所述相符，{machine}")
        }
        (Language::Chinese, _) => {
            format!("{programs} 个程序中有 {held} 个与所述相符，{machine}")
        }
    }
}
