//! Times the published reference crates on inputs that the Go side made, over
//! the worker protocol of package benches: one JSON object a line in, one out.
//!
//! Usage: `reference INPUTS`, where INPUTS is the directory of cached inputs.
//! Benchmarks are named like those of the Go side, without the way to verify:
//! `stm/k=25/mode=batch/n=10`, `stm/k=25/mode=single/n=10`,
//! `chain/shape=preprod/n=16`.

mod chain;
mod protocol;
mod stm;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// What one iteration does. An error ends the benchmark.
pub type Op = Box<dyn FnMut() -> Result<()>>;

fn prepare(inputs: &Path, id: &str) -> Result<Op> {
    let parts: Vec<&str> = id.split('/').collect();
    let n = |text: &str| -> Result<usize> {
        text.strip_prefix("n=").and_then(|x| x.parse().ok()).with_context(|| format!("no number in {id:?}"))
    };
    match parts[..] {
        ["stm", shape, "mode=batch", count] => stm::batch(inputs, shape, n(count)?),
        ["stm", shape, "mode=single", count] => stm::single(inputs, shape, n(count)?),
        ["chain", shape, count] => chain::verify(inputs, shape, n(count)?),
        _ => bail!("no benchmark {id:?}"),
    }
}

fn main() -> Result<()> {
    let inputs = PathBuf::from(std::env::args().nth(1).context("usage: reference INPUTS")?);
    protocol::serve(|id| prepare(&inputs, id))
}
