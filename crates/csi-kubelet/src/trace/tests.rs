mod exact;
mod hostile;
mod markup;

use std::time::{Duration, SystemTime};

use super::{Participant, Step, Trace, TraceForm};

/// 2026-02-03T04:05:06.789Z, and so many microseconds more.
fn at(micros: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH
        + Duration::from_millis(1_770_091_506_789)
        + Duration::from_micros(micros)
}

fn note(micros: u64, what: &str) -> Step {
    Step::note(at(micros), Participant::Kubelet, what)
}

/// What the steps are called, in the order in which they are shown.
fn order(trace: &Trace) -> Vec<String> {
    let json = trace.to_json();
    let chapters = json["chapters"].as_array().unwrap().iter();
    let steps = chapters.flat_map(|chapter| chapter["steps"].as_array().unwrap());
    let what =
        |step: &serde_json::Value| format!("{} {}", step["number"], step["what"].as_str().unwrap());
    steps.map(what).collect()
}

#[test]
fn steps_of_a_chapter_are_shown_by_the_time_at_which_they_began() {
    let mut trace = Trace::new("order");
    for step in [note(20, "c"), note(10, "a"), note(20, "d"), note(10, "b")] {
        trace.push(step);
    }
    trace.chapter("a chapter keeps its own");
    trace.push(note(0, "e"));
    assert_eq!(order(&trace), ["1 a", "2 b", "3 c", "4 d", "5 e"]);
    let json = trace.to_json();
    let after =
        |chapter: usize, step: usize| json["chapters"][chapter]["steps"][step]["after_ms"].as_f64();
    assert_eq!(
        [after(1, 0), after(0, 0), after(0, 3)],
        [Some(0.0), Some(0.01), Some(0.02)]
    );
}

#[test]
fn what_comes_after_the_last_place_is_counted_in_every_form() {
    let mut trace = Trace::new("many");
    trace.chapter("a heading takes a place, too");
    for micros in 0..Trace::MOST as u64 {
        trace.push(note(micros, "step"));
    }
    assert_eq!(trace.left_out(), 1);
    trace.chapter("too late");
    trace.push(note(0, "too late"));
    assert_eq!(trace.left_out(), 2);
    assert_eq!(order(&trace).len(), Trace::MOST - 1);
    assert_eq!(trace.to_json()["left_out"], 2);
    let remark =
        "2 later steps are left out: a trace keeps 2,000 steps and headings, and 8 MiB of text.";
    for form in [TraceForm::Markdown, TraceForm::Html, TraceForm::Svg] {
        let text = trace.render(form);
        assert!(text.contains(remark), "{form:?}");
        assert!(!text.contains("too late"), "{form:?}");
    }
}

#[test]
fn what_would_fill_the_memory_is_left_out_and_all_that_follows() {
    let mut trace = Trace::new("much");
    trace.push(note(0, "first"));
    let mut long = note(1, "long");
    long.answer = vec![(
        String::new(),
        "x".repeat(Trace::MOST_BYTES - "first".len() - "long".len() + 1),
    )];
    let mut fits = long.clone();
    fits.answer[0].1.pop();
    let mut other = trace.clone();
    other.push(fits);
    assert_eq!(other.left_out(), 0);
    trace.push(long);
    trace.push(note(2, "short"));
    assert_eq!(
        (order(&trace), trace.left_out()),
        (vec!["1 first".to_owned()], 2)
    );
}

#[test]
fn a_trace_of_nothing_says_so() {
    let trace = Trace::new("empty");
    for form in [TraceForm::Markdown, TraceForm::Html, TraceForm::Svg] {
        assert!(trace.render(form).contains("Nothing was seen."), "{form:?}");
    }
    assert_eq!(
        trace.render(TraceForm::Json),
        "{\n  \"title\": \"empty\",\n  \"start\": null,\n  \"chapters\": [],\n  \"left_out\": 0\n}\n"
    );
}
