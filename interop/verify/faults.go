package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// How many are run at a time: most of the time is waiting.
const workers = 6

// What is compared where not all is: faults of each kind, of which csi-sanity finds some.
var sample = []string{
	"name-empty", "name-underscore", "name-digit-last", "name-not-utf8", "info-unimplemented", "capability-empty",
	"capability-service-99", "capabilities-internal", "controller-declared-not-implemented", "probe-unimplemented",
	"probe-failed-precondition", "probe-bare-bool", "probe-hangs", "node-id-empty", "wire-name-wrong-type", "wire-no-trailers",
	"wire-rst-stream", "wire-compressed", "authority-refused", "http2-closes", "socket-mode-open",
}

// What both say of a plugin with a fault.
type verdicts struct {
	fault        string
	theirs, ours sanity
	// By verify's own rules.
	whole report
}

func (p programs) compareSample(ctx context.Context) (bool, error) {
	names, err := p.faults(ctx)
	if err != nil {
		return false, err
	}
	kept, err := readFaults()
	if err != nil {
		return false, err
	}
	if len(kept) != len(names) || slices.ContainsFunc(names, func(name string) bool { _, there := kept[name]; return !there }) {
		fmt.Printf("verify: %s has other faults than faulty-plugin; --write writes it\n", faultsFile)
		return false, nil
	}
	for _, name := range sample {
		if _, there := kept[name]; !there {
			return false, fmt.Errorf("there is no fault %s, which is in the sample", name)
		}
	}
	all, err := p.runAll(ctx, sample, false)
	if err != nil {
		return false, err
	}
	known, err := readRows(slipsFile, 4)
	if err != nil {
		return false, err
	}
	right := agree(all, known, false)
	for _, one := range all {
		if was := kept[one.fault]; was != one.theirs.String() {
			right = false
			fmt.Printf("verify: csi-sanity says of %s %q, not %q, as %s has it\n", one.fault, one.theirs, was, faultsFile)
		}
	}
	fmt.Printf("csi-sanity %s and verify --profile csi-sanity: %d of %d faults compared\n", p.sanityVersion, len(all), len(names))
	return right, nil
}

func (p programs) compareAll(ctx context.Context) (bool, error) {
	names, err := p.faults(ctx)
	if err != nil {
		return false, err
	}
	// What is found in the plugin itself would count for each fault.
	socket, err := p.socket()
	if err != nil {
		return false, err
	}
	sound, err := p.judgeWhole(ctx, socket, "exec "+p.faulty)
	if err != nil {
		return false, err
	}
	if kind := sound.kind(); kind != nothing {
		return false, fmt.Errorf("verify finds %s in faulty-plugin without a fault", kind)
	}
	all, err := p.runAll(ctx, names, true)
	if err != nil {
		return false, err
	}
	var lines strings.Builder
	for _, one := range all {
		fmt.Fprintf(&lines, "%s\t%s\t%s\n", one.fault, one.theirs.outcome, strings.Join(one.theirs.failed, ";"))
	}
	if err := os.WriteFile(faultsFile, []byte(lines.String()), 0o644); err != nil {
		return false, err
	}
	known, err := readRows(slipsFile, 4)
	if err != nil {
		return false, err
	}
	if !agree(all, known, true) {
		return false, nil
	}
	times, err := p.measure(ctx)
	if err != nil {
		return false, err
	}
	return times.areShort(), os.WriteFile(besideFile, []byte(p.beside(all, known, times)), 0o644)
}

// faults are the names of all of them.
func (p programs) faults(ctx context.Context) ([]string, error) {
	said, err := exec.CommandContext(ctx, p.faulty, "--list").Output()
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(said)) {
		names = append(names, strings.Fields(line)[0])
	}
	return names, nil
}

// readFaults reads what csi-sanity said when it was written down.
func readFaults() (map[string]string, error) {
	text, err := os.ReadFile(faultsFile)
	if err != nil {
		return nil, err
	}
	kept := map[string]string{}
	for line := range strings.Lines(string(text)) {
		fault, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		kept[fault] = strings.TrimSpace(strings.Replace(said, "\t", " ", 1))
	}
	return kept, nil
}

