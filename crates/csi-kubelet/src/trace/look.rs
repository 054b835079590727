//! Lines of text in the picture. Their widths have to be known before any font is, so all text from outside is set in fixed pitch.

use super::escape::{one_line, xml};
use super::wrap;

/// The width of a letter in thousandths of the size; the widest of the fonts asked for has so much.
const LETTER: usize = 620;

/// How a line of text looks. Sizes are in pixels of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) class: &'static str,
    pub(super) size: usize,
    /// From one line to the next.
    pub(super) height: usize,
    /// How many lines there may be.
    most: usize,
}

impl Look {
    pub(super) const TITLE: Self = Self::new("title", 16, 20, 1);
    pub(super) const CHAPTER: Self = Self::new("chapter", 13, 18, 1);
    pub(super) const WHAT: Self = Self::new("what", 12, 16, 2);
    pub(super) const NOTE: Self = Self::new("what", 12, 16, 4);
    pub(super) const CODE: Self = Self::new("code", 11, 15, 2);
    pub(super) const MORE: Self = Self::new("more", 11, 14, 3);
    pub(super) const MESSAGE: Self = Self::new("message", 11, 14, 3);
    pub(super) const TIME: Self = Self::new("time", 11, 14, 1);

    /// One of each class.
    pub(super) const ALL: [Self; 7] = [
        Self::TITLE,
        Self::CHAPTER,
        Self::WHAT,
        Self::CODE,
        Self::MORE,
        Self::MESSAGE,
        Self::TIME,
    ];

    const fn new(class: &'static str, size: usize, height: usize, most: usize) -> Self {
        Self {
            class,
            size,
            height,
            most,
        }
    }

    /// How wide a line is.
    pub(super) fn width(self, line: &str) -> usize {
        (wrap::width(line) * self.size * LETTER).div_ceil(1000)
    }

    /// The text in as many lines as it needs and may have, none wider than the room.
    pub(super) fn lines(self, text: &str, room: usize) -> Vec<String> {
        wrap::wrapped(
            &one_line(text),
            room * 1000 / (self.size * LETTER),
            self.most,
        )
    }

    /// The line as an element; `anchor` is `start`, `middle` or `end`.
    pub(super) fn drawn(self, line: &str, anchor: &str, x: usize, baseline: usize) -> String {
        let Self { class, .. } = self;
        // Letters of other scripts come from other fonts; they are made to take the room they were given.
        let length = if line.is_ascii() {
            String::new()
        } else {
            let width = self.width(line);
            format!(" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\"")
        };
        let line = xml(line);
        format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{baseline}\" text-anchor=\"{anchor}\"{length}>{line}</text>\n"
        )
    }
}
