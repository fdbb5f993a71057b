//! What the agent leaves alone in an interpreter, and what it says when PyTorch cannot be served. No virtual GPU starts
//! here; a folder with a `torch/version.py` stands for a PyTorch.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// The interpreter that has PyTorch.
fn python() -> PathBuf {
    env::var_os("CGSAN_TEST_PYTHON")
        .map(PathBuf::from)
        .expect("CGSAN_TEST_PYTHON is not set; `cargo xtask test` sets it")
}

/// What a program does without cgsan, and with it.
struct Both {
    alone: Output,
    watched: Output,
    /// The line that cgsan ends with on standard error.
    written: String,
    report: String,
}

impl Both {
    /// Runs the interpreter with `arguments`, and with `path` as its PYTHONPATH.
    fn run(arguments: &[&str], path: Option<&Path>) -> Self {
        Self::run_in(&python(), arguments, path)
    }

    fn run_in(python: &Path, arguments: &[&str], path: Option<&Path>) -> Self {
        let report = tempfile::NamedTempFile::new().expect("a file");
        let mut watched = Command::new(CGSAN);
        watched
            .arg("run")
            .arg("-o")
            .arg(report.path())
            .arg("--")
            .arg(python);
        // No library is loaded here, so any file will do for it.
        watched.env("CGSAN_LIBRARY", CGSAN);
        let output = |mut command: Command| {
            command.args(arguments).env_remove("PYTHONPATH");
            command.envs(path.map(|path| ("PYTHONPATH", path)));
            command.output().expect("it starts")
        };
        Self {
            alone: output(Command::new(python)),
            watched: output(watched),
            written: format!("cgsan: written: {}\n", report.path().display()),
            report: fs::read_to_string(report.path()).expect("a report"),
        }
    }

