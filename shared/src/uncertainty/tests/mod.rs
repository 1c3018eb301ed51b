mod comparing;
mod contributing;
mod coverage;
mod exact;
mod ranking;
mod simulation;
