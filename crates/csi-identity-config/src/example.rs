/// A configuration with every key there is, and comments that say what each does.
///
/// It is accepted as it stands. [`schema()`](crate::schema()) says the same to tools.
pub const EXAMPLE: &str = include_str!("example.yaml");
