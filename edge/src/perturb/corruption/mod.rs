//! perturb/corruption
