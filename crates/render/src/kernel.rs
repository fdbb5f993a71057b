//! The names of kernels, short enough to be read.

/// The function alone, without namespaces, arguments, and what its template was given: full names have thousands of characters.
pub(crate) fn short(name: &str) -> String {
    const NOWHERE: &str = "(anonymous namespace)::";
    let name = name.strip_prefix("void ").unwrap_or(name);
    let name = name.replace(NOWHERE, "");
    let end = name.find(['<', '(']).unwrap_or(name.len());
    let (function, rest) = name.split_at(end);
    let function = function.rsplit("::").next().unwrap_or(function);
    if function.is_empty() {
        return name;
    }
    let template = if rest.starts_with('<') { "<…>" } else { "" };
    format!("{function}{template}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_template_was_given_is_left_out() {
        let long = "void at::native::(anonymous namespace)::vectorized_kernel<4, at::native::Sin<float>>(int, float)";
        assert_eq!(short(long), "vectorized_kernel<…>");
        assert_eq!(short("_Z3addPf"), "_Z3addPf");
        assert_eq!(short("ampere_sgemm_128x32_nn"), "ampere_sgemm_128x32_nn");
        assert_eq!(short("add(float*)"), "add");
        assert_eq!(short("<odd>"), "<odd>");
    }
}
