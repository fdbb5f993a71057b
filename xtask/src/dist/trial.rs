//! The wheel as a user gets it: installed by pip into an empty environment, with no Rust, no source and no network.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::environment;
use crate::failure::{Context, Failure, Result};
use crate::interpreter::{self, Interpreter};
use crate::process;
use crate::workspace;

/// The example that is run.
const EXAMPLE: &str = "examples/cg105_stream_not_forked";

/// What is found in it.
const ID: &str = "CG105";

/// A folder in which nothing can be made.
const NOWHERE: &str = "/proc/nowhere";

/// Installs the wheel and uses it; with an interpreter that has PyTorch, up to the first finding.
pub fn run(wheel: &Path, pytorch: Option<&Path>) -> Result<()> {
    let folder = tempfile::tempdir().context(|| "cannot create a folder".to_owned())?;
    let installed = Installed::new(folder.path(), wheel, pytorch)?;
    installed.describes_itself()?;
    if pytorch.is_none() {
        eprintln!(
            "note: there is no PyTorch here, so no program was run; `cargo xtask python` fetches it"
        );
        return Ok(());
    }
    installed.finds()?;
    installed.does_without_a_home()?;
    installed.refuses_a_cache_that_cannot_be()?;
    installed.verifies()?;
    installed.judges_tests()
}

struct Installed {
    /// Everything is below; programs run in it.
    folder: PathBuf,
    /// The folder of the command and of Python.
    bin: PathBuf,
}

impl Installed {
    fn new(folder: &Path, wheel: &Path, pytorch: Option<&Path>) -> Result<Self> {
        let base = match pytorch {
            Some(python) => Interpreter {
                path: python.to_owned(),
                version: String::new(),
            },
            None => interpreter::find()?,
        };
        let environment = folder.join("environment");
        environment::create(&base, &environment)?;
        let mut pip = environment::pip(&base, &environment);
        process::output(
            pip.args(["install", "--no-index", "--no-input", "--quiet"])
                .arg(wheel),
        )?;
        let bin = environment.join("bin");
        if let Some(pytorch) = pytorch {
            // As if it were installed here, too.
            let packages = environment::packages_of(&bin.join("python"))?;
            let path = format!("{}\n", environment::packages_of(pytorch)?.display());
            fs::write(packages.join("pytorch.pth"), path)
                .context(|| format!("cannot write into {}", packages.display()))?;
        }
        for program in ["fails.py", "fixed.py"] {
            let source = workspace::root().join(EXAMPLE).join(program);
            fs::copy(&source, folder.join(program))
                .context(|| format!("cannot copy {}", source.display()))?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            bin,
        })
    }

    /// A program of the environment, with nothing else to find.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        command
            .env_clear()
            .env("PATH", &self.bin)
            .env("HOME", self.folder.join("home"))
            .env("LANG", "C.UTF-8")
            .current_dir(&self.folder);
        command
    }

    /// `cgsan run` with a Python program.
    fn run(&self, program: &str) -> Command {
        let mut command = self.command("cgsan");
        command.args(["run", "--virtual", "--", "python", program]);
        command
    }

    fn describes_itself(&self) -> Result<()> {
        let version = self.output(self.command("cgsan").arg("--version"))?;
        expect(&version, Some(0), "libraries: inside the command")?;
        let entry = self.output(self.command("cgsan").args(["explain", ID]))?;
        expect(&entry, Some(0), ID)?;
        let asked = ["-c", "import cgsan; print('cgsan', cgsan.__version__)"];
        let package = self.output(self.command("python").args(asked))?;
        let short = process::output(self.command("cgsan").arg("-V"))?;
        expect(&package, Some(0), &short)?;
        let page = self.bin.join("../share/man/man1/cgsan-run.1");
        if page.is_file() {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{} was not installed",
            page.display()
        )))
    }

    /// The finding comes, the repaired twin is left alone, and the library lies where only this user can change it.
    fn finds(&self) -> Result<()> {
        let failing = self.output(&mut self.run("fails.py"))?;
        expect(&failing, Some(1), ID)?;
        let cache = self.folder.join("home/.cache/cgsan/libraries");
        let mode = fs::metadata(&cache).map(|about| about.mode() & 0o777);
        if !matches!(mode, Ok(0o700)) {
            return Err(Failure::new(format!(
                "{} should be a folder of the user alone, and is {mode:?}",
                cache.display()
            )));
        }
        let repaired = self.output(&mut self.run("fixed.py"))?;
        expect(&repaired, Some(0), "no findings")
    }

    fn does_without_a_home(&self) -> Result<()> {
        let output = self.output(self.run("fails.py").env("HOME", NOWHERE))?;
        expect(&output, Some(1), ID)
    }

    fn refuses_a_cache_that_cannot_be(&self) -> Result<()> {
        let output = self.output(self.run("fails.py").env("CGSAN_CACHE_DIR", NOWHERE))?;
        expect(&output, Some(125), "CGSAN_CACHE_DIR")
    }

    /// The package of the environment is what a program imports. `cgsan run` would bring one where it is missing.
    fn verifies(&self) -> Result<()> {
        let mut command = self.command("cgsan");
        command.args(["run", "--virtual", "--", "python", "-c"]);
        command.arg("import cgsan; print(cgsan.verify, cgsan.__file__)");
        let output = self.output(&mut command)?;
        expect(&output, Some(0), "site-packages/cgsan/__init__.py")
    }

    /// pytest finds the plugin, which finds the command.
    fn judges_tests(&self) -> Result<()> {
        let tests =
            "def test_fails():\n    import fails\n\n\ndef test_fixed():\n    import fixed\n";
        let file = self.folder.join("test_programs.py");
        fs::write(&file, tests).context(|| format!("cannot write {}", file.display()))?;
        let mut command = self.command("python");
        command.args([
            "-m",
            "pytest",
            "--cgsan-virtual",
            "-p",
            "no:cacheprovider",
            "-q",
        ]);
        let output = self.output(&mut command)?;
        expect(&output, Some(1), &format!("error[{ID}]"))?;
        expect(&output, Some(1), "1 failed, 1 passed")
    }

    fn output(&self, command: &mut Command) -> Result<Output> {
        command
            .output()
            .context(|| format!("cannot start {command:?} in {}", self.folder.display()))
    }
}

fn expect(output: &Output, status: Option<i32>, text: &str) -> Result<()> {
    let both = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    if output.status.code() == status && both.iter().any(|it| it.contains(text)) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "what was installed should end with {status:?} and say `{text}`; it ended with {} and said:\n{}",
        output.status,
        both.join("\n")
    )))
}
