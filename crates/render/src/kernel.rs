//! The names of kernels, short enough to be read: full ones have thousands of characters.

/// The function alone, without namespaces and arguments; of what its template was given, what it computes.
pub(crate) fn short(name: &str) -> String {
    let (function, template) = parts(name);
    match (template.is_empty(), computes(name)) {
        (true, _) => function,
        (false, Some(what)) => format!("{function}<{what}, …>"),
        (false, None) => format!("{function}<…>"),
    }
}

/// What a kernel computes that is made of a template: the first function or class of PyTorch's, or of another library's, that the
/// template was given.
pub(crate) fn computes(name: &str) -> Option<String> {
    let (_, template) = parts(name);
    arguments(&template).into_iter().find_map(|argument| {
        if argument.starts_with("std::") {
            return None;
        }
        let end = argument.find(['<', '(', '{']).unwrap_or(argument.len());
        let path = argument[..end].trim_end_matches("::");
        let (_, last) = path.rsplit_once("::")?;
        last.starts_with(char::is_alphabetic)
            .then(|| last.to_owned())
    })
}

/// The function without its namespaces, and what follows it if that is what its template was given.
fn parts(name: &str) -> (String, String) {
    const NOWHERE: &str = "(anonymous namespace)::";
    let name = name.strip_prefix("void ").unwrap_or(name);
    let name = name.replace(NOWHERE, "");
    let end = name.find(['<', '(']).unwrap_or(name.len());
    let (path, rest) = name.split_at(end);
    let function = path.rsplit("::").next().unwrap_or(path);
    if function.is_empty() {
        return (name, String::new());
    }
    let template = rest.strip_prefix('<').unwrap_or_default();
    (function.to_owned(), template.to_owned())
}

/// What stands between commas, up to the end of the template.
fn arguments(template: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    let (mut depth, mut begins) = (0_usize, 0);
    for (at, c) in template.char_indices() {
        match c {
            '<' | '(' | '{' => depth += 1,
            '>' if depth == 0 => {
                arguments.push(template[begins..at].trim());
                break;
            }
            '>' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(template[begins..at].trim());
                begins = at + 1;
            }
            _ => {}
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_stands_for_what_its_template_was_given() {
        let long = "void at::native::(anonymous namespace)::vectorized_kernel<4, at::native::sin_kernel(at::Iterator&)::{lambda()#1}, \
                    std::array<char*, 2ul>>(int, float)";
        assert_eq!(short(long), "vectorized_kernel<sin_kernel, …>");
        let add = "void at::native::vectorized_kernel<4, at::native::CUDAFunctor_add<float>>(int)";
        assert_eq!(short(add), "vectorized_kernel<CUDAFunctor_add, …>");
        assert_eq!(
            short("void kernel<4, std::array<char*, 2ul>>(int)"),
            "kernel<…>"
        );
    }

    #[test]
    fn a_name_without_a_template_is_the_function() {
        assert_eq!(short("_Z3addPf"), "_Z3addPf");
        assert_eq!(short("ampere_sgemm_128x32_nn"), "ampere_sgemm_128x32_nn");
        assert_eq!(short("add(float*)"), "add");
    }

    #[test]
    fn odd_names_do_no_harm() {
        for odd in [
            "<odd>", "", "<", "a<", "a<::", "a<b::", "a<(,>", "a<é::é", "::<::>",
        ] {
            let _ = short(odd);
        }
        assert_eq!(short("<odd>"), "<odd>");
    }
}
