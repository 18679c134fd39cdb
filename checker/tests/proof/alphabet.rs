//! Every model with a small set of operations.

use checker::history::Value;
use checker::model::Model;
use checker::model::cas_register::{CasOp, CasRegister};
use checker::model::fenced_mutex::FencedMutex;
use checker::model::fenced_register::{FencedOp, FencedRegister};
use checker::model::key_value::{KeyValue, KeyValueOp};
use checker::model::multi_register::{Micro, MultiRegister};
use checker::model::mutex::{Mutex, MutexOp};
use checker::model::owner_mutex::{OwnerMutex, OwnerOp};
use checker::model::reentrant_mutex::ReentrantMutex;
use checker::model::register::{Register, RegisterOp};
use checker::model::semaphore::Semaphore;

/// A model and some operations of it.
pub struct Alphabet<M: Model> {
    pub model: M,
    pub ops: Vec<M::Op>,
}

fn int(n: i64) -> Value {
    Value::Int(n)
}

pub fn register() -> Alphabet<Register> {
    let ops = [
        RegisterOp::Read(int(0)),
        RegisterOp::Read(int(1)),
        RegisterOp::Read(int(2)),
        RegisterOp::Write(int(1)),
        RegisterOp::Write(int(2)),
    ];
    Alphabet { model: Register { initial: int(0) }, ops: ops.to_vec() }
}

fn cas_ops() -> Vec<CasOp> {
    vec![
        CasOp::Read(int(0)),
        CasOp::Read(int(1)),
        CasOp::Write(int(1)),
        CasOp::Cas(int(0), int(1)),
        CasOp::Cas(int(1), int(0)),
        CasOp::Mismatch(int(0)),
    ]
}

pub fn cas_register() -> Alphabet<CasRegister> {
    Alphabet { model: CasRegister { initial: int(0) }, ops: cas_ops() }
}

pub fn key_value() -> Alphabet<KeyValue> {
    let ops = cas_ops().into_iter().flat_map(|op| [0, 1].map(|key| KeyValueOp { key: int(key), op: op.clone() }));
    Alphabet { model: KeyValue { initial: int(0) }, ops: ops.collect() }
}

pub fn multi_register() -> Alphabet<MultiRegister> {
    let ops = vec![
        vec![Micro::Read(int(7), int(0)), Micro::Read(int(8), int(1))],
        vec![Micro::Read(int(7), int(1))],
        vec![Micro::Write(int(7), int(1)), Micro::Write(int(8), int(1))],
        vec![Micro::Read(int(8), int(1)), Micro::Write(int(7), int(0))],
        vec![Micro::Write(int(8), int(0))],
    ];
    Alphabet { model: MultiRegister { initial: int(0) }, ops }
}

pub fn mutex() -> Alphabet<Mutex> {
    Alphabet { model: Mutex, ops: vec![MutexOp::Acquire, MutexOp::Release] }
}

fn owner_ops() -> Vec<OwnerOp> {
    [1, 2]
        .into_iter()
        .flat_map(|owner| [OwnerOp::Acquire(int(owner)), OwnerOp::Hold(int(owner)), OwnerOp::Release(int(owner))])
        .collect()
}

pub fn owner_mutex() -> Alphabet<OwnerMutex> {
    Alphabet { model: OwnerMutex, ops: owner_ops() }
}

pub fn fenced_mutex() -> Alphabet<FencedMutex> {
    Alphabet { model: FencedMutex, ops: owner_ops() }
}

pub fn reentrant_mutex() -> Alphabet<ReentrantMutex> {
    Alphabet { model: ReentrantMutex, ops: owner_ops() }
}

pub fn semaphore() -> Alphabet<Semaphore> {
    let mut ops = owner_ops();
    ops.extend([OwnerOp::Acquire(int(3)), OwnerOp::Release(int(3))]);
    Alphabet { model: Semaphore { limit: 2 }, ops }
}

pub fn fenced_register() -> Alphabet<FencedRegister> {
    let ops = vec![
        FencedOp::Read(int(0)),
        FencedOp::Read(int(2)),
        FencedOp::Write(1, int(1)),
        FencedOp::Write(2, int(2)),
        FencedOp::Try(1, int(1)),
        FencedOp::Try(2, int(2)),
        FencedOp::Stale(1),
        FencedOp::Stale(2),
    ];
    Alphabet { model: FencedRegister { initial: int(0) }, ops }
}

/// Runs a generic function on every alphabet.
macro_rules! each_alphabet {
    ($run:ident) => {
        $run!(
            register,
            cas_register,
            key_value,
            multi_register,
            mutex,
            owner_mutex,
            fenced_mutex,
            reentrant_mutex,
            semaphore,
            fenced_register
        );
    };
}
pub(crate) use each_alphabet;
