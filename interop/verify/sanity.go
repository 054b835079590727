package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// For csi-sanity, which has none of its own for a call, and a minute for the connection. The slowest answer to one of the
	// three calls comes after 4 s.
	sanityLimit = "12s"
	// For it to end after that.
	sanityEnd = 30 * time.Second
)

// How csi-sanity ended, and the tests that failed, by the RPCs they are for.
type sanity struct {
	outcome string
	failed  []string
}

const (
	passed = "passed"
	failed = "failed"
	hung   = "hung"
)

func (s sanity) String() string {
	return strings.TrimSpace(s.outcome + " " + strings.Join(s.failed, ";"))
}

// The tests of csi-sanity, by their RPCs, and the rules of verify for them.
var tests = map[string]string{
	"CSI-SANITY-1": "GetPluginCapabilities",
	"CSI-SANITY-2": "Probe",
	"CSI-SANITY-3": "GetPluginInfo",
}

// askSanity lets csi-sanity check the Identity service on this socket.
func (p programs) askSanity(ctx context.Context, socket string) (sanity, error) {
	ctx, cancel := context.WithTimeout(ctx, sanityEnd)
	defer cancel()
	folder := filepath.Dir(socket)
	file := filepath.Join(folder, "report.json")
	command := exec.CommandContext(ctx, filepath.Join(p.folder, "csi-sanity"), "--csi.endpoint", socket,
		"--csi.mountdir", filepath.Join(folder, "mount"), "--csi.stagingdir", filepath.Join(folder, "stage"),
		"--ginkgo.focus", "Identity Service", "--ginkgo.timeout", sanityLimit, "--ginkgo.grace-period", "100ms",
		"--ginkgo.json-report", file)
	said, ended := command.CombinedOutput()
	if exit := (*exec.ExitError)(nil); ended != nil && !errors.As(ended, &exit) {
		return sanity{}, ended
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return sanity{}, fmt.Errorf("csi-sanity has no report: %w: %s", err, said)
	}
	seen, err := readSanity(text)
	if err == nil && (seen.outcome == passed) != (ended == nil) {
		err = fmt.Errorf("its exit code and its report differ: %s", said)
	}
	return seen, err
}

func readSanity(text []byte) (sanity, error) {
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts []string
			LeafNodeType, State     string
		}
	}
	if err := json.Unmarshal(text, &suites); err != nil {
		return sanity{}, err
	}
	seen, ran := sanity{outcome: passed}, 0
	for _, suite := range suites {
		for _, spec := range suite.SpecReports {
			if spec.LeafNodeType != "It" || len(spec.ContainerHierarchyTexts) < 2 {
				continue
			}
			switch spec.State {
			case "pending", "skipped":
				continue
			case "passed":
			case "timedout", "interrupted":
				seen.outcome = hung
			case "failed", "panicked":
				if seen.outcome != hung {
					seen.outcome = failed
				}
			default:
				return seen, fmt.Errorf("a test of csi-sanity ended as %q", spec.State)
			}
			ran++
			if spec.State != "passed" {
				seen.failed = append(seen.failed, spec.ContainerHierarchyTexts[1])
			}
		}
	}
	slices.Sort(seen.failed)
	// After one that hangs, the others do not begin.
	if ran != len(tests) && seen.outcome != hung {
		return seen, fmt.Errorf("%d tests of csi-sanity ran, not %d", ran, len(tests))
	}
	return seen, nil
}