    /// Makes sure that cgsan changed nothing and added only the line that names the report, and returns the report,
    /// unwrapped.
    fn report(&self) -> String {
        let (alone, watched) = (&self.alone, &self.watched);
        assert_eq!(watched.status, alone.status);
        let text = String::from_utf8_lossy;
        assert_eq!(text(&watched.stdout), text(&alone.stdout));
        assert_eq!(
            text(&watched.stderr),
            format!("{}{}", text(&alone.stderr), self.written)
        );
        self.report.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// A folder with files, by name and text.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

/// The report on `import torch` of a PyTorch with this `version.py`.
fn report_on_torch(version: &str) -> String {
    let torch = folder(&[("torch/__init__.py", ""), ("torch/version.py", version)]);
    Both::run(
        &["-c", "import torch; print('imported')"],
        Some(torch.path()),
    )
    .report()
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn an_agent_that_fails_is_told_of_and_the_program_goes_on() {
    let script = "import sys, importlib.util; sys.modules['ctypes'] = None; importlib.util.find_spec('torch'); print(1)";
    let report = Both::run(&["-c", script], None).report();
    assert!(
        report.contains("cgsan's agent failed (ModuleNotFoundError:"),
        "{report}"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn an_interpreter_looks_as_it_does_without_cgsan() {
    let script = "import sys; print(sys.path, sorted(sys.modules), sys.argv, sys.flags)";
    let report = Both::run(&["-c", script], None).report();
    assert!(
        report.contains("Python ran, and PyTorch was never imported"),
        "{report}"
    );
    Both::run(
        &["-X", "utf8", "-B", "-u", "-c", script, "a", "--strict"],
        None,
    )
    .report();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_programs_own_sitecustomize_runs() {
    let script = "import sys, sitecustomize; print(sitecustomize.__file__, sitecustomize.value)";
    let own = folder(&[("sitecustomize.py", "value = 42\nprint('own')\n")]);
    Both::run(&["-c", script], Some(own.path())).report();
    let failing = folder(&[("sitecustomize.py", "raise ValueError('broken')\n")]);
    let both = Both::run(&["-c", "print('goes on')"], Some(failing.path()));
    let alone = String::from_utf8_lossy(&both.alone.stderr);
    assert!(alone.contains("ValueError: broken"), "{alone}");
    both.report();
    Both::run(&["-c", script], None).report();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_sitecustomize_of_the_programs_sees_nothing_of_the_agent() {
    let own = folder(&[(
        "sitecustomize.py",
        "import sys\n\
         print(__file__, __name__, sys.path, sorted(sys.modules), sorted(sys.path_importer_cache))\n",
    )]);
    let both = Both::run(&["-c", "pass"], Some(own.path()));
    let seen = String::from_utf8_lossy(&both.alone.stdout);
    assert!(seen.contains("sitecustomize"), "{seen}");
    both.report();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn without_site_an_imported_sitecustomize_is_the_programs_or_none() {
    let script = "import sys\n\
                  try:\n    import sitecustomize\n\
                  except ImportError as error:\n    print(error.name, error)\n\
                  else:\n    print(sitecustomize.__file__)\n\
                  print(sys.path, 'sitecustomize' in sys.modules)";
    Both::run(&["-S", "-c", script], None).report();
    let own = folder(&[("sitecustomize.py", "print('own')\n")]);
    Both::run(&["-S", "-c", script], Some(own.path())).report();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_failing_import_has_the_same_traceback() {
    let broken = folder(&[
        ("torch/__init__.py", "1 / 0\n"),
        ("torch/version.py", "cuda = None\n"),
    ]);
    Both::run(&["-c", "import torch"], Some(broken.path())).report();
    let both = Both::run(&["-c", "import no_such_module"], None);
    assert_eq!(both.alone.status.code(), Some(1));
    both.report();
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_pytorch_without_cuda_is_left_alone_and_named() {
    let cpu = "__version__ = '2.11.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n";
    let report = report_on_torch(&format!("from typing import Optional\n{cpu}"));
    let words = "PyTorch 2.11.0+cpu is built for CPU, not for CUDA";
    assert!(report.contains(words), "{report}");
    let report = report_on_torch("__version__ = '2.9.0'\ncuda = None\nhip = '6.4'\n");
    assert!(
        report.contains("built for ROCm 6.4, not for CUDA"),
        "{report}"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn warp_is_left_alone_and_named() {
    let path = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(path.path().join("warp/bin")).expect("a folder");
    fs::write(path.path().join("warp/__init__.py"), "").expect("a file");
    let report = || Both::run(&["-c", "import warp"], Some(path.path())).report();
    let own = report();
    assert!(own.contains("PyTorch was never imported"), "{own}");
    fs::write(path.path().join("warp/bin/warp.so"), "").expect("a file");
    let nvidias = report();
    let words = "Warp has a CUDA runtime in its own library";
    assert!(nvidias.contains(words), "{nvidias}");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_library_that_cannot_be_loaded_leaves_the_program_running() {
    // The command itself stands for the library: a program cannot be loaded as one.
    let report = report_on_torch("__version__ = '2.11.0'\ncuda = '13.0'\nhip = None\n");
    assert!(
        report.contains("cgsan's library could not be loaded: "),
        "{report}"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_python_without_pytorch_is_told_how_to_get_it() {
    let home = tempfile::tempdir().expect("a folder");
    let made = Command::new(python())
        .args(["-m", "venv", "--without-pip"])
        .arg(home.path())
        .status()
        .expect("an environment");
    assert!(made.success());
    let python = home.path().join("bin/python");
    let both = Both::run_in(&python, &["-c", "import torch"], None);
    assert_eq!(both.alone.status.code(), Some(1));
    let report = both.report();
    let advice = format!(
        "has no PyTorch: install it with `{} -m pip install torch`",
        python.display()
    );
    assert!(report.contains(&advice), "{report}");
    let found = Command::new(CGSAN)
        .args(["env", "--python"])
        .arg(&python)
        .env("CGSAN_LIBRARY", CGSAN)
        .output()
        .expect("cgsan starts");
    assert_eq!(found.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&found.stdout).contains("has no PyTorch"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn an_isolated_interpreter_is_told_apart() {
    for option in ["-I", "-E", "-S"] {
        let report = Both::run(&[option, "-c", "print(1)"], None).report();
        assert!(report.contains("or it ran with -I, -E or -S"), "{report}");
    }
}

/// The interpreters from CPython 3.10 on that are on the `PATH`, or that pyenv has installed for this user.
fn interpreters() -> Vec<PathBuf> {
    let named = ["", ".10", ".11", ".12", ".13", ".14", ".15"];
    let named = named.map(|version| PathBuf::from(format!("python3{version}")));
    let versions = env::home_dir().map(|home| home.join(".pyenv/versions"));
    let installed = versions.and_then(|it| fs::read_dir(it).ok());
    let installed = installed.into_iter().flatten().flatten();
    let installed = installed.map(|version| version.path().join("bin/python"));
    let is_new = "import sys; sys.exit(sys.version_info < (3, 10))";
    let works = |python: &PathBuf| {
        let output = Command::new(python).args(["-c", is_new]).output();
        output.is_ok_and(|it| it.status.success())
    };
    named.into_iter().chain(installed).filter(works).collect()
}

#[test]
fn instructions_say_the_same_in_each_version_of_python() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let interpreters = interpreters();
    assert!(!interpreters.is_empty(), "there is no Python");
    for python in interpreters {
        let output = Command::new(&python)
            .arg(root.join("tests/agent/bytecode.py"))
            .arg(root.join("python/cgsan/agent"))
            .output()
            .expect("it starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {error}", python.display());
    }
}
