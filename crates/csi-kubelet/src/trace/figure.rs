//! The picture itself: four lines of life from above to below, and the steps between them.
//!
//! Long chapters become several figures, each with the participants' names, so that each fits on a sheet of paper.
//! Distances are in pixels of the picture's own size.

mod step;

use super::escape::{one_line, xml};
use super::wrap;
use super::{Participant, Shown};

/// The width of every figure.
pub(super) const WIDTH: usize = COLUMNS_FROM + 3 * COLUMN + NOTE / 2 + MARGIN;

/// The greatest height of a figure: a page of A4 or US Letter in the width of a figure, and the title above it.
const PAGE: usize = 1240;

/// A figure that is higher has the participants' names below, too.
const LONG: usize = 700;

const MARGIN: usize = 14;
/// Number and time stand left of this.
const GUTTER: usize = 112;
const COLUMNS_FROM: usize = GUTTER + NOTE / 2 + 6;
const COLUMN: usize = 240;
/// The greatest width of a note.
const NOTE: usize = 228;
const HEAD: usize = 44;
const HEAD_WIDTH: usize = 168;

/// A part of the picture, to be put at (0, 0).
pub(super) struct Figure {
    pub(super) body: String,
    pub(super) height: usize,
    /// All that is to be seen, for those who do not see it.
    pub(super) description: String,
}

/// A step as drawn, to be put at (0, top).
struct Drawn {
    body: String,
    height: usize,
}

/// All steps of a chapter, in as many figures as they need.
pub(super) fn figures(steps: &[Shown<'_>]) -> Vec<Figure> {
    let drawn: Vec<Drawn> = steps.iter().map(step::drawn).collect();
    let room = PAGE - 2 * HEAD - 3 * MARGIN;
    let all: usize = drawn.iter().map(|step| step.height).sum();
    // Of about the same height, so that no single step is left for the last one.
    let aim = all.div_ceil(all.div_ceil(room).max(1));
    let mut figures = Vec::new();
    let mut from = 0;
    while from < steps.len() {
        let mut height = drawn[from].height;
        let mut to = from + 1;
        while to < steps.len() && height < aim && height + drawn[to].height <= room {
            height += drawn[to].height;
            to += 1;
        }
        let last = to == steps.len();
        figures.push(figure(&steps[from..to], &drawn[from..to], height, last));
        from = to;
    }
    figures
}

fn figure(steps: &[Shown<'_>], drawn: &[Drawn], height: usize, last: bool) -> Figure {
    let mut body = String::new();
    let end = MARGIN + HEAD + height + MARGIN;
    for participant in Participant::ALL {
        let x = x(participant);
        let top = MARGIN + HEAD;
        body.push_str(&format!(
            "<line class=\"life\" x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{end}\"/>\n"
        ));
    }
    heads(MARGIN, &mut body);
    let mut top = MARGIN + HEAD + MARGIN / 2;
    for (shown, Drawn { body: step, height }) in steps.iter().zip(drawn) {
        let class = match shown.step.good {
            Some(true) => " well",
            Some(false) => " failed",
            None => "",
        };
        let title = xml(&wrap::shortened(&sentence(shown), 1000));
        body.push_str(&format!(
            "<g class=\"step{class}\" transform=\"translate(0 {top})\">\n<title>{title}</title>\n{step}</g>\n"
        ));
        top += height;
    }
    let mut height = end;
    // Otherwise the next figure begins with them.
    if last && height > LONG {
        heads(height, &mut body);
        height += HEAD + MARGIN;
    }
    let sentences: Vec<String> = steps.iter().map(sentence).collect();
    let sentences = sentences.iter().map(|text| wrap::shortened(text, 200));
    let description = sentences.collect::<Vec<_>>().join(" ");
    Figure {
        body,
        height,
        description,
    }
}

/// The participants' boxes.
fn heads(top: usize, body: &mut String) {
    for participant in Participant::ALL {
        let x = x(participant);
        let left = x - HEAD_WIDTH / 2;
        let [name, role] = [top + 19, top + 35];
        body.push_str(&format!(
            "<g class=\"head\"><rect x=\"{left}\" y=\"{top}\" width=\"{HEAD_WIDTH}\" height=\"{HEAD}\" rx=\"6\"/>\
             <text class=\"name\" x=\"{x}\" y=\"{name}\" text-anchor=\"middle\">{}</text>\
             <text class=\"role\" x=\"{x}\" y=\"{role}\" text-anchor=\"middle\">{}</text></g>\n",
            participant.name(),
            role_of(participant),
        ));
    }
}

/// What a newcomer has to know of each.
const fn role_of(participant: Participant) -> &'static str {
    match participant {
        Participant::Registrar => "offers the plugin",
        Participant::Plugin => "the CSI driver",
        Participant::Kubelet => "of the node",
        Participant::ApiServer => "Node and CSINode",
    }
}

/// Where a participant's line of life is.
const fn x(participant: Participant) -> usize {
    let place = match participant {
        Participant::Registrar => 0,
        Participant::Plugin => 1,
        Participant::Kubelet => 2,
        Participant::ApiServer => 3,
    };
    COLUMNS_FROM + place * COLUMN
}

/// A step in words.
fn sentence(Shown { number, step, .. }: &Shown<'_>) -> String {
    let who = if step.is_note() {
        step.from.name().to_owned()
    } else {
        format!("{} to {}", step.from.name(), step.to.name())
    };
    let mut said = format!("{number}. {who}: {}", one_line(&step.what));
    if step.good == Some(false) {
        said.push_str(", failed");
    }
    for text in [step.outcome(), step.message.clone()] {
        if !text.is_empty() {
            said.push_str(", ");
            said.push_str(&one_line(&text));
        }
    }
    said.push('.');
    said
}
