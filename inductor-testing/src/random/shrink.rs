//! Makes a failing kernel small: statements are left out, one after another, as long as it fails.

use inductor::loop_ir::{Kernel, Loop, Stmt, verify::verify};

/// A right kernel that fails as this one does, and of which no statement can be left out.
pub fn smallest(mut kernel: Kernel, fails: impl Fn(&Kernel) -> bool) -> Kernel {
    // From the end, so that a value goes after what it is used by; again, since what goes late may free what was tried.
    loop {
        let before = count(&kernel.root);
        for at in (0..before).rev() {
            let mut less = kernel.clone();
            remove(&mut less.root, &mut (at + 1));
            if count(&less.root) > 0 && verify(&less).is_ok() && fails(&less) {
                kernel = less;
            }
        }
        if count(&kernel.root) == before {
            return kernel;
        }
    }
}

/// Statements inside of a loop, at any depth.
fn count(of: &Loop) -> usize {
    of.body.iter().map(|stmt| 1 + if let Stmt::Loop(inner) = stmt { count(inner) } else { 0 }).sum()
}

/// Removes the statement that is `left` steps away in program order, with all that is in it.
fn remove(of: &mut Loop, left: &mut usize) {
    let mut at = 0;
    while *left > 0 && at < of.body.len() {
        *left -= 1;
        if *left == 0 {
            of.body.remove(at);
            return;
        }
        if let Stmt::Loop(inner) = &mut of.body[at] {
            remove(inner, left);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{GenOptions, kernel};
    use fx::prim::Pointwise;
    use inductor::loop_ir::{Op, StoreMode};

    /// True if the kernel stores something and has a sine.
    fn fails(kernel: &Kernel) -> bool {
        let (mut stores, mut sines) = (0, 0);
        kernel.walk(&mut |stmt| match stmt {
            Stmt::Store { mode: StoreMode::Set, .. } => stores += 1,
            Stmt::Let(v) if matches!(kernel.values[*v].op, Op::Map(Pointwise::Sin, _)) => sines += 1,
            _ => {}
        });
        stores > 0 && sines > 0
    }

    #[test]
    fn what_does_not_matter_goes() {
        let all = (0..400).map(|seed| kernel(seed, &GenOptions::default()));
        let large = all.filter(fails).max_by_key(|kernel| count(&kernel.root)).expect("one has a sine");
        let before = count(&large.root);
        let small = smallest(large, fails);
        assert!(fails(&small) && verify(&small).is_ok());
        assert!(count(&small.root) <= before.div_ceil(2), "{small}");
    }
}
