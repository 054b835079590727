// The calls with which the Kubernetes sidecars begin, made with their own library on `csi-identity serve` in every readiness, and
// what each has to return.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"k8s.io/klog/v2"
)

func main() {
	section := flag.String("section", "", "file for the section of docs/interop.md")
	flag.Parse()
	if flag.NArg() != 1 {
		fail(fmt.Errorf("usage: %s [-section FILE] <csi-identity>", os.Args[0]))
	}
	// The library logs each question of ProbeForever.
	logging := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logging)
	if err := logging.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		fail(err)
	}
	klog.SetOutput(discard{})
	right, err := run(flag.Arg(0), *section)
	if err != nil {
		fail(err)
	}
	if !right {
		os.Exit(1)
	}
}

func run(binary, section string) (bool, error) {
	// More than all plugins together can take.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	work, err := os.MkdirTemp("", "csi-lib-utils.")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	right := true
	for _, plugin := range plugins {
		for _, address := range []string{"%s", "unix://%s"} {
			seen, err := plugin.ask(ctx, binary, work, address)
			if err != nil {
				return false, fmt.Errorf("%s: %w", plugin.title, err)
			}
			for call, wanted := range plugin.expected.byCall() {
				if got := seen.byCall()[call]; got != wanted {
					right = false
					fmt.Printf("lib-utils: %s, %s: %s returned %q, not %q\n", plugin.title, fmt.Sprintf(address, "PATH"), call, got, wanted)
				}
			}
		}
	}
	if !right {
		return false, nil
	}
	text := page()
	fmt.Println(text)
	if section != "" {
		return true, os.WriteFile(section, []byte(text), 0o644)
	}
	return true, nil
}

func page() string {
	var text strings.Builder
	fmt.Fprintf(&text, `## The sidecars' library

The calls with which the Kubernetes sidecars begin, made with their library, csi-lib-utils %s: `+"`connection.Connect`"+` with
metrics, to the path and to `+"`unix://`"+` with the path, then these of its package `+"`rpc`"+`. ProbeForever gets %s.
GetControllerCapabilities is what a caller of a service that is not on this socket sees; Identity itself is never
UNIMPLEMENTED with `+"`csi-identity serve`"+`, whose identity is part of its configuration. Each result is compared, in every readiness.

| plugin | Probe | ProbeForever | GetDriverName | GetPluginCapabilities | GetControllerCapabilities |
| --- | --- | --- | --- | --- | --- |
`, version(), waits)
	for _, plugin := range plugins {
		e := plugin.expected
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s |\n", plugin.title, e.probe, e.forever, e.name, e.capabilities, e.controller)
	}
	return text.String()
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/kubernetes-csi/csi-lib-utils" {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "of an unknown version"
}

type discard struct{}

func (discard) Write(text []byte) (int, error) { return len(text), nil }

// A wrong result is a result; this is for what kept the program from having one.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
