//! The ids of every failure mode, in ascending order: an entry may name one whose file is not written yet.

#[rustfmt::skip]
pub const IDS: [&str; 75] = [
    "CG101", "CG102", "CG103", "CG104", "CG105", "CG106", "CG107", "CG108", "CG109", "CG110",
    "CG111", "CG112", "CG113", "CG114", "CG115", "CG116", "CG117", "CG118", "CG119", "CG120",
    "CG121", "CG122", "CG123", "CG124", "CG125", "CG126", "CG127", "CG128", "CG129", "CG190",
    "CG201", "CG202", "CG203", "CG204", "CG205", "CG206", "CG207", "CG208", "CG209", "CG210",
    "CG211", "CG212", "CG213", "CG214", "CG215", "CG216", "CG217", "CG218", "CG301", "CG302",
    "CG303", "CG304", "CG305", "CG306", "CG307", "CG308", "CG309", "CG401", "CG402", "CG403",
    "CG404", "CG405", "CG501", "CG502", "CG503", "CG504", "CG505", "CG506", "CG507", "CG601",
    "CG602", "CG603", "CG604", "CG605", "CG606",
];
