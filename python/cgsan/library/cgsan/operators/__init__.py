"""The operators that a region calls: recorded eagerly and in a capture, and compared one by one."""
