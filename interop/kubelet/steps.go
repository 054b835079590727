package main

import (
	"errors"
	"fmt"
	"os"
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
		done: "ValidatePlugin accepts it again", follows: "registered, on a new socket of the agent",
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
		done: "RegisterPlugin accepts it again", follows: "registered, on a new socket of the agent",
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
