package main

import (
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// What `interop/kubelet-differential --write` saw last; it is not seen anew with each page.
//
//go:embed versions.md
var versionsTable string

func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				return module.Version
			}
		}
	}
	return "unknown"
}

// Shows how each scenario went; everything that was seen in those that do not agree, or in all of them.
func (run run) show(all bool) (right bool) {
	right = true
	seen := map[int]bool{}
	for _, r := range run.results {
		explained, unknown := r.compare(run.emulate)
		for _, i := range explained {
			seen[i] = true
		}
		fmt.Printf("%s: %s\n", r.scenario.name, verdict(explained, unknown))
		if unknown != "" {
			right = false
		}
		if !all && unknown == "" {
			continue
		}
		for side, name := range []string{"real", "ours"} {
			for _, line := range r.seen[side] {
				fmt.Printf("  %s  %s\n", name, line)
			}
		}
	}
	if all {
		return right
	}
	for i, difference := range known {
		if difference.isOf(run.emulate) && !seen[i] {
			right = false
			fmt.Printf("the known difference %d is not there any more\n", i+1)
		}
	}
	return right
}

func verdict(explained []int, unknown string) string {
	switch {
	case unknown != "":
		return unknown
	case len(explained) == 0:
		return "equal"
	}
	var numbers []string
	for _, i := range explained {
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	return "equal but for " + strings.Join(numbers, ", ")
}

// This version's row in versions.md.
func (run run) row() string {
	steps, lines, explained := 0, 0, []int{}
	for _, r := range run.results {
		steps += len(r.scenario.steps)
		lines += len(r.seen[0])
		known, _ := r.compare(run.emulate)
		explained = append(explained, known...)
	}
	slices.Sort(explained)
	explained = slices.Compact(explained)
	return fmt.Sprintf("| %s | %s | `--emulate %s` | %d | %d | %d | %s |\n", moduleVersion("k8s.io/kubernetes"), moduleVersion("google.golang.org/grpc"),
		run.emulate, len(run.results), steps, lines, verdict(explained, ""))
}

// The section of docs/interop.md.
func (run run) page() string {
	var text strings.Builder
	fmt.Fprintf(&text, "## `csi-identity kubelet` beside the kubelet's own code\n\n")
	fmt.Fprintf(&text, `%[1]sinterop/kubelet/differential%[1]s does the same to a directory of %[1]scsi-identity kubelet --emulate %[2]s%[1]s and to one of the kubelet's
own code (k8s.io/kubernetes %[3]s: watcher, reconciler and operations of %[1]spkg/kubelet/pluginmanager%[1]s, and the whole handler of CSI
plugins of %[1]spkg/volume/csi%[1]s with its node info manager), with one scripted registrar and plugin of grpc-go for both. Compared are
each call that registrar and plugin see, with its %[1]s:authority%[1]s and all of its text; after each step, the Node's labels and
annotation and the CSINode's entries; at the end, each failure as the kubelet's log has it, and how often which driver was let go.

In place of an API server is client-go's fake clientset, which takes everything; before it stand NodeRestriction and the registry's
rules for updates of Node status and CSINode, from the same module. Not compared are how long things take, how often
something is repeated, the order of what happens on two sockets at once, plugins of other types than CSIPlugin, and the CSINode's
owner and annotation, which %[1]scsi-identity kubelet%[1]s does not show. At a deadline, grpc-go may say %[1]sRST_STREAM with error code:
CANCEL%[1]s in place of %[1]scontext deadline exceeded%[1]s, depending on which end it sees first; both count as the latter.

`, "`", run.emulate, moduleVersion("k8s.io/kubernetes"))
	fmt.Fprintf(&text, "All %d scenarios took %s. What follows when a socket is removed is shown if anything does.\n\n", len(run.results), run.took.Round(time.Second))
	text.WriteString("| scenario | what is done | what the registrar and its plugin see | result |\n| --- | --- | --- | --- |\n")
	for _, r := range run.results {
		explained, unknown := r.compare(run.emulate)
		name, result := r.scenario.name, verdict(explained, unknown)
		var before []string
		for i, step := range r.byStep() {
			done, seen := r.scenario.steps[i].done, step.describe(before)
			if done == theSocketIsRemoved && seen == nothing {
				continue
			}
			fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", name, done, seen, result)
			name, result, before = "", "", step.entries
		}
	}
	text.WriteString("\nDifferences that are known:\n\n")
	for i, difference := range known {
		text.WriteString(wrap(fmt.Sprintf("%d. %s.", i+1, difference.why)))
	}
	text.WriteString(wrap(fmt.Sprintf("%d. %s.", len(known)+1, leftOut)))
	text.WriteString("\n" + versionsTable)
	return text.String()
}

// What the kubelet's code called in a step, by socket, and the entries of the CSINode after it.
type seenStep struct {
	calls   map[string][]string
	entries []string
}

func (r result) byStep() (steps []seenStep) {
	for _, line := range r.seen[0] {
		if strings.HasPrefix(line, "[") {
			steps = append(steps, seenStep{calls: map[string][]string{}})
			continue
		}
		last := &steps[len(steps)-1]
		switch socket, call, _ := strings.Cut(line, ": "); socket {
		case "log", "Node":
		case "CSINode":
			last.entries = append(last.entries, call)
		default:
			last.calls[socket] = append(last.calls[socket], call)
		}
	}
	return steps
}

const nothing = "nothing"

func (s seenStep) describe(before []string) string {
	shown := shorten(s.calls)
	entry := "an entry of the CSINode goes"
	switch gone := slices.ContainsFunc(before, func(entry string) bool { return !slices.Contains(s.entries, entry) }); {
	case gone && shown == "":
		return entry
	case gone && len(s.entries) < len(before):
		return shown + "; " + entry
	case shown == "":
		return nothing
	}
	return shown
}

// What is the same in each message of a kind, and what a table's cell cannot have.
var (
	prefixes = regexp.MustCompile(`^RegisterPlugin error -- (plugin validation failed with err: validation failed for CSI Driver .* at endpoint .*?: kubernetes\.io/csi: ValidatePlugin for CSI driver ".*" failed\. |plugin registration failed with err: (error updating (Node|CSINode) object with CSI driver node info: .*?caused by: )?)?`)
	patches  = regexp.MustCompile(`failed to patch status ".*" for node "node-1": `)
	forCells = strings.NewReplacer("|", "\\|", "`", "'")
)

// In a few words; of several sockets what they have in common.
func shorten(calls map[string][]string) string {
	const fewSockets = 2
	var shown []string
	sockets := map[string][]string{}
	for _, socket := range sortedKeys(calls) {
		var words []string
		for _, call := range calls[socket] {
			words = append(words, inWords(call, len(calls) <= fewSockets))
		}
		text := strings.Join(words, ", ")
		if !slices.Contains(shown, text) {
			shown = append(shown, text)
		}
		sockets[text] = append(sockets[text], socket)
	}
	if len(calls) < 2 {
		return strings.Join(shown, "")
	}
	for i, text := range shown {
		who := "`" + strings.Join(sockets[text], "`, `") + "`"
		if many := len(sockets[text]); many > fewSockets {
			who = fmt.Sprintf("each of %d sockets", many)
		}
		shown[i] = who + ": " + text
	}
	return strings.Join(shown, "; ")
}

func inWords(call string, withMessage bool) string {
	const letters = 160
	what, rest, _ := strings.Cut(call, " ")
	message, refused := strings.CutPrefix(rest, "registered=false: ")
	switch {
	case what == again:
		return "repeated"
	case what == "Notify" && !refused:
		return rest
	case !refused:
		return what
	case !withMessage:
		return "refused"
	}
	message = patches.ReplaceAllString(prefixes.ReplaceAllString(message, ""), "")
	if all := []rune(message); len(all) > letters {
		message = string(all[:letters]) + "…"
	}
	return "refused: `" + forCells.Replace(message) + "`"
}

// An entry of a list, in lines of at most 130 letters.
func wrap(entry string) string {
	const letters, indent = 130, "   "
	var lines []string
	line := ""
	for _, word := range strings.Fields(entry) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > letters:
			lines, line = append(lines, line), indent+word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n") + "\n"
}

func writeText(path, text string) error {
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
