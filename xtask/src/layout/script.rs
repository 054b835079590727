use std::{
    collections::BTreeSet,
    fmt::{self, Display, Formatter},
};

/// Names of functions with many type parameters are longer than this; what follows tells little.
const LONGEST: usize = 1000;

/// How many digits the hash at the end of a name has.
const HASH: usize = 16;

/// A linker script that puts functions in front of all others.
#[derive(Debug)]
pub(super) struct Script {
    /// Patterns of what is run, in each way of running the program.
    pub(super) ways: Vec<BTreeSet<String>>,
}

impl Script {
    /// What is run in most ways comes first, and what is run in the same ways lies together.
    fn ordered(&self) -> Vec<&str> {
        let mut patterns: Vec<_> = self.ways.iter().flatten().collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns.sort_by_cached_key(|pattern| {
            let missing: Vec<_> = self
                .ways
                .iter()
                .map(|way| !way.contains(*pattern))
                .collect();
            (missing.iter().filter(|missing| **missing).count(), missing)
        });
        patterns.into_iter().map(String::as_str).collect()
    }
}

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "/* Written by `cargo xtask layout`: functions that run, in front of those that mostly do not. See build.rs. */"
        )?;
        writeln!(f, "SECTIONS {{\n  .text.run : {{")?;
        for pattern in self.ordered() {
            writeln!(f, "    *(.text*.{pattern})")?;
        }
        writeln!(f, "  }}\n}} INSERT BEFORE .text;")
    }
}

/// A pattern for the symbol of a function that also fits when the same function is built by another compiler, or in
/// another place: hashes are left out.
pub(super) fn pattern(symbol: &str) -> String {
    let name = match end_of_name(symbol) {
        Some(end) => format!("{}*", &symbol[..end]),
        None => without_crate_hashes(symbol),
    };
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}*", &name[..end]),
        None => name,
    }
}

/// Where the hash begins with which a name such as `_ZN4core3fmt5write17h0123456789abcdefE` ends.
fn end_of_name(symbol: &str) -> Option<usize> {
    let (start, _) = symbol.rmatch_indices("17h").find(|(start, mark)| {
        let rest = &symbol.as_bytes()[start + mark.len()..];
        rest.get(HASH) == Some(&b'E') && rest[..HASH].iter().all(u8::is_ascii_hexdigit)
    })?;
    Some(start)
}

/// Names such as `_RNvNtCs1BoKCmRp7rT_4core3fmt5write` have one after `Cs` for every crate.
fn without_crate_hashes(symbol: &str) -> String {
    let mut name = String::new();
    let mut rest = symbol;
    while let Some((before, after)) = rest.split_once("Cs") {
        name.push_str(before);
        name.push_str("Cs");
        let hash = after
            .split_once('_')
            .filter(|(hash, _)| hash.chars().all(|c| c.is_ascii_alphanumeric()));
        rest = match hash {
            Some((_, after)) => {
                name.push_str("*_");
                after
            }
            None => after,
        };
    }
    name + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whatever_the_hashes_are() {
        let long = format!("_ZN{}", "a".repeat(LONGEST));
        for (symbol, expected) in [
            ("main", "main".to_owned()),
            (
                "_ZN4core3fmt5write17h0123456789abcdefE",
                "_ZN4core3fmt5write*".to_owned(),
            ),
            (
                "_ZN4core3fmt5write17h0123456789abcdefE.llvm.123",
                "_ZN4core3fmt5write*".to_owned(),
            ),
            ("_ZN3odd17hello", "_ZN3odd17hello".to_owned()),
            (
                "_RNvNtCs1BoKCmRp7rT_4core3fmt5write",
                "_RNvNtCs*_4core3fmt5write".to_owned(),
            ),
            (
                "_RNvXs_NtCsa_5allocNtNtCsb_4core3fmt",
                "_RNvXs_NtCs*_5allocNtNtCs*_4core3fmt".to_owned(),
            ),
            (long.as_str(), format!("_ZN{}*", "a".repeat(LONGEST - 3))),
        ] {
            assert_eq!(pattern(symbol), expected, "{symbol}");
        }
    }

    #[test]
    fn what_runs_in_most_ways_comes_first() {
        let way = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let script = Script {
            ways: vec![
                way(&["all", "first", "one", "two"]),
                way(&["all", "first", "second"]),
                way(&["all", "third", "two"]),
            ],
        };
        assert_eq!(
            script.ordered(),
            ["all", "first", "two", "one", "second", "third"]
        );
        let text = script.to_string();
        assert!(text.contains("\n    *(.text*.two)\n"), "{text}");
    }
}
