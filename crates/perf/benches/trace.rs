//! Reads and analyses traces of 2 GB, as torch.profiler writes them, and prints how fast that is and how much memory it takes.
//!
//! `cargo bench -p cgsan-perf`; a number behind `--` is another size in MB. The traces are written into the folder for temporary
//! files first, and removed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use cgsan_perf::{Device, Input, Options, analyse};
use cgsan_timeline::chrome;

/// Launches in a step.
const LAUNCHES: u64 = 1500;

fn main() -> io::Result<()> {
    let size = std::env::args().find_map(|it| it.parse::<u64>().ok());
    let size = size.unwrap_or(2000) * 1_000_000;
    // The peak of memory is that of the whole process: the trace that takes less comes first.
    for has_stacks in [true, false] {
        let path = std::env::temp_dir().join(format!("cgsan-bench-{}.json", std::process::id()));
        write(&path, size, has_stacks)?;
        let measured = measure(&path, has_stacks);
        fs::remove_file(&path)?;
        measured?;
    }
    Ok(())
}

fn measure(path: &Path, has_stacks: bool) -> io::Result<()> {
    let bytes = fs::metadata(path)?.len();
    let begun = on_core()?;
    let timeline = chrome::read(File::open(path)?).map_err(io::Error::other)?;
    let read = on_core()? - begun;
    let input = Input {
        timelines: std::slice::from_ref(&timeline),
        lines: None,
        undisturbed_steps: &[],
        device: Device::h100(),
    };
    let performance = analyse(&input, &Options::default());
    let all = on_core()? - begun;
    #[allow(
        clippy::cast_precision_loss,
        reason = "it is printed with three digits"
    )]
    let speed = bytes as f64 / 1e6 / all;
    println!(
        "{} MB {} stacks: read in {:.2} s, analysed in {:.2} s: {speed:.0} MB/s; {} MB of memory at most; {} launches, {} steps of {:?}",
        bytes / 1_000_000,
        if has_stacks { "with" } else { "without" },
        read,
        all - read,
        peak_memory()? / 1000,
        timeline.calls.len(),
        performance.steps.count,
        performance.steps.found,
    );
    Ok(())
}

/// How long this process, which has one thread, ran on a core so far, in seconds.
fn on_core() -> io::Result<f64> {
    let times = fs::read_to_string("/proc/self/schedstat")?;
    let number = times
        .split_whitespace()
        .next()
        .and_then(|it| it.parse::<f64>().ok());
    let number = number.map(|nanoseconds| nanoseconds / 1e9);
    number.ok_or_else(|| io::Error::other("Linux says how long a process ran"))
}

/// The most memory that this process had, in kB.
fn peak_memory() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let number = line.and_then(|it| it.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| io::Error::other("Linux says how much memory a process had"))
}

/// A trace of at least so many bytes: what the host did first, then the devices' work, as Kineto writes it.
fn write(path: &Path, size: u64, has_stacks: bool) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let per_launch = if has_stacks { 2900 } else { 1500 };
    let launches = size / per_launch;
    write!(
        file,
        "{{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [],\n  \"traceEvents\": ["
    )?;
    for launch in 0..launches {
        host(&mut file, launch, has_stacks)?;
    }
    for launch in 0..launches {
        device(&mut file, launch)?;
    }
    write!(
        file,
        "\n  {{\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\", \"pid\": \"\", \"tid\": \"\", \"ts\": 1\n  }}\n  ],\n  \"traceName\": \"t\"\n}}\n"
    )?;
    file.flush()
}

/// When the host makes a launch, in nanoseconds.
fn moment(launch: u64) -> u64 {
    4_641_842_621_366_651 + launch * 20_000
}

/// The name of a kernel: a step has some at its begin and end, and layers with the same ones in between.
fn kernel(launch: u64) -> String {
    let number = match launch % LAUNCHES {
        it @ (0..10 | 1490..) => 100 + it,
        it => it % 15,
    };
    format!(
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16, {number}>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)"
    )
}

fn host(to: &mut impl Write, launch: u64, has_stacks: bool) -> io::Result<()> {
    let at = moment(launch);
    for (depth, name) in ["aten::linear", "aten::addmm"].into_iter().enumerate() {
        let begin = at + 1000 * depth as u64;
        event(
            to,
            "cpu_op",
            name,
            begin,
            18_000 - 2000 * depth as u64,
            &format!(
                "\"External id\": {launch},\"Record function id\": 0, \"Sequence number\": 24, \"Fwd thread id\": 0, \"Ev Idx\": {launch}"
            ),
        )?;
    }
    if has_stacks {
        for (depth, name) in [
            "train.py(14): step",
            "torch/nn/modules/module.py(1775): _call_impl",
            "nn.Module: Linear_0",
            "torch/nn/modules/linear.py(130): forward",
            "<built-in function linear>",
            "torch/_tensor.py(33): wrapped",
        ]
        .into_iter()
        .enumerate()
        {
            let begin = at + 100 * depth as u64;
            event(
                to,
                "python_function",
                name,
                begin,
                19_000,
                &format!(
                    "\"Python parent id\": {launch}, \"Python id\": {launch}, \"Ev Idx\": {launch}"
                ),
            )?;
        }
    }
    event(
        to,
        "cuda_runtime",
        "cudaLaunchKernel",
        at + 8000,
        4000,
        &format!(
            "\"External id\": {launch},\"cbid\": 211, \"correlation\": {}",
            launch + 1
        ),
    )?;
    flow(to, 's', launch, at + 8000)
}

fn device(to: &mut impl Write, launch: u64) -> io::Result<()> {
    let at = moment(launch) + 12_000;
    event(
        to,
        "kernel",
        &kernel(launch),
        at,
        5000,
        &format!(
            "\"External id\": {launch},\"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": {},\n      \"registers per thread\": 32,\n      \"shared memory\": 0,\n      \"blocks per SM\": 7.757576,\n      \"warps per SM\": 31.030303,\n      \"grid\": [1024, 1, 1],\n      \"block\": [128, 1, 1],\n      \"est. achieved occupancy %\": 48",
            launch + 1
        ),
    )?;
    flow(to, 'f', launch, at)
}

fn event(
    to: &mut impl Write,
    category: &str,
    name: &str,
    begin: u64,
    length: u64,
    arguments: &str,
) -> io::Result<()> {
    let (pid, tid) = if category == "kernel" {
        (0, 7)
    } else {
        (1234, 1234)
    };
    write!(
        to,
        "\n  {{\n    \"ph\": \"X\", \"cat\": \"{category}\", \"name\": \"{name}\", \"pid\": {pid}, \"tid\": {tid},\n    \"ts\": {}.{:03}, \"dur\": {}.{:03},\n    \"args\": {{\n      {arguments}\n    }}\n  }},",
        begin / 1000,
        begin % 1000,
        length / 1000,
        length % 1000
    )
}

fn flow(to: &mut impl Write, phase: char, launch: u64, at: u64) -> io::Result<()> {
    write!(
        to,
        "\n  {{\n    \"ph\": \"{phase}\", \"id\": {launch}, \"pid\": 1234, \"tid\": 1234, \"ts\": {}.{:03},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  }},",
        at / 1000,
        at % 1000
    )
}
