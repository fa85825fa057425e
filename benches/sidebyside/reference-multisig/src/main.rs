//! Times the multi-signatures of mithril-stm on inputs that the Go side made,
//! over the worker protocol of package benches. Usage: `reference-multisig INPUTS`.
//! Benchmarks: `multisig/n=10` and `bls`, as in the crate's own benchmarks.

#[path = "../../reference/src/protocol.rs"]
mod protocol;

use anyhow::{Context, Result, bail, ensure};
use mithril_stm::{BlsSignature, BlsVerificationKey};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// What one iteration does. An error ends the benchmark.
pub type Op = Box<dyn FnMut() -> Result<()>>;

#[derive(Deserialize)]
struct Line {
    msg: String,
    vk: String,
    sig: String,
}

type Inputs = (Vec<Vec<u8>>, Vec<BlsVerificationKey>, Vec<BlsSignature>);

fn load(path: &Path, n: usize) -> Result<Inputs> {
    let file = File::open(path).with_context(|| format!("{}", path.display()))?;
    let (mut messages, mut keys, mut signatures) = (vec![], vec![], vec![]);
    for line in BufReader::new(file).lines().take(n) {
        let l: Line = serde_json::from_str(&line?)?;
        messages.push(hex::decode(&l.msg)?);
        keys.push(BlsVerificationKey::from_canonical_bytes(&hex::decode(&l.vk)?)?);
        signatures.push(BlsSignature::from_canonical_bytes(&hex::decode(&l.sig)?)?);
    }
    ensure!(keys.len() == n, "{} has {} signatures, want {n}", path.display(), keys.len());
    Ok((messages, keys, signatures))
}

fn prepare(inputs: &Path, id: &str) -> Result<Op> {
    if id == "bls" {
        let (messages, keys, signatures) = load(&inputs.join("bls.jsonl"), 1000)?;
        return Ok(Box::new(move || {
            let (key, signature) = BlsSignature::aggregate(&keys, &signatures)?;
            signature.verify(&messages[0], &key)
        }));
    }
    let Some(n) = id.strip_prefix("multisig/n=").and_then(|x| x.parse().ok()) else {
        bail!("no benchmark {id:?}");
    };
    let (messages, keys, signatures) = load(&inputs.join("multisig.jsonl"), n)?;
    Ok(Box::new(move || BlsSignature::batch_verify_aggregates(&messages, &keys, &signatures)))
}

fn main() -> Result<()> {
    let inputs = PathBuf::from(std::env::args().nth(1).context("usage: reference-multisig INPUTS")?);
    protocol::serve(|id| prepare(&inputs, id))
}
