//! Flags about who can reach the server. Owns their words; what they mean is decided where the server is bound.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use clap::Args;

use super::flag;
use crate::config::Flag;

/// Who can reach the server.
#[derive(Debug, Default, Args)]
pub struct Reach {
    /// Address to listen on; one that other machines can reach needs --tls-cert or --insecure-http [default: 127.0.0.1]
    #[arg(long)]
    pub host: Option<IpAddr>,
    /// Port to listen on; 0 takes any free one [default: 4747]
    #[arg(long)]
    pub port: Option<u16>,
    /// Listen on a socket in the file system, for this user alone, instead of an address
    #[arg(long, value_name = "FILE", conflicts_with_all = ["host", "port", "tls_cert", "tls_key"])]
    pub socket: Option<PathBuf>,
    /// Certificate for TLS, in PEM form, with those that vouch for it behind it
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM form
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Let other machines in without TLS; everything that is said can be read on the way
    #[arg(long)]
    pub insecure_http: bool,
    /// Ask nobody for credentials: every user and every program of this machine can then act as you
    #[arg(long)]
    pub insecure_no_auth: bool,
    /// Share a Redis of another machine without TLS or without a password; every session can then be read by others
    #[arg(long)]
    pub insecure_redis: bool,
    /// Origin of another page that may ask with the token, such as `https://app.example`; may be repeated
    #[arg(long = "cors-origin", value_name = "ORIGIN")]
    pub cors_origins: Vec<String>,
    /// Another name by which the server may be addressed, with its port; may be repeated
    #[arg(long = "allowed-host", value_name = "NAME")]
    pub allowed_hosts: Vec<String>,
    /// Where browsers reach the server through a proxy, such as `https://builder.example`
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// A proxy whose word on the client's address counts; may be repeated
    #[arg(long = "trusted-proxy", value_name = "ADDRESS")]
    pub trusted_proxies: Vec<IpAddr>,
}

impl Reach {
    pub(super) fn flags(&self) -> impl Iterator<Item = Flag> {
        let proxies: Vec<String> = self.trusted_proxies.iter().map(IpAddr::to_string).collect();
        [
            flag("--host", "listen.host", self.host.map(|host| host.to_string())),
            flag("--port", "listen.port", self.port.map(|port| port.to_string())),
            flag("--socket", "listen.socket", self.socket.as_deref().map(text)),
            flag("--tls-cert", "listen.tls-cert", self.tls_cert.as_deref().map(text)),
            flag("--tls-key", "listen.tls-key", self.tls_key.as_deref().map(text)),
            flag("--insecure-http", "security.insecure-http", on(self.insecure_http)),
            flag("--insecure-no-auth", "security.insecure-no-auth", on(self.insecure_no_auth)),
            flag("--insecure-redis", "security.insecure-redis", on(self.insecure_redis)),
            flag("--cors-origin", "security.cors-origins", list(&self.cors_origins)),
            flag("--allowed-host", "security.allowed-hosts", list(&self.allowed_hosts)),
            flag("--public-url", "security.public-url", self.public_url.clone()),
            flag("--trusted-proxy", "security.trusted-proxies", list(&proxies)),
        ]
        .into_iter()
        .flatten()
    }
}

fn on(flag: bool) -> Option<String> {
    flag.then(|| true.to_string())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn list(values: &[String]) -> Option<String> {
    (!values.is_empty()).then(|| values.join(","))
}
