//! A device made of vectors of bytes stands in for a real one.

use std::sync::{Arc, Mutex};

use cranelift_entity::{EntityRef, PrimaryMap};

use super::{Placement, Session, StepDevice};
use crate::backend::Capabilities;
use crate::device::{Access, Content, Counters, Device, DeviceError, Refusal, Stream, Task};
use crate::loop_ir::Kernel;
use crate::plan::{
    Buf, BufData, Call, CallArg, CallKind, CallResult, Epilogue, Layout, Output, Plan, Step, Storage, View,
};
use symshapes::DType;

/// Its memory is the host's; its one kind of work adds 1 to each byte of the last argument, after copying the first.
#[derive(Default)]
struct Fake {
    log: Arc<Mutex<Vec<String>>>,
    counters: Counters,
}

type Bytes = Arc<Mutex<Vec<u8>>>;

struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    fn say(&self, text: String) {
        self.0.lock().expect("no test panics here").push(text);
    }
}

impl Stream for Recorder {
    type Memory = Bytes;
    type Work = ();

    fn allocate(&mut self, Content { bytes, .. }: Content) -> Result<Bytes, DeviceError> {
        self.say(format!("allocate {bytes}"));
        Ok(Arc::new(Mutex::new(vec![0xee; bytes])))
    }

    fn zeros(&mut self, Content { bytes, .. }: Content) -> Result<Bytes, DeviceError> {
        self.say(format!("zeros {bytes}"));
        Ok(Arc::new(Mutex::new(vec![0; bytes])))
    }

    fn upload(&mut self, bytes: &[u8], _dtype: DType) -> Result<Bytes, DeviceError> {
        self.say(format!("upload {bytes:?}"));
        Ok(Arc::new(Mutex::new(bytes.to_vec())))
    }

    fn release(&mut self, _memory: Bytes) {
        self.say("release".to_owned());
    }

    fn keeps(&self, _memory: &Bytes) -> bool {
        true
    }

    fn run(&mut self, (): &(), args: &[&Bytes]) -> Result<(), DeviceError> {
        self.say(format!("run on {}", args.len()));
        let from = args[0].lock().expect("no test panics here").clone();
        let to = &mut *args[args.len() - 1].lock().expect("no test panics here");
        to.iter_mut().zip(from).for_each(|(to, from)| *to = from + 1);
        Ok(())
    }

    fn download(
        &mut self,
        blocks: &[(&Bytes, Content)],
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DeviceError> {
        self.say(format!("download {}", blocks.len()));
        for (number, (block, content)) in blocks.iter().enumerate() {
            sink(number, &block.lock().expect("no test panics here")[..content.bytes]);
        }
        Ok(())
    }
}

impl Device for Fake {
    type Memory = Bytes;
    type Kernel = ();
    type Work = ();
    type Stream = Recorder;

    fn name(&self) -> &'static str {
        "fake"
    }

    fn capabilities(&self) -> &Capabilities {
        unreachable!("no kernel is written here")
    }

    fn compile(&self, _kernel: &Kernel) -> Result<(), Refusal> {
        Ok(())
    }

    fn launch(&self, (): &(), _sizes: &[i64]) -> Result<(), Refusal> {
        Ok(())
    }

    fn library(&self, call: &Call, _epilogue: Option<&Epilogue>, _plan: &Plan) -> Result<Task<()>, Refusal> {
        if call.target == "aten.mm.default" {
            return Ok(task(&[(0, Access::Read), (1, Access::Write)]));
        }
        Refusal::because(format!("no kernel for {}", call.target))
    }

    fn largest_buffer(&self) -> usize {
        1 << 20
    }

