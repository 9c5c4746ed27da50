//! `./x demo-cluster`: two servers, one Redis and a reverse proxy on this machine, to be looked at. What it starts ends
//! with it.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::command::CommandLine;
use crate::{install, repository, web};

const NAMES: [&str; 2] = ["one", "two"];
/// Where the demo agent keeps its sessions, below the data of its server.
const DEMO: &str = "demo";
/// Browsers and curl take every name below `localhost` for this machine.
const HOST: &str = "builder.localhost";
/// A cold build machine takes long to start five programs.
const ATTEMPTS: u32 = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// Where everything is.
struct Place {
    directory: PathBuf,
    redis: u16,
    proxy: u16,
    servers: [u16; 2],
}

pub(crate) fn run() -> Result<()> {
    install::ensure(install::CLUSTER)?;
    web::build()?;
    CommandLine::new("cargo build --package liminal-builder --bin liminal").run()?;
    let place = Place::new()?;
    place.write()?;
    let mut running = CommandLine::new("sh run.sh").directory(&place.directory).start()?;
    for (name, port) in NAMES.iter().zip(place.servers) {
        place.introduce(name, port)?;
    }
    println!("\n{}\n", place.guide()?);
    running.wait()
}

impl Place {
    fn new() -> Result<Self> {
        let directory = repository::target().join("demo-cluster");
        for folder in ["redis", "one", "two", "project", "nginx", DEMO] {
            fs::create_dir_all(directory.join(folder))?;
        }
        // All are held until the last is known, so that none comes twice.
        let held: Vec<TcpListener> =
            (0..4).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect::<Result<_, _>>()?;
        let ports: Vec<u16> = held.iter().map(|held| Ok(held.local_addr()?.port())).collect::<Result<_>>()?;
        let [redis, proxy, one, two] = ports[..] else { bail!("no free ports") };
        Ok(Self { directory, redis, proxy, servers: [one, two] })
    }

    fn write(&self) -> Result<()> {
        fs::write(self.directory.join("run.sh"), self.script())?;
        fs::write(self.directory.join("nginx.conf"), self.nginx())?;
        for name in NAMES {
            // What an earlier run left would be taken for this one's.
            fs::remove_file(self.directory.join(name).join("server.json")).ok();
            self.share_memory(name)?;
        }
        Ok(())
    }

    /// Agents keep their sessions in the user's home, where every server of a machine finds them. The demo agent keeps
    /// them beside its server's, and without this no other server could go on with them.
    fn share_memory(&self, name: &str) -> Result<()> {
        let link = self.directory.join(name).join(DEMO);
        if !link.is_symlink() {
            fs::remove_dir_all(&link).ok();
            symlink(self.directory.join(DEMO), link)?;
        }
        Ok(())
    }

    /// Ends everything when whoever started it is gone.
    fn script(&self) -> String {
        let (redis, liminal) = (self.redis, program());
        let url = self.public_url();
        let servers: String = NAMES
            .iter()
            .zip(self.servers)
            .map(|(name, port)| {
                format!(
                    "LIMINAL_SECURITY_PUBLIC_URL={url} LIMINAL_SECURITY_TRUSTED_PROXIES=127.0.0.1 {} serve --no-open \
                     --port {port} --data-dir \"$PWD/{name}\" --redis redis://127.0.0.1:{redis} >{name}.log 2>&1 &\n\
                     pids=\"$pids $!\"\n",
                    liminal.display()
                )
            })
            .collect();
        format!(
            "#!/bin/sh\nunset RUSTUP_TOOLCHAIN\ntrap 'kill $pids 2>/dev/null; wait' EXIT\n\
             trap 'exit 0' INT TERM\n\
             redis-server --bind 127.0.0.1 --port {redis} --appendonly yes --save '' --dir redis >redis.log 2>&1 &\n\
             pids=$!\nuntil redis-cli -p {redis} ping >/dev/null 2>&1; do sleep 0.1; done\n{servers}\
             nginx -p \"$PWD\" -c nginx.conf -e nginx/error.log & pids=\"$pids $!\"\n\
             while kill -0 $PPID 2>/dev/null; do sleep 1; done\n"
        )
    }

    /// Where the proxy shows both.
    fn public_url(&self) -> String {
        format!("http://{HOST}:{}", self.proxy)
    }

