//! The kernels that the middle writes: those of the plans that are goldens of the pipeline.

use crate::support::{check, devices};
use expect_test::expect;
use inductor::loop_ir::Kernel;
use inductor_testing::random::small_inputs;
use std::path::{Path, PathBuf};

/// The kernels of a plan's text.
fn kernels_of(text: &str) -> Vec<Kernel> {
    let starts = text.match_indices(": kernel ").map(|(at, _)| at + 2);
    let parse = |at: usize| {
        let rest = &text[at..];
        let end = rest.find("\n}\n").map_or(rest.len(), |end| end + 3);
        rest[..end].parse().unwrap_or_else(|error| panic!("{error}\n{}", &rest[..end]))
    };
    starts.map(parse).collect()
}

/// The kernels of every plan in a folder, with the plan's name.
fn kernels(folder: &str) -> Vec<(String, Kernel)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|file| file.expect("it can be read").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "plan"));
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().expect("a file").to_string_lossy().into_owned();
    let read = |path: &PathBuf| kernels_of(&std::fs::read_to_string(path).expect("it can be read"));
    paths.iter().flat_map(|path| read(path).into_iter().map(|kernel| (name(path), kernel))).collect()
}

/// Checks kernels on every device; lists what is refused.
fn refused(kernels: &[(String, Kernel)], size: impl Fn(&Kernel) -> Vec<i64>) -> String {
    let mut refused = String::new();
    for (plan, kernel) in kernels {
        let sizes = size(kernel);
        for (device, caps) in devices() {
            if let Err(reason) = check(kernel, &caps, &sizes, &small_inputs(1, kernel, &sizes), 256.0) {
                refused.push_str(&format!("{plan}, {}, {device}: {reason}\n", kernel.name));
            }
        }
    }
    refused
}

#[test]
fn kernels_of_plans_do_what_the_loops_do() {
    expect![[r#"
        batch_norm_training, native_batch_norm_legit_functional, web: 11 buffers in one dispatch
        batch_norm_training, native_batch_norm_legit_functional, narrow: 11 buffers in one dispatch
        cumsum_int, cumsum, narrow: arithmetic on 64-bit integers
    "#]]
    .assert_eq(&refused(&kernels("."), |_| Vec::new()));
}

#[test]
fn kernels_of_symbolic_plans_do_what_the_loops_do() {
    let sizes = |kernel: &Kernel| kernel.sizes.iter().map(|&sym| kernel.exprs.symbol_range(sym).lo.max(5)).collect();
    expect![""].assert_eq(&refused(&kernels("dynamic"), sizes));
}
