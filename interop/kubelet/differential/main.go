// The same scenarios on the kubelet's own code and on `csi-identity kubelet`: one scripted registrar and plugin, and what each
// side does with it has to be the same, but for the differences in known.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

func main() {
	if len(os.Args) > 3 && os.Args[1] == "kubelet" {
		labels := map[string]string{}
		for _, pair := range os.Args[4:] {
			key, value, _ := strings.Cut(pair, "=")
			labels[key] = value
		}
		if err := realKubelet(os.Args[2], os.Args[3], labels); err != nil {
			fail(err)
		}
		return
	}
	emulate := flag.String("emulate", "1.36", "version that csi-identity emulates")
	section := flag.String("section", "", "file for the section of docs/interop.md")
	row := flag.String("row", "", "file for this version's row of the table of versions")
	only := flag.String("only", "", "run the scenarios alone whose names begin so, and show all that was seen")
	flag.Parse()
	if flag.NArg() != 1 || *only != "" && (*section != "" || *row != "") {
		fmt.Fprintf(os.Stderr, "usage: %s [-emulate VERSION] [-section FILE] [-row FILE | -only NAME] <csi-identity>\n", os.Args[0])
		os.Exit(2)
	}
	run, err := compareAll(flag.Arg(0), *emulate, *only)
	if err != nil {
		fail(err)
	}
	right := run.show(*only != "")
	fmt.Printf("%d scenarios, %s\n", len(run.results), run.took.Round(100*time.Millisecond))
	if !right {
		os.Exit(1)
	}
	if err := errors.Join(writeText(*section, run.page()), writeText(*row, run.row())); err != nil {
		fail(err)
	}
}

// All scenarios with a version of the kubelet.
type run struct {
	emulate string
	results []result
	took    time.Duration
}

// So many scenarios at a time; each has two kubelets.
const atATime = 12

func compareAll(binary, emulate, only string) (*run, error) {
	begin := time.Now()
	work, err := os.MkdirTemp("", "csi-diff.")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	// More than all of them together can take.
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	var results []result
	for _, scenario := range scenarios() {
		if strings.HasPrefix(scenario.name, only) && minor(emulate) >= minor(scenario.since) {
			results = append(results, result{scenario: scenario})
		}
	}
	places := make(chan struct{}, atATime)
	var all sync.WaitGroup
	errs := make([]error, 2*len(results))
	for i := range results {
		places <- struct{}{}
		var both sync.WaitGroup
		for side, command := range []kubeletCommand{realCommand(ctx), ourCommand(ctx, binary, emulate)} {
			both.Add(1)
			all.Add(1)
			go func() {
				defer all.Done()
				defer both.Done()
				stage, err := newStage(filepath.Join(work, fmt.Sprintf("%02d%c", i, "ro"[side])), command)
				if err == nil {
					results[i].seen[side], err = stage.play(results[i].scenario)
				}
				if err != nil {
					errs[2*i+side] = fmt.Errorf("%s: %w", results[i].scenario.name, err)
				}
			}()
		}
		go func() {
			both.Wait()
			<-places
		}()
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return &run{emulate, results, time.Since(begin)}, nil
}

// What failed is a result; this is for what kept the program from having one.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
