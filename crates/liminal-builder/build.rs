//! Lists the files of the built page for `http/pages.rs`. Owns only that list: building the page is `./x web`, and a
//! program without it still works and says so.

use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let page = manifest.join("../../web/dist");
    // Cargo would run this each time for a folder that is not there; a source tree may be read-only.
    drop(fs::create_dir(&page));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", page.display());
    let list = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("page.rs");
    let substitute = manifest.join("src/http/pages/not_built.html");
    println!("cargo::rerun-if-changed={}", substitute.display());
    fs::write(list, table(&page, &substitute)?)
}

/// The files of the page; if it was not built, the one that says so.
fn table(page: &Path, substitute: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    collect(page, &mut files)?;
    files.sort();
    let mut text = String::from("&[\n");
    for file in files.iter().filter(|file| !is_compressed(file)) {
        text += &entry(&file.strip_prefix(page).unwrap_or(file).display().to_string(), file)?;
    }
    if !page.join("index.html").exists() {
        text += &entry("index.html", substitute)?;
    }
    Ok(text + "]\n")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn is_compressed(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "br" || ending == "gz")
}

fn entry(name: &str, file: &Path) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&fs::read(file)?);
    let fields = format!("path: {name:?}, tag: \"\\\"{:016x}\\\"\"", hasher.finish());
    let (brotli, gzip) = (compressed(file, "br"), compressed(file, "gz"));
    Ok(format!("PageFile {{ {fields}, plain: include_bytes!({file:?}), brotli: {brotli}, gzip: {gzip} }},\n"))
}

fn compressed(file: &Path, ending: &str) -> String {
    let path = PathBuf::from(format!("{}.{ending}", file.display()));
    if path.exists() { format!("Some(include_bytes!({path:?}))") } else { "None".to_owned() }
}
