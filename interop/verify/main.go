// Lets `csi-identity verify` judge plugins that are held to be good, and faulty ones beside csi-sanity. `run` builds what it needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// What is run, and where what has to be seen is kept.
type programs struct {
	ours, faulty, examples, folder, sanityVersion string
	// Sockets and what else goes at the end.
	work string
}

const (
	faultsFile   = "../sanity/faults.tsv"
	besideFile   = "faults.md"
	findingsFile = "findings"
	slipsFile    = "slips"
)

func main() {
	var p programs
	flag.StringVar(&p.ours, "ours", "", "csi-identity")
	flag.StringVar(&p.faulty, "faulty", "", "faulty-plugin")
	flag.StringVar(&p.examples, "examples", "", "folder of the library's examples")
	flag.StringVar(&p.folder, "programs", "", "folder of csi-sanity and of other people's plugins")
	flag.StringVar(&p.sanityVersion, "sanity-version", "", "version of csi-sanity")
	write := flag.Bool("write", false, "compare all faults, and keep what was seen")
	section := flag.String("section", "", "file for the section of docs/interop.md")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	right, err := run(ctx, p, *write, *section)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	if !right {
		os.Exit(1)
	}
}

func run(ctx context.Context, p programs, write bool, section string) (right bool, err error) {
	// More than all of it can take.
	limit := 5 * time.Minute
	if write {
		limit = 30 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if p.work, err = os.MkdirTemp("", "csi-verify."); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.work)) }()

	good, rightGood, err := p.judgeGood(ctx)
	if err != nil {
		return false, err
	}
	var rightFaults bool
	if write {
		rightFaults, err = p.compareAll(ctx)
	} else {
		rightFaults, err = p.compareSample(ctx)
	}
	if err != nil || !rightGood || !rightFaults {
		return false, err
	}
	beside, err := os.ReadFile(besideFile)
	if err != nil {
		return false, err
	}
	text := good + "\n" + string(beside)
	fmt.Println(text)
	if section != "" {
		return true, os.WriteFile(section, []byte(text), 0o644)
	}
	return true, nil
}

// socket makes a folder of its own for a plugin's socket.
func (p programs) socket() (string, error) {
	folder, err := os.MkdirTemp(p.work, "")
	return filepath.Join(folder, "csi.sock"), err
}
