#!/bin/sh
# Records random programs in several processes, past those that crash the driver:
#   record.sh OUTPUT.jsonl.gz FIRST_SEED COUNT [basic|rich|built|nested] [DEVICES]
# The crashes are told on standard error. The recording starts with one header line.
set -eu
output=$1 first=$2 count=$3 kind=${4:-basic} devices=${5:-1}
here=$(dirname "$0") parts=$(mktemp -d)
processes=8
each=$(((count + processes - 1) / processes))

record_part() {
  seed=$1 end=$2
  while [ "$seed" -lt "$end" ]; do
    "$here/recorder" programs "$seed" $((end - seed)) "$kind" "$devices" >"$parts/run.$2" || true
    grep '^{"seed"' "$parts/run.$2" >>"$parts/programs.$1" || true
    head -1 "$parts/run.$2" >"$parts/header"
    # One header line, and one program that crashed if the end was not reached.
    seed=$((seed + $(wc -l <"$parts/run.$2")))
    [ "$seed" -le "$end" ] || break
  done
}

for part in $(seq 0 $((processes - 1))); do
  low=$((first + part * each)) high=$((first + (part + 1) * each))
  [ "$high" -le $((first + count)) ] || high=$((first + count))
  record_part "$low" "$high" &
done
wait
sed "s/\"seeds\":\[[0-9]*,[0-9]*\]/\"seeds\":[$first,$count]/" "$parts/header" >"$parts/all"
for part in $(seq 0 $((processes - 1))); do
  low=$((first + part * each))
  [ ! -f "$parts/programs.$low" ] || cat "$parts/programs.$low" >>"$parts/all"
done
gzip -9c "$parts/all" >"$output"
rm -r "$parts"
