use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

const VARIABLE: &str = "CSI_ENDPOINT";

/// What the parser calls the endpoint, even where the variable gave it.
const FLAG: &str = "--endpoint <ENDPOINT>";

/// Says what is wrong with a command line, or what was asked of it: help, or the version.
///
/// The parser's own words leave out which argument is not UTF-8, and that a value came from the environment.
pub(crate) fn report(mut error: Error) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let variable = std::env::var_os(VARIABLE);
    // Where standard error is closed there is nobody to tell; the exit code still says it.
    let _ = match error.kind() {
        ErrorKind::InvalidUtf8 => {
            let what = not_utf8(&arguments, variable.as_deref());
            writeln!(
                std::io::stderr(),
                "error: {what} is not UTF-8, as all text here has to be"
            )
        }
        _ => {
            name_the_variable(&mut error, &arguments, variable.as_deref());
            error.print()
        }
    };
    // 0 for help and version.
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn not_utf8(arguments: &[OsString], variable: Option<&OsStr>) -> String {
    let broken = arguments.iter().find(|text| text.to_str().is_none());
    match (broken, variable) {
        (Some(argument), _) => format!("argument {argument:?}"),
        (None, Some(value)) => format!("{VARIABLE} {value:?}"),
        (None, None) => "an argument".to_owned(),
    }
}

fn name_the_variable(error: &mut Error, arguments: &[OsString], variable: Option<&OsStr>) {
    let starts =
        |argument: &OsString, flag: &str| argument.as_encoded_bytes().starts_with(flag.as_bytes());
    let is_given = arguments
        .iter()
        .any(|argument| starts(argument, "-e") || starts(argument, "--endpoint"));
    let name = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::ValueValidation, Some(ContextValue::String(name)))
            if name == FLAG && variable.is_some() && !is_given =>
        {
            ContextValue::String(VARIABLE.to_owned())
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(names))) => {
            let mut names = names.clone();
            for name in names.iter_mut().filter(|name| *name == FLAG) {
                name.push_str(", or the environment variable ");
                name.push_str(VARIABLE);
            }
            ContextValue::Strings(names)
        }
        _ => return,
    };
    error.insert(ContextKind::InvalidArg, name);
}
