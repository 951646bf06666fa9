//! Runs plans: kernels on the very bytes that the plan assigns, calls by the interpreter of graphs.
//!
//! Memory that nothing has written yet holds rubbish, so that a read of it shows.

use cranelift_entity::SecondaryMap;
use fx::Scalar;
use fx_interp::{InterpError, Tensor, Value};
use inductor::Compiled;
use inductor::backend::CompiledKernel;
use inductor::plan::{
    Buf, Call, CallArg, CallResult, Epilogue, Launch, Layout, ObjectId, Output, Plan, Step, Storage, View,
};
use inductor_testing::loops::Buffer;
use std::collections::HashMap;

/// A byte that is no likely part of an answer.
const RUBBISH: u64 = 0xc5c5_c5c5_c5c5_c5c5;

/// Why a plan did not run to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The interpreter does not know an operator that the plan calls.
    #[allow(dead_code, reason = "shown by Debug")]
    Call(InterpError),
    /// A kernel met an index out of bounds.
    Index,
}

/// Runs the plan for the sizes of its inputs on them.
pub(crate) fn run(compiled: &Compiled, plan: &Plan, inputs: &[Value]) -> Result<Vec<Value>, Failure> {
    let mut machine = Machine::new(plan, inputs);
    for step in &plan.steps {
        match step {
            Step::Launch(Launch { kernel, args, sizes }) => {
                machine.launch(&*compiled.code.launched[kernel], args, sizes);
            }
            // In the order that the plan does not have.
            Step::Group(launches) => launches.iter().rev().for_each(|Launch { kernel, args, sizes }| {
                machine.launch(&*compiled.code.launched[kernel], args, sizes);
            }),
            Step::Call(call) => machine.call(call).map_err(Failure::Call)?,
            Step::Fused(call, Epilogue { kernel, args, sizes, .. }) => {
                machine.call(call).map_err(Failure::Call)?;
                machine.launch(&*compiled.code.launched[kernel], args, sizes);
            }
            Step::Free(buf) => machine.own[*buf] = Vec::new(),
            Step::Write { into, from } => {
                let value = machine.read(from);
                machine.write(*into, &value);
            }
            Step::Check(flag) => {
                if machine.read(&machine.whole(*flag)).values().any(Scalar::as_bool) {
                    return Err(Failure::Index);
                }
            }
        }
    }
    Ok(plan.outputs.iter().map(|output| machine.output(output)).collect())
}

struct Machine<'a> {
    plan: &'a Plan,
    arena: Vec<u64>,
    own: SecondaryMap<Buf, Vec<u64>>,
    objects: HashMap<ObjectId, Value>,
}

/// The invariant that [`inductor::plan::SymbolicPlan::at`] keeps.
const FITS: &str = "a plan's buffers fit in memory";

