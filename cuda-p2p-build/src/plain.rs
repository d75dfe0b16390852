//! Names for paths that compilers stumble over.
//!
//! nvcc hands its arguments to a shell between double quotes, and takes some of them apart at commas; `#include "..."` ends at the
//! first double quote. So nvcc runs in the folder of its output, where its own files have short names; what lies elsewhere under a
//! name with such a character goes by a link in that folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::BuildError;

/// The links that one compilation needs.
pub(crate) struct Plain<'a> {
    folder: &'a Path,
    /// What the links begin with, so that those of two modules do not meet.
    name: &'a str,
    /// Targets, in the order of the links' numbers.
    made: Vec<PathBuf>,
}

impl<'a> Plain<'a> {
    /// Makes links in `folder` when they are needed.
    pub(crate) fn new(folder: &'a Path, name: &'a str) -> Self {
        Self { folder, name, made: Vec::new() }
    }

    /// A path that can be handed to nvcc, which runs in the folder of the links: the same, or one through a link. A bare name is a
    /// program's, and is looked up as such.
    pub(crate) fn for_nvcc(&mut self, path: &Path) -> Result<PathBuf, BuildError> {
        let plain = |c: char| c.is_alphanumeric() || "/._-+=:@%^~".contains(c);
        let path = if path.components().count() > 1 { absolute(path)? } else { path.to_owned() };
        let is_plain = path.to_str().is_some_and(|text| text.chars().all(plain));
        if is_plain { Ok(path) } else { self.link(&path) }
    }

    /// A path that can stand in `#include "..."` in a file of the folder of the links.
    pub(crate) fn for_include(&mut self, path: &Path) -> Result<PathBuf, BuildError> {
        let ends = |c: char| matches!(c, '"' | '\\' | '\n');
        if !path.to_string_lossy().contains(ends) {
            return Ok(path.to_owned());
        }
        // By its folder, so that the file finds what lies beside it, unless its own name is the matter.
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !name.to_string_lossy().contains(ends) => {
                Ok(self.link(parent)?.join(name))
            }
            _ => self.link(path),
        }
    }

    /// The text of a compiler, with the paths that were meant.
    pub(crate) fn restore(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (number, target) in self.made.iter().enumerate() {
            text = text.replace(&format!("{}/", self.link_name(number)), &format!("{}/", target.display()));
        }
        text
    }

    /// The file that a compiler, which ran in the folder of the links, calls so.
    pub(crate) fn real(&self, path: &Path) -> PathBuf {
        let there = self.folder.join(path);
        let through = path.components().next().is_some_and(|first| {
            (0..self.made.len()).any(|number| first.as_os_str() == &*self.link_name(number))
        });
        if through { fs::canonicalize(&there).unwrap_or(there) } else { there }
    }

    fn link_name(&self, number: usize) -> String {
        format!("{}_link_{number}", self.name)
    }

    fn link(&mut self, target: &Path) -> Result<PathBuf, BuildError> {
        if let Some(number) = self.made.iter().position(|made| made == target) {
            return Ok(self.link_name(number).into());
        }
        let name = self.link_name(self.made.len());
        let path = self.folder.join(&name);
        let io = |source: io::Error| BuildError::Io { path: path.clone(), source };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
            _ => symlink(&absolute(target)?, &path).map_err(io)?,
        }
        self.made.push(target.to_owned());
        Ok(name.into())
    }
}

/// Not one that depends on the folder in which a program runs.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, BuildError> {
    std::path::absolute(path).map_err(|source| BuildError::Io { path: path.to_owned(), source })
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn symlink(target: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::other(format!("{} has a character that nvcc does not take in a path", target.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_go_by_links_and_come_back() {
        let out = tempfile::tempdir().expect("a temporary folder");
        let odd = out.path().join("a $b, 'c' \"d\"");
        fs::create_dir(&odd).expect("writable");
        fs::write(odd.join("k.cu"), "").expect("writable");
        let mut plain = Plain::new(out.path(), "k");
        assert_eq!(plain.for_nvcc(Path::new("/usr/include")).expect("as it is"), Path::new("/usr/include"));
        let link = plain.for_nvcc(&odd).expect("by a link");
        assert_eq!(link, Path::new("k_link_0"));
        assert_eq!(plain.for_nvcc(&odd).expect("the same link"), link);
        assert_eq!(plain.for_include(&odd.join("k.cu")).expect("by a link"), Path::new("k_link_0/k.cu"));
        assert_eq!(
            plain.real(Path::new("k_link_0/k.cu")),
            fs::canonicalize(odd.join("k.cu")).expect("it is there")
        );
        assert_eq!(plain.restore("k_link_0/k.cu(3): error"), format!("{}/k.cu(3): error", odd.display()));
        // A link of an earlier build leads elsewhere.
        let mut again = Plain::new(out.path(), "k");
        again.for_nvcc(Path::new("/us r")).expect("by a link");
        assert_eq!(fs::read_link(out.path().join("k_link_0")).expect("a link"), Path::new("/us r"));
    }

    #[test]
    fn only_what_ends_a_name_is_a_matter_to_includes() {
        let out = tempfile::tempdir().expect("a temporary folder");
        let mut plain = Plain::new(out.path(), "k");
        let fine = Path::new("/a $b, 'c'/k.cu");
        assert_eq!(plain.for_include(fine).expect("as it is"), fine);
        let named = plain.for_include(Path::new("/a/k\"k.cu")).expect("by a link to the file");
        assert_eq!(named, Path::new("k_link_0"));
    }
}
