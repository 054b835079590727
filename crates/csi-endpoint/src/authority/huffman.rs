//! The Huffman code of HPACK (RFC 7541, section 5.2 and appendix B).
//!
//! The code is canonical: codes of one length are consecutive numbers in the order of their symbols. So the
//! length of each symbol's code is all that has to be written down; the codes follow.

/// Code length in bits of each symbol; the last one is the end-of-string symbol.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];
const SHORTEST: usize = 5;
const LONGEST: usize = 30;
const END_OF_STRING: u16 = 256;

static CODE: Code = Code::new();

/// For each length: its first code, how many there are, and where their symbols begin.
struct Code {
    first: [u32; LONGEST + 1],
    count: [u32; LONGEST + 1],
    start: [u16; LONGEST + 1],
    symbols: [u16; LENGTHS.len()],
}

impl Code {
    const fn new() -> Self {
        let mut code = Self {
            first: [0; LONGEST + 1],
            count: [0; LONGEST + 1],
            start: [0; LONGEST + 1],
            symbols: [0; LENGTHS.len()],
        };
        let (mut length, mut placed, mut next) = (SHORTEST, 0, 0);
        while length <= LONGEST {
            code.first[length] = next;
            code.start[length] = placed as u16;
            let mut symbol = 0;
            while symbol < LENGTHS.len() {
                if LENGTHS[symbol] as usize == length {
                    code.symbols[placed] = symbol as u16;
                    placed += 1;
                    code.count[length] += 1;
                    next += 1;
                }
                symbol += 1;
            }
            next <<= 1;
            length += 1;
        }
        code
    }
}

/// The text is no Huffman code: the end-of-string symbol stands in it, or its padding is not up to seven one bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotHuffman;

/// Appends what `encoded` stands for to `out`.
pub(super) fn decode(encoded: &[u8], out: &mut Vec<u8>) -> Result<(), NotHuffman> {
    let mut input = encoded.iter();
    let (mut bits, mut available) = (0_u64, 0);
    'symbol: loop {
        while available <= LONGEST
            && let Some(&byte) = input.next()
        {
            bits = bits << 8 | u64::from(byte);
            available += 8;
        }
        for length in SHORTEST..=LONGEST.min(available) {
            let candidate = (bits >> (available - length)) as u32 & ((1 << length) - 1);
            let nth = candidate.wrapping_sub(CODE.first[length]);
            if nth < CODE.count[length] {
                let symbol = CODE.symbols[CODE.start[length] as usize + nth as usize];
                if symbol == END_OF_STRING {
                    return Err(NotHuffman);
                }
                out.push(symbol as u8);
                available -= length;
                continue 'symbol;
            }
        }
        // No whole symbol is left: at most seven bits of padding may be, all of them ones.
        let padding = (1_u64 << available) - 1;
        return if available < 8 && bits & padding == padding {
            Ok(())
        } else {
            Err(NotHuffman)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(encoded: &[u8]) -> Result<Vec<u8>, NotHuffman> {
        let mut out = Vec::new();
        decode(encoded, &mut out).map(|()| out)
    }

    #[test]
    fn decodes_the_examples_of_the_rfc() {
        let host = [
            0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff,
        ];
        assert_eq!(decoded(&host), Ok(b"www.example.com".to_vec()));
        let cache = [0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf];
        assert_eq!(decoded(&cache), Ok(b"no-cache".to_vec()));
        assert_eq!(decoded(&[]), Ok(Vec::new()));
    }

    #[test]
    fn decodes_every_byte_as_an_independent_encoder_writes_it() {
        for byte in 0..=u8::MAX {
            let text = [byte, b'a', byte];
            let mut encoded = Vec::new();
            httlib_huffman::encode(&text, &mut encoded).unwrap();
            assert_eq!(decoded(&encoded), Ok(text.to_vec()), "byte {byte}");
        }
    }

    #[test]
    fn refuses_padding_that_is_too_long_or_not_ones() {
        assert_eq!(decoded(&[0xff]), Err(NotHuffman), "eight bits of padding");
        assert_eq!(
            decoded(&[0b0001_1000]),
            Err(NotHuffman),
            "'a' and three zeros"
        );
        assert_eq!(decoded(&[0b0001_1111]), Ok(b"a".to_vec()));
    }

    #[test]
    fn refuses_the_end_of_string_symbol() {
        assert_eq!(decoded(&[0xff, 0xff, 0xff, 0xff]), Err(NotHuffman));
    }
}
