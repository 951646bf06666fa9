//! One run of a plan on the host and a device together.

use cranelift_entity::SecondaryMap;

use crate::device::{Access, Content, Device, DeviceError, Stream, Task};
use crate::plan::Buf;
use symshapes::DType;

/// The memories that hold the value of a buffer.
struct Residence<M> {
    /// The host has the latest value.
    host: bool,
    /// The device has it.
    device: Option<M>,
}

impl<M> Clone for Residence<M>
where
    M: Clone,
{
    fn clone(&self) -> Residence<M> {
        Residence { host: self.host, device: self.device.clone() }
    }
}

impl<M> Default for Residence<M> {
    fn default() -> Residence<M> {
        Residence { host: false, device: None }
    }
}

/// One run.
pub struct Session<D: Device> {
    stream: D::Stream,
    at: SecondaryMap<Buf, Residence<D::Memory>>,
}

impl<D: Device> Session<D> {
    /// Begins a run: no buffer has a value yet.
    ///
    /// # Errors
    /// A device that cannot be opened.
    pub fn new(device: &D) -> Result<Session<D>, DeviceError> {
        Ok(Session { stream: device.stream()?, at: SecondaryMap::new() })
    }

    /// The host has given a buffer its value: the caller for an input, or a step.
    pub fn host_wrote(&mut self, buf: Buf) {
        self.at[buf].host = true;
        if let Some(memory) = self.at[buf].device.take() {
            self.stream.release(memory);
        }
    }

    /// The device has an input's value from an earlier run, too.
    pub fn kept(&mut self, buf: Buf, memory: &D::Memory) {
        if self.stream.keeps(memory) {
            self.at[buf].device = Some(memory.clone());
        }
    }

    /// The device's copy of a buffer, to be kept for a later run.
    pub fn keep(&self, buf: Buf) -> Option<D::Memory> {
        self.at[buf].device.clone()
    }

    /// Gives a flag its first value, 0, on the device.
    ///
    /// # Errors
    /// Those of the device.
    pub fn lower_flag(&mut self, buf: Buf) -> Result<(), DeviceError> {
        self.at[buf].device = Some(self.stream.zeros(Content { dtype: DType::Bool, bytes: 1 })?);
        Ok(())
    }

    /// Has the device do a step; `bytes` gives the host's memory of a buffer, `content` what it holds.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run<'h>(
        &mut self,
        task: &Task<D::Work>,
        bytes: &dyn Fn(Buf) -> &'h [u8],
        content: &dyn Fn(Buf) -> Content,
    ) -> Result<(), DeviceError> {
        for &(buf, access) in &task.args {
            self.bring(buf, access, bytes, content)?;
        }
        let at = &self.at;
        let args: Vec<&D::Memory> = task.args.iter().filter_map(|&(buf, _)| at[buf].device.as_ref()).collect();
        self.stream.run(&task.work, &args)?;
        for &(buf, access) in &task.args {
            self.at[buf].host &= !access.writes();
        }
        Ok(())
    }

    /// Sees to it that the device has memory for a buffer, and its value if there is one.
    fn bring<'h>(
        &mut self,
        buf: Buf,
        access: Access,
        bytes: &dyn Fn(Buf) -> &'h [u8],
        content: &dyn Fn(Buf) -> Content,
    ) -> Result<(), DeviceError> {
        let place = &self.at[buf];
        if place.device.is_none() {
            debug_assert!(place.host || access != Access::Read || content(buf).bytes == 0, "{buf} has no value");
            let memory = if place.host {
                self.stream.upload(bytes(buf), content(buf).dtype)?
            } else {
                self.stream.allocate(content(buf))?
            };
            self.at[buf].device = Some(memory);
        }
        Ok(())
    }

    /// The buffers among these whose value only the device has.
    pub fn missing(&self, bufs: &[Buf]) -> Vec<Buf> {
        bufs.iter().copied().filter(|&buf| !self.at[buf].host && self.at[buf].device.is_some()).collect()
    }

    /// Brings values to the host that only the device has: `sink` stores them. One wait for all of them, none if there
    /// are none.
    ///
    /// # Errors
    /// Those of the device since the run began.
    pub fn fetch(
        &mut self,
        bufs: &[Buf],
        content: &dyn Fn(Buf) -> Content,
        sink: &mut dyn FnMut(Buf, &[u8]),
    ) -> Result<(), DeviceError> {
        let missing = self.missing(bufs);
        if missing.is_empty() {
            return Ok(());
        }
        let at = &self.at;
        let blocks = missing.iter().filter_map(|&buf| Some((at[buf].device.as_ref()?, content(buf))));
        let blocks: Vec<(&D::Memory, Content)> = blocks.collect();
        self.stream.download(&blocks, &mut |number, bytes| sink(missing[number], bytes))?;
        for buf in missing {
            self.at[buf].host = true;
        }
        Ok(())
    }

    /// A buffer is not used any more.
    pub fn release(&mut self, buf: Buf) {
        let place = std::mem::take(&mut self.at[buf]);
        if let Some(memory) = place.device {
            self.stream.release(memory);
        }
    }
}
