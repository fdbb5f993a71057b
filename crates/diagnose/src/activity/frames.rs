//! Python stacks, looked at frame by frame.

use cgsan_trace::{CodeId, FrameId, StackFrame, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::stack;

/// PyTorch's file that compiles functions when they are called (2.6 to 2.15).
const COMPILER: &str = "_dynamo/convert_frame.py";

/// Where an operator stands relative to a function on its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) function: CodeId,
    /// The frame that called the function, with its line.
    pub(super) caller: Option<FrameId>,
}

/// The frame that began a capture: its caller and its function.
pub(super) type Root = (Option<FrameId>, CodeId);

/// Python stacks, looked at frame by frame.
pub(super) struct Frames<'t> {
    trace: &'t Trace,
    /// Whether a function is the program's own.
    of_user: FxHashMap<CodeId, bool>,
    /// Whether it compiles a function of the program.
    of_compiler: FxHashMap<CodeId, bool>,
    /// Stacks, outermost frame first.
    stacks: FxHashMap<FrameId, Vec<(FrameId, CodeId)>>,
}

impl<'t> Frames<'t> {
    pub(super) fn new(trace: &'t Trace) -> Frames<'t> {
        Frames {
            trace,
            of_user: FxHashMap::default(),
            of_compiler: FxHashMap::default(),
            stacks: FxHashMap::default(),
        }
    }

    fn is_user(&mut self, frame: FrameId, code: CodeId) -> bool {
        let trace = self.trace;
        *self.of_user.entry(code).or_insert_with(|| {
            let frame: Option<StackFrame> = trace.resolved(frame);
            frame.is_some_and(|frame| stack::is_of_program(&frame))
        })
    }

    fn stack(&mut self, innermost: FrameId) -> Vec<(FrameId, CodeId)> {
        if let Some(known) = self.stacks.get(&innermost) {
            return known.clone();
        }
        let trace = self.trace;
        let mut frames: Vec<(FrameId, CodeId)> =
            std::iter::successors(Some(innermost), |id| trace.frame(*id)?.0)
                .filter_map(|id| Some((id, trace.frame(id)?.1)))
                .collect();
        frames.reverse();
        self.stacks.insert(innermost, frames.clone());
        frames
    }

    /// Whether `torch.compile` compiles a function there: what it runs for that is none of the program's work.
    pub(super) fn is_compiling(&mut self, innermost: FrameId) -> bool {
        let (trace, frames) = (self.trace, self.stack(innermost));
        frames.into_iter().any(|(frame, code)| {
            *self.of_compiler.entry(code).or_insert_with(|| {
                let frame: Option<StackFrame> = trace.resolved(frame);
                frame.is_some_and(|it| stack::is_torch_file(&it, COMPILER))
            })
        })
    }

    /// The functions in a stack.
    pub(super) fn functions(&mut self, innermost: FrameId) -> Vec<CodeId> {
        let frames = self.stack(innermost);
        frames.into_iter().map(|(_, code)| code).collect()
    }

    /// The innermost frame of the program in a stack, whatever its line: its caller and its function.
    pub(super) fn user_frame(&mut self, innermost: FrameId) -> Option<Root> {
        self.own_line(innermost).map(|(root, _)| root)
    }

    /// The same, with its line.
    pub(super) fn own_line(&mut self, innermost: FrameId) -> Option<(Root, u32)> {
        let frames = self.stack(innermost);
        let (frame, code) = frames
            .into_iter()
            .rev()
            .find(|(frame, code)| self.is_user(*frame, *code))?;
        let (caller, _, line) = self.trace.frame(frame)?;
        Some(((caller, code), line))
    }

    /// The functions, with their lines, that the innermost frame of the program has called.
    pub(super) fn inside(&mut self, innermost: FrameId) -> Vec<(CodeId, u32)> {
        let mut inside = Vec::new();
        for (frame, code) in self.stack(innermost).into_iter().rev() {
            if self.is_user(frame, code) {
                break;
            }
            inside.extend(self.innermost(frame));
        }
        inside
    }

    /// The outermost function of the program that a frame has called.
    pub(super) fn below(&mut self, innermost: FrameId, root: Root) -> Option<Place> {
        let frames = self.stack(innermost);
        let is_root = |(frame, code): &(FrameId, CodeId)| {
            let caller = self.trace.frame(*frame).and_then(|it| it.0);
            (caller, *code) == root
        };
        let root = frames.iter().position(is_root)?;
        let (frame, _) = frames[root + 1..]
            .iter()
            .copied()
            .find(|(frame, code)| self.is_user(*frame, *code))?;
        self.place(frame)
    }

    /// The outermost frame in a stack that runs one of these functions.
    pub(super) fn outermost_of(
        &mut self,
        innermost: FrameId,
        functions: &FxHashSet<CodeId>,
    ) -> Option<Place> {
        let frames = self.stack(innermost);
        let (frame, _) = frames
            .into_iter()
            .find(|(_, code)| functions.contains(code))?;
        self.place(frame)
    }

    /// The innermost function and its line.
    pub(super) fn innermost(&self, frame: FrameId) -> Option<(CodeId, u32)> {
        let (_, function, line) = self.trace.frame(frame)?;
        Some((function, line))
    }

    fn place(&self, frame: FrameId) -> Option<Place> {
        let (caller, function, _) = self.trace.frame(frame)?;
        Some(Place { function, caller })
    }
}
