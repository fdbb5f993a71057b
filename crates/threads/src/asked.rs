//! Asks the threads of a Python process to run a script: by the protocol of CPython 3.14 for `sys.remote_exec`.

use cgsan_frames::{LOOKS, Memory as _, RequestPlace};

use crate::maps::Maps;
use crate::process::threads_of;
use crate::python::Interpreter;
use crate::remote::Remote;
use crate::traced::while_stopped;

/// A request to a process. It is withdrawn when this is dropped, as far as no thread has taken it.
#[derive(Debug)]
pub struct Asked {
    pid: u32,
    places: Vec<RequestPlace>,
}

/// What the number at `pending` is while there is a request.
const PENDING: i32 = 1;

impl Asked {
    /// Asks each thread of a process to run the script at a path, as the process sees it. They read the path when they next come to run Python.
    ///
    /// # Errors
    ///
    /// Why the process cannot be asked.
    pub fn to_run(pid: u32, script: &str) -> Result<Asked, String> {
        let maps = Maps::of(pid);
        let memory = Remote::of(pid);
        let interpreter = Interpreter::find(&memory, &maps)?;
        let mut path = script.as_bytes().to_vec();
        path.push(0);
        let places = || {
            let places = interpreter.request_places()?;
            if places.iter().any(|place| path.len() > place.longest) {
                return Err("the path of the script is too long".to_owned());
            }
            let is_asked = |place: &RequestPlace| memory.number(place.pending) == Some(PENDING);
            if places.iter().any(is_asked) {
                return Err("another program has asked it to run a script just now".to_owned());
            }
            Ok(places)
        };
        let ask = |place: &RequestPlace| {
            let breaker: usize = memory.number(place.breaker)?;
            memory.write(place.path, &path)?;
            memory.write(place.pending, &PENDING.to_ne_bytes())?;
            memory.write(place.breaker, &(breaker | LOOKS).to_ne_bytes())
        };
        // Between reading the word of bits and writing it, nobody else may change it.
        while_stopped(&ids_of(pid), || {
            let places = places()?;
            let asked = Asked { pid, places };
            let was_asked = |place| ask(place).is_some();
            match asked.places.iter().filter(|it| was_asked(it)).count() {
                0 => Err("its memory may not be written".to_owned()),
                _ => Ok(asked),
            }
        })?
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let memory = Remote::of(self.pid);
        // Who has no state any more has ended, and what lies there now is not touched.
        let maps = Maps::of(self.pid);
        let Ok(interpreter) = Interpreter::find(&memory, &maps) else {
            return;
        };
        let _ = while_stopped(&ids_of(self.pid), || {
            let living = interpreter.request_places().unwrap_or_default();
            for place in self.places.iter().filter(|it| living.contains(it)) {
                if memory.number(place.pending) == Some(PENDING) {
                    let _ = memory.write(place.pending, &0_i32.to_ne_bytes());
                }
            }
        });
    }
}

fn ids_of(pid: u32) -> Vec<u32> {
    threads_of(pid).into_iter().map(|it| it.id).collect()
}
