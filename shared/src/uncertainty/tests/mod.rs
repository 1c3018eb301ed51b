mod comparing;
mod coverage;
mod exact;
mod simulation;
