//! C++ exceptions of PyTorch are noted as they are thrown, and arrive as they would without.

use std::io::ErrorKind;
use std::process::Command;

use cgsan_trace::Record;

use crate::support::Program;

/// Classes as PyTorch has them (`c10/util/Exception.h`, `torch/csrc/Exceptions.h`), and functions that throw and catch.
const THROWER: &str = r#"
#include <exception>
#include <stdexcept>
#include <string>

namespace c10 {
class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return "with a backtrace"; }
  virtual const char* what_without_backtrace() const noexcept { return message_.c_str(); }
 private:
  std::string message_;
};
class AcceleratorError : public Error { using Error::Error; };
struct Odd { virtual ~Odd() = default; };
}
namespace torch {
struct TypeError : public std::exception {
  const char* what() const noexcept override { return "expected a Tensor"; }
};
struct Two : public c10::Odd, public std::exception {};
}
struct python_error : public std::exception {};

static int alive = 0;
struct Guard { Guard() { ++alive; } ~Guard() { --alive; } };

template <class Exception>
static int caught(const Exception& exception) {
  try { Guard guard; throw exception; }
  catch (const Exception&) { return alive == 0 ? 1 : -1; }
  return 0;
}

extern "C" int throw_all(int times) {
  int count = 0;
  for (int i = 0; i < times; ++i) count += caught(c10::AcceleratorError("capture invalidated " + std::to_string(i)));
  return count;
}
extern "C" int in_flight() { return std::uncaught_exceptions(); }
extern "C" int throw_others() {
  return caught(torch::TypeError()) + caught(torch::Two()) + caught(c10::Odd()) + caught(python_error())
       + caught(std::runtime_error("of the program")) + caught(42)
       + caught(c10::Error(std::string(10000, 'x')));
}
"#;

/// A program that loads the library of these functions, linked with these options; `None` on a machine without a C++
/// compiler, which cgsan does not ask for.
fn program(text: &str, linking: &[&str]) -> Option<Program> {
    let program = Program::new(&format!(
        "start()\ncxx = ctypes.CDLL(os.environ['RUN'] + '/../thrower.so')\n{text}"
    ));
    let source = program.folder().join("thrower.cpp");
    std::fs::write(&source, THROWER).unwrap();
    let built = Command::new("g++")
        .args(linking)
        .args(["-std=c++17", "-shared", "-fPIC", "-O1", "-o"])
        .arg(program.folder().join("thrower.so"))
        .arg(&source)
        .status();
    match built {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("skipped: there is no g++");
            None
        }
        built => {
            assert!(built.unwrap().success());
            Some(program)
        }
    }
}

fn exceptions(program: &Program) -> Vec<(String, String)> {
    let trace = program.trace();
    trace
        .entries()
        .iter()
        .filter_map(|entry| match &entry.record {
            Record::Exception {
                type_name,
                message,
                stack,
            } => {
                assert!(stack.is_some());
                Some((trace.string(*type_name).to_owned(), message.clone()))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn exceptions_are_noted_and_still_caught() {
    let calls = "assert cxx.throw_all(1) == 1\nassert cxx.throw_others() == 7\n";
    let Some(program) = program(calls, &[]) else {
        return;
    };
    let expected = [
        (
            "N3c1016AcceleratorErrorE",
            "capture invalidated 0".to_owned(),
        ),
        ("N5torch9TypeErrorE", "expected a Tensor".to_owned()),
        ("N3c105ErrorE", "x".repeat(4096)),
    ];
    assert_eq!(
        exceptions(&program),
        expected.map(|(name, message)| (name.to_owned(), message))
    );
}

#[test]
fn exceptions_in_a_loop_are_not_all_noted_but_those_of_a_capture_are() {
    let calls = "
assert cxx.throw_all(5000) == 5000
probe.probe_begin_capture()
assert cxx.throw_all(1) == 1
";
    if let Some(program) = program(calls, &[]) {
        assert_eq!(exceptions(&program).len(), 1001);
    }
}

#[test]
fn a_library_with_a_runtime_of_its_own_throws_through_that() {
    let calls = "
for _ in range(100):
    assert cxx.throw_all(1) == 1
    assert cxx.throw_others() == 7
    assert cxx.in_flight() == 0
";
    let shared_too = format!("ctypes.CDLL('libstdc++.so.6')\n{calls}");
    if let Some(program) = program(&shared_too, &["-static-libstdc++", "-static-libgcc"]) {
        program.trace();
    }
}
