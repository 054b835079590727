package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

// How long the kubelet's code gets for a step; it looks once a second, and its back-off begins with half a second.
const patience = 15 * time.Second

var (
	registered   = event{"registered", driver + " on " + nodeID}
	deregistered = event{"deregistered", driver}
	refused      = event{"refused", driver}
)

// Something that is done to a node, and what has to follow.
type step struct {
	done, follows string
	// Does it.
	do func(*node) error
	// Waits for what the kubelet does; it is this that is timed.
	kubelet []event
	// What the agent says then; nothing if it is gone.
	status int
	state  string
	wait   waits
	// Checks what else has to be so.
	also func(*node) error
}

var steps = []step{
	{
		done: "kubelet, plugin and agent start", follows: "registered, with the node id from NodeGetInfo",
		do: func(n *node) error {
			if err := n.startKubelet(); err != nil {
				return err
			}
			if err := n.startServe(); err != nil {
				return err
			}
			return n.startAgent()
		},
		kubelet: []event{registered}, status: 200, state: "registered",
	},
	{
		done: "the registration socket is deleted", follows: "deregistered, then registered anew",
		do:      func(n *node) error { return os.Remove(n.socket()) },
		kubelet: []event{deregistered, registered}, status: 200, state: "registered",
	},
	{
		done: "the kubelet is restarted", follows: "registered anew on the same socket",
		do: func(n *node) error {
			n.stopKubelet()
			return n.startKubelet()
		},
		kubelet: []event{registered}, status: 200, state: "registered",
		also: sameSocket,
	},
	{
		done: "the handler refuses in ValidatePlugin; the socket is deleted", follows: "deregistered, refused",
		do: func(n *node) error {
			n.handler.refuse(inValidate)
			return os.Remove(n.socket())
		},
		kubelet: []event{deregistered, refused}, status: 503, state: "refused: RegisterPlugin error -- plugin validation failed with err: the handler does not want it", wait: waits{1, 1},
	},
	{
		done: "the handler refuses no longer", follows: "registered, on a new socket of the agent",
		do: func(n *node) error {
			n.handler.refuse(nowhere)
			return nil
		},
		kubelet: []event{registered}, status: 200, state: "registered",
		also: newSocket,
	},
	{
		done: "the handler refuses in RegisterPlugin; the socket is deleted", follows: "deregistered, refused",
		do: func(n *node) error {
			n.handler.refuse(inRegister)
			return os.Remove(n.socket())
		},
		kubelet: []event{deregistered, refused}, status: 503, state: "refused: RegisterPlugin error -- plugin registration failed with err: the handler cannot register it", wait: waits{1, 1},
	},
	{
		done: "the handler refuses no longer", follows: "registered, on a new socket of the agent",
		do: func(n *node) error {
			n.handler.refuse(nowhere)
			return nil
		},
		kubelet: []event{registered}, status: 200, state: "registered",
		also: newSocket,
	},
	{
		done: "the agent stops", follows: "deregistered",
		do:      func(n *node) error { return stop(n.agent) },
		kubelet: []event{deregistered}, wait: waits{2, 2},
		also: func(n *node) error {
			if _, err := os.Lstat(n.socket()); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("the registration socket should be gone: %v", err)
			}
			return nil
		},
	},
	{
		done: "the agent is started again", follows: "registered",
		do:      (*node).startAgent,
		kubelet: []event{registered}, status: 200, state: "registered",
	},
}

// Exit codes of wait-registered.
type waits struct{ http, file int }

// How a step went.
type result struct {
	step step
	took time.Duration
	err  error
}

func (r result) String() string {
	if r.err != nil {
		return fmt.Sprintf("%s: %v", r.step.done, r.err)
	}
	return fmt.Sprintf("%s: %s, %s", r.step.done, r.step.follows, r.took)
}

func (n *node) carryOut(s step) result {
	begin := time.Now()
	if err := s.do(n); err != nil {
		return result{step: s, err: err}
	}
	if err := n.expect(s.kubelet...); err != nil {
		return result{step: s, err: err}
	}
	took := time.Since(begin).Round(10 * time.Millisecond)
	checks := []func() error{
		func() error { return n.registrationz(s.status, s.state) },
		func() error { return n.waitRegistered(s.wait) },
	}
	if s.also != nil {
		checks = append(checks, func() error { return s.also(n) })
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return result{step: s, err: err}
		}
	}
	return result{s, took, nil}
}

func sameSocket(n *node) error {
	n.handler.mutex.Lock()
	defer n.handler.mutex.Unlock()
	if n.handler.registeredOn != n.handler.registeredOnBefore {
		return errors.New("the registration socket is another one")
	}
	return nil
}

func newSocket(n *node) error {
	n.handler.mutex.Lock()
	defer n.handler.mutex.Unlock()
	if n.handler.registeredOn == n.handler.refusedOn {
		return errors.New("the registration socket is the one that was refused")
	}
	return nil
}

// The section of docs/interop.md.
func page(results []result) string {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/kubernetes" {
				version = module.Version
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "## The kubelet's own code\n\n")
	fmt.Fprintf(&text, "`interop/kubelet` runs watcher, reconciler and operations of `pkg/kubelet/pluginmanager` in k8s.io/kubernetes %s, the part of the\n", version)
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
		"such file or directory` whenever a socket is shown, which has no effect.\n")
	return text.String()
}
