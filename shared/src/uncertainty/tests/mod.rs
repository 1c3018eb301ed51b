mod comparing;
mod coverage;
mod exact;
mod ranking;
mod simulation;
