//! Links LLVM: its shared library, or with the feature `static-llvm` those of its archives that this crate needs, so
//! that the library has no need of an installed LLVM.
//!
//! LLVM is the one of `LLVM_SYS_191_PREFIX`, else that of the first `llvm-config` of version 19 on the path.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

/// The version of LLVM.
const VERSION: &str = "19";

/// The parts of LLVM that are called, beside the code generator of the target.
const COMPONENTS: [&str; 4] = ["core", "target", "passes", "orcjit"];

/// The archives outside of LLVM that its own are made for.
const BESIDE: [&str; 3] = ["libzstd.a", "libz.a", "libstdc++.a"];

/// The architectures that machine code is generated for, by cargo's names and by LLVM's.
const TARGETS: [(&str, &str); 2] = [("x86_64", "x86"), ("aarch64", "aarch64")];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let config = llvm_config()?;
    let library = |path: &str| println!("cargo::rustc-link-search=native={path}");
    library(&answer(&config, &["--libdir"])?);
    if env::var_os("CARGO_FEATURE_STATIC_LLVM").is_none() {
        println!("cargo::rustc-link-lib=dylib=LLVM-{VERSION}");
        return Ok(());
    }
    let architecture = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let Some((_, target)) = TARGETS.iter().find(|(name, _)| *name == architecture) else {
        return Err(io::Error::other(format!("no code is generated for {architecture}")));
    };
    let names = answer(&config, &[&["--link-static", "--libnames"], &COMPONENTS[..], &[target]].concat())?;
    let archives = names.split_whitespace().filter_map(|name| name.strip_prefix("lib")?.strip_suffix(".a"));
    archives.for_each(|name| println!("cargo::rustc-link-lib=static:-bundle={name}"));
    let compiler = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    for file in BESIDE {
        let path = answer(Path::new(&compiler), &[&format!("-print-file-name={file}")])?;
        let folder = Path::new(&path).parent().filter(|folder| folder.is_absolute());
        let folder = folder.ok_or_else(|| io::Error::other(format!("{file} is not installed")))?;
        library(&folder.to_string_lossy());
        let name = file.trim_start_matches("lib").trim_end_matches(".a");
        println!("cargo::rustc-link-lib=static:-bundle={name}");
    }
    Ok(())
}

/// The program that tells about the installed LLVM.
fn llvm_config() -> io::Result<PathBuf> {
    let prefix = env::var_os("LLVM_SYS_191_PREFIX").map(|prefix| Path::new(&prefix).join("bin/llvm-config"));
    let named = ["llvm-config-19", "llvm-config"].map(PathBuf::from);
    let is_right = |config: &PathBuf| {
        answer(config, &["--version"]).is_ok_and(|version| version.split('.').next() == Some(VERSION))
    };
    let found = prefix.into_iter().chain(named).find(is_right);
    found.ok_or_else(|| {
        io::Error::other(format!("no llvm-config of LLVM {VERSION}; LLVM_SYS_191_PREFIX names the prefix of one"))
    })
}

/// The output of a program, which succeeds.
fn answer(program: &Path, arguments: &[&str]) -> io::Result<String> {
    let output = Command::new(program).args(arguments).output()?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("{} {}: {errors}", program.display(), arguments.join(" "))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
