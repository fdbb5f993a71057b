#!/bin/sh
# Fills fuzz/corpus with the programs and texts of this repository, for a first run: `sh fuzz/seeds.sh`.
set -eu
cd "$(dirname "$0")"
for target in lint_source lint_fix notebook explain_text trace_reader profiler_trace; do
    mkdir -p "corpus/$target"
done
find ../tests ../examples ../crates/lint/tests -name '*.py' -size -16k | while read -r program; do
    name=$(cksum <"$program" | tr ' ' -)
    cp "$program" "corpus/lint_source/$name"
    cp "$program" "corpus/lint_fix/$name"
done
cp ../crates/explain/tests/*.toml ../catalogue/CG1*.toml corpus/explain_text
cp ../examples/recorded/*.cgsan ../crates/trace/tests/recorded/*.cgsan corpus/trace_reader
cp seeds/*.ipynb corpus/notebook
gunzip <../tests/perf/replayed.json.gz >corpus/profiler_trace/replayed.json
