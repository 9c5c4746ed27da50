//! STUB
use std::path::{Path, PathBuf};
pub fn branch(_d: &Path) -> Option<String> { None }
pub fn inside(project: &Path, dir: &Path) -> Result<PathBuf, std::io::Error> { let d = dir.canonicalize()?; if d.starts_with(project) && d.is_dir() { Ok(d) } else { Err(std::io::Error::other("outside")) } }

pub fn validate(path: &str, _data: &Path) -> Result<PathBuf, std::io::Error> { Path::new(path).canonicalize() }
pub fn files(_p: &Path, _q: &str) -> Vec<String> { vec![] }
pub fn complete(_p: &str) -> Vec<String> { vec![] }
