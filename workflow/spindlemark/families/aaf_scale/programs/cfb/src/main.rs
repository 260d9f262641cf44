//! Compound files by the crate cfb. The words of the command line and the form of a tree are those of
//! containers/__init__.py.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

const CHUNK: usize = 65536;

#[derive(Default)]
struct Seen {
    streams: u64,
    bytes: u64,
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn report(begun: Instant, seen: &Seen) {
    println!(
        "{{\"seconds\": {:.6}, \"streams\": {}, \"bytes\": {}, \"peak_bytes\": {}}}",
        begun.elapsed().as_secs_f64(),
        seen.streams,
        seen.bytes,
        1024 * peak_kib()
    );
}

fn write_tree(tree: &str, target: &str, sector: &str) -> Outcome<()> {
    let data = fs::read(tree)?;
    let version = match sector {
        "512" => cfb::Version::V3,
        "4096" => cfb::Version::V4,
        _ => return Err(format!("no sectors of {sector} bytes").into()),
    };
    let begun = Instant::now();
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(target)?;
    let mut compound = cfb::CompoundFile::create_with_version(version, file)?;
    let mut seen = Seen::default();
    let mut rest = &data[..];
    while !rest.is_empty() {
        let stop = rest.iter().position(|&byte| byte == b'\n').ok_or("a line without an end")?;
        let line = std::str::from_utf8(&rest[..stop])?;
        rest = &rest[stop + 1..];
        if let Some(path) = line.strip_prefix("D ") {
            compound.create_storage(format!("/{path}"))?;
        } else {
            let (size, path) = line[2..].split_once(' ').ok_or("a stream without a path")?;
            let (content, after) = rest.split_at(size.parse()?);
            compound.create_stream(format!("/{path}"))?.write_all(content)?;
            rest = after;
            seen.streams += 1;
            seen.bytes += content.len() as u64;
        }
    }
    compound.flush()?;
    drop(compound);
    report(begun, &seen);
    Ok(())
}

fn read_file(source: &str, tree: Option<&String>) -> Outcome<()> {
    let mut dump = tree.map(File::create).transpose()?.map(BufWriter::new);
    let begun = Instant::now();
    let mut compound = cfb::open(source)?;
    let entries: Vec<cfb::Entry> = compound.walk().filter(|entry| !entry.is_root()).collect();
    let mut seen = Seen::default();
    let mut chunk = vec![0; CHUNK];
    for entry in entries {
        let path = entry.path().to_str().ok_or("a name that is no text")?.trim_start_matches('/');
        if entry.is_storage() {
            if let Some(dump) = dump.as_mut() {
                writeln!(dump, "D {path}")?;
            }
            continue;
        }
        if let Some(dump) = dump.as_mut() {
            writeln!(dump, "S {} {path}", entry.len())?;
        }
        let mut stream = compound.open_stream(entry.path())?;
        loop {
            let size = stream.read(&mut chunk)?;
            if size == 0 {
                break;
            }
            if let Some(dump) = dump.as_mut() {
                dump.write_all(&chunk[..size])?;
            }
            seen.bytes += size as u64;
        }
        seen.streams += 1;
    }
    if let Some(mut dump) = dump {
        dump.flush()?;
    }
    report(begun, &seen);
    Ok(())
}

/// The version of the crate, from the lock that this was built with.
fn version() -> Outcome<()> {
    let lock = include_str!("../Cargo.lock");
    let (_, entry) = lock.split_once("name = \"cfb\"").ok_or("the lock has no cfb")?;
    println!("{}", entry.split('"').nth(1).ok_or("the lock has no version")?);
    Ok(())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["write", tree, target, sector] => write_tree(tree, target, sector),
        ["read", source] => read_file(source, None),
        ["read", source, tree] => read_file(source, Some(&tree.to_string())),
        ["version"] => version(),
        ["compiler"] => Ok(println!("{}", option_env!("COMPILER").unwrap_or("unknown"))),
        _ => Err("usage: compound write TREE FILE SECTOR | read FILE [TREE] | version | compiler".into()),
    };
    if let Err(error) = done {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
