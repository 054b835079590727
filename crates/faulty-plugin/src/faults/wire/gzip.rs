//! The gzip format (RFC 1952) around a block that is not compressed, which every reader takes.

/// The bytes as a gzip file; at most 65535 of them, more are left out.
pub(super) fn stored(bytes: &[u8]) -> Vec<u8> {
    const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    const LAST_BLOCK_STORED: u8 = 1;
    let len = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let bytes = &bytes[..bytes.len().min(len.into())];
    let mut file = HEADER.to_vec();
    file.push(LAST_BLOCK_STORED);
    file.extend(len.to_le_bytes());
    file.extend((!len).to_le_bytes());
    file.extend(bytes);
    file.extend(crc32(bytes).to_le_bytes());
    file.extend(u32::from(len).to_le_bytes());
    file
}

fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let step = |crc: u32| (crc >> 1) ^ (POLYNOMIAL * (crc & 1));
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc))
    })
}

#[cfg(test)]
mod tests {
    use super::{crc32, stored};

    #[test]
    fn the_checksum_is_that_of_its_check_value() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_file_has_its_bytes_between_header_and_checksum() {
        let file = stored(b"abc");
        assert_eq!(file.len(), 10 + 5 + 3 + 8);
        assert_eq!(file[11..18], *b"\x03\0\xfc\xffabc");
    }
}
