/// A program and its arguments, run as they are, without a shell.
///
/// A program without a `/` is looked for in the `PATH` of this process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExecCommand {
    program: String,
    arguments: Vec<String>,
}

/// Why a list is no [`ExecCommand`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecCommandError {
    /// There is no program.
    #[error("command is empty; give the program and its arguments as a list")]
    Empty,
    /// The name of the program is empty.
    #[error("command begins with an empty text; begin with the path or the name of a program")]
    NoProgram,
    /// No argument of a program can have a NUL.
    #[error("command has a NUL byte in part {index}; leave it out, programs cannot be given one")]
    Nul {
        /// Which part, counted from 0, the program.
        index: usize,
    },
}

impl ExecCommand {
    /// A command of the program and then its arguments.
    ///
    /// # Errors
    ///
    /// Where there is no program, or a part has a NUL byte.
    pub fn new<T: Into<String>>(
        parts: impl IntoIterator<Item = T>,
    ) -> Result<Self, ExecCommandError> {
        let mut parts = parts.into_iter().map(Into::into);
        let program: String = parts.next().ok_or(ExecCommandError::Empty)?;
        if program.is_empty() {
            return Err(ExecCommandError::NoProgram);
        }
        let arguments: Vec<String> = parts.collect();
        let all = [&program].into_iter().chain(&arguments);
        if let Some(index) = all.into_iter().position(|part| part.contains('\0')) {
            return Err(ExecCommandError::Nul { index });
        }
        Ok(Self { program, arguments })
    }

    /// The path or the name of the program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// What it is called with.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

#[cfg(test)]
mod tests {
    use super::ExecCommand;

    #[test]
    fn a_command_is_a_program_and_its_arguments() {
        for (parts, arguments) in [
            (&["/bin/true"][..], &[][..]),
            (&["sh", "-c", "", " a b "], &["-c", "", " a b "]),
        ] {
            let command = ExecCommand::new(parts.iter().copied()).unwrap();
            assert_eq!(command.program(), parts[0]);
            assert_eq!(command.arguments(), arguments);
        }
    }

    #[test]
    fn each_broken_rule_has_its_message() {
        for (parts, message) in [
            (
                &[][..],
                "command is empty; give the program and its arguments as a list",
            ),
            (
                &["", "a"],
                "command begins with an empty text; begin with the path or the name of a program",
            ),
            (
                &["a", "b\0"],
                "command has a NUL byte in part 1; leave it out, programs cannot be given one",
            ),
        ] {
            let error = ExecCommand::new(parts.iter().copied()).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
