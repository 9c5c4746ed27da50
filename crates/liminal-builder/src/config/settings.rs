//! Every setting, once. Owns their names and bounds; files, variables, flags and the report all go by this list.

use serde_json::Value;

use super::reading::{Given, Readable, Rule, read};
use super::{Config, Origin};

type Take = fn(&mut Config, &Given<'_>, Rule) -> Result<(), String>;

/// A setting.
pub(super) struct Setting {
    /// Its table in the file.
    pub(super) section: &'static str,
    field: &'static str,
    rule: Rule,
    take: Take,
    show: fn(&Config) -> Value,
}

macro_rules! setting {
    ($section:ident.$field:ident) => {
        setting!($section.$field, Rule::Any)
    };
    ($section:ident.$field:ident, $least:literal..=$most:literal) => {
        setting!($section.$field, Rule::Between($least, $most))
    };
    ($section:ident.$field:ident, $rule:expr) => {
        Setting {
            section: stringify!($section),
            field: stringify!($field),
            rule: $rule,
            take: |config, given, rule| {
                config.$section.$field = read(given, rule)?;
                Ok(())
            },
            show: |config| config.$section.$field.show(),
        }
    };
}

pub(super) const SETTINGS: [Setting; 55] = [
    setting!(listen.host),
    setting!(listen.port),
    setting!(listen.socket),
    setting!(listen.tls_cert),
    setting!(listen.tls_key),
    setting!(storage.event_rows, 100..=100_000_000),
    setting!(storage.event_mib, 1..=65_536),
    setting!(storage.database_mib, 0..=1_048_576),
    setting!(storage.data_dir),
    setting!(sessions.idle_minutes, 0..=10_080),
    setting!(sessions.idle_seconds, 0..=59),
    setting!(sessions.max_agents, 1..=1_000),
    setting!(sessions.permission_minutes, 0..=1_440),
    setting!(sessions.permission_seconds, 0..=59),
    setting!(sessions.stall_seconds, 1..=86_400),
    setting!(sessions.queue_length, 0..=1_000),
    setting!(sessions.durability),
    setting!(batch.gradient, 1..=1_000_000),
    setting!(batch.idle_ms, 1..=600_000),
    setting!(batch.first_emission_ms, 1..=600_000),
    setting!(limits.connections, 8..=65_536),
    setting!(limits.header_seconds, 1..=600),
    setting!(limits.body_seconds, 1..=3_600),
    setting!(limits.idle_seconds, 1..=3_600),
    setting!(limits.stop_seconds, 0..=600),
    setting!(limits.header_kib, 8..=1_024),
    setting!(limits.header_fields, 16..=1_024),
    setting!(limits.body_kib, 16..=65_536),
    setting!(limits.file_kib, 16..=65_536),
    setting!(limits.message_kib, 16..=65_536),
    setting!(limits.stall_seconds, 1..=3_600),
    setting!(security.agent_env),
    setting!(security.agent_wrapper),
    setting!(security.allow_bypass),
    setting!(security.allowed_hosts),
    setting!(security.cors_origins),
    setting!(security.insecure_http),
    setting!(security.insecure_no_auth),
    setting!(security.insecure_redis),
    setting!(security.public_url),
    setting!(security.trusted_proxies),
    setting!(redis.url),
    setting!(redis.prefix),
    setting!(redis.lease_ms, 500..=600_000),
    setting!(redis.publish_stream_b),
    setting!(redis.stream_b_minutes, 1..=525_600),
    setting!(redis.stream_b_batch_gradient, 1..=1_000_000),
    setting!(redis.stream_b_batch_timeout_ms, 1..=600_000),
    setting!(redis.stream_b_retry_attempts, 0..=1_000),
    setting!(redis.stream_b_retry_base_ms, 1..=600_000),
    setting!(redis.stream_b_retry_max_ms, 1..=600_000),
    setting!(redis.stream_b_extra_items),
    setting!(logging.level),
    setting!(logging.file),
    setting!(logging.syslog),
];

impl Setting {
    /// Its word in the file.
    pub(super) fn key(&self) -> String {
        self.field.replace('_', "-")
    }

    /// Section and word.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.section, self.key())
    }

    /// The variable that sets it.
    pub(super) fn variable(&self) -> String {
        format!("LIMINAL_{}_{}", self.section, self.field).to_ascii_uppercase()
    }

    /// What it is now.
    pub(super) fn show(&self, config: &Config) -> Value {
        (self.show)(config)
    }

    /// Sets it, or tells what it must be.
    pub(super) fn take(&self, config: &mut Config, given: &Given<'_>, origin: &Origin) -> Result<(), String> {
        (self.take)(config, given, self.rule)?;
        // A variable is inherited without anybody looking at it, from whoever started the program.
        let is_unseen = matches!(origin, Origin::Variable { .. });
        if is_unseen && self.field == "host" && !config.listen.host.is_loopback() {
            return Err("must be an address of this machine alone, such as 127.0.0.1".to_owned());
        }
        let is_dangerous = match self.field {
            "allow_bypass" => config.security.allow_bypass,
            "insecure_http" => config.security.insecure_http,
            "insecure_no_auth" => config.security.insecure_no_auth,
            "insecure_redis" => config.security.insecure_redis,
            _ => false,
        };
        if is_unseen && is_dangerous {
            return Err(format!("cannot be set by a variable; use --{} or the file", self.key()));
        }
        Ok(())
    }
}

/// The setting of this name.
pub(super) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name() == name)
}

/// The settings of a section.
pub(super) fn of_section(section: &str) -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(move |setting| setting.section == section)
}
