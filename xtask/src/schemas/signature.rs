//! A line of `native_functions.yaml` that begins with `- func:`, such as
//! `add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)` (`aten/src/ATen/native/README.md` of PyTorch).

/// The schema of an overload.
pub struct Signature<'t> {
    /// Without the overload.
    pub name: &'t str,
    arguments: Vec<&'t str>,
    results: Vec<&'t str>,
}

impl<'t> Signature<'t> {
    /// Reads one; `None` if it is none.
    pub fn read(text: &'t str) -> Option<Signature<'t>> {
        let (head, results) = text.rsplit_once(" -> ")?;
        let (name, arguments) = head.split_once('(')?;
        let results = match results.strip_prefix('(') {
            Some(several) => split(several.strip_suffix(')')?),
            None => vec![results],
        };
        Some(Signature {
            name: name.split('.').next()?,
            arguments: split(arguments.strip_suffix(')')?),
            results,
        })
    }

    /// Whether it writes its results into tensors that it is given by name: `out=`, `grad_input=`.
    pub fn is_out(&self) -> bool {
        let by_name = self.arguments.iter().skip_while(|it| **it != "*");
        by_name.into_iter().any(|it| is_changed(it))
    }

    /// Whether all that it gives lies in the memory of what it is given, and is no argument that it changes.
    pub fn gives_views(&self) -> bool {
        let is_view = |result: &&str| result.starts_with("Tensor(") && !is_changed(result);
        !self.results.is_empty() && self.results.iter().all(is_view)
    }

    /// Whether it is given tensors, gives none, and changes none.
    pub fn is_asked(&self) -> bool {
        let is_tensor = |it: &&str| it.starts_with("Tensor");
        self.arguments.iter().any(is_tensor)
            && !self.results.iter().any(is_tensor)
            && self.writes().is_empty()
    }

    /// The places of the arguments that it changes.
    pub fn writes(&self) -> Vec<usize> {
        let arguments = self.arguments.iter().filter(|it| **it != "*");
        let places = arguments.enumerate().filter(|(_, it)| is_changed(it));
        places.map(|(place, _)| place).collect()
    }
}

/// Whether an argument or a result is annotated as one that is changed: `Tensor(a!)`.
fn is_changed(text: &str) -> bool {
    let kind = text.strip_prefix("Tensor(");
    kind.and_then(|it| it.split_once(')'))
        .is_some_and(|(alias, _)| alias.ends_with('!'))
}

/// The parts between commas that are in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|it: char| {
        match it {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        it == ',' && depth == 0
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Signature<'_> {
        Signature::read(text).expect("a signature")
    }

    #[test]
    fn what_is_changed_is_known_by_its_place() {
        let add =
            read("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
        assert_eq!((add.name, add.writes()), ("add_", vec![0]));
        assert!(!add.is_out() && !add.gives_views());
        let norm = read(
            "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, \
             bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
        );
        assert_eq!(norm.writes(), [3, 4]);
    }

    #[test]
    fn views_have_no_mark_of_change() {
        assert!(
            read("narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)")
                .gives_views()
        );
        let chunk = read("chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]");
        assert!(chunk.gives_views());
        assert!(
            !read("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor")
                .gives_views()
        );
    }

    #[test]
    fn results_that_are_given_are_another_overload() {
        assert!(read("mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)").is_out());
        assert!(read("stride.int(Tensor self, int dim) -> int").is_asked());
        assert!(!read("full(SymInt[] size, Scalar fill_value) -> Tensor").is_asked());
        assert!(Signature::read("no signature").is_none());
    }
}
