//! Undo and redo of a value that changes while controls are dragged.

/// Earlier and later states of a value.
#[derive(Debug)]
pub struct History<T> {
    past: Vec<T>,
    current: T,
    future: Vec<T>,
}

/// Steps kept; the oldest are forgotten.
const STEPS: usize = 200;

impl<T: Clone + PartialEq> History<T> {
    /// Starts with a value, nothing to undo.
    pub fn new(value: T) -> Self {
        Self {
            past: Vec::new(),
            current: value,
            future: Vec::new(),
        }
    }

    /// Records a value that is no longer being changed, as one step.
    pub fn record(&mut self, value: &T) {
        if *value == self.current {
            return;
        }
        let before = std::mem::replace(&mut self.current, value.clone());
        self.past.push(before);
        self.future.clear();
        if self.past.len() > STEPS {
            self.past.remove(0);
        }
    }

    /// The value before the last step.
    pub fn undo(&mut self) -> Option<T> {
        let before = self.past.pop()?;
        let after = std::mem::replace(&mut self.current, before);
        self.future.push(after);
        Some(self.current.clone())
    }

    /// The value that the last undo left.
    pub fn redo(&mut self) -> Option<T> {
        let after = self.future.pop()?;
        let before = std::mem::replace(&mut self.current, after);
        self.past.push(before);
        Some(self.current.clone())
    }

    /// Whether there is a step to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is a step to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_back_and_forth_until_something_new_happens() {
        let mut history = History::new(0);
        for value in [0, 1, 1, 2] {
            history.record(&value);
        }
        assert_eq!(
            (history.undo(), history.undo(), history.undo()),
            (Some(1), Some(0), None)
        );
        assert_eq!(history.redo(), Some(1));
        history.record(&5);
        assert!(history.can_undo() && !history.can_redo());
        assert_eq!(history.undo(), Some(1));
    }
}
