//! Which directories agents look into. Owns how far up each kind of place is looked for.

use std::path::{Path, PathBuf};

use super::places::Reach;

/// A directory that agents look into.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// As seen from the project, with a slash at its end.
    pub(super) prefix: String,
    is_in_repository: bool,
    is_in_repository_or_root: bool,
}

impl Folder {
    pub(super) const fn is_within(&self, reach: Reach) -> bool {
        match reach {
            Reach::Repository => self.is_in_repository,
            Reach::RepositoryOrRoot => self.is_in_repository_or_root,
            Reach::Root => true,
        }
    }
}

/// A directory inside a project and all those above it, from the outermost inwards. The user's home is left out, unless
/// it is the directory itself.
pub(super) fn folders(project: &Path, directory: &Path, home: Option<&Path>) -> Vec<Folder> {
    let repository = repository(project, directory);
    let outermost = repository.unwrap_or(project);
    let is_left_out = |folder: &&Path| Some(*folder) == home && *folder != directory;
    let folder = |path: &Path| {
        let is_in_repository = path.starts_with(outermost);
        Folder {
            path: path.to_owned(),
            prefix: prefix(project, path),
            is_in_repository,
            is_in_repository_or_root: is_in_repository || repository.is_none(),
        }
    };
    let mut folders: Vec<Folder> =
        directory.ancestors().filter(|path| !is_left_out(path)).map(folder).collect();
    folders.reverse();
    folders
}

/// The root of the repository that a directory is in. One that begins below the project counts as the project, because
/// the project is looked at in any case.
fn repository<'a>(project: &'a Path, directory: &'a Path) -> Option<&'a Path> {
    let nearest = directory.ancestors().find(|folder| folder.join(".git").exists())?;
    Some(if project.starts_with(nearest) { nearest } else { project })
}

fn prefix(project: &Path, folder: &Path) -> String {
    if let Ok(inner) = folder.strip_prefix(project) {
        let inner = inner.display().to_string();
        return if inner.is_empty() { inner } else { format!("{inner}/") };
    }
    let above = project.ancestors().take_while(|ancestor| *ancestor != folder).count();
    "../".repeat(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(folders: &[Folder], reach: Reach) -> Vec<&str> {
        folders.iter().filter(|folder| folder.is_within(reach)).filter_map(|f| f.path.to_str()).collect()
    }

    #[test]
    fn outside_of_a_repository_every_directory_above_counts_but_the_home() {
        let project = Path::new("/home/dev/code/shop");
        let folders = folders(project, project, Some(Path::new("/home/dev")));
        let all = ["/", "/home", "/home/dev/code", "/home/dev/code/shop"];
        assert_eq!(paths(&folders, Reach::Root), all);
        assert_eq!(paths(&folders, Reach::RepositoryOrRoot), all);
        assert_eq!(paths(&folders, Reach::Repository), ["/home/dev/code/shop"]);
        let prefixes: Vec<&str> = folders.iter().map(|folder| folder.prefix.as_str()).collect();
        assert_eq!(prefixes, ["../../../../", "../../../", "../", ""]);
    }

    #[test]
    fn inside_a_repository_its_root_is_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let project = root.join("a/project");
        std::fs::create_dir_all(project.join("inner")).unwrap();
        std::fs::create_dir(root.join(".git")).unwrap();
        let inner = folders(&project, &project.join("inner"), None);
        for reach in [Reach::Repository, Reach::RepositoryOrRoot] {
            let found = paths(&inner, reach);
            assert_eq!((found.len(), found[0]), (4, root.to_str().unwrap()), "{found:?}");
        }
        assert_eq!(paths(&inner, Reach::Root)[0], "/");
    }
}
