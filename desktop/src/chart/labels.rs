//! Names beside points, none over another.

use eframe::egui::{Pos2, Rect, Vec2, vec2};

/// Room between a mark and its name, and between names.
const GAP: f32 = 3.0;

/// Places names one after the other, the important first.
pub struct Labels {
    within: Rect,
    taken: Vec<Rect>,
    /// What names stand on only where they must.
    avoided: Vec<Rect>,
}

impl Labels {
    /// Names are to lie in `within` and off the `marks`, and off the `bars` where possible.
    pub fn new(within: Rect, marks: Vec<Rect>, bars: Vec<Rect>) -> Self {
        Self {
            within,
            taken: marks,
            avoided: bars,
        }
    }

    /// Where a name of a size goes beside a mark of a radius, which takes the place; `None` where
    /// there is no room.
    pub fn place(&mut self, mark: Pos2, radius: f32, size: Vec2) -> Option<Rect> {
        let beside = radius + GAP;
        let (aside, over) = (beside + size.x / 2.0, beside + size.y / 2.0);
        let corner = radius * 0.6 + GAP;
        let (cx, cy) = (corner + size.x / 2.0, corner + size.y / 2.0);
        let offsets = [
            vec2(aside, 0.0),
            vec2(-aside, 0.0),
            vec2(0.0, -over),
            vec2(0.0, over),
            vec2(cx, -cy),
            vec2(-cx, -cy),
            vec2(cx, cy),
            vec2(-cx, cy),
        ];
        let places = offsets.map(|offset| Rect::from_center_size(mark + offset, size));
        let off = |place: &Rect, others: &[Rect]| !others.iter().any(|o| o.intersects(*place));
        let mut free = places
            .into_iter()
            .filter(|place| self.within.contains_rect(*place) && off(place, &self.taken));
        let first = free.clone().next()?;
        let free = free
            .find(|place| off(place, &self.avoided))
            .unwrap_or(first);
        self.taken.push(free.expand(1.0));
        Some(free)
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::pos2;

    use super::*;

    #[test]
    fn names_keep_off_each_other_and_the_border() {
        let border = Rect::from_min_size(Pos2::ZERO, vec2(100.0, 60.0));
        let marks = [pos2(50.0, 30.0), pos2(52.0, 30.0), pos2(95.0, 30.0)];
        let boxes = marks.map(|mark| Rect::from_center_size(mark, vec2(8.0, 8.0)));
        let mut labels = Labels::new(border, boxes.into(), Vec::new());
        let mut placed: Vec<Rect> = Vec::new();
        for mark in marks.into_iter().cycle().take(12) {
            if let Some(rect) = labels.place(mark, 4.0, vec2(30.0, 10.0)) {
                assert!(border.contains_rect(rect));
                assert!(!placed.iter().any(|other| other.intersects(rect)));
                assert!(!boxes.iter().any(|mark| mark.intersects(rect)));
                placed.push(rect);
            }
        }
        assert!((2..12).contains(&placed.len()), "{}", placed.len());
    }
}