    fn stream(&self) -> Result<Recorder, DeviceError> {
        Ok(Recorder(Arc::clone(&self.log)))
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn listing(&self, (): &()) -> String {
        String::new()
    }
}

fn content(bytes: usize) -> Content {
    Content { dtype: DType::U8, bytes }
}

fn task(args: &[(usize, Access)]) -> Task<()> {
    Task { work: (), args: args.iter().map(|&(buf, access)| (Buf::new(buf), access)).collect() }
}

#[test]
fn values_move_only_when_a_step_lacks_them() {
    let device = Fake::default();
    let mut session = Session::new(&device).expect("the fake opens");
    let host: &[u8] = &[1, 2, 3];
    let (bytes, length) = (|_: Buf| host, |_: Buf| content(3));
    session.host_wrote(Buf::new(0));
    session.run(&task(&[(0, Access::Read), (1, Access::Write)]), &bytes, &length).expect("the fake runs");
    session.run(&task(&[(1, Access::Read), (2, Access::Write)]), &bytes, &length).expect("the fake runs");
    let mut got = Vec::new();
    let wanted = [Buf::new(0), Buf::new(2)];
    session.fetch(&wanted, &length, &mut |buf, bytes| got.push((buf, bytes.to_vec()))).expect("the fake gives back");
    session.fetch(&wanted, &length, &mut |buf, _| panic!("{buf} is fetched twice")).expect("nothing is to be done");
    assert_eq!(got, [(Buf::new(2), vec![3, 4, 5])]);
    let log = device.log.lock().expect("no test panics here").join("; ");
    assert_eq!(log, "upload [1, 2, 3]; allocate 3; run on 2; allocate 3; run on 2; download 1");
}

#[test]
fn what_the_host_writes_replaces_the_copy_of_the_device() {
    let device = Fake::default();
    let mut session = Session::new(&device).expect("the fake opens");
    let host = Mutex::new(vec![7u8]);
    let length = |_: Buf| content(1);
    let run = |session: &mut Session<Fake>| {
        let now = host.lock().expect("no test panics here").clone();
        let bytes = |_: Buf| &now[..];
        let task = task(&[(0, Access::Read), (1, Access::Write)]);
        session.run(&task, &bytes, &length).expect("the fake runs");
        let mut got = 0;
        session.fetch(&[Buf::new(1)], &length, &mut |_, bytes| got = bytes[0]).expect("the fake gives back");
        got
    };
    session.host_wrote(Buf::new(0));
    assert_eq!(run(&mut session), 8);
    host.lock().expect("no test panics here")[0] = 20;
    session.host_wrote(Buf::new(0));
    assert_eq!(run(&mut session), 21);
}

#[test]
fn what_is_kept_is_not_uploaded_again() {
    let device = Fake::default();
    let length = |_: Buf| content(1);
    let mut first = Session::new(&device).expect("the fake opens");
    first.host_wrote(Buf::new(0));
    first.run(&task(&[(0, Access::Read), (1, Access::Write)]), &|_| &[5][..], &length).expect("the fake runs");
    let memory = first.keep(Buf::new(0)).expect("it was uploaded");
    let mut second = Session::new(&device).expect("the fake opens");
    second.host_wrote(Buf::new(0));
    second.kept(Buf::new(0), &memory);
    let bytes = |buf: Buf| -> &[u8] { panic!("{buf} is uploaded again") };
    second.run(&task(&[(0, Access::Read), (1, Access::Write)]), &bytes, &length).expect("the fake runs");
    assert_eq!(second.missing(&[Buf::new(1)]), [Buf::new(1)]);
}

/// A plan that calls an operator on one tensor of so many floats, which another step then copies.
fn plan(target: &str, kind: CallKind, length: i64) -> Plan {
    let layout = Layout { sizes: vec![length], strides: vec![1], offset: 0 };
    let storages = [Storage::Input(0), Storage::Arena(0), Storage::Owned];
    let buf = |storage| BufData { dtype: DType::F32, layout: layout.clone(), storage };
    let view = |at| View { buf: Buf::new(at), dtype: DType::F32, layout: layout.clone() };
    let call = |target: &str, kind, from, to| {
        Step::Call(Call {
            target: target.into(),
            node: fx::NodeId::new(0),
            args: vec![CallArg::Tensor(view(from))],
            kwargs: Vec::new(),
            results: vec![CallResult::Tensor(Buf::new(to))],
            tuple: false,
            kind,
        })
    };
    Plan {
        frozen: 0,
        bufs: storages.into_iter().map(buf).collect(),
        kernels: Arc::default(),
        steps: vec![call(target, kind, 0, 1), call("aten.clone.default", CallKind::Extern, 1, 2)],
        inputs: 1,
        written: Vec::new(),
        outputs: vec![Output::Tensor(view(2))],
        arena_bytes: 0,
        lender: None,
        fates: Arc::from([]),
    }
}

fn placed(target: &str, kind: CallKind, length: i64) -> Placement<Fake> {
    Placement::of(&Fake::default(), &plan(target, kind, length), &PrimaryMap::new())
}

#[test]
fn what_the_device_refuses_the_host_does_with_the_reason() {
    let placement = placed("aten.mm.default", CallKind::Extern, 8);
    assert!(matches!(&placement.places[0], StepDevice::Device(_)));
    let StepDevice::Host(host) = &placement.places[1] else { panic!("the device has no clone") };
    assert_eq!(host.reads, [Buf::new(1), Buf::new(2)], "what may be written in part is read");
    assert_eq!(host.writes, [Buf::new(2)]);
    assert_eq!(host.reason.to_string(), "no kernel for aten.clone.default");
    assert_eq!(placement.dead_after, [vec![Buf::new(0)], vec![Buf::new(1)]], "what is returned lives on");
}

#[test]
fn a_buffer_over_the_limit_stays_on_the_host() {
    let placement = placed("aten.mm.default", CallKind::Extern, 1 << 20);
    let (at, reason) = placement.refused().next().expect("four megabytes are too many");
    assert_eq!((at, &*reason.0), (0, "b0 has 4194304 bytes, and the device takes 1048576 at most"));
}

#[test]
fn an_operator_without_a_rule_keeps_its_reason() {
    let placement = placed("aten.polar.default", CallKind::Fallback("complex".to_owned()), 8);
    assert_eq!(placement.refused().next().map(|(_, reason)| &*reason.0), Some("complex"));
}
