//! Packages that are neither PyTorch nor Python's own: what the linter knows of them, by the full names of their functions.
//!
//! The line above each entry says where that is documented. A name that a package exports from several modules has a row for each.

/// What the linter knows of a package.
#[derive(Debug)]
pub(crate) struct Package {
    /// The first part of its modules' names.
    name: &'static str,
    /// Whether its own source is left aside, since these names say more.
    by_name: bool,
    /// A word that stands in each file that captures with it, if it captures.
    word: Option<&'static str>,
    /// Its functions and classes, and those below a module whose name ends with a dot.
    names: &'static [(&'static str, Meaning)],
}

/// What a function or a class of a package does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Captures its callables, with the first two parameters of `torch.cuda.make_graphed_callables`.
    MakesGraphed,
    /// Makes a decorator that leaves what a function does as it is.
    LeavesDecorated,
    /// A context whose body is to fail.
    ExpectsFailure,
    /// Gives the elements of its first argument, one by one.
    PassesOn,
    /// Gives a name of the program another value: `unittest.mock.patch`.
    Patches,
    /// Is made from `torch.nn.Module`.
    IsModule,
    /// Draws a number, unless it is told how many.
    Draws,
    /// Draws a number from a range of at most two arguments, unless it is told how many.
    DrawsBetween,
    /// Writes to its argument of this name, or the first.
    Writes(&'static str),
    /// Writes to its argument `out`, if it is given one.
    MayWrite,
    /// Reads the arrays that it is given, and writes to its argument `out`, if it is given one.
    Reads,
}

use Meaning::{
    Draws, DrawsBetween, ExpectsFailure, IsModule, LeavesDecorated, MakesGraphed, MayWrite,
    PassesOn, Patches, Reads, Writes,
};

