use std::time::Duration;

use super::super::figure;
use super::super::{Participant, Step, Trace};
use super::at;

/// A call that went well, one that failed, one without an answer, and a note.
fn trace() -> Trace {
    let mut trace = Trace::new("Small");
    trace.push(Step {
        code: Some("OK".to_owned()),
        took: Some(Duration::from_micros(420)),
        request: vec![("a".to_owned(), "1".to_owned())],
        answer: vec![("b".to_owned(), String::new())],
        good: Some(true),
        ..Step::call(
            at(0),
            Participant::Kubelet,
            Participant::Registrar,
            "GetInfo",
        )
    });
    trace.chapter("Later");
    trace.push(Step {
        code: Some("FAILED_PRECONDITION".to_owned()),
        took: Some(Duration::from_millis(12)),
        message: "NOT_READY: later".to_owned(),
        good: Some(false),
        ..Step::call(
            at(1_000),
            Participant::Registrar,
            Participant::Plugin,
            "Probe",
        )
    });
    trace.push(Step::call(
        at(2_000),
        Participant::Kubelet,
        Participant::ApiServer,
        "PATCH Node",
    ));
    trace.push(Step {
        good: Some(true),
        ..Step::note(at(3_000), Participant::Kubelet, "registered")
    });
    trace
}

#[test]
fn as_markdown() {
    let participants = "    participant R as registrar\n    participant P as plugin\n    participant K as kubelet\n    participant A as API server\n";
    assert_eq!(
        trace().to_mermaid(),
        format!(
            "\
# Small

Times count from 2026-02-03T04:05:06.789Z.

```mermaid
sequenceDiagram
{participants}    K->>+R: GetInfo
    R-->>-K: OK, 0.42 ms
```

| # | After | From | To | What | Result | Took | Details |
|--:|--:|---|---|---|---|--:|---|
| 1 | 0.00 ms | kubelet | registrar | GetInfo | OK | 0.42 ms | asked a: 1<br>answered b: (empty) |

## Later

```mermaid
sequenceDiagram
{participants}    R->>+P: Probe
    P--x-R: \u{2717} FAILED_PRECONDITION, 12.0 ms<br/>NOT_READY#58; later
    K->>A: PATCH Node
    Note over K: \u{2713} registered
```

| # | After | From | To | What | Result | Took | Details |
|--:|--:|---|---|---|---|--:|---|
| 2 | 1.00 ms | registrar | plugin | Probe | **failed**: FAILED\\_PRECONDITION | 12.0 ms | message: NOT\\_READY: later |
| 3 | 2.00 ms | kubelet | API server | PATCH Node |  |  |  |
| 4 | 3.00 ms | kubelet |  | registered | ok |  |  |
"
        )
    );
}

#[test]
fn as_json() {
    assert_eq!(
        trace().to_json(),
        serde_json::json!({
            "title": "Small",
            "start": "2026-02-03T04:05:06.789Z",
            "chapters": [
                { "heading": null, "steps": [
                    { "number": 1, "after_ms": 0.0, "from": "kubelet", "to": "registrar", "what": "GetInfo", "code": "OK", "took_ms": 0.42,
                      "request": [{ "name": "a", "value": "1" }], "answer": [{ "name": "b", "value": "" }], "message": "", "good": true },
                ] },
                { "heading": "Later", "steps": [
                    { "number": 2, "after_ms": 1.0, "from": "registrar", "to": "plugin", "what": "Probe", "code": "FAILED_PRECONDITION", "took_ms": 12.0,
                      "request": [], "answer": [], "message": "NOT_READY: later", "good": false },
                    { "number": 3, "after_ms": 2.0, "from": "kubelet", "to": "API server", "what": "PATCH Node", "code": null, "took_ms": null,
                      "request": [], "answer": [], "message": "", "good": null },
                    { "number": 4, "after_ms": 3.0, "from": "kubelet", "to": "kubelet", "what": "registered", "code": null, "took_ms": null,
                      "request": [], "answer": [], "message": "", "good": true },
                ] },
            ],
            "left_out": 0,
        })
    );
}

