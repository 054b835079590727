package main

import (
	_ "embed"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// What `interop/kubelet-versions --write` saw last; it is not seen anew with each page.
//
//go:embed versions.md
var versions string

func version(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				return module.Version
			}
		}
	}
	return "unknown"
}

// This version's row in versions.md: how long the steps took, and what it does of itself.
func tableRow(results []result, seen habits) string {
	cells := []string{version("k8s.io/kubernetes"), version("google.golang.org/grpc"), "`" + seen.authority + "`"}
	for _, r := range results {
		cells = append(cells, r.took.Round(10*time.Millisecond).String())
	}
	cells = append(cells, yes(seen.retriesValidate), yes(seen.retriesRegister))
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// The section of docs/interop.md.
func page(results []result) string {
	var text strings.Builder
	fmt.Fprintf(&text, "## The kubelet's own code\n\n")
	fmt.Fprintf(&text, "`interop/kubelet` runs watcher, reconciler and operations of `pkg/kubelet/pluginmanager` in k8s.io/kubernetes %s, the part of the\n", version("k8s.io/kubernetes"))
	text.WriteString("kubelet that watches plugins_registry and registers what it finds there, against `csi-identity serve` and `agent`. Its handler\n" +
		"of CSI plugins calls NodeGetInfo as the kubelet's does, but writes no CSINode, and can be told to refuse. Times run from what\n" +
		"is done to the handler's last call; the kubelet's code looks once a second. After each step /registrationz is asked, and\n" +
		"`wait-registered` with the agent's address and with its state file, whose exit codes are shown.\n\n")
	text.WriteString("| what is done | what the kubelet does | after | /registrationz | `wait-registered` |\n")
	text.WriteString("| --- | --- | --- | --- | --- |\n")
	for _, r := range results {
		state, _, _ := strings.Cut(r.step.state, ":")
		answer := fmt.Sprintf("%d, `%s`", r.step.status, state)
		if r.step.status == 0 {
			answer = "no answer"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %d, %d |\n", r.step.done, r.step.follows, r.took, answer, r.step.wait.http, r.step.wait.file)
	}
	text.WriteString("\nThe agent binds a registration socket under a name that begins with a dot and renames it when it is ready. The kubelet does not\n" +
		"use such names, but looks at the file before it looks at the name; so it may log `Error when handling create event` with `no\n" +
		"such file or directory` whenever a socket is shown, which has no effect.\n\n")
	text.WriteString(versions)
	return text.String()
}
