//! The copies of tensors that a device keeps.
//!
//! A copy is good for whatever has the bytes that it was made of: it is found by the address of a tensor's first
//! element and compared by a hash of all of them, since torch's version counter knows nothing of writes through `.data`
//! or NumPy. Who promises that there are none (the option `freezing`) has the counter trusted alone.
//!
//! Weights are kept as long as their tensors live. Results are kept too, since the next graph may read them (after a
//! graph break, or in the backward graph); but a result whose copies nobody has asked for in its first runs is kept no
//! longer ([`Demand`]), and a copy that has not been used for some runs goes.
//!
//! Invariants: a hash is taken before its bytes are uploaded, so that a write in between makes a copy that is not used
//! rather than one that is wrong; the lock is not held while Python objects are looked at or dropped.

use inductor_wgpu::Memory;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use symshapes::DType;
use xxhash_rust::xxh3::xxh3_128;

/// From so many bytes on, hashes are taken by several threads.
const MANY_BYTES: usize = 4 << 20;

/// Threads that take hashes: memory is what they wait for.
const HASHERS: usize = 4;

/// The number of copies of a result that are kept before somebody must have asked for one.
const TRIES: u32 = 4;

/// The number of runs for which a copy of a result is kept without being used.
const PATIENCE: u64 = 64;

/// A tensor's copy on the device.
struct Kept {
    tensor: Py<PyWeakrefReference>,
    state: State,
    memory: Memory,
    /// The demand for the result that this is a copy of; `None` for a weight.
    demand: Option<Arc<Demand>>,
    /// The run that last made or used it.
    used: u64,
}

/// Whether copies of a result of a graph are of any use.
#[derive(Default, Debug)]
pub(crate) struct Demand {
    kept: AtomicU32,
    used: AtomicBool,
}

impl Demand {
    /// The demand for a result that is sure to be read.
    pub(crate) fn certain() -> Demand {
        Demand { kept: AtomicU32::new(0), used: AtomicBool::new(true) }
    }

    /// True if a copy should be kept this time.
    pub(crate) fn wants(&self) -> bool {
        self.used.load(Ordering::Relaxed) || self.kept.fetch_add(1, Ordering::Relaxed) < TRIES
    }
}

/// A copy to be kept: of this tensor, made in this state.
pub(crate) struct Copy<'py> {
    pub(crate) tensor: Bound<'py, PyAny>,
    pub(crate) state: State,
    pub(crate) memory: Memory,
    /// The demand for the result; `None` for a weight.
    pub(crate) demand: Option<Arc<Demand>>,
}

/// The state of a tensor's memory: that which a copy was made of, or that which is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    /// The address of the first element.
    address: usize,
    bytes: usize,
    dtype: DType,
    /// The version counter of the tensor, which counts the writes to it, if it has one.
    version: Option<u64>,
    /// A hash of all bytes, unless the counter is trusted.
    hash: Option<u128>,
}

impl State {
    /// The state of a tensor whose elements lie here, without a hash.
    pub(crate) fn of(tensor: &Bound<'_, PyAny>, data: &[u8], dtype: DType) -> State {
        let version = tensor.getattr(intern!(tensor.py(), "_version")).ok().and_then(|count| count.extract().ok());
        State { address: data.as_ptr() as usize, bytes: data.len(), dtype, version, hash: None }
    }

    /// True if torch counts the writes.
    pub(crate) fn is_counted(&self) -> bool {
        self.version.is_some()
    }

    /// The state with a hash of the bytes, which are those that it was made of.
    pub(crate) fn hashed(self, data: &[u8]) -> State {
        State { hash: Some(xxh3_128(data)), ..self }
    }

    /// True if a copy that was made of this has the value of `now`.
    fn is_good_for(&self, now: &State, is_same_tensor: bool) -> bool {
        let is_unwritten = match now.hash {
            Some(_) => self.hash == now.hash,
            None => is_same_tensor && now.version.is_some() && self.version == now.version,
        };
        (self.bytes, self.dtype) == (now.bytes, now.dtype) && is_unwritten
    }
}

/// The states with hashes of their bytes.
pub(crate) fn hash_all(states: &mut [(State, &[u8])]) {
    let total: usize = states.iter().map(|(_, data)| data.len()).sum();
    let share = if total < MANY_BYTES { total } else { total.div_ceil(HASHERS) };
    let hash = |part: &mut [(State, &[u8])]| {
        for (state, data) in part {
            *state = state.hashed(data);
        }
    };
    std::thread::scope(|scope| {
        let mut rest = states;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |(_, data): &&(State, &[u8])| {
                bytes += data.len();
                bytes <= share
            };
            let taken = rest.iter().take_while(fits).count().max(1);
            let (part, others) = rest.split_at_mut(taken);
            rest = others;
            if rest.is_empty() {
                hash(part);
            } else {
                scope.spawn(move || hash(part));
            }
        }
    });
}

