package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/cache"

	"csi-identity/interop/kubelet/manager"
)

const (
	driver = "disk.example.org"
	nodeID = "node-1"
)

// A node's directories, with a kubelet's plugin manager and csi-identity on them.
type node struct {
	ctx     context.Context
	binary  string
	log     io.Writer
	plugin  string
	folder  string
	state   string
	http    string
	handler *handler

	observers    []*observer
	serve, agent *exec.Cmd
	stopKubelet  func()
}

func newNode(ctx context.Context, work, binary string, log io.Writer) (*node, error) {
	n := &node{
		ctx:    ctx,
		binary: binary,
		log:    log,
		plugin: filepath.Join(work, "plugins", driver, "csi.sock"),
		folder: filepath.Join(work, "plugins_registry"),
		state:  filepath.Join(work, "state.json"),
	}
	n.handler = &handler{ctx: ctx, events: make(chan event, 100), socket: n.socket()}
	n.observers = newObservers()
	for _, folder := range []string{filepath.Dir(n.plugin), n.folder} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return nil, err
		}
	}
	// The agent needs to be told a port; this one was free just now.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n.http = listener.Addr().String()
	return n, listener.Close()
}

func (n *node) socket() string {
	return filepath.Join(n.folder, driver+"-reg.sock")
}

// Starts the kubelet's plugin manager with these handlers.
func (n *node) startKubelet() error {
	known := map[string]plugins{"CSIPlugin": n.handler}
	for _, observer := range n.observers {
		known[observer.kind] = observer
	}
	handlers := map[string]cache.PluginHandler{}
	for kind, plugins := range known {
		handler, err := asHandler(plugins)
		if err != nil {
			return err
		}
		handlers[kind] = handler
	}
	stop, err := manager.Start(n.ctx, n.folder, handlers)
	if err != nil {
		return err
	}
	n.stopKubelet = func() {
		stop()
		n.stopKubelet = nil
	}
	return nil
}

func (n *node) startServe() (err error) {
	n.serve, err = n.start("serve", "--endpoint", n.plugin, "--name", driver, "--vendor-version", "1.2.3", "--node-id", nodeID)
	return err
}

func (n *node) startAgent() (err error) {
	n.agent, err = n.start("agent", "--endpoint", n.plugin, "--kubelet-registration-path", n.plugin,
		"--plugin-registration-path", n.folder, "--http-endpoint", n.http, "--state-file", n.state)
	return err
}

func (n *node) start(arguments ...string) (*exec.Cmd, error) {
	command := exec.CommandContext(n.ctx, n.binary, arguments...)
	command.Stdout, command.Stderr = n.log, n.log
	return command, command.Start()
}

// Stops a process as an orchestrator does, and waits for it.
func stop(command *exec.Cmd) error {
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return command.Wait()
}

func (n *node) end() {
	for _, command := range []*exec.Cmd{n.agent, n.serve} {
		if command != nil && command.ProcessState == nil {
			// It has to be gone, whatever it says to that.
			_ = stop(command)
		}
	}
	if n.stopKubelet != nil {
		n.stopKubelet()
	}
}

// Waits until the kubelet has done something to our driver.
func (n *node) expect(events ...event) error {
	for _, expected := range events {
		select {
		case seen := <-n.handler.events:
			if seen != expected {
				return fmt.Errorf("the kubelet has %s %s, but should have %s %s", seen.what, seen.of, expected.what, expected.of)
			}
		case <-time.After(patience):
			return fmt.Errorf("the kubelet has not %s %s within %s", expected.what, expected.of, patience)
		}
	}
	return nil
}

// Waits until /registrationz answers so.
func (n *node) registrationz(status int, state string) error {
	if status == 0 {
		answer, err := http.Get("http://" + n.http + "/registrationz")
		if err == nil {
			answer.Body.Close()
			return errors.New("/registrationz should be answered by nobody")
		}
		return nil
	}
	deadline := time.Now().Add(patience)
	seen := "nothing"
	for time.Now().Before(deadline) {
		answer, err := http.Get("http://" + n.http + "/registrationz")
		if err != nil {
			seen = err.Error()
		} else {
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil {
				return err
			}
			if answer.StatusCode == status && strings.HasPrefix(string(body), state) {
				return nil
			}
			seen = fmt.Sprintf("%d %s", answer.StatusCode, body)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("/registrationz is not %d %s within %s, but %s", status, state, patience, seen)
}

// Runs wait-registered on the agent's address and on its state file.
func (n *node) waitRegistered(codes waits) error {
	for _, source := range []struct {
		flag, value string
		code        int
	}{{"--http-endpoint", n.http, codes.http}, {"--state-file", n.state, codes.file}} {
		arguments := []string{"wait-registered", "--timeout", "1s", source.flag, source.value}
		command := exec.CommandContext(n.ctx, n.binary, arguments...)
		said, err := command.CombinedOutput()
		if command.ProcessState == nil {
			return err
		}
		if seen := command.ProcessState.ExitCode(); seen != source.code {
			return fmt.Errorf("wait-registered %s ends with %d, not %d: %s", source.flag, seen, source.code, said)
		}
	}
	return nil
}