/// All packages.
const PACKAGES: &[Package] = &[
    // https://lightning.ai/docs/pytorch/stable/common/lightning_module.html.
    Package {
        name: "lightning",
        by_name: false,
        word: None,
        names: &[
            ("lightning.LightningModule", IsModule),
            ("lightning.pytorch.LightningModule", IsModule),
        ],
    },
    // https://github.com/NVIDIA/Megatron-LM at d98e8a64dd: `megatron/core`.
    Package {
        name: "megatron",
        by_name: true,
        word: None,
        names: &[
            ("megatron.core.transformer.MegatronModule", IsModule),
            ("megatron.core.transformer.module.MegatronModule", IsModule),
        ],
    },
    // https://mock.readthedocs.io/en/latest.
    Package {
        name: "mock",
        by_name: false,
        word: None,
        names: &[("mock.patch", Patches)],
    },
    // https://numpy.org/doc/stable/reference.
    Package {
        name: "numpy",
        by_name: false,
        word: None,
        names: &[
            ("numpy.copyto", Writes("dst")),
            ("numpy.place", Writes("arr")),
            ("numpy.put", Writes("a")),
            ("numpy.putmask", Writes("a")),
            ("numpy.random.rand", Draws),
            ("numpy.random.randint", DrawsBetween),
            ("numpy.random.randn", Draws),
            ("numpy.random.random", Draws),
            ("numpy.random.uniform", DrawsBetween),
            ("numpy.abs", Reads),
            ("numpy.all", Reads),
            ("numpy.allclose", Reads),
            ("numpy.amax", Reads),
            ("numpy.amin", Reads),
            ("numpy.any", Reads),
            ("numpy.argmax", Reads),
            ("numpy.argmin", Reads),
            ("numpy.argsort", Reads),
            ("numpy.array", Reads),
            ("numpy.array2string", Reads),
            ("numpy.array_equal", Reads),
            ("numpy.array_repr", Reads),
            ("numpy.array_str", Reads),
            ("numpy.average", Reads),
            ("numpy.bincount", Reads),
            ("numpy.clip", Reads),
            ("numpy.concatenate", Reads),
            ("numpy.copy", Reads),
            ("numpy.count_nonzero", Reads),
            ("numpy.cumsum", Reads),
            ("numpy.diff", Reads),
            ("numpy.dot", Reads),
            ("numpy.einsum", Reads),
            ("numpy.exp", Reads),
            ("numpy.float32", Reads),
            ("numpy.float64", Reads),
            ("numpy.int32", Reads),
            ("numpy.int64", Reads),
            ("numpy.isclose", Reads),
            ("numpy.isfinite", Reads),
            ("numpy.isinf", Reads),
            ("numpy.isnan", Reads),
            ("numpy.log", Reads),
            ("numpy.matmul", Reads),
            ("numpy.max", Reads),
            ("numpy.maximum", Reads),
            ("numpy.mean", Reads),
            ("numpy.median", Reads),
            ("numpy.min", Reads),
            ("numpy.minimum", Reads),
            ("numpy.nonzero", Reads),
            ("numpy.percentile", Reads),
            ("numpy.prod", Reads),
            ("numpy.quantile", Reads),
            ("numpy.round", Reads),
            ("numpy.save", Reads),
            ("numpy.savetxt", Reads),
            ("numpy.savez", Reads),
            ("numpy.sort", Reads),
            ("numpy.sqrt", Reads),
            ("numpy.stack", Reads),
            ("numpy.std", Reads),
            ("numpy.sum", Reads),
            ("numpy.unique", Reads),
            ("numpy.var", Reads),
            ("numpy.where", Reads),
            ("numpy.", MayWrite),
        ],
    },
    // https://nvtx.readthedocs.io/en/latest/annotate.html.
    Package {
        name: "nvtx",
        by_name: false,
        word: None,
        names: &[("nvtx.annotate", LeavesDecorated)],
    },
    // https://github.com/wolever/parameterized.
    Package {
        name: "parameterized",
        by_name: false,
        word: None,
        names: &[("parameterized.", LeavesDecorated)],
    },
    // https://docs.pytest.org/en/stable/reference/reference.html.
    Package {
        name: "pytest",
        by_name: false,
        word: None,
        names: &[
            ("pytest.fixture", LeavesDecorated),
            ("pytest.mark.", LeavesDecorated),
            ("pytest.raises", ExpectsFailure),
        ],
    },
    // https://lightning.ai/docs/pytorch/stable/common/lightning_module.html.
    Package {
        name: "pytorch_lightning",
        by_name: false,
        word: None,
        names: &[("pytorch_lightning.LightningModule", IsModule)],
    },
    // https://docs.pytorch.org/tensordict/stable/reference/nn.html.
    Package {
        name: "tensordict",
        by_name: true,
        word: None,
        names: &[("tensordict.nn.TensorDictModule", IsModule)],
    },
    // https://tqdm.github.io/docs/tqdm.
    Package {
        name: "tqdm",
        by_name: false,
        word: None,
        names: &[
            ("tqdm.auto.tqdm", PassesOn),
            ("tqdm.notebook.tqdm", PassesOn),
            ("tqdm.tqdm", PassesOn),
        ],
    },
    // https://docs.nvidia.com/deeplearning/transformer-engine/user-guide/api/pytorch.html.
    Package {
        name: "transformer_engine",
        by_name: true,
        word: Some("graphed_callable"),
        names: &[
            (
                "transformer_engine.pytorch.make_graphed_callables",
                MakesGraphed,
            ),
            (
                "transformer_engine.pytorch.graph.make_graphed_callables",
                MakesGraphed,
            ),
        ],
    },
];

/// What a function or a class does, by its full name.
pub(crate) fn meaning_of(full: &str) -> Option<Meaning> {
    let package = package_of(full)?;
    let is_it = |name: &str| full == name || name.ends_with('.') && full.starts_with(name);
    let mut names = package.names.iter();
    names.find(|(name, _)| is_it(name)).map(|it| it.1)
}

/// Whether a module belongs to a package whose own source is left aside.
pub(crate) fn is_known_by_name(module: &str) -> bool {
    package_of(module).is_some_and(|it| it.by_name)
}

/// Words one of which stands in each file that captures with a package.
pub(crate) fn capturing_words() -> impl Iterator<Item = &'static str> + Clone {
    PACKAGES.iter().filter_map(|it| it.word)
}

fn package_of(full: &str) -> Option<&'static Package> {
    let first = full.split('.').next()?;
    let at = PACKAGES.binary_search_by(|it| it.name.cmp(first)).ok()?;
    Some(&PACKAGES[at])
}

#[cfg(test)]
mod tests {
    use super::PACKAGES;

    #[test]
    fn packages_are_in_order_and_hold_their_own_names() {
        assert!(PACKAGES.is_sorted_by_key(|it| it.name));
        for package in PACKAGES {
            for (name, _) in package.names {
                let first = name.split('.').next();
                assert_eq!(first, Some(package.name), "{name}");
            }
        }
    }
}
