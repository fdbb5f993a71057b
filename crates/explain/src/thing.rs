//! What an entry is about, where that is one thing: a text that does not name it is hardly about the entry, however many of
//! its other words it shares.

use std::sync::LazyLock;

use cgsan_catalogue::Entry;
use regex_lite::Regex;

use crate::expression::compiled;

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

static FOUND_BY: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let things = THINGS.into_iter();
    let things = things.map(|(id, words)| (id, compiled(&format!("(?is){words}"))));
    things.collect()
});

/// Whether a text names the thing that the entry is about; true of an entry that is about several.
pub fn names_thing_of(entry: &Entry, text: &str) -> bool {
    FOUND_BY
        .iter()
        .find(|(id, _)| *id == entry.id)
        .is_none_or(|(_, words)| words.is_match(text))
}

#[cfg(test)]
mod tests {
    use cgsan_catalogue::entries;

    use super::*;

    fn names(id: &str, text: &str) -> bool {
        let entry = entries().iter().find(|entry| entry.id == id);
        names_thing_of(entry.unwrap(), text)
    }

    #[test]
    fn an_entry_needs_its_thing() {
        assert!(names("CG213", "the forward hooks are skipped"));
        assert!(!names("CG213", "the output is wrong"));
        assert!(names("CG129", "优化器没有更新"));
    }

    #[test]
    fn the_same_word_of_another_thing_is_not_enough() {
        assert!(names("CG117", "gradient checkpointing"));
        assert!(!names("CG117", "a thread saves the checkpoint"));
    }

    #[test]
    fn an_entry_about_several_things_needs_none() {
        assert!(names("CG203", "anything"));
    }

    #[test]
    fn each_thing_is_of_an_entry() {
        for (id, _) in THINGS {
            assert!(entries().iter().any(|entry| entry.id == id), "{id}");
        }
    }
}
