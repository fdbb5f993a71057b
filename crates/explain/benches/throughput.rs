//! How fast texts are read, in processor time: a gigabyte of a training's log, 35 megabytes of errors that are all
//! different, and a traceback of 100 lines. Run with `cargo bench -p cgsan-explain`.

use std::io::Read;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

fn main() {
    for (name, log) in [
        ("a log without errors", ""),
        ("a log that names cuda:0", " cuda:0"),
    ] {
        let line = |step: u32| {
            format!(
                "2026-11-21 05:06:{:02} INFO trainer: step {step} loss {:.6} lr 3.0e-04 tokens/s {}{log}\n",
                step % 60,
                1.0 / f64::from(step + 1),
                120_000 + step
            )
        };
        let block: String = (0..20_000).map(line).collect();
        let gigabyte = 1_000_000_000 / block.len();
        let text = Repeated {
            block: block.as_bytes(),
            times: gigabyte,
            at: 0,
        };
        let (time, _) = measured(|| cgsan_explain::read(text));
        let megabytes = f64::from(u32::try_from(gigabyte * block.len() / 1_000_000).unwrap_or(0));
        println!("{name}: {:.0} MB/s", megabytes / time.as_secs_f64());
    }
    let text = traceback() + "INFO the next step\n";
    let times = 1_000_000_000 / text.len();
    let tracebacks = Repeated {
        block: text.as_bytes(),
        times,
        at: 0,
    };
    let (time, _) = measured(|| cgsan_explain::read(tracebacks));
    println!("a gigabyte of one traceback, again and again: {time:.2?}");
    for (name, device) in [
        ("errors that are all different", ""),
        ("errors that are all different, of a GPU", "cuda:0 "),
    ] {
        let text = different_errors(device);
        let (time, _) = measured(|| cgsan_explain::text(&text));
        let megabytes = f64::from(u32::try_from(text.len() / 1_000_000).unwrap_or(0));
        println!("{name}: {:.0} MB/s", megabytes / time.as_secs_f64());
    }
    let text = traceback();
    let (time, _) = measured(|| cgsan_explain::text(&text));
    println!("a traceback of {} lines: {time:.1?}", text.lines().count());
}

/// A text that repeats itself.
struct Repeated<'a> {
    block: &'a [u8],
    times: usize,
    at: usize,
}

impl Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.times == 0 {
            return Ok(0);
        }
        let length = buffer.len().min(self.block.len() - self.at);
        buffer[..length].copy_from_slice(&self.block[self.at..self.at + length]);
        self.at += length;
        if self.at == self.block.len() {
            self.at = 0;
            self.times -= 1;
        }
        Ok(length)
    }
}

/// Tracebacks of which no two have the same words; each message begins with the device.
fn different_errors(device: &str) -> String {
    let mut state = 7_u64;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let bytes = state.to_be_bytes();
        let letters = bytes.map(|byte| char::from(b'a' + byte % 26));
        letters.into_iter().collect::<String>()
    };
    let mut text = String::new();
    while text.len() < 35_000_000 {
        let lines = [
            "Traceback (most recent call last):".to_owned(),
            format!("  File \"{}.py\", line 7, in {}", word(), word()),
            format!("    {}({}, {})", word(), word(), word()),
            format!(
                "ValueError: {device}{} {} {} {}\n",
                word(),
                word(),
                word(),
                word()
            ),
        ];
        text.push_str(&lines.join("\n"));
    }
    text
}

/// A traceback with many frames, whose cause is a wait.
fn traceback() -> String {
    let frame = |number| {
        format!("  File \"model.py\", line {number}, in forward\n    x = self.layer{number}(x)\n")
    };
    let frames: Vec<String> = (0..48).map(frame).collect();
    format!(
        "Traceback (most recent call last):\n{}  File \"model.py\", line 99, in forward\n    scale = x.max().item()\n\
         torch.AcceleratorError: CUDA error: operation not permitted when stream is capturing\n",
        frames.concat()
    )
}

/// The processor time that something takes, and what it returns.
fn measured<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = processor_time();
    let result = work();
    (processor_time().saturating_sub(start), result)
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}
