#!/bin/sh
# Runs this checker, Porcupine and todc-utils on the same histories on the same machine in one go, and prints ratios.
# Usage: versus.sh [FOLDER of the peers' corpora]; it needs cargo and go. Run it when the machine is calm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
peers=${1:-${FENCEPOST_PEERS:-$here/../../../shared/peers}}
peers=$(cd "$peers" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "building" >&2
(cd "$here/.." && cargo build -q --release --example stopwatch)
target=$(cd "$here/.." && cargo metadata -q --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
(cd "$here/porcupine" && go build -o "$out/porcupine" .)
cargo build -q --release --manifest-path "$here/todc/Cargo.toml" --target-dir "$out/todc"

# The sides take turns on the short cases, so that a busy minute hurts all of them; of each case the fewest nanoseconds count.
for turn in 1 2 3; do
	echo "turn $turn of 3" >&2
	"$target/release/examples/stopwatch" "$peers" >>"$out/ours"
	"$out/porcupine" "$peers" $([ "$turn" = 1 ] || echo short) >>"$out/porcupine.tsv"
	"$out/todc/release/todc-versus" "$peers" >>"$out/todc.tsv"
done

awk -F'\t' -v ours="$out/ours" -v porcupine="$out/porcupine.tsv" -v todc="$out/todc.tsv" '
function load(file, into,    name) {
	while ((getline line < file) > 0) {
		split(line, cell, "\t"); name = cell[1]
		if (!(name in into) || cell[2] + 0 < into[name]) into[name] = cell[2] + 0
		verdict[file, name] = cell[3]
	}
}
function ms(ns) { return sprintf(ns < 1e6 ? "%.3f ms" : "%.0f ms", ns / 1e6) }
BEGIN {
	load(ours, us); load(porcupine, go); load(todc, rust)
	for (name in us) {
		if (name ~ /^etcd\//) {
			files++; best = go[name] < rust[name] ? go[name] : rust[name]
			a += us[name]; g += go[name]; r += rust[name]
			ratio = best / us[name]
			if (least == 0 || ratio < least) { least = ratio; where = name }
			if (verdict[ours, name] != verdict[porcupine, name] || verdict[ours, name] != verdict[todc, name]) print "VERDICTS DIFFER: " name
		}
		if (name ~ /^knossos\//) { knossos++; k += us[name]; if (verdict[ours, name] == "timeout") print "NO ANSWER: " name }
		if (name ~ /n200-k00/) none += us[name]
		if (name ~ /n200-k24/) lost24 += us[name]
		if (name ~ /n200-k32/) lost32 += us[name]
	}
	bad = "locks/lock-1k-c20-bad.jsonl"
	print "| case | this checker | Porcupine | todc-utils | times faster than the better |"
	print "|---|---|---|---|---|"
	printf "| etcd, %d files in all | %s | %s | %s | %.0f |\n", files, ms(a), ms(g), ms(r), (g < r ? g : r) / a
	printf "| etcd, the file where the lead is smallest (%s) | %s | %s | %s | %.1f |\n", where, ms(us[where]), ms(go[where]), ms(rust[where]), least
	printf "| lock, 1,000 operations, 20 clients, one double holder | %s | %s%s | – | %.0f |\n", ms(us[bad]), ms(go[bad]), verdict[porcupine, bad] == "timeout" ? " (gave up)" : "", go[bad] / us[bad]
	for (k2 = 0; k2 <= 32; k2 += 8) {
		name = sprintf("locks/lockinfo-n200-k%02d-bad.jsonl", k2)
		printf "| lock, 200 operations, %d replies lost, one double holder | %s | %s%s | – | %.0f |\n", k2, ms(us[name]), ms(go[name]), verdict[porcupine, name] == "timeout" ? " (gave up)" : "", go[name] / us[name]
	}
	print ""
	printf "lost replies, valid and not, in all: none %s, 24 of 200 %s (%.2f of none), 32 of 200 %s (%.2f of none)\n", ms(none), ms(lost24), lost24 / none, ms(lost32), lost32 / none
	printf "knossos: %d files in all %s, explanations included\n", knossos, ms(k)
	parse = us["register-1m/parse"]
	printf "register of distinct values, 1 million operations: parsed by serde_json in %s, read by us in %s, read and decided in %s (%.2f of parsing), decided in %s (%.2f of parsing)\n", ms(parse), ms(us["register-1m/read"]), ms(us["register-1m/parse-and-check"]), us["register-1m/parse-and-check"] / parse, ms(us["register-1m/check"]), us["register-1m/check"] / parse
	printf "64 keys of 5,000 operations: %s\n", ms(us["many-keys"])
}' /dev/null
echo "cores used on many keys, in percent of one:"
grep cores-percent "$out/ours" | cut -f2 | sort -n | tail -1
