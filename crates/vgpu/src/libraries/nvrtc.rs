//! NVRTC: compiles anything, to a module whose kernels have the names that the program asked for, and do no more than what their
//! declarations say.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt::Write as _;

use super::export::{Status, export};
use super::family::NVRTC;
use super::object::Objects;
use crate::ffi::{InOut, Out, Text, called};
use crate::gpu::version;
use crate::module::signature::{Declaration, declarations};

/// `NVRTC_ERROR_INVALID_INPUT`.
const INVALID_INPUT: Status = Status(3);
/// `NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID`.
const NAME_NOT_VALID: Status = Status(10);

/// The architectures it says it compiles for.
const ARCHITECTURES: [c_int; 5] = [75, 80, 86, 89, 90];

/// A program.
struct Program {
    /// The names by which the caller will ask for kernels, each of which is also its lowered name.
    expressions: Vec<CString>,
    /// The kernels whose parameters its source tells.
    declared: Vec<Declaration>,
}

static PROGRAMS: Objects<Program> = Objects::new();

export! { NVRTC;
    fn nvrtcVersion(major: Out<c_int>, minor: Out<c_int>) {
        let runtime = version::runtime();
        major.put_if_wanted(runtime / 1000);
        minor.put_if_wanted(runtime % 1000 / 10);
        Ok(())
    }

    fn nvrtcGetNumSupportedArchs(count: Out<c_int>) {
        count.put_if_wanted(c_int::try_from(ARCHITECTURES.len()).unwrap_or(c_int::MAX));
        Ok(())
    }

    fn nvrtcGetSupportedArchs(architectures: Out<[c_int; ARCHITECTURES.len()]>) {
        architectures.put_if_wanted(ARCHITECTURES);
        Ok(())
    }

    fn nvrtcCreateProgram(program: Out<usize>, source: Text) {
        let declared = declarations(&source.get().map_err(|_| INVALID_INPUT)?);
        program.put_if_wanted(PROGRAMS.add(Program { expressions: Vec::new(), declared }));
        Ok(())
    }

    fn nvrtcDestroyProgram(program: InOut<usize>) {
        let pointer = program.get().map_err(|_| INVALID_INPUT)?;
        PROGRAMS.remove(pointer).ok_or(NVRTC.invalid())?;
        program.set(0);
        Ok(())
    }

    fn nvrtcCompileProgram(program: usize) {
        with(program, |_| ())
    }

    fn nvrtcAddNameExpression(program: usize, expression: Text) {
        let expression = expression.get().map_err(|_| INVALID_INPUT)?;
        let expression = CString::new(expression).map_err(|_| INVALID_INPUT)?;
        with(program, |program| program.expressions.push(expression))
    }

    fn nvrtcGetLoweredName(program: usize, expression: Text, lowered: Out<*const c_char>) {
        let expression = expression.get().map_err(|_| INVALID_INPUT)?;
        let name = with(program, |program| program.lowered(&expression).map(CStr::as_ptr))?;
        lowered.put_if_wanted(name.ok_or(NAME_NOT_VALID)?);
        Ok(())
    }

    fn nvrtcGetPTXSize, nvrtcGetCUBINSize, nvrtcGetLTOIRSize, nvrtcGetOptiXIRSize(
        program: usize, size: Out<usize>,
    ) {
        size.put_if_wanted(with(program, |program| program.module().len())?);
        Ok(())
    }

    fn nvrtcGetPTX, nvrtcGetCUBIN, nvrtcGetLTOIR, nvrtcGetOptiXIR(program: usize, image: Out<u8>) {
        let module = with(program, |program| program.module())?;
        image.put_all(module.bytes(), module.len());
        Ok(())
    }

    fn nvrtcGetProgramLogSize(program: usize, size: Out<usize>) {
        with(program, |_| size.put_if_wanted(1))
    }

    fn nvrtcGetProgramLog(program: usize, log: Out<u8>) {
        with(program, |_| log.put_if_wanted(0))
    }
}

impl Program {
    fn lowered(&self, expression: &str) -> Option<&CStr> {
        self.expressions
            .iter()
            .find(|known| known.as_bytes() == expression.as_bytes())
            .map(CString::as_c_str)
    }

    /// The compiled module, in PTX, with the null byte that ends it: kernels that return at once.
    fn module(&self) -> String {
        let mut text = String::from(".version 8.0\n.target sm_90\n.address_size 64\n");
        for declared in &self.declared {
            declared.write(declared.name(), &mut text);
        }
        for expression in &self.expressions {
            let name = expression.to_string_lossy();
            match self.declared.iter().find(|it| it.is_named_by(&name)) {
                Some(declared) if declared.name() == name => {}
                Some(declared) => declared.write(&name, &mut text),
                // It has parameters that are not known.
                None => {
                    let _ = writeln!(text, "// {name}");
                }
            }
        }
        text.push('\0');
        text
    }
}

fn with<R>(program: usize, use_it: impl FnOnce(&mut Program) -> R) -> Result<R, Status> {
    PROGRAMS.with(program, use_it).ok_or(NVRTC.invalid())
}

/// The name of a result.
#[unsafe(no_mangle)]
extern "C" fn nvrtcGetErrorString(result: c_int) -> *const c_char {
    called::note("nvrtcGetErrorString");
    let name = match result {
        0 => c"NVRTC_SUCCESS",
        3 => c"NVRTC_ERROR_INVALID_INPUT",
        4 => c"NVRTC_ERROR_INVALID_PROGRAM",
        10 => c"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        11 => c"NVRTC_ERROR_INTERNAL_ERROR",
        _ => c"NVRTC_ERROR unknown",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        Program {
            expressions: vec![c"kernel<float>".to_owned(), c"&space::plain".to_owned()],
            declared: declarations("namespace space { __global__ void plain(int n) {} }"),
        }
    }

    #[test]
    fn a_name_is_found_only_if_it_was_asked_for() {
        assert_eq!(program().lowered("kernel<float>"), Some(c"kernel<float>"));
        assert_eq!(program().lowered("kernel<double>"), None);
    }

    #[test]
    fn the_module_has_the_kernels_and_ends_in_a_null_byte() {
        let module = program().module();
        assert!(module.contains(".entry &space::plain(.param .u32 p_0)"));
        assert!(!module.contains(".entry kernel<float>"));
        assert!(module.ends_with('\0'));
    }
}
