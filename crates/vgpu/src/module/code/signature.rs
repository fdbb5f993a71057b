//! The kernels that a source in CUDA C++ declares, as PTX with no more in it than what their declarations say: the stand-in of NVRTC
//! compiles nothing.

use std::fmt::Write as _;

use cgsan_observe::launches::{ParameterKind, Type};
use rustc_hash::FxHashSet;

const KERNEL: &str = "__global__";
/// Words of a declaration that say nothing about the size of a parameter.
const QUALIFIERS: &[&str] = &[
    "__grid_constant__",
    "__restrict",
    "__restrict__",
    "const",
    "restrict",
    "volatile",
];
/// A kernel as it is declared.
#[derive(Debug, PartialEq, Eq)]
pub struct Declaration {
    name: String,
    parameters: Vec<Type>,
}

/// The kernels of a source whose parameters its text alone tells: of types that are the language's own, with names that no macro
/// changes, and declared once.
pub fn declarations(source: &str) -> Vec<Declaration> {
    let (source, macros) = prepared(source);
    let mut found: Vec<(String, Option<Vec<Type>>)> = Vec::new();
    for (at, _) in source.match_indices(KERNEL) {
        if let Some((name, given)) = declared(&source[at + KERNEL.len()..]) {
            let parameters = parameters(given, &macros);
            let parameters = parameters.filter(|_| !macros.contains(name));
            // Announced, and defined later.
            if let Some(known) = found.iter_mut().find(|it| it.0 == name) {
                known.1 = known.1.take().filter(|it| Some(it) == parameters.as_ref());
            } else {
                found.push((name.to_owned(), parameters));
            }
        }
    }
    let known = found.into_iter();
    known
        .filter_map(|(name, parameters)| {
            Some(Declaration {
                name,
                parameters: parameters?,
            })
        })
        .collect()
}

impl Declaration {
    /// Whether an expression names it: by itself, or in a namespace.
    pub fn is_named_by(&self, expression: &str) -> bool {
        let name = expression.trim_start_matches('&').rsplit("::").next();
        name == Some(self.name.as_str())
    }

    /// Its name in the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A kernel of PTX that is called so: it reads through pointers to what is constant, and hands the others on.
    pub fn write(&self, name: &str, to: &mut String) {
        let (mut given, mut body) = (String::new(), String::new());
        for (place, parameter) in self.parameters.iter().enumerate() {
            let separator = if place == 0 { "" } else { ", " };
            let kind = written(*parameter);
            let _ = write!(given, "{separator}.param .{kind} p_{place}");
            if let Type::Pointer { is_constant } = parameter {
                let used = if *is_constant {
                    format!("ld.global.u8 %r{place}, [%rd{place}];")
                } else {
                    format!("call used, (%rd{place});")
                };
                let _ = write!(body, "ld.param.u64 %rd{place}, [p_{place}]; {used} ");
            }
        }
        let _ = writeln!(to, ".visible .entry {name}({given}) {{ {body}ret; }}");
    }
}

/// The type of a parameter in PTX.
fn written(parameter: Type) -> String {
    match parameter {
        Type::Number {
            kind: ParameterKind::Float,
            bytes,
        } => format!("f{}", 8 * bytes),
        Type::Number { bytes, .. } => format!("u{}", 8 * bytes),
        Type::Pointer { .. } => "u64".to_owned(),
    }
}

