use std::{fs, process::Command, thread};

use anyhow::{Context, Result, ensure};

/// What the numbers depend on: processor, cores, kernel and compiler.
pub(crate) fn describe() -> Result<String> {
    let cpus = fs::read_to_string("/proc/cpuinfo").context("cannot read /proc/cpuinfo")?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")
        .context("cannot read the kernel's version")?;
    let rustc = Command::new("rustc")
        .arg("--version")
        .output()
        .context("cannot run rustc")?;
    ensure!(rustc.status.success(), "rustc: {}", rustc.status);
    Ok(format!(
        "{}, {} cores, Linux {}, {}",
        model(&cpus),
        thread::available_parallelism()?,
        kernel.trim().split('-').next().unwrap_or_default(),
        String::from_utf8_lossy(&rustc.stdout).trim()
    ))
}

/// Not every architecture names its processor.
fn model(cpuinfo: &str) -> &str {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_where_it_can_be() {
        assert_eq!(
            model("processor\t: 0\nmodel name\t: Fast One\nmodel name\t: Fast Two\n"),
            "Fast One"
        );
        assert_eq!(model("processor\t: 0\n"), "unknown processor");
    }
}