impl<'a> Machine<'a> {
    fn new(plan: &'a Plan, inputs: &[Value]) -> Machine<'a> {
        let arena = vec![RUBBISH; plan.arena_bytes.div_ceil(8)];
        let mut machine = Machine { plan, arena, own: SecondaryMap::new(), objects: HashMap::new() };
        for (buf, data) in plan.bufs.iter() {
            if !data.storage.is_shared() {
                machine.own[buf] = vec![RUBBISH; data.bytes().expect(FITS).div_ceil(8)];
            }
            if let Storage::Input(number) = data.storage
                && let Value::Tensor(input) = &inputs[number]
            {
                machine.write(buf, input);
            }
        }
        for step in &plan.steps {
            if let Step::Check(flag) = step {
                let zero = Tensor::full(symshapes::DType::Bool, &[1], Scalar::Int(0));
                machine.write(*flag, &zero);
            }
        }
        machine
    }

    fn launch(&mut self, kernel: &dyn CompiledKernel, args: &[Buf], sizes: &[i64]) {
        let addresses: Vec<*mut u8> = args.iter().map(|&buf| self.address(buf)).collect();
        // SAFETY: the plan is verified: each buffer spans at least its param's length.
        unsafe { kernel.launch(&addresses, sizes, 1) };
    }

    fn address(&mut self, buf: Buf) -> *mut u8 {
        match self.plan.bufs[buf].storage {
            Storage::Arena(offset) => self.arena.as_mut_ptr().cast::<u8>().wrapping_add(offset),
            Storage::Lent(offset) => {
                let lender = self.plan.lender.expect("the plan is verified");
                self.own[lender].as_mut_ptr().cast::<u8>().wrapping_add(offset)
            }
            _ => self.own[buf].as_mut_ptr().cast(),
        }
    }

    fn whole(&self, buf: Buf) -> View {
        let data = &self.plan.bufs[buf];
        View { buf, dtype: data.dtype, layout: data.layout.clone() }
    }

    /// The elements that a buffer spans.
    fn elements(&mut self, buf: Buf) -> Buffer {
        let data = &self.plan.bufs[buf];
        let mut elements = Buffer::zeroed(data.dtype, data.layout.span().expect(FITS) as usize);
        let bytes = data.bytes().expect(FITS);
        // SAFETY: both hold as many bytes as the layout spans; the plan's arena holds all of its buffers.
        unsafe { std::ptr::copy_nonoverlapping(self.address(buf), elements.as_mut_ptr(), bytes) };
        elements
    }

    fn read(&mut self, view: &View) -> Tensor {
        let elements = self.elements(view.buf);
        let sizes: Vec<usize> = view.layout.sizes.iter().map(|&n| n as usize).collect();
        Tensor::from_fn(view.dtype, &sizes, |index| elements.get(position(&view.layout, index)))
    }

    fn write(&mut self, buf: Buf, tensor: &Tensor) {
        let layout = self.plan.bufs[buf].layout.clone();
        let mut elements = self.elements(buf);
        for (index, value) in tensor.data().indexed_iter() {
            let index: Vec<usize> = (0..tensor.rank()).map(|k| index[k]).collect();
            elements.set(position(&layout, &index), *value);
        }
        let bytes = self.plan.bufs[buf].bytes().expect(FITS);
        // SAFETY: as in `elements`.
        unsafe { std::ptr::copy_nonoverlapping(elements.as_mut_ptr(), self.address(buf), bytes) };
    }

    fn call(&mut self, call: &Call) -> Result<(), InterpError> {
        let args: Vec<Value> = call.args.iter().map(|a| self.argument(a)).collect();
        let kwargs: Vec<(&str, Value)> = call.kwargs.iter().map(|(k, a)| (k.as_str(), self.argument(a))).collect();
        let results = match fx_interp::call(&call.target, &args, &kwargs)? {
            Value::Tuple(values) => values,
            value => vec![value],
        };
        for (result, value) in call.results.iter().zip(results) {
            match (result, value) {
                (CallResult::Tensor(buf), Value::Tensor(tensor)) => self.write(*buf, &tensor),
                (CallResult::Object(object), value) => drop(self.objects.insert(*object, value)),
                _ => {}
            }
        }
        Ok(())
    }

    fn argument(&mut self, arg: &CallArg) -> Value {
        match arg {
            CallArg::Tensor(view) => Value::Tensor(self.read(view)),
            CallArg::Object(object) => self.objects[object].clone(),
            CallArg::List(items) => Value::Tuple(items.iter().map(|a| self.argument(a)).collect()),
            CallArg::Plain(arg) => Value::Plain(arg.clone()),
        }
    }

    fn output(&mut self, output: &Output) -> Value {
        match output {
            Output::Tensor(view) => Value::Tensor(self.read(view)),
            Output::Plain(arg) => Value::Plain(arg.clone()),
            Output::Object(object) => self.objects[object].clone(),
        }
    }
}

/// The place of an element in its buffer.
fn position(layout: &Layout, index: &[usize]) -> usize {
    let terms = index.iter().zip(&layout.strides).map(|(&i, s)| i as i64 * s);
    (layout.offset + terms.sum::<i64>()) as usize
}