/// A source without comments, texts and directives, and the names that its directives define.
fn prepared(source: &str) -> (String, FxHashSet<String>) {
    let mut macros = FxHashSet::default();
    let mut kept = String::with_capacity(source.len());
    let source = source.replace("\\\n", " ");
    for line in blanked(&source).lines() {
        if let Some(directive) = line.trim_start().strip_prefix('#') {
            let defined = directive.trim_start().strip_prefix("define");
            let name = defined.and_then(|it| words(it).next());
            macros.extend(name.map(str::to_owned));
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    (kept, macros)
}

/// A source with spaces for its comments and what its texts hold.
fn blanked(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        kept.push_str(&rest[..at]);
        let behind = &rest[at..];
        let end = match behind.as_bytes() {
            [b'/', b'/', ..] => behind.find('\n').unwrap_or(behind.len()),
            [b'/', b'*', ..] => behind[2..].find("*/").map_or(behind.len(), |end| end + 4),
            [b'/', ..] => {
                kept.push('/');
                1
            }
            [quote, ..] => end_of_text(behind, *quote),
            [] => 0,
        };
        kept.push(' ');
        rest = behind.get(end.max(1)..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept
}

/// Where a text ends that begins with its quote.
fn end_of_text(text: &str, quote: u8) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The name of a kernel and what stands in its parentheses, from behind `__global__` on.
fn declared(text: &str) -> Option<(&str, &str)> {
    let mut rest = text.trim_start();
    loop {
        let end = rest.find(|it: char| !is_of_name(it))?;
        let (word, behind) = rest.split_at(end);
        let behind = behind.trim_start();
        if word.is_empty() {
            return None;
        }
        if !behind.starts_with('(') {
            rest = behind;
            continue;
        }
        let inside = parenthesized(behind)?;
        // An attribute with arguments: the name comes later.
        if word.starts_with("__") {
            rest = behind[inside.len() + 2..].trim_start();
            continue;
        }
        return Some((word, inside));
    }
}

/// What stands in the parentheses that a text begins with.
fn parenthesized(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, it) in text.char_indices() {
        match it {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(1..at);
        }
    }
    None
}

fn parameters(given: &str, macros: &FxHashSet<String>) -> Option<Vec<Type>> {
    if matches!(given.trim(), "" | "void") {
        return Some(Vec::new());
    }
    // What has parentheses or commas of its own is a type of the program's.
    let is_plain =
        |it: char| is_of_name(it) || it.is_whitespace() || matches!(it, '*' | ',' | '[' | ']');
    if !given.chars().all(is_plain) || words(given).any(|word| macros.contains(word)) {
        return None;
    }
    given.split(',').map(type_of).collect()
}

fn type_of(parameter: &str) -> Option<Type> {
    if let Some(star) = parameter.find(['*', '[']) {
        let is_one = parameter.matches(['*', '[']).count() == 1;
        let is_constant = is_one && words(&parameter[..star]).any(|word| word == "const");
        return Some(Type::Pointer { is_constant });
    }
    let told: Vec<&str> = words(parameter)
        .filter(|it| !QUALIFIERS.contains(it))
        .collect();
    // A parameter may have no name; one that has is no part of a type.
    Type::number(&told).or_else(|| Type::number(told.split_last()?.1))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !is_of_name(it))
        .filter(|it| !it.is_empty())
}

fn is_of_name(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

#[cfg(test)]
mod tests {
    use super::super::Kernels;
    use super::*;

    /// The kernels of a source, with a letter for each parameter: `c` and `p` are pointers.
    fn letters(source: &str) -> Vec<String> {
        let letter = |it: &Type| match it {
            Type::Pointer { is_constant: true } => "c".to_owned(),
            Type::Pointer { .. } => "p".to_owned(),
            Type::Number { .. } => written(*it),
        };
        let declarations = declarations(source);
        let written = declarations.iter().map(|it| {
            let letters = it.parameters.iter().map(letter);
            format!("{} {}", it.name, letters.collect::<Vec<_>>().join(" "))
        });
        written.collect()
    }

    #[test]
    fn parameters_of_the_languages_own_types_are_known() {
        let source = r#"
            // __global__ void not_this(int x);
            const char* text = "__global__ void nor(int this)";
            extern "C" __global__ __launch_bounds__(128, 2)
            void scale(const float* __restrict__ x, float *y, float factor, int n,
                       unsigned long long seed, const double d /* last */) { y[0] = x[0]; }
            template <int N> __global__ void none() {}
            __global__ void array(int x[], size_t const * const * rows, long) {}
        "#;
        assert_eq!(
            letters(source),
            ["scale c p f32 u32 u64 f64", "none ", "array p p u64"]
        );
    }

    #[test]
    fn what_the_text_does_not_tell_is_not_known() {
        for source in [
            "__global__ void f(T x) {}",
            "__global__ void f(float2 x) {}",
            "__global__ void f(Args<int, 2> x) {}",
            "__global__ void f(const float& x) {}",
            "#define real float\n__global__ void f(real x) {}",
            "#define n float y, int\n__global__ void f(int n) {}",
            "#define f g\n__global__ void f(int n) {}",
            "#ifdef A\n__global__ void f(int n) {}\n#else\n__global__ void f(float n) {}\n#endif",
            "__global__ void f(int n",
            "__global__ auto",
        ] {
            assert_eq!(letters(source), [""; 0], "{source}");
        }
    }

    #[test]
    fn what_is_written_is_read_as_it_was_declared() {
        let declared = declarations("__global__ void f(const int* x, float* y, float a) {}");
        assert!(declared[0].is_named_by("space::f") && !declared[0].is_named_by("g"));
        let mut text = String::from(".version 8.0\n");
        declared[0].write("f", &mut text);
        let kernels = Kernels::of_file(text.as_bytes());
        let parameters = kernels.parameters("f").unwrap();
        let does: Vec<_> = parameters
            .iter()
            .map(|it| it.does.first().copied())
            .collect();
        assert!(does[0].is_some_and(|it| it.reads && !it.writes && !it.more));
        assert!(does[1].is_some_and(|it| it.more));
        assert_eq!(parameters[2].bytes, 4);
    }
}