    fn nginx(&self) -> String {
        let (proxy, [one, two]) = (self.proxy, self.servers);
        format!(
            "daemon off;\npid nginx/pid;\nevents {{}}\nhttp {{\n  access_log off;\n  client_body_temp_path nginx/body;\n  \
             proxy_temp_path nginx/proxy;\n  fastcgi_temp_path nginx/fastcgi;\n  uwsgi_temp_path nginx/uwsgi;\n  \
             scgi_temp_path nginx/scgi;\n  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}\n  \
             upstream both {{ server 127.0.0.1:{one}; server 127.0.0.1:{two}; }}\n  \
             proxy_http_version 1.1;\n  proxy_set_header Host $http_host;\n  \
             proxy_set_header Upgrade $http_upgrade;\n  proxy_set_header Connection $connection_upgrade;\n  \
             proxy_set_header X-Forwarded-For $remote_addr;\n  \
             proxy_buffering off;\n  proxy_request_buffering off;\n  proxy_read_timeout 1h;\n  \
             server {{ listen 127.0.0.1:{proxy}; server_name {HOST}; location / {{ proxy_pass http://both; }} }}\n}}\n"
        )
    }

    /// Waits until a server answers, and tells it of the project.
    fn introduce(&self, name: &str, port: u16) -> Result<()> {
        let path = self.directory.join("project").canonicalize()?;
        for _ in 0..ATTEMPTS {
            if let Ok(token) = self.token(name) {
                let answer = post(port, &token, &format!("{{\"path\":\"{}\"}}", path.display()))?;
                ensure!(answer.contains(" 201 ") || answer.contains("PROJECT_EXISTS"), "{name}: {answer}");
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        bail!("the server does not start; see {}", self.directory.join(format!("{name}.log")).display())
    }

    fn token(&self, name: &str) -> Result<String> {
        let text = fs::read_to_string(self.directory.join(name).join("server.json"))?;
        let value = text.split("\"token\"").nth(1).and_then(|rest| rest.split('"').nth(1));
        value.map(str::to_owned).context("no token")
    }

    fn guide(&self) -> Result<String> {
        let (proxy, directory) = (self.proxy, self.directory.display());
        let mut lines =
            vec![format!("Two servers on one Redis (port {}) behind nginx (port {proxy}).", self.redis)];
        lines.push(format!("  both, in turns: {}", self.fresh_url(NAMES[0])?));
        for (name, port) in NAMES.iter().zip(self.servers) {
            let url = self.fresh_url(name)?;
            let code = url.split_once('#').map_or("", |(_, code)| code);
            lines.push(format!("  server {name} itself: http://127.0.0.1:{port}/#{code}"));
        }
        lines.push(format!(
            "Logs and data are in {directory}. Kill a server or Redis to see what happens; Ctrl-C ends all."
        ));
        Ok(lines.join("\n"))
    }

    /// The address that a server prints for a browser.
    fn fresh_url(&self, name: &str) -> Result<String> {
        let data = self.directory.join(name);
        let url = CommandLine::program(program()).word("url").word("--data-dir").word(&data).output()?;
        Ok(url.trim().to_owned())
    }
}

/// The server, wherever it is called from.
fn program() -> PathBuf {
    let program = repository::target().join("debug/liminal");
    std::path::absolute(&program).unwrap_or(program)
}

/// Asks to add a project.
fn post(port: u16, token: &str, body: &str) -> Result<String> {
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    let head =
        format!("POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
    let length = body.len();
    write!(
        stream,
        "{head}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn both_servers_know_what_the_demo_agent_remembers() {
        let directory = tempfile::tempdir().unwrap();
        for folder in [DEMO, "one/demo", "two"] {
            fs::create_dir_all(directory.path().join(folder)).unwrap();
        }
        let place = Place { directory: directory.path().to_owned(), redis: 1, proxy: 2, servers: [3, 4] };
        // The second start finds what the first one left.
        (0..2).for_each(|_| place.write().unwrap());
        fs::write(directory.path().join("one/demo/session"), "told").unwrap();
        assert_eq!(fs::read_to_string(directory.path().join("two/demo/session")).unwrap(), "told");
    }

    #[test]
    fn the_proxy_and_the_servers_agree_on_names() {
        let place = Place { directory: Path::new("/demo").to_owned(), redis: 1, proxy: 2, servers: [3, 4] };
        let (script, nginx) = (place.script(), place.nginx());
        assert_eq!(script.matches(&format!("PUBLIC_URL=http://{HOST}:2 ")).count(), 2, "{script}");
        assert!(nginx.contains("server 127.0.0.1:3; server 127.0.0.1:4;"), "{nginx}");
        assert!(nginx.contains(&format!("listen 127.0.0.1:2; server_name {HOST};")), "{nginx}");
    }
}
