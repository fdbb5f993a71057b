//! Traces of PyTorch's profiler, in the format of Chrome's trace viewer.
//!
//! Kineto writes an object with a list `traceEvents` of some hundred bytes an event; `torch.profiler` compresses it if the name of
//! the file ends in `.gz`. The list is read as a stream. A file that breaks off, as of a program that was killed, is read as far
//! as it goes.

mod event;
mod scan;
#[cfg(test)]
mod tests;
mod window;

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use self::scan::{Member, Stop};
use self::window::Window;
use crate::{Builder, Error, Lack, Source, Timeline};

/// Reads a trace, compressed or not.
///
/// # Errors
///
/// If it cannot be read, is malformed before its end, or is not a trace.
pub fn read(mut input: impl Read) -> Result<Timeline, Error> {
    let mut begin = Vec::new();
    input.by_ref().take(2).read_to_end(&mut begin)?;
    let is_compressed = begin == [0x1f, 0x8b];
    let input = io::Cursor::new(begin).chain(input);
    if is_compressed {
        document(&mut Window::new(MultiGzDecoder::new(input)))
    } else {
        document(&mut Window::new(input))
    }
}

/// The whole of a file: an object with the list of events, or the list alone.
fn document<R: Read>(window: &mut Window<R>) -> Result<Timeline, Error> {
    let mut builder = Builder::new(Source::Profiler);
    let begin = window.scan(|bytes| scan::space(bytes, 0).map(|at| (at, bytes[at])))?;
    let Some((at, first)) = begin else {
        return Err(Error::NoEvents);
    };
    window.take(at + 1);
    let is_whole = match first {
        b'[' => {
            // Chrome's own files may lack the closing bracket.
            events(window, &mut builder)?;
            true
        }
        b'{' => members(window, &mut builder)?,
        _ => return Err(Error::Format),
    };
    if !is_whole {
        builder.lack(Lack::End(window.offset()));
    }
    Ok(builder.finish())
}

/// What stands at the begin of a member of the outermost object.
enum Begun {
    Events(usize),
    Device(usize),
    Base(u64, usize),
    Other(usize),
    End,
}

/// The members of the outermost object, up to its end; `false` if the file ends before.
fn members<R: Read>(window: &mut Window<R>, to: &mut Builder) -> Result<bool, Error> {
    let mut has_events = false;
    loop {
        let begun = window.scan(member_begin)?;
        match begun {
            Some(Begun::Events(length)) => {
                window.take(length);
                has_events = true;
                if !events(window, to)? {
                    return Ok(false);
                }
            }
            Some(Begun::Device(length)) => {
                devices(&window.rest()[..length], to);
                window.take(length);
            }
            Some(Begun::Base(unix_ns, length)) => {
                to.base(unix_ns);
                window.take(length);
            }
            Some(Begun::Other(length)) => window.take(length),
            Some(Begun::End) if has_events => return Ok(true),
            None if has_events => return Ok(false),
            Some(Begun::End) | None => return Err(Error::NoEvents),
        }
    }
}

/// The member that comes next: up to the first event if it is the list of events, else whole.
fn member_begin(bytes: &[u8]) -> Result<Begun, Stop> {
    const KEY: &[u8] = b"\"traceEvents\"";
    let mut at = scan::space(bytes, 0)?;
    if bytes[at] == b',' {
        at = scan::space(bytes, at + 1)?;
    }
    let rest = &bytes[at..];
    if rest.len() < KEY.len() && KEY.starts_with(rest) {
        return Err(Stop::More);
    }
    if rest.starts_with(KEY) {
        at = scan::space(bytes, at + KEY.len())?;
        if bytes[at] != b':' {
            return Err(Stop::Bad(at, "`:` was expected behind a key"));
        }
        at = scan::space(bytes, at + 1)?;
        if bytes[at] != b'[' {
            return Err(Stop::Bad(at, "`traceEvents` is not a list"));
        }
        return Ok(Begun::Events(at + 1));
    }
    Ok(match scan::member(bytes, at)? {
        Member::Value(b"deviceProperties", _, end) => Begun::Device(end),
        Member::Value(b"baseTimeNanoseconds", begin, end) => {
            Begun::Base(scan::integer(&bytes[begin..end]).unwrap_or(0), end)
        }
        Member::Value(_, _, end) => Begun::Other(end),
        Member::End(_) => Begun::End,
    })
}

/// The events, up to the end of their list; `false` if the file ends before.
fn events<R: Read>(window: &mut Window<R>, to: &mut Builder) -> Result<bool, Error> {
    loop {
        let next = window.scan(|bytes| {
            let mut at = scan::space(bytes, 0)?;
            if bytes[at] == b',' {
                at = scan::space(bytes, at + 1)?;
            }
            match bytes[at] {
                b']' => Ok((at + 1, false)),
                b'{' => Ok((at, true)),
                _ => Err(Stop::Bad(at, "an event was expected")),
            }
        })?;
        let Some((length, is_event)) = next else {
            return Ok(false);
        };
        window.take(length);
        if !is_event {
            return Ok(true);
        }
        let Some(length) = window.scan(|bytes| event::read(bytes, to))? else {
            return Ok(false);
        };
        window.take(length);
    }
}

/// The names of the devices, of the member `deviceProperties`.
fn devices(member: &[u8], to: &mut Builder) {
    let begin = memchr::memchr(b'[', member).unwrap_or(0);
    let Ok(Value::Array(devices)) = serde_json::from_slice(&member[begin..]) else {
        return;
    };
    for device in devices {
        let number = device["id"].as_u64().and_then(|it| u16::try_from(it).ok());
        if let (Some(number), Some(name)) = (number, device["name"].as_str()) {
            to.device(number, name.chars().take(100).collect());
        }
    }
}
