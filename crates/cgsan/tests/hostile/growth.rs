//! Source that grows faster in the linter than on the page.

use std::fmt::Write as _;
use std::fs;

use super::{shell, stderr};

const CAPTURE: &str = "
x = torch.ones(8, device=\"cuda\")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x + 1
";

/// Lints a program within seconds and a gigabyte.
fn is_looked_at(name: &str, program: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("program.py"), program).expect("a file");
    let looked = shell(
        folder.path(),
        "ulimit -v 3000000; ulimit -t 30; \"$CGSAN\" lint --quiet -o /dev/null program.py",
    );
    let status = looked.status.code();
    assert!(matches!(status, Some(0 | 1)), "{name}: {}", stderr(&looked));
}

#[test]
fn values_that_double_do_not_fill_the_memory() {
    let mut program =
        "import torch\na = [1, 2]\nb = \"ab\"\nc = (1,)\nd = [1]\ne = {\"a\": 1}\n".to_owned();
    for _ in 0..40 {
        program +=
            "a = a + a\nb = b + b\nc = (c, c)\nd += d\ne = {**e, \"b\": e}\nb = f\"{b}{b}\"\n";
    }
    is_looked_at("doubling", &(program + CAPTURE));
}

#[test]
fn long_programs_take_time_by_their_length() {
    let mut classes = "import torch\n".to_owned();
    let mut chain = "import torch\nclass C0:\n    def f(self, x):\n        return x\n".to_owned();
    let mut functions = "import torch\nx = torch.ones(8, device=\"cuda\")\n".to_owned();
    let mut findings = "import torch\nx = torch.ones(8, device=\"cuda\")\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n".to_owned();
    for i in 1..5_000 {
        let _ = write!(
            classes,
            "class C{i}(torch.nn.Module):\n    def forward(self, x):\n        return x + {i}\n"
        );
    }
    for i in 1..1_500 {
        let _ = write!(
            chain,
            "class C{i}(C{}):\n    def f(self, x):\n        return super().f(x) + 1\n",
            i - 1
        );
    }
    for i in 1..1_500 {
        let _ = write!(
            functions,
            "def f{i}():\n    with torch.cuda.graph(torch.cuda.CUDAGraph()):\n        y = x + {i}\n"
        );
    }
    for _ in 0..8_000 {
        findings += "    x.sum().item()\n";
    }
    is_looked_at("classes", &(classes + CAPTURE));
    is_looked_at("chain", &(chain + "o = C1499()\n" + CAPTURE));
    is_looked_at("functions", &functions);
    is_looked_at("findings", &findings);
}
