//! Generated files in memory, to be written or compared.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// File names and what the files should contain.
#[derive(Debug, Default)]
pub(crate) struct Tree(BTreeMap<PathBuf, Vec<u8>>);

impl Tree {
    pub(crate) fn insert(&mut self, name: &str, content: Vec<u8>) {
        self.0.insert(name.into(), content);
    }

    /// Makes `directory` contain these files and no others; returns how many had to change.
    pub(crate) fn write(&self, directory: &Path) -> Result<usize> {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        let differing = self.differing(directory)?;
        for (path, difference) in &differing {
            let done = match self.0.get(path) {
                Some(content) => fs::write(directory.join(path), content),
                None => fs::remove_file(directory.join(path)),
            };
            done.with_context(|| format!("cannot settle that {} {difference}", path.display()))?;
        }
        Ok(differing.len())
    }

    /// One line for each file in which `directory` differs from this.
    pub(crate) fn differences(&self, directory: &Path) -> Result<Vec<String>> {
        let line = |(path, difference): (PathBuf, &str)| {
            format!("{} {difference}", directory.join(path).display())
        };
        Ok(self.differing(directory)?.into_iter().map(line).collect())
    }

    fn differing(&self, directory: &Path) -> Result<BTreeMap<PathBuf, &'static str>> {
        let mut differing = BTreeMap::new();
        for (path, content) in &self.0 {
            let difference = match fs::read(directory.join(path)) {
                Ok(found) if found == *content => continue,
                Ok(_) => "differs",
                Err(error) if error.kind() == io::ErrorKind::NotFound => "is missing",
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot read {}", path.display()));
                }
            };
            differing.insert(path.clone(), difference);
        }
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(differing),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot list {}", directory.display()));
            }
        };
        for entry in entries {
            let path = PathBuf::from(entry?.file_name());
            if !self.0.contains_key(&path) {
                differing.insert(path, "is not generated any more");
            }
        }
        Ok(differing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (name, content) in files {
            tree.insert(name, content.as_bytes().to_vec());
        }
        tree
    }

    #[test]
    fn each_differing_file_is_named_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for (name, content) in [("same", "1"), ("edited", "2"), ("stale", "3")] {
            fs::write(path(name), content).unwrap();
        }
        let wanted = tree(&[("same", "1"), ("edited", "two"), ("absent", "4")]);
        assert_eq!(
            wanted.differences(directory.path()).unwrap(),
            [
                format!("{} is missing", path("absent").display()),
                format!("{} differs", path("edited").display()),
                format!("{} is not generated any more", path("stale").display()),
            ]
        );
        assert_eq!(fs::read_to_string(path("edited")).unwrap(), "2");
        assert!(!path("absent").exists());
        assert!(path("stale").exists());
    }

    #[test]
    fn after_writing_nothing_differs() {
        let directory = tempfile::tempdir().unwrap();
        let nested = directory.path().join("generated");
        let wanted = tree(&[("a", "1"), ("b", "2")]);
        assert_eq!(wanted.differences(&nested).unwrap().len(), 2);
        assert_eq!(wanted.write(&nested).unwrap(), 2);
        fs::write(nested.join("stale"), "3").unwrap();
        fs::write(nested.join("a"), "edited").unwrap();
        assert_eq!(wanted.write(&nested).unwrap(), 2);
        assert_eq!(wanted.differences(&nested).unwrap(), Vec::<String>::new());
        assert_eq!(wanted.write(&nested).unwrap(), 0);
    }
}
