//! What a file names: paths in its code and its imports, and what it gives on to others.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, ItemUse, Path, UseTree, Visibility};

/// Paths, as lists of their parts.
type Parts = Vec<String>;

/// What a file names.
#[derive(Default)]
pub struct Names {
    /// Paths in code and in imports that are the file's own.
    pub used: BTreeSet<Parts>,
    /// What it gives on: the name, and the path that it stands for.
    pub given_on: BTreeMap<String, Parts>,
}

impl Names {
    /// Of a file, but for its tests.
    pub fn of(file: &File) -> Names {
        let mut names = Names::default();
        names.visit_file(file);
        names
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_item(&mut self, item: &'a Item) {
        let attributes = match item {
            Item::Mod(it) => &it.attrs,
            Item::Fn(it) => &it.attrs,
            Item::Use(it) => &it.attrs,
            Item::Impl(it) => &it.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !attributes.iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let mut leaves = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut leaves);
        for (name, path) in leaves {
            if matches!(item.vis, Visibility::Inherited) {
                self.used.insert(path);
            } else {
                self.given_on.insert(name, path);
            }
        }
    }

    /// Who may see an item is not named by it.
    fn visit_visibility(&mut self, _: &'a Visibility) {}

    fn visit_path(&mut self, path: &'a Path) {
        if path.segments.len() > 1 {
            let parts = path.segments.iter().map(|it| it.ident.to_string());
            self.used.insert(parts.collect());
        }
        visit::visit_path(self, path);
    }
}

/// `#[cfg(test)]`, alone or with more.
fn is_for_tests(attribute: &Attribute) -> bool {
    let text = |tokens: &dyn ToString| tokens.to_string();
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|it| {
            text(&it.tokens)
                .split(|it: char| !it.is_alphanumeric())
                .any(|it| it == "test")
        })
}

/// The paths that an import has, with the name of each in the file.
fn flatten(tree: &UseTree, before: &mut Parts, leaves: &mut Vec<(String, Parts)>) {
    match tree {
        UseTree::Path(it) => {
            before.push(it.ident.to_string());
            flatten(&it.tree, before, leaves);
            before.pop();
        }
        UseTree::Group(it) => it.items.iter().for_each(|it| flatten(it, before, leaves)),
        UseTree::Glob(_) => leaves.push(("*".to_owned(), before.clone())),
        UseTree::Name(it) if it.ident == "self" => {
            let name = before.last().cloned().unwrap_or_default();
            leaves.push((name, before.clone()));
        }
        UseTree::Name(it) => leaf(&it.ident, &it.ident, before, leaves),
        UseTree::Rename(it) => leaf(&it.ident, &it.rename, before, leaves),
    }
}

fn leaf(
    what: &impl ToString,
    name: &impl ToString,
    before: &Parts,
    leaves: &mut Vec<(String, Parts)>,
) {
    let mut path = before.clone();
    path.push(what.to_string());
    leaves.push((name.to_string(), path));
}
