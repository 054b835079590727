//! The interfaces as data.

/// An encoded `google.protobuf.FileDescriptorSet` of both interfaces and all that they import.
///
/// For server reflection and for tools that handle messages by field name. The field option `csi.v1.csi_secret` is kept.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("generated/descriptors.bin");
