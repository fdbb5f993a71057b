//! What a thread of Python waits for, by the functions of the standard library that it is in.

use cgsan_threads::PythonFrame;

/// Functions that wait, by the end of their file and their qualified name, which CPython 3.10 does not keep.
const WAITS: &[(&str, &str, &str)] = &[
    (
        "/threading.py",
        "Barrier.wait",
        "the other threads of a barrier",
    ),
    (
        "/threading.py",
        "Condition.wait",
        "a condition to be notified",
    ),
    ("/threading.py", "Event.wait", "an event to be set"),
    (
        "/threading.py",
        "Semaphore.acquire",
        "a semaphore to be released",
    ),
    ("/threading.py", "Thread.join", "the end of a thread"),
    ("/queue.py", "Queue.get", "an item of a queue"),
    ("/queue.py", "Queue.put", "room in a queue"),
    ("/queue.py", "Queue.join", "the items of a queue to be done"),
    (
        "/concurrent/futures/_base.py",
        "Future.result",
        "the result of a task",
    ),
    (
        "/concurrent/futures/_base.py",
        "Future.exception",
        "the end of a task",
    ),
    ("/concurrent/futures/_base.py", "wait", "the end of tasks"),
];

/// What a thread with these frames, innermost first, waits for.
pub fn awaited(frames: &[PythonFrame]) -> Option<&'static str> {
    let files = || WAITS.iter().map(|(file, ..)| file);
    let is_of_library = |frame: &&PythonFrame| files().any(|file| frame.file.ends_with(file));
    let called = frames.iter().take_while(is_of_library);
    let known = called.filter_map(|frame| {
        let mut known = WAITS.iter();
        known.find(|(file, function, _)| frame.file.ends_with(file) && frame.function == *function)
    });
    // A queue waits for its condition: the function that the program called says more.
    known.last().map(|(.., awaited)| *awaited)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, function: &str) -> PythonFrame {
        PythonFrame {
            file: format!("/usr/lib/python3.11/{file}"),
            function: function.to_owned(),
            line: 1,
        }
    }

    #[test]
    fn the_function_that_the_program_called_says_what_it_waits_for() {
        let condition = frame("threading.py", "Condition.wait");
        let queue = [
            condition.clone(),
            frame("queue.py", "Queue.get"),
            frame("serve.py", "Server.loop"),
            frame("threading.py", "Thread.join"),
        ];
        assert_eq!(awaited(&queue), Some("an item of a queue"));
        assert_eq!(awaited(&queue[..1]), Some("a condition to be notified"));
        assert_eq!(awaited(&queue[2..]), None);
        assert_eq!(awaited(&[]), None);
    }
}
