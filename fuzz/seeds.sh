#!/bin/sh
# Fills fuzz/corpus with the programs of this repository, for a first run: `sh fuzz/seeds.sh`.
set -eu
cd "$(dirname "$0")"
for target in lint_source lint_fix; do
    mkdir -p "corpus/$target"
    find ../tests ../examples ../crates/lint/tests -name '*.py' -size -16k | while read -r program; do
        cp "$program" "corpus/$target/$(cksum <"$program" | tr ' ' -).py"
    done
done
mkdir -p corpus/explain_text corpus/trace_reader corpus/notebook