// runAll compares them, some at a time; with `whole` verify judges them by its own rules, too.
func (p programs) runAll(ctx context.Context, names []string, whole bool) ([]verdicts, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all := make([]verdicts, len(names))
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for at := range next {
				seen, err := p.compare(ctx, names[at], whole)
				if err != nil {
					cancel(fmt.Errorf("%s: %w", names[at], err))
				}
				all[at] = seen
			}
		})
	}
	for at := range names {
		if ctx.Err() == nil {
			next <- at
		}
	}
	close(next)
	group.Wait()
	return all, context.Cause(ctx)
}

// compare lets both judge a plugin with this fault, each a new one.
func (p programs) compare(ctx context.Context, fault string, whole bool) (seen verdicts, err error) {
	seen.fault = fault
	plugin := []string{p.faulty, "--fault", fault}
	err = p.with(ctx, plugin, func(socket string) error {
		seen.theirs, err = p.askSanity(ctx, socket)
		return err
	})
	if err != nil {
		return seen, err
	}
	err = p.with(ctx, plugin, func(socket string) error {
		judged, err := p.verify(ctx, "--profile", "csi-sanity", "--endpoint", socket)
		seen.ours = asSanity(judged)
		return err
	})
	if err != nil || !whole {
		return seen, err
	}
	socket, err := p.socket()
	if err != nil {
		return seen, err
	}
	seen.whole, err = p.judgeWhole(ctx, socket, "exec "+p.faulty+" --fault "+fault)
	if err == nil && seen.whole.unobserved != "" {
		err = errors.New(seen.whole.unobserved)
	}
	return seen, err
}

// with runs something while a plugin serves, or does what it does instead.
func (p programs) with(ctx context.Context, plugin []string, run func(socket string) error) error {
	socket, err := p.socket()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, plugin[0], slices.Concat(plugin[1:], []string{"--endpoint", "unix://" + socket})...)
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		// Some end by themselves, as it is their fault.
		_ = command.Wait()
		close(ended)
	}()
	defer func() {
		_ = command.Process.Kill()
		<-ended
		_ = os.RemoveAll(filepath.Dir(socket))
	}()
	appear(ctx, socket, ended)
	return run(socket)
}

// appear waits for a socket that may never come.
func appear(ctx context.Context, socket string, ended <-chan struct{}) {
	limit := time.After(5 * time.Second)
	for {
		if _, err := os.Stat(socket); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ended:
			return
		case <-limit:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// asSanity says in csi-sanity's words what verify says.
func asSanity(judged report) sanity {
	seen := sanity{outcome: passed}
	if judged.unobserved != "" {
		return sanity{outcome: failed, failed: []string{"GetPluginCapabilities", "GetPluginInfo", "Probe"}}
	}
	for _, one := range judged.serious() {
		seen.outcome = failed
		seen.failed = append(seen.failed, tests[one.ID])
	}
	slices.Sort(seen.failed)
	return seen
}

// agree tells whether verify says the same of each, or differs where it is known to.
func agree(all []verdicts, known *rows, isWhole bool) bool {
	right := true
	for _, one := range all {
		if one.isSame() || known.take(one.fault, one.ours.String(), one.theirs.String()) != nil {
			continue
		}
		right = false
		fmt.Printf("verify: of %s verify says %q, and csi-sanity %q\n", one.fault, one.ours, one.theirs)
	}
	for _, row := range known.left() {
		if isWhole || slices.Contains(sample, row[0]) {
			right = false
			fmt.Printf("verify: `%s` says that they differ about %s, and they do not, or not so\n", slipsFile, row[0])
		}
	}
	return right
}

// isSame compares test by test. csi-sanity does not come to those behind one that hangs.
func (v verdicts) isSame() bool {
	if v.theirs.outcome != hung {
		return v.ours.outcome == v.theirs.outcome && slices.Equal(v.ours.failed, v.theirs.failed)
	}
	for _, test := range v.theirs.failed {
		if !slices.Contains(v.ours.failed, test) {
			return false
		}
	}
	return v.ours.outcome == failed
}
