//! The connection to a server: by address, with TLS, or by a socket. Owns that a server with a certificate is the one that
//! the server's file tells of, whoever vouches for it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

use crate::http::server_file::ServerFile;
use crate::http::tls::fingerprint;

/// Anything that bytes go over.
pub(super) trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Wire for T {}

/// The name to ask a server by, and a connection to it.
pub(super) async fn connect(server: &ServerFile) -> io::Result<(String, Box<dyn Wire>)> {
    if let Some(path) = server.url.strip_prefix("unix:") {
        let stream = UnixStream::connect(Path::new(path)).await?;
        return Ok(("localhost".to_owned(), Box::new(stream)));
    }
    if let Some(authority) = server.url.strip_prefix("https://") {
        let stream = TcpStream::connect(authority).await?;
        let connector = TlsConnector::from(Arc::new(config(server)?));
        let stream = connector.connect(name(authority)?, stream).await?;
        return Ok((authority.to_owned(), Box::new(stream)));
    }
    let authority = server.url.strip_prefix("http://").unwrap_or(&server.url);
    Ok((authority.to_owned(), Box::new(TcpStream::connect(authority).await?)))
}

fn name(authority: &str) -> io::Result<ServerName<'static>> {
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host).trim_matches(['[', ']']);
    ServerName::try_from(host.to_owned()).map_err(io::Error::other)
}

fn config(server: &ServerFile) -> io::Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let expected = server.certificate.clone().unwrap_or_default();
    let verifier = Arc::new(Pinned { expected, provider: Arc::clone(&provider) });
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(io::Error::other)?.dangerous();
    Ok(builder.with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Takes one certificate and no other.
#[derive(Debug)]
struct Pinned {
    expected: String,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if fingerprint(end_entity) == self.expected {
            return Ok(ServerCertVerified::assertion());
        }
        Err(Error::General(
            "the server shows another certificate than the one it was started with".to_owned(),
        ))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
