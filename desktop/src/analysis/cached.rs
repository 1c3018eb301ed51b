//! A result kept until what it was computed from changes.

/// The last result with its key.
#[derive(Clone, Debug)]
pub struct Cached<K, V>(Option<(K, V)>);

impl<K, V> Default for Cached<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V> Cached<K, V> {
    /// The result for `key`: the last one, or a new one where the key is another.
    pub fn get(&mut self, key: K, compute: impl FnOnce() -> V) -> &V {
        let kept = self.0.take().filter(|(old, _)| *old == key);
        let entry = kept.unwrap_or_else(|| (key, compute()));
        &self.0.insert(entry).1
    }
}

#[cfg(test)]
mod tests {
    use super::Cached;

    #[test]
    fn computes_once_for_each_key() {
        let mut cached = Cached::default();
        let mut computed = 0;
        for key in [1, 1, 2, 2, 1] {
            let value = *cached.get(key, || {
                computed += 1;
                key * 10
            });
            assert_eq!(value, key * 10);
        }
        assert_eq!(computed, 3);
    }
}
