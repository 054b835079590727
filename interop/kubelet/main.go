// The kubelet's own plugin manager against csi-identity: it runs `csi-identity serve` and `csi-identity agent` as processes in
// a node's directories and lets the code of the kubelet find, register, refuse and forget the plugin. What is shown here, and
// what has to be, is one list of steps.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"
)

func main() {
	log := flag.String("log", "", "file for what the kubelet's code and csi-identity log")
	section := flag.String("section", "", "file for the section of docs/interop.md")
	row := flag.String("row", "", "file for this version's row of the table of versions")
	retries := flag.String("retries", "both", "after which refusals this version retries of itself: validation or both")
	flag.Parse()
	if flag.NArg() != 1 || *log == "" {
		fmt.Fprintf(os.Stderr, "usage: %s -log FILE [-section FILE] [-row FILE] [-retries validation|both] <csi-identity>\n", os.Args[0])
		os.Exit(2)
	}
	file, err := os.Create(*log)
	if err != nil {
		fail(err)
	}
	code, err := run(flag.Arg(0), file, *retries, *section, *row)
	if err != nil {
		fail(err)
	}
	os.Exit(code)
}

func run(binary string, log *os.File, retries, section, row string) (int, error) {
	// Each line once, and none elsewhere.
	logging := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logging)
	if err := logging.Parse([]string{"-logtostderr=false", "-one_output", "-stderrthreshold=FATAL"}); err != nil {
		return 0, err
	}
	klog.SetOutput(log)
	work, err := os.MkdirTemp("", "csi-kubelet.")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	// More than all steps together can take.
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	node, err := newNode(ctx, work, binary, log)
	if err != nil {
		return 0, err
	}
	defer node.end()

	results := make([]result, 0, len(steps))
	for _, step := range steps {
		result := node.carryOut(step)
		results = append(results, result)
		fmt.Println(result)
		if result.err != nil {
			// What follows builds on it.
			fmt.Println("the logs end with:")
			return 1, tail(log.Name())
		}
	}
	seen, err := node.observe()
	if err != nil {
		return 0, err
	}
	fmt.Printf("authority %s; retries by itself: ValidatePlugin %t, RegisterPlugin %t\n",
		seen.authority, seen.retriesValidate, seen.retriesRegister)
	if err := seen.differFrom(retries); err != nil {
		fmt.Println(err)
		return 1, nil
	}
	if row != "" {
		if err := os.WriteFile(row, []byte(tableRow(results, seen)), 0o644); err != nil {
			return 0, err
		}
	}
	if section != "" {
		return 0, os.WriteFile(section, []byte(page(results)), 0o644)
	}
	return 0, nil
}

// Shows the end of a log.
func tail(path string) error {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return err
	}
	const most = 4000
	if len(text) > most {
		text = text[len(text)-most:]
	}
	_, err = io.WriteString(os.Stdout, string(text))
	return err
}

// What failed is a result; this is for what kept the program from having one.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
