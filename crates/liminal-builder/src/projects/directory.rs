//! Which directory may be a project, and what lies inside one. Owns that both are decided by real paths, part by part:
//! links are resolved first, and `/proj-evil` is not inside `/proj`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::Environment;

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The path says nothing without knowing where it starts.
    #[error("{0} is not a full path; begin it with / or ~/")]
    Relative(String),
    /// There is nothing there.
    #[error("{} does not exist; check the path or make the directory", .0.display())]
    Missing(PathBuf),
    /// It is something else.
    #[error("{} is not a directory; choose the directory it is in", .0.display())]
    NotADirectory(PathBuf),
    /// An agent there could do too much.
    #[error("{} cannot be a project: {reason}; choose a directory of its own for it", path.display())]
    Forbidden {
        /// The directory.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// It lies elsewhere.
    #[error("{} is not inside the project {}", directory.display(), project.display())]
    Outside {
        /// The directory.
        directory: PathBuf,
        /// The project.
        project: PathBuf,
    },
    /// The project's path leads elsewhere now.
    #[error("the project {} is now a link to somewhere else; remove it and add it again", .0.display())]
    Moved(PathBuf),
    /// The system did not make it.
    #[error("cannot make {}: {source}; choose a place where this user may write", path.display())]
    NotMade {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system did not tell.
    #[error("cannot look at {}: {source}; make it readable for this user", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What no project may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundaries {
    home: Option<PathBuf>,
    data: PathBuf,
}

impl Boundaries {
    /// The user's home and our own data.
    #[must_use]
    pub fn new(home: Option<&Path>, data: &Path) -> Self {
        Self { home: home.map(real_or_same), data: real_or_same(data) }
    }

    /// The home of this environment and our own data.
    #[must_use]
    pub fn of(environment: &Environment, data: &Path) -> Self {
        Self::new(environment.get("HOME").map(Path::new), data)
    }

    /// The user's home.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The real path of a directory that may be a project.
    pub fn check(&self, typed: &str) -> Result<PathBuf, ProjectError> {
        let path = expand_home(typed, self.home());
        if !path.is_absolute() {
            return Err(ProjectError::Relative(typed.to_owned()));
        }
        let real = real_directory(&path)?;
        match self.forbids(&real) {
            Some(reason) => Err(ProjectError::Forbidden { path: real, reason }),
            None => Ok(real),
        }
    }

    /// The same for a directory that is made if it is missing. Nothing is made where no project may be, nor on the way
    /// to it: a mistyped path stays a mistake.
    pub fn make(&self, typed: &str) -> Result<PathBuf, ProjectError> {
        let path = expand_home(typed, self.home());
        if let (true, Some(parent), Some(name)) = (path.is_absolute(), path.parent(), path.file_name()) {
            let real = real_directory(parent)?.join(name);
            match self.forbids(&real) {
                Some(reason) => return Err(ProjectError::Forbidden { path: real, reason }),
                None => create_directory(&real)?,
            }
        }
        self.check(typed)
    }

    fn forbids(&self, real: &Path) -> Option<&'static str> {
        if real.parent().is_none() {
            return Some("it is the whole machine");
        }
        if self.home.as_deref().is_some_and(|home| home.starts_with(real)) {
            return Some("your home lies there, with the keys of everything you use");
        }
        if real.starts_with(&self.data) || self.data.starts_with(real) {
            return Some("the data of this server lies there");
        }
        real.to_str().is_none().then_some("its name is not text")
    }
}

/// The real path of a directory inside a project. Asked again right before an agent starts there, because paths may have
/// been turned to other places since.
pub fn inside(project: &Path, directory: &Path) -> Result<PathBuf, ProjectError> {
    if real_directory(project)? != project {
        return Err(ProjectError::Moved(project.to_owned()));
    }
    let real = real_directory(directory)?;
    if real.starts_with(project) {
        return Ok(real);
    }
    Err(ProjectError::Outside { directory: real, project: project.to_owned() })
}

/// `~` and `~/…` are the user's home.
#[must_use]
pub fn expand_home(typed: &str, home: Option<&Path>) -> PathBuf {
    match (typed.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(typed),
    }
}

fn real_directory(path: &Path) -> Result<PathBuf, ProjectError> {
    let real = path.canonicalize().map_err(|source| not_found(path, source))?;
    if real.is_dir() { Ok(real) } else { Err(ProjectError::NotADirectory(path.to_owned())) }
}

