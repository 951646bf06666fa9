//! The location table (`co_linetable`, format of 3.11 and later): which source range each code unit comes from.
//!
//! An entry is a byte `1 kkkk nnn` (kind k, n + 1 code units) and what the kind asks for:
//!
//! | kind | line | columns |
//! |---|---|---|
//! | 0–9 | same | one byte: start is 8·kind + its bits 4–6, width its low four |
//! | 10–12 | kind − 10 more | two bytes: start, end |
//! | 13 | signed change | none |
//! | 14 | signed change, then how many lines further it ends | start + 1, end + 1 |
//! | 15 | none | none |

use super::varint::{Reader, write_little, write_signed};

/// Code units that one entry can cover.
const ENTRY_UNITS: u32 = 8;

/// A range of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// The line where it starts.
    pub line: i32,
    /// The line where it ends.
    pub end_line: i32,
    /// The columns, in bytes, where it starts and ends, if they are known.
    pub columns: Option<(u32, u32)>,
}

impl Span {
    /// A line of which no columns are known.
    pub fn line(line: i32) -> Span {
        Span { line, end_line: line, columns: None }
    }
}

/// Decodes a table: the span of each code unit. None if it is malformed.
pub fn decode(table: &[u8], firstlineno: i32) -> Option<Vec<Option<Span>>> {
    let mut reader = Reader::new(table);
    let mut line = firstlineno;
    let mut spans = Vec::new();
    while !reader.is_empty() {
        let head = reader.byte()?;
        let span = decode_entry(&mut reader, (head >> 3) & 15, &mut line)?;
        spans.extend(std::iter::repeat_n(span, usize::from(head & 7) + 1));
    }
    Some(spans)
}

/// The rest of an entry of this kind.
fn decode_entry(reader: &mut Reader<'_>, kind: u8, line: &mut i32) -> Option<Option<Span>> {
    let (end_line, columns) = match kind {
        0..=9 => {
            let byte = u32::from(reader.byte()?);
            let start = 8 * u32::from(kind) + (byte >> 4);
            (*line, Some((start, start + (byte & 15))))
        }
        10..=12 => {
            *line = line.checked_add(i32::from(kind) - 10)?;
            (*line, Some((u32::from(reader.byte()?), u32::from(reader.byte()?))))
        }
        13 => {
            *line = line.checked_add(reader.signed()?)?;
            (*line, None)
        }
        14 => {
            *line = line.checked_add(reader.signed()?)?;
            let end_line = line.checked_add_unsigned(reader.little()?)?;
            let (start, end) = (reader.little()?, reader.little()?);
            (end_line, start.checked_sub(1).zip(end.checked_sub(1)))
        }
        _ => return Some(None),
    };
    Some(Some(Span { line: *line, end_line, columns }))
}

/// Encodes runs of code units with their spans.
pub fn encode(runs: impl IntoIterator<Item = (u32, Option<Span>)>, firstlineno: i32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut line = firstlineno;
    for (units, span) in runs {
        encode_run(&mut out, units, span, &mut line);
    }
    out
}

/// As many entries as `units` need.
fn encode_run(out: &mut Vec<u8>, mut units: u32, span: Option<Span>, line: &mut i32) {
    while units > 0 {
        let count = units.min(ENTRY_UNITS);
        encode_entry(out, count, span, line);
        units -= count;
    }
}

/// One entry of the shortest kind that can tell the span.
fn encode_entry(out: &mut Vec<u8>, units: u32, span: Option<Span>, line: &mut i32) {
    let mut head = |kind: u8| out.push(128 | (kind << 3) | (units - 1) as u8);
    let Some(Span { line: start_line, end_line, columns }) = span else {
        return head(15);
    };
    let delta = start_line.wrapping_sub(*line);
    *line = start_line;
    match columns {
        None if end_line == start_line => {
            head(13);
            write_signed(out, delta);
        }
        Some((start, end)) if end_line == start_line && delta == 0 && is_short(start, end) => {
            head((start >> 3) as u8);
            out.push((((start & 7) << 4) | (end - start)) as u8);
        }
        Some((start, end)) if end_line == start_line && (0..3).contains(&delta) && start < 128 && end < 128 => {
            head(10 + delta as u8);
            out.extend([start as u8, end as u8]);
        }
        _ => {
            head(14);
            write_signed(out, delta);
            write_little(out, end_line.saturating_sub(start_line).max(0).unsigned_abs());
            write_little(out, columns.map_or(0, |(start, _)| start + 1));
            write_little(out, columns.map_or(0, |(_, end)| end + 1));
        }
    }
}

/// Whether kinds 0 to 9 can tell the columns.
fn is_short(start: u32, end: u32) -> bool {
    start < 80 && end >= start && end - start < 16
}
