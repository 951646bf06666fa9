//! The copies of tensors that a device keeps.
//!
//! A copy is good for whatever has the bytes that it was made of: it is found by the address of a tensor's first element and
//! compared by a hash of all of them, since torch's version counter knows nothing of writes through `.data` or NumPy.
//! Who promises that there are none (the option `freezing`) has the counter trusted alone.
//!
//! Invariants: a hash is taken before its bytes are uploaded, so that a write in between makes a copy that is not used
//! rather than one that is wrong; the lock is not held while Python objects are looked at or dropped.

use inductor_wgpu::Memory;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use symshapes::DType;
use xxhash_rust::xxh3::xxh3_128;

/// From so many bytes on, hashes are taken by several threads.
const MANY_BYTES: usize = 4 << 20;

/// Threads that take hashes: memory is what they wait for.
const HASHERS: usize = 4;

/// A tensor's copy on the device.
struct Kept {
    tensor: Py<PyWeakrefReference>,
    state: State,
    memory: Memory,
}

/// What a copy was made of, or what is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    /// The address of the first element.
    address: usize,
    bytes: usize,
    dtype: DType,
    /// How often the tensor was written to, where somebody counts.
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
pub(crate) struct Copies(Mutex<FxHashMap<usize, Kept>>);

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
        copy.state.is_good_for(state, is_same).then_some(copy.memory)
    }

    /// Keeps copies of tensors, and forgets those whose tensors are gone.
    pub(crate) fn keep(&self, py: Python<'_>, copies: Vec<(Bound<'_, PyAny>, State, Memory)>) -> PyResult<()> {
        if copies.is_empty() {
            return Ok(());
        }
        let mut all = std::mem::take(&mut *self.lock());
        all.retain(|_, copy| copy.tensor.bind(py).upgrade().is_some());
        for (tensor, state, memory) in copies {
            let copy = Kept { tensor: PyWeakrefReference::new(&tensor)?.unbind(), state, memory };
            all.insert(state.address, copy);
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn clone_ref(&self, py: Python<'_>) -> Kept {
        Kept { tensor: self.tensor.clone_ref(py), state: self.state, memory: self.memory.clone() }
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
