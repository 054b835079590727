/// Reads the number of a user.
pub(crate) fn user(text: &str) -> Result<u32, String> {
    number(text)
        .ok_or_else(|| format!("{text:?} is no user id; give its number, as id -u NAME prints it"))
}

/// Reads the number of a group.
pub(crate) fn group(text: &str) -> Result<u32, String> {
    number(text).ok_or_else(|| {
        format!("{text:?} is no group id; give its number, as getent group NAME prints it")
    })
}

/// The highest number is nobody's: system calls take it for "leave it as it is".
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&number| number != u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers() {
        for (text, id) in [("0", 0), ("1000", 1000), ("4294967294", u32::MAX - 1)] {
            assert_eq!((user(text), group(text)), (Ok(id), Ok(id)));
        }
        for text in ["", "root", "-1", "1.5", " 1", "4294967295", "4294967296"] {
            let [user_error, group_error] = [
                format!("{text:?} is no user id; give its number, as id -u NAME prints it"),
                format!("{text:?} is no group id; give its number, as getent group NAME prints it"),
            ];
            assert_eq!(
                (user(text), group(text)),
                (Err(user_error), Err(group_error))
            );
        }
    }
}
