//! Choosing by measurement: of several ways to compute the same, the first run keeps the fastest.
//!
//! The cost model's way comes first, and another takes its place only if it is faster by some percent. What was found
//! is kept in a [`Store`] under all that it depends on, so that later processes need not measure.
//!
//! Invariant: an autotuner does not change its mind. Absent: what is run.

use crate::heuristics;
use crate::store::{Key, Store};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Several ways to compute the same, and which of them is the fastest once that is known.
pub struct Autotuner {
    /// The identity of the computation, its ways and the machine.
    of: Key,
    ways: usize,
    store: Arc<dyn Store>,
    winner: OnceLock<usize>,
}

impl Autotuner {
    /// An autotuner that chooses among so many ways. `of` identifies what is computed, the ways, and the machine.
    ///
    /// # Panics
    /// There is no way.
    pub fn new(of: Key, ways: usize, store: Arc<dyn Store>) -> Autotuner {
        assert!(ways > 0, "nothing to choose from");
        Autotuner { of, ways, store, winner: OnceLock::new() }
    }

    /// The fastest way, if that is decided.
    pub fn winner(&self) -> Option<usize> {
        self.winner.get().copied()
    }

    /// The fastest way under these circumstances (sizes, threads), which `run` finds out unless the store knows. A way
    /// that fails is out; if all do, the first is the winner.
    pub fn decide<E>(&self, circumstances: &[i64], run: impl FnMut(usize) -> Result<(), E>) -> usize {
        let circumstances: Vec<u8> = circumstances.iter().flat_map(|n| n.to_le_bytes()).collect();
        let key = Key::new("winner", [self.of.as_bytes(), &circumstances]);
        let known = self.store.get(&key).and_then(|bytes| match *bytes {
            [at] if usize::from(at) < self.ways => Some(usize::from(at)),
            _ => None,
        });
        let winner = known.unwrap_or_else(|| {
            let seconds = least_times(self.ways, run);
            let winner = fastest(&seconds);
            tracing::debug!(target: "rust_inductor::autotune", of = %self.of, ?seconds, winner);
            if let Ok(at) = u8::try_from(winner) {
                self.store.put(&key, "fastest way", &[at]);
            }
            winner
        });
        *self.winner.get_or_init(|| winner)
    }
}

/// The least time of each way in seconds, all taking turns; infinite for one that fails.
fn least_times<E>(ways: usize, mut run: impl FnMut(usize) -> Result<(), E>) -> Vec<f64> {
    let start = Instant::now();
    // The first run of each finds cold caches and makes what is kept.
    let mut least: Vec<f64> = (0..ways).map(|way| run(way).map_or(f64::INFINITY, |()| f64::MAX)).collect();
    for round in 0..heuristics::autotune_most_rounds() {
        if round >= heuristics::autotune_least_rounds()
            && start.elapsed() > Duration::from_millis(heuristics::autotune_budget_ms())
        {
            break;
        }
        for (way, least) in least.iter_mut().enumerate().filter(|(_, least)| least.is_finite()) {
            let start = Instant::now();
            let took = if run(way).is_ok() { start.elapsed().as_secs_f64() } else { f64::INFINITY };
            *least = if took.is_finite() { least.min(took) } else { took };
        }
    }
    least
}

/// The first way, unless another is faster by more than the margin.
fn fastest(times: &[f64]) -> usize {
    let least = (0..times.len()).min_by(|&a, &b| times[a].total_cmp(&times[b])).unwrap_or(0);
    if times[least] <= times[0] * heuristics::autotune_margin() { least } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Nowhere;
    use rustc_hash::FxHashMap;
    use std::convert::Infallible;
    use std::sync::{Mutex, MutexGuard};

    #[derive(Default)]
    struct Memory(Mutex<FxHashMap<Key, Vec<u8>>>);

    impl Memory {
        fn held(&self) -> MutexGuard<'_, FxHashMap<Key, Vec<u8>>> {
            self.0.lock().expect("nobody panics with it")
        }
    }

    impl Store for Memory {
        fn get(&self, key: &Key) -> Option<Vec<u8>> {
            self.held().get(key).cloned()
        }

        fn put(&self, key: &Key, _label: &str, bytes: &[u8]) {
            self.held().insert(*key, bytes.to_vec());
        }
    }

    fn tuner(store: &Arc<Memory>) -> Autotuner {
        Autotuner::new(Key::new("test", []), 3, Arc::clone(store) as Arc<dyn Store>)
    }

    #[test]
    fn the_first_way_stays_unless_another_is_clearly_faster() {
        assert_eq!(fastest(&[1.0, 0.98, 2.0]), 0);
        assert_eq!(fastest(&[1.0, 0.96, 0.5]), 2);
        assert_eq!(fastest(&[f64::INFINITY, 3.0, 2.0]), 2);
        assert_eq!(fastest(&[f64::INFINITY; 2]), 0);
    }

    #[test]
    fn what_fails_is_out() {
        let store = Arc::default();
        let won = tuner(&store).decide(&[], |way| if way == 0 { Err("refused") } else { Ok(()) });
        assert_ne!(won, 0);
    }

    #[test]
    fn a_winner_is_found_again_without_measuring_under_the_same_circumstances_only() {
        let store = Arc::default();
        let slow_but_one = |way: usize| {
            if way != 1 {
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok::<(), Infallible>(())
        };
        assert_eq!(tuner(&store).decide(&[4], slow_but_one), 1);
        let again = tuner(&store);
        assert_eq!(again.winner(), None);
        assert_eq!(again.decide(&[4], |_| -> Result<(), Infallible> { panic!("measured again") }), 1);
        assert_eq!(again.winner(), Some(1));
        let mut runs = 0;
        tuner(&store).decide(&[5], |_| {
            runs += 1;
            Ok::<(), Infallible>(())
        });
        assert!(runs >= 3 * (1 + heuristics::autotune_least_rounds()));
    }

    #[test]
    fn an_entry_that_names_no_way_is_not_believed() {
        let store: Arc<Memory> = Arc::default();
        tuner(&store).decide(&[], |_| Ok::<(), Infallible>(()));
        store.held().values_mut().for_each(|bytes| *bytes = vec![9]);
        assert!(tuner(&store).decide(&[], |_| Ok::<(), Infallible>(())) < 3);
    }

    #[test]
    fn nothing_is_kept_nowhere() {
        let tuner = Autotuner::new(Key::new("test", []), 1, Arc::new(Nowhere));
        assert_eq!(tuner.decide(&[], |_| Ok::<(), Infallible>(())), 0);
    }
}
