#!/bin/sh
# Fuzzes every reader of histories, and the searches against each other, one target after the other on one core, for so many seconds each. An
# input that takes more than 10 s or more memory than is allowed is a failure, as a panic is.
# Usage: run.sh [SECONDS [TARGET…]]; needs a nightly compiler and `cargo install cargo-fuzz`. PEERS names a folder of more seeds.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- read events operations edn console compressed check
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT

# Short histories only: of long ones the fuzzer changes too little.
find ../../histories ${PEERS:+"$PEERS"} -type f \( -name '*.jsonl' -o -name '*.edn' -o -name '*.log' \) -size -16k -exec cp -- {} "$seeds" \;
for target; do
	mkdir -p "corpus/$target"
	nice cargo +nightly fuzz run "$target" "corpus/$target" "$seeds" -- \
		-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1
done
