//! Which cards stand in which column.

/// The cards, in the order of a single column.
#[derive(Clone, Copy)]
pub(super) enum Card {
    Figures,
    Why,
    Warnings,
    Facts,
    Runs,
    Deployment,
    Reliability,
    Classes,
    Corruptions,
    Sets,
    Shape,
    Attacks,
    Devices,
}

/// A single column.
pub(super) const ONE: &[&[Card]] = &[&[
    Card::Figures,
    Card::Why,
    Card::Warnings,
    Card::Facts,
    Card::Runs,
    Card::Deployment,
    Card::Reliability,
    Card::Classes,
    Card::Corruptions,
    Card::Sets,
    Card::Shape,
    Card::Attacks,
    Card::Devices,
]];
/// Two columns.
pub(super) const TWO: &[&[Card]] = &[
    &[
        Card::Figures,
        Card::Warnings,
        Card::Reliability,
        Card::Corruptions,
        Card::Attacks,
        Card::Devices,
    ],
    &[
        Card::Why,
        Card::Facts,
        Card::Runs,
        Card::Deployment,
        Card::Classes,
        Card::Sets,
        Card::Shape,
    ],
];
/// In a file, columns of about the same height.
pub(super) const FILE: &[&[Card]] = &[
    &[
        Card::Figures,
        Card::Why,
        Card::Reliability,
        Card::Corruptions,
        Card::Attacks,
        Card::Devices,
    ],
    &[
        Card::Warnings,
        Card::Facts,
        Card::Runs,
        Card::Deployment,
        Card::Classes,
        Card::Sets,
        Card::Shape,
    ],
];
/// Three columns.
pub(super) const THREE: &[&[Card]] = &[
    &[Card::Figures, Card::Why, Card::Warnings, Card::Attacks],
    &[Card::Reliability, Card::Corruptions, Card::Sets],
    &[
        Card::Facts,
        Card::Runs,
        Card::Deployment,
        Card::Classes,
        Card::Shape,
        Card::Devices,
    ],
];
