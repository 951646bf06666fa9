//! Seals of snapshots: all that a passed check depended on, arranged so that it is verified in a few instructions each.
//!
//! - What watchers see is one flag for all ([`Watch`]).
//! - What is a word in memory, a version tag or a field, is compared with the value that it had, in one pass over an
//!   array of addresses and values, without a call.
//! - Tensors are compared with the metadata that they had, which tensors that are alike share.
//!
//! Invariant: a word is read only after all that vouches for the object around it: the flag, then the words before it.

use super::objects::CallObjects;
use super::version_tags::{Tag, Word};
use super::watchers::Watch;
use crate::torch::TensorWords;
use guards::{SealState, TensorGuardId};
use pyo3::ffi;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// The dependencies of a snapshot.
#[derive(Debug)]
pub(super) struct Seal {
    watch: Option<Arc<Watch>>,
    words: Vec<Word>,
    /// The location of each word's tag.
    locations: Vec<usize>,
    /// Tags that are no words.
    others: Vec<Tag>,
    /// The objects that words are about, kept alive: acyclic ones, and weak references.
    _owned: Vec<Py<PyAny>>,
    tensors: Vec<SealedTensor>,
    /// The metadata of tensors, each kind once.
    kinds: Vec<TensorWords>,
}

// SAFETY: the pointers are followed only where a thread holds the interpreter, by whom it may be.
unsafe impl Send for Seal {}
// SAFETY: as above.
unsafe impl Sync for Seal {}

/// A stable object that is to be a tensor.
#[derive(Debug)]
struct SealedTensor {
    object: *mut ffi::PyObject,
    /// The address of its metadata.
    at: usize,
    /// The metadata when it was sealed; `u32::MAX` if that is not to be had in words.
    kind: u32,
    guard: TensorGuardId,
}

impl Seal {
    /// Seals tags and tensors, of which the caller knows that they are alive.
    pub(super) fn new(objects: &CallObjects<'_, '_>, tags: Vec<Tag>, tensors: &[(u64, TensorGuardId)]) -> Seal {
        objects.watch.iter().for_each(|watch| watch.seal());
        let mut seal = Seal {
            watch: objects.watch.cloned(),
            words: Vec::with_capacity(tags.len()),
            locations: Vec::with_capacity(tags.len()),
            others: Vec::new(),
            _owned: Vec::new(),
            tensors: Vec::with_capacity(tensors.len()),
            kinds: Vec::new(),
        };
        for tag in tags {
            let location = tag.location();
            let (words, owned) = match tag.into_words() {
                Ok(parts) => parts,
                Err(tag) => {
                    seal.others.push(tag);
                    let index = Word { at: std::ptr::null(), value: seal.others.len() as u64 - 1 };
                    (smallvec::smallvec![index], None)
                }
            };
            seal.locations.resize(seal.locations.len() + words.len(), location);
            seal.words.extend(words);
            seal._owned.extend(owned);
        }
        let mut known = FxHashMap::default();
        for &(identity, guard) in tensors {
            // SAFETY: the object is alive, says the caller.
            let object = unsafe { borrowed(objects.py(), identity as *mut ffi::PyObject) };
            // A class that the guard does not want, or one with sizes that are not its own, is not recognised.
            let words = if recognises(objects, &object, guard) { objects.torch.words(&object) } else { None };
            let (kind, at) = words.map_or((u32::MAX, 0), |(words, at)| {
                let next = u32::try_from(seal.kinds.len()).unwrap_or(u32::MAX);
                let kind = *known.entry(words).or_insert_with_key(|words| {
                    seal.kinds.push(words.clone());
                    next
                });
                (kind, at)
            });
            seal.tensors.push(SealedTensor { object: object.as_ptr(), at, kind, guard });
        }
        seal
    }

    /// Verifies that everything is as it was.
    pub(super) fn verify(&self, objects: &CallObjects<'_, '_>) -> SealState {
        if let Some(changed) = self.watch.as_ref().and_then(|watch| watch.changed(objects.py())) {
            return SealState::Broken(changed);
        }
        let is_current = |word: &Word| {
            if word.at.is_null() {
                return self.others[word.value as usize].is_current(objects);
            }
            // SAFETY: what vouches for the object around the word has been verified.
            unsafe { *word.at == word.value }
        };
        if let Some(at) = self.words.iter().position(|word| !is_current(word)) {
            return SealState::Broken(self.locations[at]);
        }
        let is_recognised = |tensor: &SealedTensor| {
            // SAFETY: stable objects are alive, since all that vouches for them has been verified.
            let object = unsafe { borrowed(objects.py(), tensor.object) };
            let kind = self.kinds.get(tensor.kind as usize);
            kind.is_some_and(|kind| objects.torch.has_words(&object, kind, tensor.at))
                || recognises(objects, &object, tensor.guard)
        };
        if self.tensors.iter().all(is_recognised) { SealState::Intact } else { SealState::Unrecognised }
    }
}

/// An object, without a reference of our own.
///
/// # Safety
/// It is alive as long as this is used.
#[inline]
unsafe fn borrowed(py: Python<'_>, object: *mut ffi::PyObject) -> ManuallyDrop<Bound<'_, PyAny>> {
    // SAFETY: the caller's promise; nothing is owned, nothing freed.
    ManuallyDrop::new(unsafe { Bound::from_owned_ptr(py, object) })
}

/// True if an object is a tensor as the guard wants it; if false, the guard may hold nevertheless.
fn recognises(objects: &CallObjects<'_, '_>, object: &Bound<'_, PyAny>, guard: TensorGuardId) -> bool {
    objects.prepared.tensor(guard).is_some_and(|wanted| wanted.recognises(object, objects.torch))
}
