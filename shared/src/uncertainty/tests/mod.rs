mod coverage;
mod exact;
mod simulation;
