//! Publishes a folder to a Berth server and prints its link.
//!
//!     rustc --edition 2021 -O publish.rs
//!     BERTH_SERVER=http://localhost:4000 BERTH_KEY=ship-… ./publish ./dist
//!
//! Uses only the standard library, so it supports only plain http. For https, replace `ask` and `md5` below with the crates `ureq`
//! and `md5`.
//! Without BERTH_KEY, the site is public for three days, and the response contains the claim link with which an account can keep it.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::{env, fs};

const BOUNDARY: &str = "berth-example-7c1f5a0e93";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() {
    let published = env::args().nth(1).ok_or_else(|| "usage: publish <folder>".into()).and_then(|folder| {
        let server = env::var("BERTH_SERVER").unwrap_or_else(|_| "http://localhost:4000".into());
        let key = env::var("BERTH_KEY").ok().filter(|key| !key.is_empty());
        publish(Path::new(&folder), &server, key)
    });
    match published {
        Ok(url) => println!("{url}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// Publishes every file of a folder in one request. Returns the link.
fn publish(folder: &Path, server: &str, key: Option<String>) -> Result<String> {
    let mut files = Vec::new();
    list_files(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    if files.is_empty() {
        return Err(format!("There are no files to publish in {}.", folder.display()).into());
    }
    let mut checksums = Vec::new();
    let mut form = Vec::new();
    for file in &files {
        let content = fs::read(file)?;
        let path = file.strip_prefix(folder)?.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>();
        let name = path.join("/");
        // These characters would end the header that names the file. Berth refuses such names too.
        if name.contains(|it: char| it == '"' || it == '\\' || it.is_control()) {
            return Err(format!("Rename {name:?}: a name must not contain a quote, a backslash or a control character.").into());
        }
        checksums.push(format!("\"{}\"", md5(&content)));
        add_part(&mut form, &format!("name=\"files[]\"; filename=\"{name}\""), &content);
    }
    add_part(&mut form, "name=\"checksums\"", format!("[{}]", checksums.join(",")).as_bytes());
    add_part(&mut form, "name=\"via\"", b"rust");
    form.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());

    let answer = ask(server, key, &form)?;
    // A link contains no quote, so no JSON parser is needed. If the server refuses, the whole response is shown.
    let url = answer.split_once("\"url\":\"").and_then(|(_, rest)| rest.split('"').next());
    url.map(str::to_owned).ok_or_else(|| answer.clone().into())
}

/// Returns all files below a folder, except secrets and the targets of links, in a stable order.
fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let kind = entry.file_type()?;
        let name = entry.file_name();
        if kind.is_dir() && name != ".git" {
            list_files(&entry.path(), files)?;
        } else if kind.is_file() && !name.to_string_lossy().starts_with(".env") {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn add_part(form: &mut Vec<u8>, disposition: &str, content: &[u8]) {
    form.extend_from_slice(format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n").as_bytes());
    form.extend_from_slice(content);
    form.extend_from_slice(b"\r\n");
}

/// Sends the form and returns the body of the response.
fn ask(server: &str, key: Option<String>, form: &[u8]) -> Result<String> {
    let host = server.strip_prefix("http://").ok_or("this example speaks plain http")?.trim_end_matches('/');
    let address = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let authorization = key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
    let head = format!(
        "POST /deployments HTTP/1.1\r\nHost: {host}\r\n{authorization}Content-Type: multipart/form-data; \
         boundary={BOUNDARY}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        form.len()
    );
    let mut line = TcpStream::connect(address)?;
    line.write_all(head.as_bytes())?;
    line.write_all(form)?;
    let mut answer = String::new();
    line.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("the server did not answer")?;
    Ok(body.to_owned())
}

/// Returns the MD5 of bytes as 32 hex digits. Source: RFC 1321.
fn md5(bytes: &[u8]) -> String {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut state: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((bytes.len() + 8) / 64 * 64 + 56, 0);
    padded.extend_from_slice(&(bytes.len() as u64 * 8).to_le_bytes());
    for block in padded.chunks_exact(64) {
        let word = |at: usize| u32::from_le_bytes(block[4 * at..4 * at + 4].try_into().unwrap());
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64 {
            let (mixed, at) = match step / 16 {
                0 => ((b & c) | (!b & d), step),
                1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
                2 => (b ^ c ^ d, (3 * step + 5) % 16),
                _ => (c ^ (b | !d), 7 * step % 16),
            };
            let constant = (((step + 1) as f64).sin().abs() * 4294967296.0) as u32;
            let sum = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(word(at));
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(SHIFTS[step / 16][step % 4])));
        }
        for (kept, new) in state.iter_mut().zip([a, b, c, d]) {
            *kept = kept.wrapping_add(new);
        }
    }
    state.iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}
