#!/bin/sh
# Shows that memory does not grow with the history: checks one and ten million operations with the released binary, as operations JSONL and
# as event JSONL, and prints the peaks of resident memory.
# Usage: memory.sh [FENCEPOST [OPERATIONS]]; ten times the operations are the second history, 1 GB and 3 GB of it in $TMPDIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fencepost=${1:-$here/../../target/release/fencepost}
operations=${2:-1000000}
[ -x "$fencepost" ] || { echo "$fencepost is missing: cargo build --release" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# An acquire, a write and a release a cycle, of twenty clients that come one after the other.
operations() {
	awk -v cycles=$(($1 / 3)) 'BEGIN {
		split("acquire write release", op, " ")
		for (cycle = 0; cycle < cycles; cycle++) for (n = 1; n <= 3; n++) {
			at += 2000
			printf "{\"client\":%d,\"op\":\"%s\",\"key\":\"order:42\",\"token\":%d,\"call\":%.0f,\"return\":%.0f,\"ok\":true}\n", cycle % 20, op[n], cycle, at, at + 1000
		} }'
}

events() {
	awk -v cycles=$(($1 / 3)) 'BEGIN {
		print "{\"fencepost\":1}"
		for (cycle = 0; cycle < cycles; cycle++) {
			client = "c" cycle % 20; grant = id + 1
			what[1] = ",\"op\":\"acquire\",\"lock\":\"order:42\",\"ttl_ms\":500"
			what[2] = ",\"op\":\"write\",\"resource\":\"stock:42\",\"grant\":" grant ",\"value\":" cycle + 1 ",\"base\":" cycle
			what[3] = ",\"op\":\"release\",\"lock\":\"order:42\",\"grant\":" grant
			told[1] = ",\"token\":\"t" cycle "\""
			for (n = 1; n <= 3; n++) {
				id++; at += 2000
				printf "{\"at\":%.0f,\"type\":\"invoke\",\"client\":\"%s\",\"id\":%d%s}\n", at, client, id, what[n]
				printf "{\"at\":%.0f,\"type\":\"ok\",\"client\":\"%s\",\"id\":%d%s}\n", at + 1000, client, id, told[n]
			}
		} }'
}

# The peak of a process only rises, so the last look before its end tells it.
check() {
	"$fencepost" check "$1" >"$out/said" &
	pid=$!
	while peak=$(sed -n 's/^VmHWM:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null) && [ -n "$peak" ]; do
		last=$peak
		sleep 0.1
	done
	wait "$pid" || { cat "$out/said" >&2; exit 1; }
}

for format in operations events; do
	for times in 1 10; do
		number=$((operations * times))
		"$format" "$number" >"$out/history"
		check "$out/history"
		echo "$number operations as $format, $(du -m "$out/history" | cut -f1) MB: peak $last"
	done
done
