//! Whose code a Python frame is.

use std::path::Path;

use cgsan_finding::Location;
use cgsan_trace::StackFrame;

/// The innermost frame outside PyTorch, the standard library and cgsan's agent: the line of the user's program.
///
/// `stack` is innermost first. Where no frame is the user's, the innermost one stands in.
pub(crate) fn user_location(stack: &[StackFrame]) -> Option<Location> {
    user_frame(stack).or(stack.first()).map(location)
}

/// The line of the program's own code that a stack, innermost frame first, leads through.
pub fn own_location(stack: &[StackFrame]) -> Option<Location> {
    let own = own_frame(stack).map(location);
    own.or_else(|| user_location(stack))
}

/// The innermost frame of the user's program.
pub(crate) fn user_frame(stack: &[StackFrame]) -> Option<&StackFrame> {
    user_position(stack).map(|position| &stack[position])
}

/// The frames of PyTorch and the standard library that the user's innermost line called, innermost first.
pub(crate) fn below_user(stack: &[StackFrame]) -> &[StackFrame] {
    &stack[..user_position(stack).unwrap_or(stack.len())]
}

/// The frame as a place to show.
pub fn location(frame: &StackFrame) -> Location {
    Location {
        file: frame.file.clone().into(),
        line: frame.line,
        span: None,
        cell: None,
        function: frame.function.clone(),
    }
}

/// Whether a frame runs `function` of the PyTorch file `torch/<file>`; CPython before 3.11 gives no class in the name.
pub(crate) fn is_torch_function(frame: &StackFrame, file: &str, function: &str) -> bool {
    function_name(frame) == function && is_torch_file(frame, file)
}

/// The function's own name, without its class or the function around it.
pub(crate) fn function_name(frame: &StackFrame) -> &str {
    let qualified = frame.function.as_str();
    qualified.rsplit('.').next().unwrap_or(qualified)
}

/// Whether a frame is in the PyTorch file or folder `torch/<path>`.
pub(crate) fn is_torch_file(frame: &StackFrame, path: &str) -> bool {
    torch_path(&frame.file).is_some_and(|file| file.starts_with(path))
}

/// Whether a frame runs code of CuPy. Cython names files as they lie in the project: `cupy/cuda/memory.pyx`.
pub(crate) fn is_of_cupy(frame: &StackFrame) -> bool {
    let installed = PACKAGE_FOLDERS
        .iter()
        .find_map(|folder| Some(frame.file.rsplit_once(folder)?.1));
    let path = installed.unwrap_or(&frame.file);
    (installed.is_some() || is_cython(path))
        && ["cupy/", "cupyx/", "cupy_backends/"]
            .iter()
            .any(|folder| path.starts_with(folder))
}

/// Whether a file is part of numba, or of its target for GPUs, which is a package of its own.
fn is_of_numba(file: &str) -> bool {
    PACKAGE_FOLDERS.iter().any(|folder| {
        let installed = file.rsplit_once(folder).map(|(_, inside)| inside);
        installed.is_some_and(|it| it.starts_with("numba/") || it.starts_with("numba_cuda/"))
    })
}

/// Where the innermost frame of the user's program stands. Code without a file, as `dataclass` and `namedtuple` make it,
/// has no line to look at, so it stands in only where no file is behind it, as with `python -c`.
fn user_position(stack: &[StackFrame]) -> Option<usize> {
    let in_file = |frame: &StackFrame| is_user(frame) && !frame.file.starts_with('<');
    let written = stack.iter().position(in_file);
    written.or_else(|| stack.iter().position(is_user))
}

/// Whether a frame runs code of the program or of a package, and not of PyTorch, the standard library or cgsan.
pub(crate) fn is_of_program(frame: &StackFrame) -> bool {
    is_user(frame)
}

/// The innermost frame of the program's own code: where a package was called, if the event is inside one.
pub(crate) fn own_frame(stack: &[StackFrame]) -> Option<&StackFrame> {
    stack
        .iter()
        .find(|frame| is_own_code(frame) && !frame.file.starts_with('<'))
}

/// Whether a frame runs the program's own code, and not that of an installed package or of its command.
pub(crate) fn is_own_code(frame: &StackFrame) -> bool {
    let of_package = PACKAGE_FOLDERS
        .iter()
        .any(|folder| frame.file.contains(folder));
    let is_command = frame.file.contains("/bin/") && Path::new(&frame.file).extension().is_none();
    is_user(frame) && !of_package && !is_command
}

fn is_user(frame: &StackFrame) -> bool {
    let is_own = OWN_FOLDERS.iter().any(|folder| frame.file.contains(folder));
    torch_path(&frame.file).is_none()
        && !is_standard_library(&frame.file)
        && !is_own
        && !is_generated_by_inductor(&frame.file)
        && !is_of_cupy(frame)
        && !is_of_numba(&frame.file)
        && !is_compiled_part_of_cuda_python(&frame.file)
}

/// Whether a file is Cython code of NVIDIA's `cuda.bindings` or `cuda.core`, named as in their projects.
fn is_compiled_part_of_cuda_python(file: &str) -> bool {
    file.starts_with("cuda/") && is_cython(file)
}

fn is_cython(file: &str) -> bool {
    [".pyx", ".pxd", ".pxi"]
        .iter()
        .any(|ending| file.ends_with(ending))
}

/// Whether a file is code that Inductor wrote: `<cache>/f7/cf7….py`, named by a hash whose first letters name the folder
/// (`get_path` and `code_hash` in `torch/_inductor/codecache.py`, PyTorch 2.6 to 2.11).
fn is_generated_by_inductor(file: &str) -> bool {
    let mut parts = file.rsplit('/');
    let (Some(name), Some(folder)) = (parts.next(), parts.next()) else {
        return false;
    };
    let hash = name.strip_suffix(".py").unwrap_or_default();
    let in_base_32 = |byte: u8| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte);
    hash.len() == INDUCTOR_HASH
        && hash.starts_with('c')
        && hash.bytes().all(in_base_32)
        && hash[1..].starts_with(folder)
        && folder.len() == 2
}

