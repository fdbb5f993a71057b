//! The releases of PyTorch, with the versions of the libraries that their wheels require.

/// The table, below `api`.
pub const FILE: &str = "releases.txt";

/// What a line has.
const COLUMNS: &str =
    "PyTorch, CUDA, cuDNN, cuSPARSELt and NCCL, e.g. `2.11.0 13.0 9.19.0 0.8.0 2.28.9`";

/// The table as Rust has it.
pub fn table(text: &str) -> Result<String, String> {
    let mut rows = String::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let row = row(line).ok_or_else(|| format!("line {}: not {COLUMNS}", index + 1))?;
        rows.push_str(&row);
    }
    Ok(format!("const RELEASES: &[Release] = &[\n{rows}];\n"))
}

fn row(line: &str) -> Option<String> {
    let words: Option<Vec<Vec<u32>>> = line.split(' ').map(numbers).collect();
    let words = words?;
    let [torch, cuda, cudnn, cusparselt, nccl] = words.as_slice() else {
        return None;
    };
    let ([2, minor, _], [major, second]) = (torch.as_slice(), cuda.as_slice()) else {
        return None;
    };
    let cuda = 1000 * major + 10 * second;
    let libraries = [cudnn, cusparselt, nccl].map(|it| version(it.as_slice()));
    let [cudnn, cusparselt, nccl] = libraries;
    Some(format!(
        "    release({minor}, {cuda}, {}, {}, {}),\n",
        cudnn?, cusparselt?, nccl?
    ))
}

fn numbers(word: &str) -> Option<Vec<u32>> {
    word.split('.').map(|it| it.parse().ok()).collect()
}

fn version(numbers: &[u32]) -> Option<String> {
    let [major, minor, patch] = numbers else {
        return None;
    };
    Some(format!("version({major}, {minor}, {patch})"))
}