#[test]
fn as_rows_of_the_page() {
    let html = trace().to_html();
    let (_, table) = html.split_once("<tbody>\n").unwrap();
    let (rows, _) = table.split_once("</table>").unwrap();
    let row =
        |class: &str, cells: &str| format!("<tr{class}><td class=\"number\">{cells}</td></tr>\n");
    let expected = [
        row(
            " class=\"ok\"",
            "1</td><td class=\"number\">0.00 ms</td><td class=\"who\">kubelet</td><td class=\"who\">registrar</td><td class=\"what\">GetInfo</td>\
             <td class=\"result\">OK</td><td class=\"number\">0.42 ms</td><td><dl><div><dt>asked a: </dt><dd>1</dd></div><div><dt>answered b: </dt><dd>(empty)</dd></div></dl>",
        ),
        "</tbody>\n<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"8\">Later</th></tr>\n".to_owned(),
        row(
            " class=\"failed\"",
            "2</td><td class=\"number\">1.00 ms</td><td class=\"who\">registrar</td><td class=\"who\">plugin</td><td class=\"what\">Probe</td>\
             <td class=\"result\">failed<br>FAILED_PRECONDITION</td><td class=\"number\">12.0 ms</td><td><dl><div><dt>message: </dt><dd>NOT_READY: later</dd></div></dl>",
        ),
        row(
            "",
            "3</td><td class=\"number\">2.00 ms</td><td class=\"who\">kubelet</td><td class=\"who\">API server</td><td class=\"what\">PATCH Node</td>\
             <td class=\"result\"></td><td class=\"number\"></td><td>",
        ),
        row(
            " class=\"ok\"",
            "4</td><td class=\"number\">3.00 ms</td><td class=\"who\">kubelet</td><td class=\"who\"></td><td class=\"what\">registered</td>\
             <td class=\"result\">ok</td><td class=\"number\"></td><td>",
        ),
        "</tbody>\n".to_owned(),
    ];
    assert_eq!(rows, expected.concat());
}

#[test]
fn a_failed_call_is_drawn_with_a_cross_and_another_dash() {
    let trace = trace();
    let chapters = trace.shown();
    let figures = figure::figures(&chapters[1].1[..1]);
    let (_, step) = figures[0].body.split_once("<g class=\"step").unwrap();
    assert_eq!(
        step,
        " failed\" transform=\"translate(0 65)\">
<title>2. registrar to plugin: Probe, failed, FAILED_PRECONDITION, 12.0 ms, NOT_READY: later.</title>
<text class=\"what\" x=\"352\" y=\"16\" text-anchor=\"middle\">Probe</text>
<path class=\"mark\" d=\"M249 32l8 8m0 -8l-8 8\"/>
<text class=\"code\" x=\"360\" y=\"40\" text-anchor=\"middle\">FAILED_PRECONDITION, 12.0 ms</text>
<text class=\"message\" x=\"352\" y=\"54\" text-anchor=\"middle\">NOT_READY: later</text>
<rect class=\"bar\" x=\"467\" y=\"27\" width=\"10\" height=\"38\" rx=\"1\"/>
<path class=\"arrow\" d=\"M232 27H458\"/>
<path class=\"tip\" d=\"M467 27L458 22V32Z\"/>
<path class=\"arrow back\" d=\"M467 65H241\"/>
<path class=\"mark\" d=\"M231 60L241 70M241 60L231 70\"/>
<text class=\"time\" x=\"98\" y=\"16\" text-anchor=\"end\">2</text>
<text class=\"time\" x=\"98\" y=\"30\" text-anchor=\"end\">1.00 ms</text>
</g>
"
    );
}

#[test]
fn long_chapters_become_figures_that_fit_on_a_page() {
    let mut trace = Trace::new("long");
    for micros in 0..100 {
        trace.push(Step::call(
            at(micros),
            Participant::Kubelet,
            Participant::Registrar,
            "dial",
        ));
    }
    let shown = trace.shown();
    let figures = figure::figures(&shown[0].1);
    let heights: Vec<usize> = figures.iter().map(|figure| figure.height).collect();
    assert_eq!(heights, [1122, 1122, 1122, 1180]);
    let heads = |at: usize| figures[at].body.matches(">API server<").count();
    assert_eq!((heads(0), heads(figures.len() - 1)), (1, 2));
    assert!(
        figures[1]
            .description
            .contains("kubelet to registrar: dial.")
    );
}
