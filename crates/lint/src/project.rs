//! The files of a project, and how their imports find each other. Nothing is executed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cgsan_files::Unread;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::captures;
use crate::entries;
use crate::finding::Location;
use crate::notebook::{self, Cells};
use crate::packages;
use crate::site::Site;
use crate::syntax::ast::{TextRange, TextSize};
use crate::syntax::{self, Source};

/// The number of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(pub(crate) u32);

/// What a file has to do with captures, as far as it shows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It may capture.
    Captures,
    /// It does something when it is run, and what it imports may capture.
    Runs,
    /// It matters only where another file imports it.
    Other,
}

/// How many imports lead from a file that captures to one that is followed, at most.
const DEEPEST_IMPORT: usize = 3;

/// The files to be looked at, and those that they import from the same project.
#[derive(Debug, Default)]
pub struct Project {
    files: Vec<File>,
    by_path: FxHashMap<OsString, FileId>,
    /// For folders, where absolute imports are looked for, once that was asked.
    bases: Mutex<FxHashMap<PathBuf, Arc<[PathBuf]>>>,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    /// The text of an editor, which is newer than the file's.
    text: Option<String>,
    source: OnceLock<Source>,
    /// What it has to do with captures, once somebody asked.
    role: OnceLock<Role>,
    /// The files that its text imports, once they were looked for.
    imports: Option<Vec<FileId>>,
    named: bool,
}

impl Project {
    /// Bytes of the largest file that is looked at.
    pub const LARGEST: u64 = 16 << 20;

