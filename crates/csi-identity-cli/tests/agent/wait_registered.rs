//! `wait-registered`: what it takes for a yes, and how it ends otherwise.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::node::Node;
use crate::process::Process;
use crate::program::{Ran, Running, csi_identity, eventually, run};

fn wait_for_file(file: &Path, more: &[&str]) -> std::process::Command {
    let mut command = csi_identity(["wait-registered", "--state-file"]);
    command.arg(file).args(more);
    command
}

fn wait_for_http(address: SocketAddr, more: &[&str]) -> Ran {
    let mut command = csi_identity(["wait-registered", "--http-endpoint"]);
    Running::spawn(command.arg(address.to_string()).args(more)).finish()
}

/// An HTTP server that gives each request the same answer, or none, and counts.
fn server(answer: Option<&'static str>) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    // It ends with the test program.
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            let _read = stream.read(&mut [0; 1024]);
            if let Some(answer) = answer {
                let _written = stream.write_all(answer.as_bytes());
            } else {
                open.push(stream);
            }
        }
    });
    (address, count)
}

#[test]
fn an_agent_that_is_registered_is_a_yes_at_once_by_either_way() {
    let node = Node::new();
    let _plugin = node.plugin();
    let kubelet = node.kubelet();
    let agent = node.agent_with_state_file();
    kubelet.registers();
    agent.comes_to("registered");
    let address = agent.address();
    for form in [address.to_string(), format!("localhost:{}", address.port())] {
        assert_eq!(
            run(["wait-registered", "--http-endpoint", &form]),
            Ran::quiet(0, "registered: the kubelet has registered the plugin\n")
        );
    }
    eventually("the file is up to date", || {
        fs::read_to_string(node.state_file())
            .unwrap()
            .contains("\"registered\"")
    });
    let ran = Running::spawn(&mut wait_for_file(&node.state_file(), &[])).finish();
    let since = agent.registration()["since"].as_str().unwrap().to_owned();
    assert_eq!(
        ran,
        Ran::quiet(0, &format!("disk.acme.io is registered since {since}\n"))
    );
}

#[test]
fn what_comes_later_is_waited_for_and_each_reason_told_once() {
    let node = Node::new();
    let waiting = Process::start(&mut wait_for_file(&node.state_file(), &[]));
    let path = node.state_file().display().to_string();
    waiting.has_said(&format!("not registered yet: there is no file {path}"), 1);
    let agent = node.agent_with_state_file();
    waiting.has_said("not registered yet: waiting_for_plugin: nothing is at ", 1);
    let _plugin = node.plugin();
    waiting.has_said("not registered yet: waiting_for_kubelet: ", 1);
    let over_http = {
        let mut command = csi_identity(["wait-registered", "--http-endpoint"]);
        Process::start(command.arg(agent.address().to_string()))
    };
    over_http.has_said("not registered yet: waiting_for_kubelet: ", 1);
    node.kubelet().registers();
    assert_eq!(over_http.finish().code, 0);
    let ran = waiting.finish();
    assert_eq!(ran.code, 0);
    let log = ran.log();
    let mut once = log.clone();
    once.dedup();
    assert_eq!(log, once);
}

#[test]
fn an_agent_that_is_not_registered_in_time_is_a_no_with_its_reason() {
    let node = Node::new();
    let agent = node.agent_with_state_file();
    let reason = agent.comes_to("waiting_for_plugin").body;
    let expected = format!("not registered within 400ms: {reason}\n");
    let begun = Instant::now();
    let ran = wait_for_http(agent.address(), &["--timeout=400ms"]);
    assert!(begun.elapsed() >= Duration::from_millis(400));
    assert_eq!((ran.code, ran.stdout), (1, expected.clone()));
    let begun = Instant::now();
    let ran = Running::spawn(&mut wait_for_file(&node.state_file(), &["--timeout=400ms"])).finish();
    assert!(begun.elapsed() >= Duration::from_millis(400));
    assert_eq!((ran.code, ran.stdout), (1, expected));
}

#[test]
fn an_address_where_no_agent_answers_is_an_error_with_the_reason() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free.local_addr().unwrap();
    drop(free);
    let (mute, _) = server(None);
    let (other, _) = server(Some(
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nfine\n",
    ));
    let (broken, _) = server(Some(
        "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    ));
    for (address, reason) in [
        (
            nobody,
            format!("cannot connect to {nobody}: Connection refused (os error 111)"),
        ),
        (
            mute,
            format!("{mute} takes connections and does not answer: deadline has elapsed"),
        ),
        (
            other,
            format!("{other} answers 200 OK and \"fine\", as no agent does"),
        ),
        (
            broken,
            format!("{broken} answers 500 Internal Server Error and \"\", as no agent does"),
        ),
    ] {
        let begun = Instant::now();
        let ran = wait_for_http(address, &["--timeout=300ms"]);
        assert!(begun.elapsed() < Duration::from_secs(5), "{reason}");
        let error = format!("error: no answer within 300ms: {reason}");
        assert_eq!(
            (ran.code, &*ran.stdout, ran.stderr.lines().last()),
            (2, "", Some(&*error))
        );
    }
}

#[test]
fn a_file_that_no_agent_keeps_is_an_error_with_the_reason() {
    let node = Node::new();
    let path = node.state_file();
    let here = path.display();
    let check = |reason: &str| {
        let ran = Running::spawn(&mut wait_for_file(&path, &["--timeout=300ms"])).finish();
        let error = format!("error: no answer within 300ms: {reason}");
        assert_eq!(
            (ran.code, &*ran.stdout, ran.stderr.lines().last()),
            (2, "", Some(&*error))
        );
    };
    check(&format!("there is no file {here}"));
    fs::write(&path, "{\"state\":").unwrap();
    check(&format!(
        "{here} is no state file: EOF while parsing a value at line 1 column 9"
    ));
    let _plugin = node.plugin();
    let kubelet = node.kubelet();
    for is_killed in [true, false] {
        let agent = node.agent_with_state_file();
        kubelet.registers();
        eventually("the file is up to date", || {
            fs::read_to_string(&path)
                .unwrap()
                .contains("\"registered\"")
        });
        if is_killed {
            agent.kill();
        } else {
            agent.stop();
        }
        check(&format!(
            "{here} was left by an agent that does not run any more"
        ));
    }
}

#[test]
fn it_asks_a_few_times_a_second_and_stops_in_time() {
    let (address, asked) = server(Some(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 7\r\nconnection: close\r\n\r\nnot yet",
    ));
    let ran = wait_for_http(address, &["--timeout=1s"]);
    assert_eq!(
        (ran.code, &*ran.stdout),
        (1, "not registered within 1s: not yet\n")
    );
    let asked = asked.load(Ordering::SeqCst);
    assert!((2..=5).contains(&asked), "{asked}");
}

#[test]
fn one_way_to_ask_has_to_be_given_and_not_both() {
    let ran = run(["wait-registered"]);
    assert_eq!((ran.code, &*ran.stdout), (2, ""));
    assert!(
        ran.stderr.starts_with(
            "error: the following required arguments were not provided:\n  --http-endpoint <ADDRESS>\n"
        ),
        "{}",
        ran.stderr
    );
    let ran = run([
        "wait-registered",
        "--http-endpoint=:9808",
        "--state-file=/state.json",
    ]);
    assert_eq!((ran.code, &*ran.stdout), (2, ""));
    assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
}
