"""The eager twin: at a replay, what the captured region would do now, beside what it did at the capture.

The region is run again in a child that can do nothing to the world (`sealed`), by operators that nobody computes (`mode`).
What it did is compared with what the same child did when the capture began (`compare`). The program goes on meanwhile.
"""
