//! Groups of models that the data cannot separate.

/// Groups by the rule of a compact letter display: two items share a group just where they are not
/// separated, so groups overlap where separation is not transitive (a like b, b like c, but a
/// better than c: two groups). An item apart from all others has a group of its own.
///
/// Returns the numbers of each item's groups, ascending; groups are numbered in item order. The
/// groups are found greedily, so they may be more than needed, but never wrong: Gramm et al. (2007),
/// "Algorithms for compact letter displays: comparison and evaluation".
pub(super) fn groups(items: usize, separated: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let alike = |a: usize, b: usize| !separated(a.min(b), a.max(b));
    let mut of: Vec<Vec<usize>> = vec![Vec::new(); items];
    let mut count = 0;
    let mut add = |group: &[usize], of: &mut Vec<Vec<usize>>| {
        group.iter().for_each(|&item| of[item].push(count));
        count += 1;
    };
    for first in 0..items {
        for second in first + 1..items {
            let shared = of[first].iter().any(|group| of[second].contains(group));
            if !alike(first, second) || shared {
                continue;
            }
            let mut group = vec![first, second];
            for item in 0..items {
                if !group.contains(&item) && group.iter().all(|&member| alike(item, member)) {
                    group.push(item);
                }
            }
            add(&group, &mut of);
        }
        if of[first].is_empty() {
            add(&[first], &mut of);
        }
    }
    of
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::groups;

    #[test]
    fn chains_overlap() {
        let far = |a: usize, b: usize| b - a > 1;
        assert_eq!(groups(4, far), [vec![0], vec![0, 1], vec![1, 2], vec![2]]);
        assert_eq!(groups(3, |_, _| false), [[0], [0], [0]]);
        assert_eq!(groups(3, |_, _| true), [[0], [1], [2]]);
        assert!(groups(0, far).is_empty());
    }

    proptest! {
        #[test]
        fn sharing_a_group_is_not_being_separated(
            bits in proptest::collection::vec(proptest::bool::ANY, 144),
            items in 0..12_usize,
        ) {
            let separated = |a: usize, b: usize| bits[12 * a + b];
            let found = groups(items, separated);
            for a in 0..items {
                prop_assert!(!found[a].is_empty());
                prop_assert!(found[a].is_sorted_by(|x, y| x < y));
                for b in a + 1..items {
                    let share = found[a].iter().any(|group| found[b].contains(group));
                    prop_assert_eq!(share, !separated(a, b));
                }
            }
        }
    }
}
