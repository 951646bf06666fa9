//! Machine code from a store does what freshly compiled code does.

mod support;

use inductor::backend::Backend;
use inductor::loop_ir::Kernel;
use inductor::store::{Disk, Key, Store};
use inductor_cpu::{Cpu, Gemm, Product};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use support::{compare, inputs, kernels, parse};

/// A store in memory that counts.
#[derive(Default)]
struct Memory {
    entries: Mutex<HashMap<Key, Vec<u8>>>,
    /// Entries found, and entries made.
    counts: Mutex<(usize, usize)>,
}

impl Memory {
    fn counts(&self) -> (usize, usize) {
        *self.counts.lock().expect("not poisoned")
    }

    /// Changes every entry.
    fn change(&self, change: impl Fn(&mut Vec<u8>)) {
        self.entries.lock().expect("not poisoned").values_mut().for_each(change);
    }
}

impl Store for Memory {
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let found = self.entries.lock().expect("not poisoned").get(key).cloned();
        self.counts.lock().expect("not poisoned").0 += usize::from(found.is_some());
        found
    }

    fn put(&self, key: &Key, _label: &str, bytes: &[u8]) {
        self.entries.lock().expect("not poisoned").insert(*key, bytes.to_vec());
        self.counts.lock().expect("not poisoned").1 += 1;
    }
}

/// Kernels that call what linking must find (`pow`), have constants (`gelu`) or loops.
fn some_kernels() -> Vec<Kernel> {
    let pow = support::pointwise(fx::prim::Pointwise::Pow, 100);
    let texts = [kernels::gelu(4, 64), kernels::softmax(4, 65), kernels::bias(3, 7)];
    texts.iter().map(|text| parse(text)).chain([pow]).collect()
}

/// Compiles, runs and checks all of them.
fn run(cpu: &Cpu) {
    for kernel in some_kernels() {
        compare(cpu, &kernel, &[], inputs(&kernel, &[], 1), 4.0);
    }
}

#[test]
fn what_is_there_is_not_compiled_again() {
    let store = Arc::new(Memory::default());
    run(&Cpu::new().with_store(store.clone()));
    let count = some_kernels().len();
    assert_eq!(store.counts(), (0, count));
    run(&Cpu::new().with_store(store.clone()));
    assert_eq!(store.counts(), (count, count));
}

#[test]
fn one_object_is_linked_twice() {
    let store = Arc::new(Memory::default());
    let kernel = parse(&kernels::softmax(4, 64));
    let cpus = [(); 3].map(|()| Cpu::new().with_store(store.clone()));
    let held: Vec<_> = cpus.iter().map(|cpu| cpu.compile(std::slice::from_ref(&kernel)).expect("compiles")).collect();
    cpus.iter().for_each(|cpu| compare(cpu, &kernel, &[], inputs(&kernel, &[], 1), 4.0));
    assert_eq!(store.counts(), (2, 1));
    drop(held);
}

#[test]
fn another_host_has_other_keys() {
    let store = Arc::new(Memory::default());
    run(&Cpu::new().with_store(store.clone()));
    let (_, made) = store.counts();
    let narrow = Cpu::with_vector_bytes(16);
    if narrow.capabilities() == Cpu::new().capabilities() {
        return;
    }
    run(&narrow.with_store(store.clone()));
    assert_eq!(store.counts(), (0, 2 * made));
}

#[test]
fn what_is_no_object_is_compiled_again() {
    let store = Arc::new(Memory::default());
    run(&Cpu::new().with_store(store.clone()));
    let (_, made) = store.counts();
    let changes: [fn(&mut Vec<u8>); 4] = [
        Vec::clear,
        |object| object.truncate(100),
        |object| *object = b"no object".to_vec(),
        // An object without the symbol that it should have.
        |object| object.iter_mut().for_each(|byte| *byte = if *byte == b'_' { b'-' } else { *byte }),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        store.change(change);
        run(&Cpu::new().with_store(store.clone()));
        assert_eq!(store.counts().1, (at + 2) * made);
    }
}

#[test]
fn products_are_kept_too() {
    let store = Arc::new(Memory::default());
    let matrix = |n: usize| [n * n, n, 1];
    let gemm = Gemm { batch: 1, m: 8, n: 8, k: 8, a: matrix(8), b: matrix(8), init: None, out: matrix(8) };
    for times in 0..2 {
        let cpu = Cpu::new().with_store(store.clone());
        let product = cpu.product(Product::Gemm(gemm)).expect("compiles");
        let (mut ones, mut out) = ([1f32; 64], [0f32; 64]);
        let one = ones.as_mut_ptr().cast::<u8>();
        // SAFETY: three matrices of 8 by 8.
        unsafe { product.launch(&[one, one, out.as_mut_ptr().cast()], &[], 1) };
        assert_eq!(out, [8.0; 64]);
        let (found, made) = store.counts();
        assert_eq!((found, made > 0), (times * made, true));
    }
}

#[test]
fn threads_compile_the_same_kernels_at_once() {
    let place = tempfile::TempDir::new().expect("a temporary directory");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let disk = Disk::open(&place.path().join("cache"), 1 << 30, "tests").expect("it is private");
                    run(&Cpu::new().with_store(Arc::new(disk)));
                }
            });
        }
    });
}