/// All copies of a device, by the addresses of the first elements.
#[derive(Default)]
pub(crate) struct Copies {
    kept: Mutex<FxHashMap<usize, Kept>>,
    runs: AtomicU64,
}

impl Copies {
    /// True if there may be a copy of what lies here.
    pub(crate) fn may_have(&self, state: &State) -> bool {
        self.lock().get(&state.address).is_some_and(|copy| copy.state.bytes == state.bytes)
    }

    /// The copy of a tensor in this state, if there is one.
    pub(crate) fn find(&self, tensor: &Bound<'_, PyAny>, state: &State) -> Option<Memory> {
        let py = tensor.py();
        let copy = self.lock().get(&state.address).map(|copy| copy.clone_ref(py))?;
        let is_same = copy.tensor.bind(py).upgrade().is_some_and(|object| object.is(tensor));
        if !copy.state.is_good_for(state, is_same) {
            return None;
        }
        if let Some(demand) = &copy.demand {
            demand.used.store(true, Ordering::Relaxed);
        }
        let now = self.runs.load(Ordering::Relaxed);
        if let Some(copy) = self.lock().get_mut(&state.address) {
            copy.used = now;
        }
        Some(copy.memory)
    }

    /// Keeps copies of tensors, and forgets those whose tensors are gone and results that nobody reads.
    pub(crate) fn keep(&self, py: Python<'_>, copies: Vec<Copy<'_>>) -> PyResult<()> {
        let now = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        if copies.is_empty() {
            return Ok(());
        }
        let mut all = std::mem::take(&mut *self.lock());
        let is_wanted = |copy: &Kept| copy.demand.is_none() || copy.used + PATIENCE >= now;
        all.retain(|_, copy| is_wanted(copy) && copy.tensor.bind(py).upgrade().is_some());
        for Copy { tensor, state, memory, demand } in copies {
            let tensor = PyWeakrefReference::new(&tensor)?.unbind();
            all.insert(state.address, Kept { tensor, state, memory, demand, used: now });
        }
        // What another thread has kept in the meantime is newer.
        let newer = std::mem::replace(&mut *self.lock(), all);
        let older: Vec<Option<Kept>> = newer.into_iter().map(|(key, copy)| self.lock().insert(key, copy)).collect();
        drop(older);
        Ok(())
    }

    /// Forgets every copy.
    pub(crate) fn clear(&self) {
        let copies = std::mem::take(&mut *self.lock());
        drop(copies);
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<usize, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn clone_ref(&self, py: Python<'_>) -> Kept {
        let Kept { tensor, state, memory, demand, used } = self;
        Kept {
            tensor: tensor.clone_ref(py),
            state: *state,
            memory: memory.clone(),
            demand: demand.clone(),
            used: *used,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MANY_BYTES, State, hash_all};
    use symshapes::DType;

    const BLANK: State = State { address: 8, bytes: 4, dtype: DType::F32, version: Some(3), hash: None };

    #[test]
    fn a_hash_is_believed_before_a_counter() {
        let hashed = |hash| State { hash: Some(hash), ..BLANK };
        assert!(hashed(1).is_good_for(&hashed(1), false));
        assert!(!hashed(1).is_good_for(&hashed(2), true));
        assert!(!BLANK.is_good_for(&hashed(1), true), "nobody has looked at what it was made of");
        assert!(!hashed(1).is_good_for(&State { dtype: DType::I32, ..hashed(1) }, true));
    }

    #[test]
    fn a_trusted_counter_is_that_of_the_same_tensor() {
        assert!(BLANK.is_good_for(&BLANK, true));
        assert!(!BLANK.is_good_for(&BLANK, false));
        assert!(!BLANK.is_good_for(&State { version: Some(4), ..BLANK }, true));
        let uncounted = State { version: None, ..BLANK };
        assert!(!uncounted.is_good_for(&uncounted, true));
    }

    #[test]
    fn threads_take_the_hashes_that_one_takes() {
        let data: Vec<Vec<u8>> = (0..23).map(|i| vec![i as u8; MANY_BYTES / 7 * (i % 5)]).collect();
        let mut states: Vec<(State, &[u8])> = data.iter().map(|data| (BLANK, &data[..])).collect();
        hash_all(&mut states);
        assert!(states.iter().all(|(state, data)| *state == BLANK.hashed(data)));
        hash_all(&mut []);
    }
}