    /// A project of these files. What they import is found beside them.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut project = Self::default();
        for path in paths {
            project.add(path, true);
        }
        project
    }

    /// Adds a file that is to be looked at.
    pub fn add_file(&mut self, path: &Path) {
        self.add(path.to_owned(), true);
    }

    /// Adds a file, or gives it another text than the one on disk: what an editor holds, or standard input.
    pub fn set_text(&mut self, path: &Path, text: String) {
        let id = self.add(path.to_owned(), true);
        self.replace_text(id, Some(text));
    }

    /// Gives a file of the project another text, or that on disk. Returns the one that it was given before.
    pub(crate) fn replace_text(&mut self, id: FileId, text: Option<String>) -> Option<String> {
        let file = &mut self.files[id.0 as usize];
        file.source = OnceLock::new();
        file.role = OnceLock::new();
        file.imports = None;
        std::mem::replace(&mut file.text, text)
    }

    /// Takes a file's text from disk again.
    pub fn forget_text(&mut self, path: &Path) {
        if let Some(id) = self.id(path) {
            self.replace_text(id, None);
        }
    }

    /// The files that were named, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files
            .iter()
            .filter(|it| it.named)
            .map(|it| it.path.as_path())
    }

    fn add(&mut self, path: PathBuf, named: bool) -> FileId {
        if let Some(id) = self.by_path.get(path.as_os_str()) {
            self.files[id.0 as usize].named |= named;
            return *id;
        }
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.by_path.insert(path.clone().into_os_string(), id);
        self.files.push(File {
            path,
            text: None,
            source: OnceLock::new(),
            role: OnceLock::new(),
            imports: None,
            named,
        });
        id
    }

    /// Adds what files import from the same project, and what that imports. Returns all of them.
    pub(crate) fn add_imports(&mut self, of: &[FileId]) -> BTreeSet<FileId> {
        let mut seen = BTreeSet::new();
        let mut open = of.to_vec();
        for _ in 0..DEEPEST_IMPORT {
            open.retain(|id| seen.insert(*id));
            self.find_imports(&open);
            open = open.iter().flat_map(|id| self.imports(*id)).collect();
        }
        seen.extend(open);
        seen
    }

    /// Those of some files that import one that may capture, or a file that imports such a one.
    pub(crate) fn leading_to_captures(&mut self, of: &[FileId]) -> BTreeSet<FileId> {
        self.find_imports(of);
        let near: BTreeSet<FileId> = of.iter().flat_map(|id| self.imports(*id)).collect();
        self.find_imports(&near.iter().copied().collect::<Vec<_>>());
        let far = near.iter().flat_map(|id| self.imports(*id));
        let all: BTreeSet<FileId> = near.iter().copied().chain(far).collect();
        let capturing: BTreeSet<FileId> = all
            .into_par_iter()
            .filter(|id| self.role(*id) == Role::Captures)
            .collect();
        let imports_one = |id: FileId| self.imports(id).any(|it| capturing.contains(&it));
        of.iter()
            .copied()
            .filter(|id| imports_one(*id) || self.imports(*id).any(imports_one))
            .collect()
    }

    /// Looks for the files that files import. An editor asks again at each key, and the disk is asked once.
    fn find_imports(&mut self, of: &[FileId]) {
        let found: Vec<_> = of
            .par_iter()
            .filter(|id| self.files[id.0 as usize].imports.is_none())
            .map(|id| (*id, self.imported_paths(*id)))
            .collect();
        for (id, paths) in found {
            let imports = paths.into_iter().map(|it| self.add(it, false)).collect();
            self.files[id.0 as usize].imports = Some(imports);
        }
    }

    /// The files that a file imports, once they were looked for.
    fn imports(&self, id: FileId) -> impl Iterator<Item = FileId> + '_ {
        let imports = &self.files[id.0 as usize].imports;
        imports.iter().flatten().copied()
    }

    fn imported_paths(&self, id: FileId) -> Vec<PathBuf> {
        let exists = |path: &PathBuf| self.by_path.contains_key(path.as_os_str()) || path.is_file();
        crate::imports::of(&self.source(id).module.body)
            .into_iter()
            .flat_map(|(module, level)| self.candidates(id, &module, level))
            .filter(exists)
            .collect()
    }

    /// The text of a file of the project, of a notebook the code of its cells.
    pub fn code(&self, path: &Path) -> Option<&str> {
        Some(&self.source(self.id(path)?).text)
    }

    /// The text of a file of the project as it is written, of a notebook its JSON.
    pub fn contents(&self, path: &Path) -> Option<String> {
        self.text(self.id(path)?).ok()
    }

    /// The line of the file as it is written on which a place begins: a notebook's lines are not those of its cells.
    pub fn line_in_file(&self, location: &Location) -> Option<u32> {
        let Some(cell) = location.cell else {
            return Some(location.line);
        };
        notebook::line_in_file(&self.contents(&location.file)?, cell.number, cell.line)
    }

    /// Where the cells of a notebook of the project are in its code. `None` if it is no notebook, or none that can be read.
    pub fn cells(&self, path: &Path) -> Option<&Cells> {
        self.source(self.id(path)?).cells.as_ref()
    }

    /// The number of a named file.
    pub(crate) fn id(&self, path: &Path) -> Option<FileId> {
        self.by_path.get(path.as_os_str()).copied()
    }

    /// The numbers of the named files, in order.
    pub(crate) fn named(&self) -> impl Iterator<Item = FileId> + '_ {
        (0..self.files.len())
            .filter(|at| self.files[*at].named)
            .map(|at| FileId(u32::try_from(at).unwrap_or(u32::MAX)))
    }

    /// The path of a file.
    pub(crate) fn path(&self, id: FileId) -> &Path {
        &self.files[id.0 as usize].path
    }

    /// A file, parsed.
    pub(crate) fn source(&self, id: FileId) -> &Source {
        let file = &self.files[id.0 as usize];
        file.source.get_or_init(|| parse(&file.path, self.text(id)))
    }

    /// What a file has to do with captures. If it has the words of one, it is parsed and kept.
    pub(crate) fn role(&self, id: FileId) -> Role {
        let file = &self.files[id.0 as usize];
        *file.role.get_or_init(|| self.shown_role(file, id))
    }

    fn shown_role(&self, file: &File, id: FileId) -> Role {
        let of_text = |text: &str| {
            let is_module = || file.path.with_file_name("__init__.py").is_file();
            let is_script = || entries::acts(text) && !is_module();
            if is_notebook(&file.path) || entries::is_started(text) || is_script() {
                Role::Runs
            } else {
                Role::Other
            }
        };
        let of_source = |source: &Source| {
            if source.captures {
                Role::Captures
            } else {
                of_text(&source.text)
            }
        };
        if let Some(source) = file.source.get() {
            return of_source(source);
        }
        match self.text(id) {
            Ok(text) if captures::mentioned(&text) => {
                of_source(file.source.get_or_init(|| parse(&file.path, Ok(text))))
            }
            Ok(text) => of_text(&text),
            Err(_) => Role::Other,
        }
    }

    /// A file, parsed, without being kept if it is not kept yet.
    pub(crate) fn parse_once<T>(&self, id: FileId, look: impl FnOnce(&Source) -> T) -> T {
        let file = &self.files[id.0 as usize];
        match file.source.get() {
            Some(source) => look(source),
            None => look(&parse(&file.path, self.text(id))),
        }
    }

    /// The text of a file, or why there is none.
    fn text(&self, id: FileId) -> Result<String, String> {
        let file = &self.files[id.0 as usize];
        if let Some(text) = &file.text {
            let is_small = u64::try_from(text.len()).is_ok_and(|it| it <= Self::LARGEST);
            return if is_small {
                Ok(text.clone())
            } else {
                Err(Unread::TooLarge(Self::LARGEST).to_string())
            };
        }
        cgsan_files::read_text(&file.path, Self::LARGEST).map_err(|error| error.to_string())
    }

    /// The file that an import leads to.
    pub(crate) fn resolve(&self, from: FileId, module: &str, level: u32) -> Option<FileId> {
        self.candidates(from, module, level)
            .find_map(|path| self.by_path.get(path.as_os_str()).copied())
    }

    /// The file of a module inside a package.
    pub(crate) fn submodule(&self, package: FileId, name: &str) -> Option<FileId> {
        let path = self.path(package);
        if path.file_name()? != "__init__.py" {
            return None;
        }
        let folder = path.parent()?.join(name);
        [folder.with_extension("py"), folder.join("__init__.py")]
            .iter()
            .find_map(|path| self.by_path.get(path.as_os_str()).copied())
    }

    fn candidates(
        &self,
        from: FileId,
        module: &str,
        level: u32,
    ) -> impl Iterator<Item = PathBuf> + use<> {
        let bases = if level > 0 {
            let folder = self.path(from).parent().unwrap_or(Path::new(""));
            let above = usize::try_from(level - 1).unwrap_or(usize::MAX);
            vec![
                folder
                    .ancestors()
                    .nth(above)
                    .unwrap_or(Path::new(""))
                    .to_owned(),
            ]
        } else if is_known_by_name(module) {
            Vec::new()
        } else {
            self.bases(from).to_vec()
        };
        let module = module.replace('.', "/");
        bases.into_iter().flat_map(move |base| {
            let path = if module.is_empty() {
                base
            } else {
                base.join(&module)
            };
            let mut file = path.clone().into_os_string();
            file.push(".py");
            [path.join("__init__.py"), PathBuf::from(file)]
        })
    }

    /// The folders in which the absolute imports of a file are looked for.
    fn bases(&self, id: FileId) -> Arc<[PathBuf]> {
        let folder = self.path(id).parent().unwrap_or(Path::new(""));
        let lock = || self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(folder) {
            return Arc::clone(known);
        }
        let found: Arc<[PathBuf]> = bases_of(folder).into();
        lock().insert(folder.to_owned(), Arc::clone(&found));
        found
    }

    /// Whether a file is one of tests: pytest would look into it, and find some.
    pub(crate) fn has_tests(&self, id: FileId) -> bool {
        let stem = self.path(id).file_stem().and_then(|it| it.to_str());
        let is_named_so = stem.is_some_and(|it| it.starts_with("test_") || it.ends_with("_test"));
        is_named_so && syntax::has_tests(&self.source(id).module.body)
    }

    /// The place of a range of bytes in the code of a file of the project.
    pub fn place(&self, path: &Path, range: Range<usize>) -> Option<Location> {
        let offset = |at: usize| u32::try_from(at).ok().map(TextSize::new);
        let range = TextRange::new(offset(range.start)?, offset(range.end)?);
        Some(self.source(self.id(path)?).location(path, range))
    }

    /// A site, for people.
    pub(crate) fn location(&self, site: Site, function: String) -> Location {
        Location {
            function,
            ..self
                .source(site.file)
                .location(self.path(site.file), site.range)
        }
    }
}

