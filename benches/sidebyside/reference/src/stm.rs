//! STM proofs, decoded before the clock starts, as in the crate's own benchmarks.

use crate::Op;
use anyhow::{Context, Result, ensure};
use mithril_stm::{
    AggregateSignature, AggregateVerificationKey, AggregateVerificationKeyForConcatenation, MithrilMembershipDigest,
    Parameters,
};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

type D = MithrilMembershipDigest;

#[derive(Deserialize)]
struct Line {
    parameters: Parameters,
    msg: String,
    avk_json: String,
    sig_json: String,
}

struct Proofs {
    signatures: Vec<AggregateSignature<D>>,
    messages: Vec<Vec<u8>>,
    keys: Vec<AggregateVerificationKey<D>>,
    parameters: Vec<Parameters>,
}

fn load(inputs: &Path, shape: &str, n: usize) -> Result<Proofs> {
    let path = inputs.join(format!("stm-{shape}.jsonl"));
    let file = File::open(&path).with_context(|| format!("{}", path.display()))?;
    let mut p = Proofs { signatures: vec![], messages: vec![], keys: vec![], parameters: vec![] };
    for line in BufReader::new(file).lines().take(n) {
        let l: Line = serde_json::from_str(&line?)?;
        let key: AggregateVerificationKeyForConcatenation<D> = serde_json::from_str(&l.avk_json)?;
        p.signatures.push(serde_json::from_str(&l.sig_json)?);
        p.messages.push(hex::decode(&l.msg)?);
        p.keys.push(AggregateVerificationKey::new(key));
        p.parameters.push(l.parameters);
    }
    ensure!(p.messages.len() == n, "{} has {} proofs, want {n}", path.display(), p.messages.len());
    Ok(p)
}

pub fn batch(inputs: &Path, shape: &str, n: usize) -> Result<Op> {
    let p = load(inputs, shape, n)?;
    let ancillary = vec![None; n];
    let genesis: Vec<_> = (0..n).map(|_| None).collect();
    Ok(Box::new(move || {
        AggregateSignature::batch_verify(&p.signatures, &p.messages, &p.keys, &p.parameters, &ancillary, &genesis)
    }))
}

pub fn single(inputs: &Path, shape: &str, n: usize) -> Result<Op> {
    let p = load(inputs, shape, n)?;
    Ok(Box::new(move || {
        for i in 0..n {
            p.signatures[i].verify(&p.messages[i], &p.keys[i], &p.parameters[i], None, None)?;
        }
        Ok(())
    }))
}
