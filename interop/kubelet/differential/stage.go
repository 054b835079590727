package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	core "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"sigs.k8s.io/yaml"
)

const (
	// How long something that may never come is waited for. A kubelet looks once a second and backs off for half a second first.
	patience = 5 * time.Second
	// What takes a dial that fails is waited for longer.
	longPatience = 16 * time.Second
	// How long nothing may have happened before a step is over.
	calm = 400 * time.Millisecond
)

// Makes the process that is the kubelet of a directory and keeps its objects in a file.
type kubeletCommand func(root, objects string, labels map[string]string) *exec.Cmd

// One side of a scenario: a directory of its own with a kubelet on it, and what was seen.
type stage struct {
	root    string
	kubelet kubeletCommand
	process *exec.Cmd
	log     *os.File

	registrars []*registrar
	plugins    int

	mutex sync.Mutex
	// By socket, since what happens on two at once has no order.
	calls map[string][]string
	last  time.Time
	count int

	seen record
}

// What was seen on a side; to be equal on both.
type record []string

func newStage(root string, kubelet kubeletCommand) (*stage, error) {
	s := &stage{root: root, kubelet: kubelet, calls: map[string][]string{}}
	if err := os.MkdirAll(s.registry(), 0o750); err != nil {
		return nil, err
	}
	var err error
	s.log, err = os.Create(root + ".log")
	return s, err
}

func (s *stage) registry() string { return filepath.Join(s.root, "plugins_registry") }
func (s *stage) objects() string  { return filepath.Join(s.root, "objects.yaml") }

// Starts the kubelet, and waits until it watches.
func (s *stage) start(labels map[string]string) error {
	if err := os.Remove(s.objects()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.process = s.kubelet(s.root, s.objects(), labels)
	s.process.Stdout, s.process.Stderr, s.process.Dir = s.log, s.log, "/"
	if err := s.process.Start(); err != nil {
		return err
	}
	deadline := time.Now().Add(longPatience)
	for {
		if _, err := os.Stat(s.objects()); err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no kubelet on %s within %s", s.root, longPatience)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *stage) stop() error {
	if s.process == nil {
		return nil
	}
	process := s.process
	s.process = nil
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return process.Wait()
}

func (s *stage) end() error {
	for _, r := range s.registrars {
		r.stop()
	}
	return errors.Join(s.stop(), s.log.Close())
}

func (s *stage) note(socket, what string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.calls[socket] = append(s.calls[socket], s.neutral(what))
	s.last = time.Now()
	s.count++
}

// Paths without what differs between the sides.
func (s *stage) neutral(text string) string {
	text = strings.ReplaceAll(text, s.root, "/node")
	return strings.ReplaceAll(text, strings.ReplaceAll(s.root, "/", "%2F"), "%2Fnode")
}

// How often something was seen in this step.
func (s *stage) times(socket, what string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	count := 0
	for _, call := range s.calls[socket] {
		if strings.HasPrefix(call, what) {
			count++
		}
	}
	return count
}

// Waits until a step's end is there, or for so long, and then until nothing more happens; then writes down what was seen.
func (s *stage) settle(done func(*stage) bool, limit, calm time.Duration) error {
	deadline := time.Now().Add(limit)
	for !done(s) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.mutex.Lock()
		quiet := time.Since(s.last)
		s.mutex.Unlock()
		if quiet >= calm {
			break
		}
	}
	s.mutex.Lock()
	for _, socket := range sortedKeys(s.calls) {
		for _, call := range once(s.calls[socket]) {
			s.seen = append(s.seen, socket+": "+call)
		}
	}
	s.calls = map[string][]string{}
	s.mutex.Unlock()
	objects, err := s.readObjects()
	if err != nil {
		return err
	}
	s.seen = append(s.seen, objects...)
	return nil
}

// How a line begins that stands for a repetition.
const again = "and"

// A run of calls that is repeated is shown once, and that it is. How often depends on the second in which one looks.
func once(calls []string) []string {
	shown := slices.Clone(calls)
	for length := 1; length <= len(shown)/2; length++ {
		last := shown[len(shown)-length:]
		begin := len(shown) - length
		for begin >= length && slices.Equal(shown[begin-length:begin], last) {
			begin -= length
		}
		if begin < len(shown)-length {
			return append(shown[:begin+length:begin+length], fmt.Sprintf("%s the last %d again and again", again, length))
		}
	}
	return shown
}

// Node and CSINode as far as plugins have a say in them.
func (s *stage) readObjects() (record, error) {
	text, err := os.ReadFile(s.objects())
	if err != nil {
		return nil, err
	}
	first, second, found := strings.Cut(string(text), "\n---\n")
	if !found {
		return nil, fmt.Errorf("%s has one document", s.objects())
	}
	var node core.Node
	if err := yaml.Unmarshal([]byte(first), &node); err != nil {
		return nil, err
	}
	var csiNode storage.CSINode
	if err := yaml.Unmarshal([]byte(second), &csiNode); err != nil {
		return nil, err
	}
	seen := record{}
	for _, key := range sortedKeys(node.Labels) {
		seen = append(seen, fmt.Sprintf("Node: label %s=%s", key, node.Labels[key]))
	}
	ids := map[string]string{}
	if annotation := node.Annotations["csi.volume.kubernetes.io/nodeid"]; annotation != "" {
		if err := json.Unmarshal([]byte(annotation), &ids); err != nil {
			return nil, err
		}
	}
	for _, driver := range sortedKeys(ids) {
		seen = append(seen, fmt.Sprintf("Node: %s is %s", driver, ids[driver]))
	}
	drivers := csiNode.Spec.Drivers
	slices.SortFunc(drivers, func(a, b storage.CSINodeDriver) int { return strings.Compare(a.Name, b.Name) })
	for _, driver := range drivers {
		line := fmt.Sprintf("CSINode: %s is %s", driver.Name, driver.NodeID)
		if len(driver.TopologyKeys) > 0 {
			line += ", keys " + strings.Join(driver.TopologyKeys, " ")
		}
		if driver.Allocatable != nil && driver.Allocatable.Count != nil {
			line += fmt.Sprintf(", at most %d", *driver.Allocatable.Count)
		}
		seen = append(seen, line)
	}
	return seen, nil
}

func sortedKeys[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// How the kubelet's code and csi-identity write what a log has of a failure, and of a driver that is let go.
var (
	realFailure = regexp.MustCompile(`(?m)^E.*\] Operation for "[^\n]*?" failed\. No retries permitted until .*? \(durationBeforeRetry [^)]*\)\. Error: (.*)$`)
	realLetGo   = regexp.MustCompile(`(?m)^I.*DeRegisterPlugin request for plugin ([^,\n]*)`)
)

// At a deadline grpc-go tells of the end that it sees first, its own or that of a server of grpc-go.
const (
	timeIsUp = "code = DeadlineExceeded desc = context deadline exceeded"
	givenUp  = "code = DeadlineExceeded desc = stream terminated by RST_STREAM with error code: CANCEL"
)

// What the log of a side says of failures, by socket, and which drivers were let go.
func (s *stage) readLog() (record, error) {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return nil, err
	}
	var failures, letGo []string
	for _, match := range realFailure.FindAllStringSubmatch(string(text), -1) {
		// What was going on when it was stopped.
		if strings.HasSuffix(match[1], "context canceled") {
			continue
		}
		failures = append(failures, s.neutral(strings.ReplaceAll(match[1], givenUp, timeIsUp)))
	}
	for _, match := range realLetGo.FindAllStringSubmatch(string(text), -1) {
		letGo = append(letGo, match[1])
	}
	for line := range strings.Lines(string(text)) {
		var event struct{ Event, Message, Driver string }
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &event) != nil {
			continue
		}
		switch event.Event {
		case "refused":
			failures = append(failures, s.neutral(event.Message))
		case "deregistered":
			letGo = append(letGo, event.Driver)
		}
	}
	// Several sockets have no order, nor a number of attempts.
	slices.Sort(failures)
	var seen record
	for _, failure := range slices.Compact(failures) {
		seen = append(seen, "log: "+failure)
	}
	slices.Sort(letGo)
	for _, driver := range letGo {
		seen = append(seen, "log: let go "+driver)
	}
	return seen, nil
}