/// The folders in which absolute imports are looked for by the files of one: itself, the one that holds its package, and
/// where projects have their packages.
fn bases_of(folder: &Path) -> Vec<PathBuf> {
    let mut outer = folder;
    while outer.join("__init__.py").is_file() {
        match outer.parent() {
            Some(parent) => outer = parent,
            None => break,
        }
    }
    let mut bases = vec![folder.to_owned()];
    if outer != folder {
        bases.push(outer.to_owned());
    }
    if let Some(root) = root(outer) {
        bases.extend(["", "src", "python"].map(|it| root.join(it)));
    }
    bases
}

/// The folder around a folder, or itself, that says of itself that it holds a project.
fn root(folder: &Path) -> Option<&Path> {
    const MARKS: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];
    folder
        .ancestors()
        .find(|folder| MARKS.iter().any(|it| folder.join(it).is_file()))
}

/// Whether a package is known by its functions' names, and not by its source.
fn is_known_by_name(module: &str) -> bool {
    module == "torch" || module.starts_with("torch.") || packages::is_known_by_name(module)
}

/// Whether a file is a notebook.
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "ipynb")
}

fn parse(path: &Path, text: Result<String, String>) -> Source {
    let parsed = text.and_then(|text| {
        if is_notebook(path) {
            Source::parse_notebook(&text)
        } else {
            Ok(Source::parse(text))
        }
    });
    parsed.unwrap_or_else(Source::unreadable)
}
