//! Whole chains, from the JSON text of the certificates to the verdict, which is what a client does.

use crate::Op;
use anyhow::{Context, Result, anyhow, ensure};
use mithril_common::certificate_chain::{
    CertificateRetriever, CertificateRetrieverError, CertificateVerifier, MithrilCertificateVerifier,
};
use mithril_common::crypto_helper::GenesisVerifier;
use mithril_common::entities::Certificate;
use mithril_common::messages::CertificateMessage;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

struct Memory(HashMap<String, Certificate>);

#[async_trait::async_trait]
impl CertificateRetriever for Memory {
    async fn get_certificate_details(&self, hash: &str) -> Result<Certificate, CertificateRetrieverError> {
        self.0.get(hash).cloned().ok_or_else(|| CertificateRetrieverError(anyhow!("no certificate {hash}")))
    }
}

pub fn verify(inputs: &Path, shape: &str, n: usize) -> Result<Op> {
    let path = inputs.join(format!("chain-{shape}.jsonl"));
    let text = std::fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    // The first line is the genesis key, then certificates follow, the oldest first.
    let mut lines = text.lines().map(str::to_owned);
    let key = lines.next().context("no genesis key")?;
    let certificates: Vec<String> = lines.take(n).collect();
    ensure!(certificates.len() == n, "{} has {} certificates, want {n}", path.display(), certificates.len());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let logger = slog::Logger::root(slog::Discard, slog::o!());
    Ok(Box::new(move || {
        let mut known = HashMap::new();
        let mut newest = None;
        for text in &certificates {
            let message: CertificateMessage = serde_json::from_str(text)?;
            let certificate: Certificate = message.try_into()?;
            newest = Some(certificate.clone());
            known.insert(certificate.hash.clone(), certificate);
        }
        let genesis = Arc::new(GenesisVerifier::try_from_hex(&key)?);
        let verifier = MithrilCertificateVerifier::new(logger.clone(), Arc::new(Memory(known)), genesis);
        runtime.block_on(verifier.verify_certificate_chain(newest.context("no certificate")?))
    }))
}