fn create_directory(path: &Path) -> Result<(), ProjectError> {
    match fs::create_dir(path) {
        Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
            Err(ProjectError::NotMade { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

fn not_found(path: &Path, source: io::Error) -> ProjectError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        return ProjectError::Missing(path);
    }
    if source.kind() == io::ErrorKind::NotADirectory {
        return ProjectError::NotADirectory(path);
    }
    ProjectError::Unreadable { path, source }
}

fn real_or_same(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Place {
        home: PathBuf,
        boundaries: Boundaries,
        _folder: tempfile::TempDir,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("user");
        for inner in ["proj/sub", "proj-evil", "share/data/inner"] {
            fs::create_dir_all(home.join(inner)).unwrap();
        }
        fs::write(home.join("file"), "").unwrap();
        let boundaries = Boundaries::new(Some(&home), &home.join("share/data"));
        Place { home, boundaries, _folder: folder }
    }

    #[test]
    fn s25_only_a_directory_of_its_own_is_a_project() {
        let Place { home, boundaries, _folder } = place();
        symlink(home.join("share/data"), home.join("innocent")).unwrap();
        symlink(&home, home.join("proj/home")).unwrap();
        symlink("loop", home.join("loop")).unwrap();
        let path = |inner: &str| home.join(inner).display().to_string();
        assert_eq!(boundaries.check(&path("proj/../proj/sub/..")).unwrap(), home.join("proj"));
        assert_eq!(boundaries.check("~/proj").unwrap(), home.join("proj"));
        for (typed, told) in [
            ("proj".to_owned(), "not a full path"),
            (String::new(), "not a full path"),
            (path("none"), "does not exist"),
            (path("file"), "not a directory"),
            (path("file/below"), "not a directory"),
            ("/".to_owned(), "the whole machine"),
            ("/../".to_owned(), "the whole machine"),
            ("~".to_owned(), "your home"),
            (path(".."), "your home"),
            (path("proj/home"), "your home"),
            (path("share/data"), "the data of this server"),
            (path("share/data/inner"), "the data of this server"),
            (path("share"), "the data of this server"),
            (path("innocent"), "the data of this server"),
            (path("loop"), "cannot look at"),
            ("/a\0b".to_owned(), "cannot look at"),
        ] {
            let found = boundaries.check(&typed).unwrap_err().to_string();
            assert!(found.contains(told), "{typed}: {found}");
        }
    }

    #[test]
    fn s25_a_directory_is_made_only_where_a_project_may_be() {
        let Place { home, boundaries, _folder } = place();
        symlink(home.join("share"), home.join("innocent")).unwrap();
        for _ in 0..2 {
            assert_eq!(boundaries.make("~/new").unwrap(), home.join("new"), "one that is there will do");
        }
        for (typed, told) in [
            ("new", "not a full path"),
            ("~/a/b", "does not exist"),
            ("~/file", "not a directory"),
            ("~/file/new", "not a directory"),
            ("~/share/data/new", "the data of this server"),
            ("~/innocent/data", "the data of this server"),
            ("~", "your home"),
            ("/", "the whole machine"),
        ] {
            let found = boundaries.make(typed).unwrap_err().to_string();
            assert!(found.contains(told), "{typed}: {found}");
        }
        assert!(!home.join("a").exists() && !home.join("share/data/new").exists());
    }

    #[test]
    fn s25_what_lies_inside_is_decided_part_by_part_and_behind_links() {
        let Place { home, _folder, .. } = place();
        let project = home.join("proj");
        symlink(home.join("proj-evil"), project.join("out")).unwrap();
        symlink(project.join("sub"), home.join("way-in")).unwrap();
        assert_eq!(inside(&project, &project).unwrap(), project);
        assert_eq!(inside(&project, &home.join("way-in")).unwrap(), project.join("sub"));
        for outside in
            [home.join("proj-evil"), project.join("out"), project.join(".."), project.join("sub/../..")]
        {
            assert!(matches!(inside(&project, &outside), Err(ProjectError::Outside { .. })), "{outside:?}");
        }
        assert!(matches!(inside(&project, &project.join("none")), Err(ProjectError::Missing(_))));
    }

    #[test]
    fn s25_a_project_that_was_swapped_for_a_link_is_refused() {
        let Place { home, _folder, .. } = place();
        let project = home.join("proj");
        inside(&project, &project.join("sub")).unwrap();
        fs::rename(&project, home.join("old")).unwrap();
        fs::create_dir(home.join("proj-evil/sub")).unwrap();
        symlink(home.join("proj-evil"), &project).unwrap();
        assert!(matches!(inside(&project, &project.join("sub")), Err(ProjectError::Moved(_))));
    }
}
