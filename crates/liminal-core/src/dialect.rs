//! What each agent's own words mean. Owns the translation into canonical events; knows nothing of batching.

pub mod claude;
