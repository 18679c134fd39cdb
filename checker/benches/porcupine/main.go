// Times Porcupine on the same histories, in process: one line a case, name, the fewest nanoseconds and verdict.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// A case is repeated until this long has passed, and at least once.
const repeatFor = 50 * time.Millisecond

func main() {
	folder, limit := os.Args[1], time.Minute
	for _, path := range files(folder, "etcd/*.log") {
		events := etcdEvents(path)
		report("etcd/"+filepath.Base(path), func() porcupine.CheckResult {
			return porcupine.CheckEventsTimeout(etcdModel, events, limit)
		})
	}
	// Some of the locks take a minute each, which need not be waited for more than once.
	if len(os.Args) > 2 && os.Args[2] == "short" {
		return
	}
	for _, path := range files(folder, "locks/lock*.jsonl") {
		operations := lockOperations(path)
		report("locks/"+filepath.Base(path), func() porcupine.CheckResult {
			return porcupine.CheckOperationsTimeout(tokenModel, operations, limit)
		})
	}
}

func files(folder, pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(paths) == 0 {
		panic("no files at " + filepath.Join(folder, pattern))
	}
	sort.Strings(paths)
	return paths
}

func report(name string, check func() porcupine.CheckResult) {
	var times []time.Duration
	var result porcupine.CheckResult
	for began := time.Now(); len(times) == 0 || time.Since(began) < repeatFor; {
		start := time.Now()
		result = check()
		times = append(times, time.Since(start))
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	fmt.Printf("%s\t%d\t%s\n", name, times[0].Nanoseconds(), map[porcupine.CheckResult]string{
		porcupine.Ok: "valid", porcupine.Illegal: "violation", porcupine.Unknown: "timeout"}[result])
}

type casInput struct {
	op       string
	from, to int
}

type casOutput struct {
	ok, unknown bool
	value       int
}

const nilValue = -1

var etcdModel = porcupine.Model{
	Init: func() interface{} { return nilValue },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		held, in, out := state.(int), input.(casInput), output.(casOutput)
		switch in.op {
		case ":read":
			return out.unknown || out.value == held, held
		case ":write":
			return true, in.to
		default:
			if in.from == held {
				return out.unknown || out.ok, in.to
			}
			return out.unknown || !out.ok, held
		}
	},
}

func etcdEvents(path string) []porcupine.Event {
	var events []porcupine.Event
	open := map[string]int{}
	id := 0
	for _, line := range lines(path) {
		_, event, found := strings.Cut(line, "jepsen.util - ")
		words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(event))
		if !found || len(words) < 4 || strings.HasPrefix(words[0], ":") {
			continue
		}
		process, _ := strconv.Atoi(words[0])
		numbers := [2]int{nilValue, nilValue}
		for n, word := range words[3:] {
			if number, err := strconv.Atoi(word); err == nil {
				numbers[n] = number
			}
		}
		switch {
		case words[1] == ":invoke":
			in := casInput{op: words[2], from: numbers[0], to: numbers[1]}
			if in.op == ":write" {
				in.to = numbers[0]
			}
			open[words[0]] = id
			events = append(events, porcupine.Event{ClientId: process, Kind: porcupine.CallEvent, Value: in, Id: id})
			id++
		case words[1] == ":ok" || words[1] == ":fail":
			out := casOutput{ok: words[1] == ":ok", unknown: words[3] == ":timed-out", value: numbers[0]}
			events = append(events, porcupine.Event{ClientId: process, Kind: porcupine.ReturnEvent, Value: out, Id: open[words[0]]})
			delete(open, words[0])
		}
	}
	left := make([]int, 0, len(open))
	for _, id := range open {
		left = append(left, id)
	}
	sort.Ints(left)
	for _, id := range left {
		events = append(events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: casOutput{unknown: true}, Id: id})
	}
	return events
}

type lockLine struct {
	Client int
	Op     string
	Token  int64
	Call   int64
	Return *int64
	Ok     *bool
}

// A mutex that is held under the token of an attempt, 0 when it is free; what was refused changes nothing.
var tokenModel = porcupine.Model{
	Init: func() interface{} { return int64(0) },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		held, in := state.(int64), input.(lockLine)
		switch {
		case in.Ok != nil && !*in.Ok:
			return true, held
		case in.Op == "acquire" && held == 0:
			return true, in.Token
		case in.Op == "release" && held == in.Token:
			return true, int64(0)
		default:
			return in.Ok == nil, held
		}
	},
}

func lockOperations(path string) []porcupine.Operation {
	var operations []porcupine.Operation
	for _, text := range lines(path) {
		var line lockLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			panic(err)
		}
		end := int64(1) << 62
		if line.Return != nil {
			end = *line.Return
		}
		operations = append(operations, porcupine.Operation{ClientId: line.Client, Input: line, Call: line.Call, Output: nil, Return: end})
	}
	return operations
}

func lines(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	var all []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		all = append(all, scanner.Text())
	}
	return all
}
