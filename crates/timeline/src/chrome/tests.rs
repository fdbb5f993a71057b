use super::*;
use crate::{CallKind, WorkKind};

/// A trace with these events.
fn trace(events: &str) -> String {
    format!(
        r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "NVIDIA H100"}}], "traceEvents": [{events}], "traceName": "t"}}"#
    )
}

const LAUNCH: &str = r#"{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 10, "ts": 1.5, "dur": 2, "args": {"cbid": 211, "correlation": 7}}"#;
const KERNEL: &str = r#"{"args": {"stream": 7, "device": 0, "note": "}\"", "correlation": 7, "grid": [1, 1, 1], "x": nan}, "dur": 3.25, "ts": 5, "tid": 7, "pid": 0, "name": "a \"kernel\"", "cat": "kernel", "ph": "X"}"#;

fn read_text(text: &str) -> Result<Timeline, Error> {
    read(text.as_bytes())
}

#[test]
fn work_is_connected_with_the_call_that_enqueued_it() {
    let timeline = read_text(&trace(&format!("{KERNEL},{LAUNCH}"))).expect("a trace");
    let [call] = timeline.calls[..] else {
        panic!("{timeline:?}")
    };
    let [work] = timeline.work[..] else {
        panic!("{timeline:?}")
    };
    assert_eq!(
        (call.kind, call.span),
        (CallKind::Launch, crate::Span::new(1500, 2000))
    );
    assert_eq!(
        (work.kind, work.span),
        (WorkKind::Kernel, crate::Span::new(5000, 3250))
    );
    assert_eq!((work.call, work.stream), (Some(0), 7));
    assert_eq!(timeline.names.text(work.name), "a \"kernel\"");
    assert_eq!(timeline.devices, [(0, "NVIDIA H100".to_owned())]);
    assert_eq!(timeline.lacks, [Lack::Stacks]);
}

#[test]
fn a_call_of_the_driver_inside_one_of_the_runtime_is_not_a_second_launch() {
    let driver = LAUNCH
        .replace("cuda_runtime", "cuda_driver")
        .replace("cudaLaunchKernel", "cuLaunchKernel")
        .replace("1.5", "2")
        .replace("\"dur\": 2", "\"dur\": 1");
    let timeline = read_text(&trace(&format!("{driver},{LAUNCH}"))).expect("a trace");
    assert_eq!(timeline.calls.len(), 1);
    assert_eq!(
        timeline.names.text(timeline.calls[0].name),
        "cudaLaunchKernel"
    );
}

#[test]
fn a_file_that_breaks_off_is_read_as_far_as_it_goes() {
    let whole = trace(&format!("{LAUNCH},{KERNEL}"));
    let end = whole.find(KERNEL).expect("the kernel");
    for cut in [end, end + 1, end + 40, whole.len() - 30, whole.len() - 1] {
        let timeline = read_text(&whole[..cut]).expect("a beginning");
        assert_eq!(timeline.calls.len(), 1, "{cut}");
        assert!(
            matches!(timeline.lacks[0], Lack::End(at) if at <= cut as u64),
            "{cut}: {:?}",
            timeline.lacks
        );
    }
}

#[test]
fn what_is_malformed_is_an_error_with_its_place() {
    let text = trace(&format!("{LAUNCH}, 5"));
    let at = text.find(" 5").expect("it") as u64 + 1;
    let error = read_text(&text).expect_err("no event");
    assert!(
        matches!(error, Error::Json { at: found, .. } if found == at),
        "{error}"
    );
    for (text, expected) in [
        ("", "neither `traceEvents`"),
        ("{}", "neither `traceEvents`"),
        ("{\"traceEvents\": 1}", "not a list"),
        ("{1}", "a key was expected"),
        ("SQLite", "neither a trace"),
    ] {
        let error = read_text(text).expect_err("no trace").to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn compressed_files_are_read_too_even_if_they_break_off() {
    use std::io::Write as _;
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(trace(LAUNCH).as_bytes()).expect("memory");
    let bytes = writer.finish().expect("memory");
    assert_eq!(read(&bytes[..]).expect("a trace").calls.len(), 1);
    let cut = read(&bytes[..bytes.len() - 6]);
    assert!(cut.is_ok_and(|it| it.calls.len() == 1));
}

#[test]
fn inner_operators_and_frames_of_libraries_are_left_out() {
    let event = |category: &str, name: &str, begin: u32, length: u32| {
        format!(
            r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 1, "tid": 1, "ts": {begin}, "dur": {length}, "args": {{}}}}"#
        )
    };
    let events = [
        event("cpu_op", "aten::linear", 0, 10),
        event("cpu_op", "aten::addmm", 1, 5),
        event("cpu_op", "torch::autograd::AccumulateGrad", 7, 2),
        event("python_function", "train.py(3): step", 0, 20),
        event(
            "python_function",
            "torch/nn/modules/module.py(1): _call_impl",
            0,
            20,
        ),
        event("python_function", "<built-in function linear>", 0, 20),
        event("user_annotation", "ProfilerStep#1", 0, 30),
    ];
    let timeline = read_text(&trace(&events.join(","))).expect("a trace");
    let names = |rows: &[crate::Range]| -> Vec<String> {
        let names = rows.iter().map(|it| timeline.names.text(it.name));
        names.map(str::to_owned).collect()
    };
    assert_eq!(
        names(&timeline.operators),
        ["aten::linear", "torch::autograd::AccumulateGrad"]
    );
    assert_eq!(timeline.frames.len(), 1);
    assert_eq!(names(&timeline.ranges), ["ProfilerStep#1"]);
    assert_eq!(timeline.lacks, [Lack::Work, Lack::Calls]);
}

proptest::proptest! {
    #[test]
    fn no_file_makes_the_reader_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        let _ = read(&bytes[..]);
        let text = trace(&String::from_utf8_lossy(&bytes));
        let _ = read(text.as_bytes());
    }
}
