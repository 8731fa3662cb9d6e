//! Publishes skills: makes artifacts of them, decides where they go, and sends them to a registry or
//! writes them to a layout.

pub mod artifact;
pub mod layout;
pub mod plan;
mod tags;
