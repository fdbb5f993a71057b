//! The Python frames of another process.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::Duration;

use cgsan_frames::{
    Awaited, DEEPEST, Frame, Layout, Lock, Memory as _, RequestPlace, awaited, code_text,
    frame_addresses, line, lock, request_places, threads as threads_known, version, walk,
};
use object::read::{Object as _, ObjectSymbol as _, ReadCache};

use crate::maps::Maps;
use crate::objects::{self, Objects};
use crate::remote::{Fresh, Pages, Remote};
use crate::unwind;

/// The symbol that leads to all threads.
const RUNTIME: &str = "_PyRuntime";

/// How often the frames of a thread that runs are read, and how long it has to go on before they are read once more: it may have been
/// preempted where its state leads to no frame. Of a program that did nothing but call and return, one look in 60 found none at once.
const TRIES: u32 = 20;
const GOES_ON: Duration = Duration::from_millis(1);

/// A Python frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonFrame {
    /// The file, as the code object names it.
    pub file: String,
    /// The function's qualified name.
    pub function: String,
    /// The line, counted from 1; 0 if unknown.
    pub line: u32,
}

/// The frames of one thread.
#[derive(Debug)]
pub struct PythonStack {
    /// What `gettid` returns in it, where the interpreter knows.
    pub id: Option<u32>,
    /// What `pthread_self` returns in it.
    pub pthread: u64,
    /// Whether it holds the interpreter's lock.
    pub has_gil: bool,
    /// The frames, innermost first.
    pub frames: Vec<PythonFrame>,
}

/// The interpreter of a process.
pub struct Interpreter<'m> {
    memory: &'m Remote,
    layout: Layout,
    runtime: usize,
}

impl<'m> Interpreter<'m> {
    /// The interpreter of a process, or why it cannot be read.
    pub fn find(memory: &'m Remote, maps: &Maps) -> Result<Interpreter<'m>, String> {
        let known = maps.files().into_iter().filter_map(|file| {
            let version = version_by_name(file)?;
            Some((file, version, runtime_in(maps, file)?))
        });
        let Some((file, version, runtime)) = known.into_iter().next() else {
            return Err(
                "there is no Python interpreter in the process, or it may not be read".to_owned(),
            );
        };
        memory.check(runtime)?;
        let layout = Layout::of(memory, runtime, Some(version))
            .ok_or_else(|| format!("{file} is of an unknown version"))?;
        Ok(Interpreter {
            memory,
            layout,
            runtime,
        })
    }

    /// The stacks of its threads, of which those with these ids run. They may be in the middle of a change, so that a frame may be missing or wrong.
    pub fn stacks(&self, running: &[u32]) -> Vec<PythonStack> {
        let lock = lock(self.memory, &self.layout, self.runtime);
        let threads = threads_known(self.memory, &self.layout, self.runtime);
        let stacks = threads.into_iter().map(|thread| {
            let runs = thread.id.is_some_and(|id| running.contains(&id));
            PythonStack {
                id: thread.id,
                pthread: thread.pthread as u64,
                has_gil: lock == Some(Lock::Held(thread.state)),
                frames: self.frames_of(thread.state, if runs { TRIES } else { 1 }),
            }
        });
        stacks.collect()
    }

    /// The frames of the thread with this state, as the first of so many tries has them that finds any.
    fn frames_of(&self, state: usize, tries: u32) -> Vec<PythonFrame> {
        for left in (0..tries).rev() {
            let mut frames = Vec::with_capacity(DEEPEST);
            walk(self.memory, &self.layout, state, &mut frames);
            let frames = frames.into_iter().filter_map(|it| self.named(it));
            let frames: Vec<PythonFrame> = frames.collect();
            if !frames.is_empty() {
                return frames;
            }
            if left > 0 {
                thread::sleep(GOES_ON);
            }
        }
        Vec::new()
    }

    /// What the thread with this `pthread_self` waits for at the address that it gave to `futex`, and the `pthread_self` of the one
    /// that can end it.
    pub fn awaited(&self, pthread: u64, futex: usize) -> Option<(Awaited, u64)> {
        let threads = threads_known(self.memory, &self.layout, self.runtime);
        let waiting = threads.iter().find(|it| it.pthread as u64 == pthread)?;
        let (what, other) = awaited(self.memory, &self.layout, &threads, waiting.state, futex)?;
        Some((what, other as u64))
    }

    /// Its objects of PyTorch; `None` if its collector cannot be read, as that of free-threaded builds.
    pub fn objects(&self) -> Option<Objects> {
        let memory = Pages::of(*self.memory);
        let interpreter = memory.pointer(self.runtime, self.layout.runtime.interpreters)?;
        let threads = threads_known(&memory, &self.layout, self.runtime);
        let states: Vec<(usize, u64)> = threads
            .iter()
            .map(|thread| (thread.state, thread.pthread as u64))
            .collect();
        let frames = |state| frame_addresses(&memory, &self.layout, state).collect();
        objects::find(
            &Fresh::of(*self.memory),
            &memory,
            &self.layout,
            interpreter,
            &states,
            frames,
        )
    }

    /// Where its threads are asked to run a script.
    pub fn request_places(&self) -> Result<Vec<RequestPlace>, String> {
        let interpreters = self.layout.runtime.interpreters;
        let interpreter = self.memory.pointer(self.runtime, interpreters);
        let interpreter = interpreter.ok_or("its interpreter cannot be read")?;
        let threads = threads_known(self.memory, &self.layout, self.runtime);
        let places = request_places(self.memory, self.runtime, interpreter, &threads);
        places.map_err(str::to_owned)
    }

    fn named(&self, frame: Frame) -> Option<PythonFrame> {
        let text = code_text(self.memory, &self.layout, frame)?;
        Some(PythonFrame {
            file: text.file,
            function: text.function,
            line: line(self.memory, &self.layout, frame),
        })
    }
}

/// The version that the name of an interpreter's file tells: of `libpython3.11.so.1.0`, `python3.11` or `python3.14t`.
fn version_by_name(file: &str) -> Option<(u8, u8)> {
    let name = Path::new(file).file_name()?.to_str()?;
    let behind = name
        .strip_prefix("libpython")
        .or_else(|| name.strip_prefix("python"))?;
    version(behind)
}

/// Where the symbol lies in the process.
fn runtime_in(maps: &Maps, file: &str) -> Option<usize> {
    let opened: File = cgsan_files::open(Path::new(file)).ok()?;
    let cache = ReadCache::new(opened);
    let object = object::File::parse(&cache).ok()?;
    let mut symbols = object.dynamic_symbols();
    let symbol = symbols.find(|symbol| symbol.name() == Ok(RUNTIME) && symbol.is_definition())?;
    let bias = unwind::bias(maps, file, &object)?;
    usize::try_from(symbol.address().checked_add(bias)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_tells_its_version_by_its_name() {
        for (file, expected) in [
            ("/usr/lib/libpython3.11.so.1.0", Some((3, 11))),
            ("/usr/bin/python3.12", Some((3, 12))),
            ("/usr/bin/python3.14t", Some((3, 14))),
            ("/usr/lib/libpython3.13t.so.1.0", Some((3, 13))),
            ("/usr/bin/python3", None),
            ("/usr/lib/libtorch_python.so", None),
        ] {
            assert_eq!(version_by_name(file), expected, "{file}");
        }
    }
}
