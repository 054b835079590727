use super::escape::{one_line, or_empty, xml};
use super::figure::{self, Figure, WIDTH};
use super::moment::{milliseconds, rfc3339};
use super::{Shown, Step, Trace, style};

/// What the table says of every step.
const HEADINGS: [&str; 8] = [
    "#", "After", "From", "To", "What", "Result", "Took", "Details",
];

impl Trace {
    /// A page that needs nothing else, no script either: the picture, chapter for chapter, and a table that has all texts whole.
    #[must_use]
    pub fn to_html(&self) -> String {
        let title = xml(&one_line(&self.title));
        let mut page = format!(
            "\
<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>{title}</title>
<style>
{}{}</style>
</head>
<body>
<main>
<h1>{title}</h1>
",
            style::of_figures(),
            style::OF_PAGE,
        );
        if let Some(start) = self.start() {
            let start = rfc3339(start);
            page.push_str(&format!(
                "<p>Times count from <time datetime=\"{start}\">{start}</time>.</p>\n"
            ));
        }
        if let Some(remark) = self.remark() {
            page.push_str(&format!("<p><strong>{remark}</strong></p>\n"));
        }
        let chapters = self.shown();
        let mut figures = 0;
        for (heading, steps) in &chapters {
            page.push_str("<section>\n");
            if let Some(heading) = heading {
                page.push_str(&format!("<h2>{}</h2>\n", xml(&one_line(heading))));
            }
            for figure in figure::figures(steps) {
                figures += 1;
                push_figure(figures, &figure, &mut page);
            }
            page.push_str("</section>\n");
        }
        if self.start().is_some() {
            push_table(&chapters, &mut page);
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }
}

fn push_figure(number: usize, figure: &Figure, page: &mut String) {
    let Figure {
        body,
        height,
        description,
    } = figure;
    let description = xml(description);
    page.push_str(&format!(
        "\
<figure class=\"wide\" tabindex=\"0\" aria-label=\"Picture {number}\">
<svg class=\"flow\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"title-{number} description-{number}\">
<title id=\"title-{number}\">Picture {number}: who called whom</title>
<desc id=\"description-{number}\">{description}</desc>
{body}</svg>
</figure>
"
    ));
}

fn push_table(chapters: &[(Option<&str>, Vec<Shown<'_>>)], page: &mut String) {
    page.push_str(
        "<section>\n<h2 id=\"steps\">All steps</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"steps\">\n\
         <table>\n<caption>Every step with all its fields and texts.</caption>\n<thead><tr>",
    );
    for heading in HEADINGS {
        page.push_str(&format!("<th scope=\"col\">{heading}</th>"));
    }
    page.push_str("</tr></thead>\n");
    for (heading, steps) in chapters {
        page.push_str("<tbody>\n");
        if let Some(heading) = heading {
            let (columns, heading) = (HEADINGS.len(), xml(&one_line(heading)));
            page.push_str(&format!(
                "<tr><th scope=\"rowgroup\" colspan=\"{columns}\">{heading}</th></tr>\n"
            ));
        }
        for shown in steps {
            push_row(shown, page);
        }
        page.push_str("</tbody>\n");
    }
    page.push_str("</table>\n</div>\n</section>\n");
}

fn push_row(
    Shown {
        number,
        after,
        step,
    }: &Shown<'_>,
    page: &mut String,
) {
    let (class, result) = match step.good {
        Some(true) => (" class=\"ok\"", "ok"),
        Some(false) => (" class=\"failed\"", "failed"),
        None => ("", ""),
    };
    let result = match (&step.code, result) {
        (None, result) => result.to_owned(),
        (Some(code), "failed") => format!("failed<br>{}", xml(code)),
        (Some(code), _) => xml(code),
    };
    let to = if step.is_note() { "" } else { step.to.name() };
    page.push_str(&format!(
        "<tr{class}><td class=\"number\">{number}</td><td class=\"number\">{}</td><td class=\"who\">{}</td><td class=\"who\">{to}</td>\
         <td class=\"what\">{}</td><td class=\"result\">{result}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
        milliseconds(*after),
        step.from.name(),
        xml(&step.what),
        step.took.map(milliseconds).unwrap_or_default(),
        details(step),
    ));
}

fn details(step: &Step) -> String {
    let mut details = String::new();
    for (which, fields) in step.fields() {
        for (name, value) in fields {
            let [name, value] = [name, or_empty(value)].map(xml);
            details.push_str(&format!(
                "<div><dt>{which}{name}: </dt><dd>{value}</dd></div>"
            ));
        }
    }
    if !step.message.is_empty() {
        let message = xml(&step.message);
        details.push_str(&format!("<div><dt>message: </dt><dd>{message}</dd></div>"));
    }
    if details.is_empty() {
        return details;
    }
    format!("<dl>{details}</dl>")
}
