//! Memory of processes of the versions that publish their layout, recorded once, so that they can be read where none of these
//! interpreters is.
//!
//! A recording is what reading the process once needed, by address. `record` below makes one of each interpreter at hand.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Layout, Lock, Memory, awaited, code_text, hash_of_bytes, line, lock, threads, walk};

/// What runs in the process. The name of a file that it has no need of makes the lines easy to tell.
const PROGRAM: &str = r#"
import _thread, ctypes
source = '''
class Model:
    def forward(self, wait):
        for step in self.étapes(wait):
            step()
    def étapes(self, wait):
        cell = []
        def 步():
            cell.append(0)
            wait()
        yield 步
def elsewhere():
    Model().forward(gate.acquire)
'''
gate = _thread.allocate_lock()
gate.acquire()
exec(compile(source, "model.py", "exec"))
# So that in a free-threaded build the thread runs a copy of the instructions that is not the first one.
Model().forward(lambda: None)
_thread.start_new_thread(elsewhere, ())
def ready():
    address = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
    print(address, flush=True)
    ctypes.CDLL(None).pause()
Model().forward(ready)
"#;

/// The recordings, by the interpreter that they are of.
const RECORDINGS: [(&str, &str); 6] = [
    ("3.13", include_str!("../recorded/3.13.txt")),
    ("3.13t", include_str!("../recorded/3.13t.txt")),
    ("3.14", include_str!("../recorded/3.14.txt")),
    ("3.14t", include_str!("../recorded/3.14t.txt")),
    ("3.15", include_str!("../recorded/3.15.txt")),
    ("3.15t", include_str!("../recorded/3.15t.txt")),
];

/// The memory of a process as it was recorded: what was read, by its address.
#[derive(Clone)]
struct Recorded {
    runtime: usize,
    pieces: BTreeMap<usize, Vec<u8>>,
}

impl Recorded {
    /// Reads the form that `record` writes: a line with the address of `_PyRuntime`, then one of each piece, all in hexadecimal.
    fn parse(text: &str) -> Recorded {
        let hex = |digits: &str| usize::from_str_radix(digits, 16).unwrap();
        let mut lines = text.lines();
        let runtime = hex(lines.next().unwrap());
        let piece = |line: &str| {
            let (address, bytes) = line.split_once(' ').unwrap();
            let pairs = bytes.as_bytes().chunks(2);
            let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            (hex(address), pairs.map(byte).collect())
        };
        Recorded {
            runtime,
            pieces: lines.map(piece).collect(),
        }
    }
}

impl Memory for Recorded {
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        let (start, piece) = self.pieces.range(..=address).next_back()?;
        let offset = address - start;
        buffer.copy_from_slice(piece.get(offset..offset.checked_add(buffer.len())?)?);
        Some(())
    }
}

/// What there is to read in a process: whether the lock is held, and the frames of each thread as text.
fn seen(memory: &impl Memory, layout: &Layout, runtime: usize) -> (Option<bool>, Vec<String>) {
    let is_held = lock(memory, layout, runtime).map(|lock| lock != Lock::Free);
    let threads = threads(memory, layout, runtime).into_iter().map(|thread| {
        let mut frames = Vec::new();
        walk(memory, layout, thread.state, &mut frames);
        let texts = frames.into_iter().map(|frame| {
            let Some(code) = code_text(memory, layout, frame) else {
                return "?".to_owned();
            };
            let table = memory.pointer(frame.code, layout.line_table);
            table.map(|table| hash_of_bytes(memory, layout, table));
            let file = Path::new(&code.file).file_name().unwrap_or_default();
            let line = line(memory, layout, frame);
            format!("{} {}:{line}", code.function, file.display())
        });
        let is_known = thread.id.is_some_and(|id| id != 0) && thread.pthread != 0;
        let texts: Vec<String> = texts.collect();
        format!("{is_known} {}", texts.join(" < "))
    });
    (is_held, threads.collect())
}

const MAIN: &str = "true ready <string>:26 < Model.étapes.<locals>.步 model.py:10 < Model.forward model.py:5 < <module> <string>:27";
const OTHER: &str =
    "true Model.étapes.<locals>.步 model.py:10 < Model.forward model.py:5 < elsewhere model.py:13";

#[test]
fn every_version_that_publishes_its_layout_is_read() {
    for (version, text) in RECORDINGS {
        let memory = Recorded::parse(text);
        let layout = Layout::of(&memory, memory.runtime, None).expect(version);
        let (is_held, threads) = seen(&memory, &layout, memory.runtime);
        assert_eq!(is_held, Some(false), "{version}");
        assert_eq!(threads, [OTHER, MAIN], "{version}");
    }
}

