//! A graph as boxes and lines.
