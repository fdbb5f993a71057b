//! What happened once: a traceback with those it is chained to, a message with its stack, the refused calls of a driver's log.

use crate::line::Writer;

/// Lines of one kind and block that are kept; of more, the last ones.
const MOST_LINES: usize = 400;

/// Bytes of a line that are kept.
const LONGEST_LINE: usize = 4096;

/// One incident.
#[derive(Clone, Debug, Default)]
pub struct Incident {
    /// Who wrote it.
    pub writer: Writer,
    /// The number of its first line, counted from 1.
    pub line: u64,
    /// Its exceptions, the first one first: what comes after it is its consequence.
    pub blocks: Vec<Block>,
    /// The program, as the outermost frame outside of installed packages names it.
    pub script: Option<String>,
}

/// One exception, or one message.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The exception's lines, or the message's.
    pub errors: Vec<String>,
    /// The source lines and frames of a traceback, outermost first.
    pub code: Vec<String>,
    /// The functions of CUDA that a driver's log names.
    pub calls: Vec<String>,
}

impl Incident {
    pub fn new(writer: Writer, line: u64) -> Self {
        Incident {
            writer,
            line,
            blocks: vec![Block::default()],
            script: None,
        }
    }

    /// The block that is being written.
    pub fn block(&mut self) -> &mut Block {
        if self.blocks.is_empty() {
            self.blocks.push(Block::default());
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    pub fn error(&mut self, text: &str) {
        push(&mut self.block().errors, text);
    }

    /// A source line or a frame. A line that raises words a message, and nothing in it was refused.
    pub fn code(&mut self, text: &str) {
        if !text.trim_start().starts_with("raise ") {
            push(&mut self.block().code, text);
        }
    }

    pub fn call(&mut self, text: &str) {
        push(&mut self.block().calls, text);
    }

    /// A frame: `File "train.py", line 7, in step`.
    pub fn frame(&mut self, text: &str) {
        if self.script.is_none() {
            self.script = file(text)
                .filter(|file| is_program(file))
                .map(str::to_owned);
        }
        self.code(text);
    }

    /// Whether it is a warning, after which the program went on.
    pub fn is_warning(&self) -> bool {
        let first = self.blocks.iter().flat_map(|block| &block.errors).next();
        self.blocks.len() == 1 && first.is_some_and(|error| error.contains("Warning: "))
    }

    /// Whether a traceback or a stack was seen.
    pub fn has_code(&self) -> bool {
        self.blocks.iter().any(|block| !block.code.is_empty())
    }

    /// Whether an exception's traceback was seen: a stack that no exception ends shows where a program stands, not why.
    pub fn has_traceback(&self) -> bool {
        self.blocks.iter().any(|block| {
            let is_stack = |line: &String| line.contains("(most recent call first)");
            block
                .code
                .iter()
                .any(|line| line.trim_start().starts_with("File "))
                && !block.errors.iter().any(is_stack)
        })
    }
}

fn push(lines: &mut Vec<String>, text: &str) {
    let mut end = text.len().min(LONGEST_LINE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if lines.len() >= MOST_LINES {
        lines.drain(..MOST_LINES / 4);
    }
    lines.push(text[..end].to_owned());
}

/// Whether a line is a frame of the program rather than of Python or of an installed package.
pub fn is_program_frame(line: &str) -> bool {
    file(line).is_some_and(is_program)
}

fn file(frame: &str) -> Option<&str> {
    let (file, _) = frame
        .trim_start()
        .strip_prefix("File \"")?
        .split_once('"')?;
    Some(file)
}

/// Whether a file belongs to the program rather than to Python or to an installed package.
fn is_program(file: &str) -> bool {
    let installed = ["site-packages", "dist-packages", "lib/python"];
    !file.starts_with('<') && !installed.iter().any(|part| file.contains(part))
}
