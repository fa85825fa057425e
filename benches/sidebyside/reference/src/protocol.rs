//! The worker protocol: see benches/worker.go.

use crate::Op;
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::time::Instant;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Request {
    prepare: String,
    sample: String,
    iterations: u64,
}

#[derive(Serialize, Default)]
struct Response {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ok: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
    iterations: u64,
    nanoseconds: u64,
}

pub fn serve(prepare: impl Fn(&str) -> Result<Op>) -> Result<()> {
    let mut current: Option<(String, Op)> = None;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let response = answer(&prepare, &mut current, request)
            .unwrap_or_else(|e| Response { error: format!("{e:#}"), ..Default::default() });
        serde_json::to_writer(&mut out, &response)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(prepare: &impl Fn(&str) -> Result<Op>, current: &mut Option<(String, Op)>, q: Request) -> Result<Response> {
    if !q.prepare.is_empty() {
        *current = None;
        *current = Some((q.prepare.clone(), prepare(&q.prepare)?));
        return Ok(Response { ok: true, ..Default::default() });
    }
    match current {
        Some((id, op)) if *id == q.sample => {
            let start = Instant::now();
            for _ in 0..q.iterations {
                op()?;
            }
            let nanoseconds = start.elapsed().as_nanos() as u64;
            Ok(Response { iterations: q.iterations, nanoseconds, ..Default::default() })
        }
        _ => bail!("{:?} is not prepared", q.sample),
    }
}