#[test]
fn a_version_that_is_not_known_has_no_layout() {
    for (_, text) in RECORDINGS {
        let mut memory = Recorded::parse(text);
        let runtime = memory.runtime;
        let layout = |memory: &Recorded| Layout::of(memory, runtime, None);
        // `PY_VERSION_HEX` lies behind the cookie: serial and level, patch, minor and major version.
        for (place, value) in [(8, 0xa1), (10, 12), (10, 16), (11, 4), (12, 1)] {
            let piece = memory.pieces.get_mut(&runtime).unwrap();
            let before = std::mem::replace(&mut piece[place], value);
            assert!(layout(&memory).is_none(), "{place} {value}");
            memory.pieces.get_mut(&runtime).unwrap()[place] = before;
        }
        assert!(layout(&memory).is_some());
    }
}

#[test]
fn an_offset_outside_its_object_makes_no_layout() {
    for (version, text) in RECORDINGS {
        let memory = Recorded::parse(text);
        let words = memory.pieces[&memory.runtime].len() / 8;
        let is_refused = |word: &usize| {
            let mut memory = memory.clone();
            let piece = memory.pieces.get_mut(&memory.runtime).unwrap();
            piece[word * 8..][..8].copy_from_slice(&(u64::MAX / 2).to_le_bytes());
            Layout::of(&memory, memory.runtime, None).is_none()
        };
        // The sizes of seven objects and what is used of their offsets.
        let refused = (3..words).filter(is_refused).count();
        assert!(refused >= 7 + 22, "{version}: {refused}");
    }
}

#[test]
fn whatever_the_memory_holds_reading_ends() {
    for (_, text) in RECORDINGS {
        let memory = Recorded::parse(text);
        let addresses: Vec<usize> = memory.pieces.keys().copied().collect();
        let mut random = 1_u64;
        for round in 0..300 {
            let mut memory = memory.clone();
            for _ in 0..=round % 3 {
                // By a linear congruential generator; its upper half is random enough.
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let number = (random >> 32) as usize;
                let piece = memory
                    .pieces
                    .get_mut(&addresses[number % addresses.len()])
                    .unwrap();
                let place = (number >> 8) % piece.len();
                piece[place] = number.to_be_bytes()[5];
            }
            if let Some(layout) = Layout::of(&memory, memory.runtime, None) {
                seen(&memory, &layout, memory.runtime);
                let threads = threads(&memory, &layout, memory.runtime);
                let address = addresses[round % addresses.len()];
                for thread in &threads {
                    awaited(&memory, &layout, &threads, thread.state, address);
                }
            }
        }
    }
}

/// The memory of another process, with notes of what was read.
struct Live {
    memory: File,
    read: RefCell<BTreeMap<usize, Vec<u8>>>,
}

impl Memory for Live {
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        self.memory.read_exact_at(buffer, address as u64).ok()?;
        let mut read = self.read.borrow_mut();
        let known = read.entry(address).or_default();
        if known.len() < buffer.len() {
            *known = buffer.to_vec();
        }
        Some(())
    }
}

/// `CGSAN_RECORD_FRAMES=python3.14:python3.14t cargo nextest run -p cgsan-frames --run-ignored all record`
#[test]
#[ignore = "makes the recordings anew, of the interpreters that CGSAN_RECORD_FRAMES names, if any"]
fn record() {
    let pythons = std::env::var("CGSAN_RECORD_FRAMES").unwrap_or_default();
    for python in pythons.split(':').filter(|it| !it.is_empty()) {
        let version = "import sys; print('%d.%d' % sys.version_info[:2] + sys.abiflags)";
        let output = Command::new(python).args(["-c", version]).output().unwrap();
        let version = String::from_utf8(output.stdout).unwrap();
        let mut child = Command::new(python)
            .args(["-c", PROGRAM])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut said).unwrap();
        let runtime: usize = said.trim().parse().unwrap();
        // Until it sleeps.
        std::thread::sleep(std::time::Duration::from_secs(1));

        let live = Live {
            memory: File::open(format!("/proc/{}/mem", child.id())).unwrap(),
            read: RefCell::default(),
        };
        let layout = Layout::of(&live, runtime, None).unwrap();
        seen(&live, &layout, runtime);
        child.kill().unwrap();
        child.wait().unwrap();

        let mut text = format!("{runtime:x}\n");
        for (address, bytes) in live.read.take() {
            write!(text, "{address:x} ").unwrap();
            for byte in bytes {
                write!(text, "{byte:02x}").unwrap();
            }
            text.push('\n');
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/recorded");
        std::fs::write(format!("{folder}/{}.txt", version.trim()), text).unwrap();
    }
}
