//! Directories the user works in, on disk. Owns which directory may be one, and what is read of it without starting
//! anything: names of directories and files, and the branch. May not know how projects are stored or served.

mod branch;
mod completion;
mod directory;
mod files;
mod fuzzy;

pub use branch::branch;
pub use completion::{MOST_DIRECTORIES, complete};
pub use directory::{Boundaries, ProjectError, expand_home, inside};
pub use files::{FileSearch, MOST_FILES, files};