// Plays a scenario on a side.
func (s *stage) play(scenario scenario) (record, error) {
	play := func() error {
		if scenario.before != nil {
			if err := scenario.before(s); err != nil {
				return err
			}
		}
		if err := s.start(scenario.labels); err != nil {
			return err
		}
		for i, step := range scenario.steps {
			s.seen = append(s.seen, fmt.Sprintf("[%d] %s", i+1, step.done))
			if step.do != nil {
				if err := step.do(s); err != nil {
					return err
				}
			}
			if err := s.settle(step.until, cmp.Or(step.within, patience), cmp.Or(step.calm, calm)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(play(), s.end()); err != nil {
		return nil, err
	}
	logged, err := s.readLog()
	return append(s.seen, logged...), err
}

// A command for the kubelet's own code, which is this program.
func realCommand(ctx context.Context) kubeletCommand {
	return func(root, objects string, labels map[string]string) *exec.Cmd {
		return exec.CommandContext(ctx, "/proc/self/exe", append([]string{"kubelet", filepath.Join(root, "plugins_registry"), objects}, pairs(labels)...)...)
	}
}

func ourCommand(ctx context.Context, binary, version string) kubeletCommand {
	return func(root, objects string, labels map[string]string) *exec.Cmd {
		arguments := []string{"kubelet", "--root-dir", root, "--node-name", nodeName, "--emulate", version, "--objects", objects, "-o", "json"}
		for _, pair := range pairs(labels) {
			arguments = append(arguments, "--node-label", pair)
		}
		return exec.CommandContext(ctx, binary, arguments...)
	}
}

func pairs(labels map[string]string) (pairs []string) {
	for _, key := range sortedKeys(labels) {
		pairs = append(pairs, key+"="+labels[key])
	}
	return pairs
}
