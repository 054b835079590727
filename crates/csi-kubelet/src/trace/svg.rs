use super::Trace;
use super::escape::{one_line, xml};
use super::figure::{self, Figure, WIDTH};
use super::look::Look;
use super::{moment, style, wrap};

/// Distances are in pixels.
const LEFT: usize = 14;
const TITLE: usize = 58;
const CHAPTER: usize = 40;
const REMARK: usize = 32;

impl Trace {
    /// One picture that stands alone, for light and dark screens and for paper.
    ///
    /// Long texts are shortened in it. A pointer that rests on a step shows more of them.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut body = String::new();
        let mut description = Vec::new();
        let mut y = TITLE;
        push_line(Look::TITLE, &self.title, [LEFT, 30], &mut body);
        if let Some(start) = self.start() {
            let start = format!("0.00 ms is {}", moment::rfc3339(start));
            push_line(Look::MORE, &start, [LEFT, 50], &mut body);
        }
        for (heading, steps) in self.shown() {
            if let Some(heading) = heading {
                let [top, width] = [y + 6, WIDTH - 2 * LEFT];
                body.push_str(&format!(
                    "<rect class=\"band\" x=\"{LEFT}\" y=\"{top}\" width=\"{width}\" height=\"28\" rx=\"4\"/>\n"
                ));
                push_line(Look::CHAPTER, heading, [LEFT + 10, y + 25], &mut body);
                y += CHAPTER;
                description.push(format!("{}.", wrap::shortened(&one_line(heading), 200)));
            }
            for Figure {
                body: figure,
                height,
                description: of_figure,
            } in figure::figures(&steps)
            {
                body.push_str(&format!(
                    "<g transform=\"translate(0 {y})\">\n{figure}</g>\n"
                ));
                y += height;
                description.push(of_figure);
            }
        }
        if let Some(remark) = self.remark() {
            push_line(Look::WHAT, &remark, [LEFT, y + 18], &mut body);
            y += REMARK;
            description.push(remark);
        }
        format!(
            "\
<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flow\" viewBox=\"0 0 {WIDTH} {y}\" width=\"{WIDTH}\" height=\"{y}\" role=\"img\" \
aria-labelledby=\"title description\">
<title id=\"title\">{}</title>
<desc id=\"description\">{}</desc>
<style>
{}</style>
<rect class=\"ground\" width=\"{WIDTH}\" height=\"{y}\"/>
{body}</svg>
",
            xml(&wrap::shortened(&one_line(&self.title), 200)),
            xml(&description.join(" ")),
            style::of_figures(),
        )
    }
}

/// The text on one line, as much of it as fits.
fn push_line(look: Look, text: &str, [x, baseline]: [usize; 2], body: &mut String) {
    let fits = look.lines(text, WIDTH - LEFT - x);
    if let Some(line) = fits.first() {
        body.push_str(&look.drawn(line, "start", x, baseline));
    }
}
