//! Bars as a picture in SVG, for light and dark screens. It has a ground of its own, because the page it is shown on may be dark
//! where the reader's system is light. The same figures make the same bytes.

use std::fmt::{self, Display};

/// Panels below each other.
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) panels: Vec<Panel>,
}

/// Bars of one scale.
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) bars: Vec<Bar>,
}

pub(crate) struct Bar {
    pub(super) what: String,
    pub(super) side: Side,
    pub(super) value: f64,
    /// To where a thin line leads on from the end of the bar.
    pub(super) up_to: Option<f64>,
    /// The value for people.
    pub(super) shown: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Other,
}

/// Distances are in pixels of the picture's own size.
const WIDTH: usize = 740;
const MARGIN: usize = 20;
const BARS_FROM: usize = 312;
const LONGEST_BAR: f64 = 240.0;
const BAR: usize = 14;
const LINE: usize = 4;
const ROW: usize = 26;
const TITLE: usize = 36;

const STYLE: &str = "\
.ground{fill:#ffffff;stroke:#d0d7de}
text{fill:#1f2328;font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
.title{font-size:15px;font-weight:600}
.ours{fill:#0969da}
.other{fill:#818b98}
@media (prefers-color-scheme:dark){
.ground{fill:#0d1117;stroke:#3d444d}
text{fill:#f0f6fc}
.ours{fill:#4493f8}
.other{fill:#9198a1}
}";

impl Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height: usize = self.panels.iter().map(Panel::height).sum();
        let height = height + MARGIN;
        writeln!(
            f,
            "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
aria-labelledby=\"title desc\">
<title id=\"title\">{}</title>
<desc id=\"desc\">{}</desc>
<style>
{STYLE}
</style>
<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
            escaped(&self.title),
            escaped(&self.description()),
            WIDTH - 1,
            height - 1,
        )?;
        let mut top = 0;
        for panel in &self.panels {
            panel.draw(top, f)?;
            top += panel.height();
        }
        writeln!(f, "</svg>")
    }
}

impl Picture {
    /// All that is to be seen, for those who do not see it.
    fn description(&self) -> String {
        let panels = self.panels.iter().map(|panel| {
            let bars = panel.bars.iter();
            let bars: Vec<String> = bars
                .map(|Bar { what, shown, .. }| format!("{what}: {shown}"))
                .collect();
            format!("{}. {}.", panel.title, bars.join("; "))
        });
        panels.collect::<Vec<_>>().join(" ")
    }
}

impl Panel {
    fn height(&self) -> usize {
        TITLE + self.bars.len() * ROW
    }

    fn draw(&self, top: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = escaped(&self.title);
        let y = top + TITLE - 9;
        writeln!(
            f,
            "<text class=\"title\" x=\"{MARGIN}\" y=\"{y}\">{title}</text>"
        )?;
        let longest = self.bars.iter().map(Bar::end).fold(0.0, f64::max);
        for (at, bar) in self.bars.iter().enumerate() {
            bar.draw(top + TITLE + at * ROW, LONGEST_BAR / longest, f)?;
        }
        Ok(())
    }
}

impl Bar {
    fn end(&self) -> f64 {
        self.up_to.unwrap_or_default().max(self.value)
    }

    fn draw(&self, top: usize, scale: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = match self.side {
            Side::Ours => "ours",
            Side::Other => "other",
        };
        let [what, shown] = [&self.what, &self.shown].map(|text| escaped(text));
        let [bar, end] = [self.value, self.end()].map(|value| value * scale);
        let bar_top = top + (ROW - BAR) / 2;
        let baseline = bar_top + BAR - 2;
        writeln!(f, "<text x=\"{MARGIN}\" y=\"{baseline}\">{what}</text>")?;
        writeln!(
            f,
            "<rect class=\"{class}\" x=\"{BARS_FROM}\" y=\"{bar_top}\" width=\"{bar:.1}\" height=\"{BAR}\" rx=\"2\"/>"
        )?;
        if self.up_to.is_some() {
            let line_top = bar_top + (BAR - LINE) / 2;
            let from = BARS_FROM as f64 + bar;
            let width = end - bar;
            writeln!(
                f,
                "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{line_top}\" width=\"{width:.1}\" height=\"{LINE}\"/>"
            )?;
        }
        let after = BARS_FROM as f64 + end + 8.0;
        writeln!(f, "<text x=\"{after:.1}\" y=\"{baseline}\">{shown}</text>")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_end_where_their_values_are_on_one_scale() {
        let bar = |what: &str, side, value, up_to| Bar {
            what: what.to_owned(),
            side,
            value,
            up_to,
            shown: format!("{value} s"),
        };
        let picture = Picture {
            title: "Speed".to_owned(),
            panels: vec![Panel {
                title: "a < b & c".to_owned(),
                bars: vec![
                    bar("Go", Side::Other, 30.0, Some(40.0)),
                    bar("us", Side::Ours, 10.0, None),
                ],
            }],
        };
        let text = picture.to_string();
        let (head, rest) = text.split_once("<style>").unwrap();
        let (_, drawn) = rest.split_once("</style>\n").unwrap();
        assert_eq!(
            head,
            "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 740 108\" width=\"740\" height=\"108\" role=\"img\" aria-labelledby=\"title desc\">
<title id=\"title\">Speed</title>
<desc id=\"desc\">a &lt; b &amp; c. Go: 30 s; us: 10 s.</desc>
"
        );
        assert_eq!(
            drawn,
            "\
<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"739\" height=\"107\" rx=\"6\"/>
<text class=\"title\" x=\"20\" y=\"27\">a &lt; b &amp; c</text>
<text x=\"20\" y=\"54\">Go</text>
<rect class=\"other\" x=\"312\" y=\"42\" width=\"180.0\" height=\"14\" rx=\"2\"/>
<rect class=\"other\" x=\"492.0\" y=\"47\" width=\"60.0\" height=\"4\"/>
<text x=\"560.0\" y=\"54\">30 s</text>
<text x=\"20\" y=\"80\">us</text>
<rect class=\"ours\" x=\"312\" y=\"68\" width=\"60.0\" height=\"14\" rx=\"2\"/>
<text x=\"380.0\" y=\"80\">10 s</text>
</svg>
"
        );
    }
}
