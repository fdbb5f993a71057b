//! Functions of the libraries that differ only in their name: the list declares what they do, and the code is generated.
//!
//! An argument is counted from 0 among those that are not floating point: in the System V ABI those are passed apart,
//! so an entry point need not know the rest of its signature.

/// What a function of a family does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Enqueues a kernel.
    Launch,
    /// Enqueues a kernel and waits for the stream.
    Wait,
    /// Enqueues a kernel whose result goes to the host, if the handle's pointer mode says so.
    Result,
    /// Answers how large a workspace has to be.
    Size,
    /// Makes an object that has no state here.
    Create,
    /// Succeeds: what it sets or destroys has no meaning here.
    Accept,
}

/// A function's family, with the arguments that matter.
#[derive(Clone, Debug)]
pub struct Family {
    kind: Kind,
    /// The handle whose stream is used.
    handle: usize,
    /// The stream, of a function that takes one instead.
    stream: Option<usize>,
    /// Where the function writes.
    at: Vec<usize>,
    /// How many bytes it writes there.
    bytes: usize,
    /// The device memory in which it reports success: so many numbers that it sets to 0 in stream order.
    info: Option<usize>,
    /// How many they are, of a function that works on a batch.
    count: Option<usize>,
    /// The number on the host in which it reports success.
    host_info: Option<usize>,
    /// What it returns where CUDA refuses it, if not what its library does.
    failed: Option<i32>,
}

impl Family {
    /// The family that a status names, if it names one.
    pub fn named(status: &str) -> Option<Family> {
        let kind = match status {
            "launch" => Kind::Launch,
            "wait" => Kind::Wait,
            "result" => Kind::Result,
            "size" => Kind::Size,
            "create" => Kind::Create,
            "accept" => Kind::Accept,
            _ => return None,
        };
        Some(Family {
            kind,
            handle: 0,
            stream: None,
            at: vec![0],
            bytes: 8,
            info: None,
            count: None,
            host_info: None,
            failed: None,
        })
    }

    /// Reads a key of the function's line.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = |text: &str| {
            text.parse::<usize>()
                .map_err(|_| format!("`{key}` is not a number"))
        };
        match key {
            "handle" => self.handle = number(value)?,
            "stream" => self.stream = Some(number(value)?),
            "info" => self.info = Some(number(value)?),
            "count" => self.count = Some(number(value)?),
            "host_info" => self.host_info = Some(number(value)?),
            "at" => self.at = value.split(',').map(number).collect::<Result<_, _>>()?,
            "bytes" => self.bytes = number(value)?,
            "failed" => {
                let code = value
                    .parse()
                    .map_err(|_| format!("`{key}` is not a number"))?;
                self.failed = Some(code);
            }
            _ => return Err(format!("unknown key `{key}`")),
        }
        Ok(())
    }

    /// The entry point.
    pub fn entry_point(&self, library: &str, name: &str) -> String {
        let constant = match self.failed {
            Some(code) => format!("Library {{ failed: {code}, ..{} }}", library.to_uppercase()),
            None => library.to_uppercase(),
        };
        let kernel = kernel(library, name);
        let bytes = self.bytes;
        let place = match self.stream {
            Some(stream) => format!("Place::Stream(a{stream})"),
            None => format!("Place::Handle(a{})", self.handle),
        };
        let at: Vec<String> = self.at.iter().map(|index| format!("a{index}")).collect();
        let at = format!("&[{}]", at.join(", "));
        let body = match self.kind {
            Kind::Launch => {
                let info = self.info();
                format!("launch(&{constant}, {name:?}, {kernel:?}, {place}, {info})")
            }
            Kind::Wait => {
                let info = self.info();
                format!("wait(&{constant}, {name:?}, {kernel:?}, {place}, {info})")
            }
            Kind::Result => {
                format!("result(&{constant}, {name:?}, {kernel:?}, {place}, {at}, {bytes})")
            }
            Kind::Size => format!("size(&{constant}, {at}, {bytes})"),
            Kind::Create => format!("create(&{constant}, {at})"),
            Kind::Accept => "0".to_owned(),
        };
        let used = self.arguments();
        let count = used.iter().max().map_or(0, |last| last + 1);
        let parameters: Vec<String> = (0..count)
            .map(|index| {
                if used.contains(&index) {
                    format!("a{index}: usize")
                } else {
                    "_: usize".to_owned()
                }
            })
            .collect();
        format!(
            "#[unsafe(no_mangle)]\nextern \"C\" fn {name}({}) -> c_int {{ {body} }}\n",
            parameters.join(", ")
        )
    }

    /// Where the function reports success.
    fn info(&self) -> String {
        let device = match (self.info, self.count) {
            (Some(info), Some(count)) => format!("Some((a{info}, a{count}))"),
            (Some(info), None) => format!("Some((a{info}, 1))"),
            (None, _) => "None".to_owned(),
        };
        let host = match self.host_info {
            Some(info) => format!("Some(a{info})"),
            None => "None".to_owned(),
        };
        format!("Info {{ device: {device}, host: {host} }}")
    }

    /// The arguments that matter.
    fn arguments(&self) -> Vec<usize> {
        let place = self.stream.unwrap_or(self.handle);
        match self.kind {
            Kind::Launch | Kind::Wait => [self.info, self.count, self.host_info]
                .into_iter()
                .flatten()
                .chain([place])
                .collect(),
            Kind::Result => [&[place], self.at.as_slice()].concat(),
            Kind::Size | Kind::Create => self.at.clone(),
            Kind::Accept => Vec::new(),
        }
    }
}

/// The name under which a function's work appears in a graph: `cublas::Sgemm`. The real kernel's name depends on the
/// card and the shapes; the routine's does not.
fn kernel(library: &str, name: &str) -> String {
    let routine = name.get(library.len()..).unwrap_or(name);
    let routine = routine
        .trim_end_matches("_64")
        .trim_end_matches("_v2")
        .trim_end_matches("_v8");
    format!("{library}::{routine}")
}
