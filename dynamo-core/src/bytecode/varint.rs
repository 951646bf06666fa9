//! Numbers in groups of six bits: the location table has the lowest group first, the exception table the highest.

/// Reads bytes from the front of a slice.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// The number of bytes that were read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Lowest group first; bit 6 says that another group follows.
    pub(super) fn little(&mut self) -> Option<u32> {
        let mut value = 0u32;
        for shift in (0..32).step_by(6) {
            let byte = self.byte()?;
            value |= u32::from(byte & 63).checked_shl(shift)?;
            if byte & 64 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// As [`Reader::little`], with the sign in the lowest bit.
    pub(super) fn signed(&mut self) -> Option<i32> {
        let value = self.little()?;
        let magnitude = (value >> 1) as i32;
        Some(if value & 1 == 0 { magnitude } else { -magnitude })
    }

    /// Highest group first; bit 6 says that another group follows, bit 7 (which is ignored) that an entry starts.
    pub(super) fn big(&mut self) -> Option<u32> {
        let mut value = 0u32;
        loop {
            let byte = self.byte()?;
            value = value.checked_mul(64)? | u32::from(byte & 63);
            if byte & 64 == 0 {
                return Some(value);
            }
        }
    }
}

/// Writes what [`Reader::little`] reads.
pub(super) fn write_little(out: &mut Vec<u8>, mut value: u32) {
    while value >= 64 {
        out.push(64 | (value & 63) as u8);
        value >>= 6;
    }
    out.push(value as u8);
}

/// Writes what [`Reader::signed`] reads.
pub(super) fn write_signed(out: &mut Vec<u8>, value: i32) {
    write_little(out, (value.unsigned_abs() << 1) | u32::from(value < 0));
}

/// Writes what [`Reader::big`] reads; `first` marks the first byte of an entry.
pub(super) fn write_big(out: &mut Vec<u8>, value: u32, first: bool) {
    let start = out.len();
    let groups = (32 - value.leading_zeros()).div_ceil(6).max(1);
    for group in (0..groups).rev() {
        let more = if group > 0 { 64 } else { 0 };
        out.push(more | ((value >> (6 * group)) & 63) as u8);
    }
    if first {
        out[start] |= 128;
    }
}
