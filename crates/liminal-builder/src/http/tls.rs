//! TLS with the user's own certificate. Owns how it is read and what is offered to clients; whose certificate it is does
//! not matter here.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file holds no such thing, or cannot be read.
    #[error("cannot read {what} from {}: {source}; give a file in PEM form", path.display())]
    File {
        /// What it should hold.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: pem::Error,
    },
    /// Certificate and key do not belong together, or are of a kind that nobody takes.
    #[error("the certificate in {} and its key cannot be used: {source}", path.display())]
    Unusable {
        /// The certificate's file.
        path: PathBuf,
        /// What is wrong.
        source: rustls::Error,
    },
}

/// A certificate with its key.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    fingerprint: String,
}

impl Tls {
    /// Reads the certificate, with those that vouch for it behind it, and its key.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let file = |what, path: &Path| {
            let path = path.to_owned();
            move |source| TlsError::File { what, path, source }
        };
        let chain =
            CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let chain = chain.map_err(file("a certificate", certificate))?;
        let own =
            chain.first().ok_or(pem::Error::NoItemsFound).map_err(file("a certificate", certificate))?;
        let fingerprint = fingerprint(own);
        let key = PrivateKeyDer::from_pem_file(key).map_err(file("a private key", key))?;
        let config = config(chain, key)
            .map_err(|source| TlsError::Unusable { path: certificate.to_owned(), source })?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), fingerprint })
    }

    pub(super) const fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// By what a client knows this very certificate.
    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

fn config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, rustls::Error> {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
    let mut config = builder.with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// SHA-256 of a certificate, in hexadecimal digits.
pub(super) fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    Sha256::digest(certificate.as_ref()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Shows no key.
impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tls").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}
