//! Decodes code objects and encodes them again.
//!
//! Standard input holds one code object per line, as JSON: its version, first line, stack size, and its three byte
//! strings in hexadecimal. Standard output holds one line for each: its new bytes and stack size, or `{"error": "…"}`.
//! On the way it is checked here that decoding the new bytes, and reading the text form, give the same body.

use std::io::{self, BufRead, Write};

use dynamo_core::bytecode::{Body, CodeObject, Listing, Version, decode};
use serde::{Deserialize, Serialize};

/// A code object with what round trips need of it.
#[derive(Deserialize)]
struct Input {
    version: Version,
    firstlineno: i32,
    stacksize: u32,
    code: String,
    linetable: String,
    exceptiontable: String,
}

/// The answer for one code object.
#[derive(Serialize)]
#[serde(untagged)]
enum Output {
    Code { code: String, linetable: String, exceptiontable: String, stacksize: u32 },
    Error { error: String },
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let output = match assemble(&line?) {
            Ok(code) => Output::Code {
                code: to_hex(&code.code),
                linetable: to_hex(&code.linetable),
                exceptiontable: to_hex(&code.exceptiontable),
                stacksize: code.stacksize,
            },
            Err(error) => Output::Error { error },
        };
        serde_json::to_writer(&mut out, &output)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Decodes, encodes and checks one code object.
fn assemble(line: &str) -> Result<CodeObject, String> {
    let input: Input = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let version = input.version;
    let code = code_object(&input)?;
    let body = decode(version, &code).map_err(|error| error.to_string())?;
    let text = body.to_string();
    let read: Body = text.parse().map_err(|error| format!("{error}"))?;
    if read.to_string() != text {
        return Err(format!("the text form changed when read:\n{text}"));
    }
    let again = code.with_body(&read).map_err(|error| format!("{error}\n{}", Listing { body: &body, code: &code }))?;
    let body = decode(version, &again).map_err(|error| format!("encoded: {error}"))?;
    if body.to_string() == text { Ok(again) } else { Err(format!("was:\n{text}\nis:\n{body}")) }
}

/// The code object, without names and constants.
fn code_object(input: &Input) -> Result<CodeObject, String> {
    Ok(CodeObject {
        stacksize: input.stacksize,
        firstlineno: input.firstlineno,
        code: from_hex(&input.code)?,
        linetable: from_hex(&input.linetable)?,
        exceptiontable: from_hex(&input.exceptiontable)?,
        ..CodeObject::default()
    })
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or("?"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).map_err(|_| format!("{pair:?} is no byte"))).collect()
}