/// The path inside the installed PyTorch: `cuda/graphs.py`, and for what it brings along `triton/runtime/jit.py`.
fn torch_path(file: &str) -> Option<&str> {
    PACKAGE_FOLDERS.iter().find_map(|folder| {
        let (_, inside) = file.rsplit_once(folder)?;
        let companion = inside.starts_with("functorch/") || inside.starts_with("triton/");
        inside
            .strip_prefix("torch/")
            .or(companion.then_some(inside))
    })
}

/// Whether a file is under `lib/python3.X` of an installation of CPython, and not of a package installed there.
fn is_standard_library(file: &str) -> bool {
    if file.starts_with("<frozen ") {
        return true;
    }
    let Some((prefix, rest)) = file.split_once("/python3.") else {
        return false;
    };
    let Some((minor, inside)) = rest.split_once('/') else {
        return false;
    };
    let in_library = prefix.ends_with("/lib") || prefix.ends_with("/lib64");
    let is_version = minor
        .trim_end_matches('t')
        .bytes()
        .all(|byte| byte.is_ascii_digit());
    let is_package = PACKAGE_FOLDERS
        .iter()
        .any(|folder| inside.starts_with(&folder[1..]));
    in_library && is_version && !is_package
}

const PACKAGE_FOLDERS: [&str; 2] = ["/site-packages/", "/dist-packages/"];

/// Letters of a name that Inductor gives: `c`, and 256 bits in base 32 without the padding, less the last letter.
const INDUCTOR_HASH: usize = 52;

/// The agent's package in the run's folder, and the one that programs import: there, or installed.
const OWN_FOLDERS: [&str; 3] = ["/agent/cgsan_agent/", "/library/cgsan/", "-packages/cgsan/"];

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str) -> StackFrame {
        StackFrame {
            file: file.to_owned(),
            function: "graph.__enter__".to_owned(),
            line: 1,
        }
    }

    #[test]
    fn pytorch_the_standard_library_and_the_agent_are_not_the_user() {
        for file in [
            "/venv/lib/python3.11/site-packages/torch/cuda/graphs.py",
            "/usr/lib/python3/dist-packages/torch/cuda/graphs.py",
            "/usr/lib/python3.12/threading.py",
            "/venv/lib64/python3.10/contextlib.py",
            "/venv/lib/python3.11/site-packages/triton/runtime/jit.py",
            "<frozen runpy>",
            "/run/cgsan-1/agent/cgsan_agent/native.py",
            "/tmp/torchinductor_me/f7/cf7ix7rqjwvwsslrumtq3wrrmxnk6teuxqxflspi5ab3nsncdgs3.py",
            "/venv/lib/python3.11/site-packages/cupy/_core/_gufuncs.py",
            "/venv/lib/python3.11/site-packages/numba_cuda/numba/cuda/dispatcher.py",
            "cupy_backends/cuda/api/runtime.pyx",
            "cuda/bindings/runtime.pyx",
            "cuda/core/_utils/cuda_utils.pxd",
        ] {
            assert!(!is_user(&frame(file)), "{file}");
        }
    }

    #[test]
    fn everything_else_is_the_user() {
        for file in [
            "train.py",
            "<string>",
            "/home/me/torch/train.py",
            "/home/me/python3.11-course/torch/train.py",
            "/venv/lib/python3.11/site-packages/mylib/layers.py",
            "/venv/lib/python3.11/site-packages/torchvision/ops.py",
            "/home/me/f7/cf7.py",
            "/home/me/cupy/train.py",
            "cupy/train.py",
            "kernels.pyx",
            "/home/me/ab/cf7ix7rqjwvwsslrumtq3wrrmxnk6teuxqxflspi5ab3nsncdgs3.py",
        ] {
            assert!(is_user(&frame(file)), "{file}");
        }
    }

    #[test]
    fn code_without_a_file_is_the_user_only_where_no_file_is_behind_it() {
        let generated = [
            frame("<string>"),
            frame("/usr/lib/python3.12/reprlib.py"),
            frame("train.py"),
        ];
        assert_eq!(user_frame(&generated), Some(&generated[2]));
        assert_eq!(below_user(&generated).len(), 2);
        let command = [frame("/usr/lib/python3.12/threading.py"), frame("<string>")];
        assert_eq!(user_frame(&command), Some(&command[1]));
    }

    #[test]
    fn the_programs_own_line_is_where_it_called_a_package() {
        let stack = [
            frame("/venv/lib/python3.11/site-packages/torch/_tensor.py"),
            frame("/venv/lib/python3.11/site-packages/mylib/layers.py"),
            frame("train.py"),
            frame("/venv/bin/mylib"),
        ];
        assert_eq!(user_frame(&stack), Some(&stack[1]));
        assert_eq!(own_frame(&stack), Some(&stack[2]));
        assert_eq!(own_frame(&stack[3..]), None);
    }

    #[test]
    fn a_function_is_known_with_and_without_its_class() {
        let mut enter = frame("/v/lib/python3.11/site-packages/torch/cuda/graphs.py");
        assert!(is_torch_function(&enter, "cuda/graphs.py", "__enter__"));
        enter.function = "__enter__".to_owned();
        assert!(is_torch_function(&enter, "cuda/graphs.py", "__enter__"));
        assert!(!is_torch_function(&enter, "cuda/memory.py", "__enter__"));
    }
}
