package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	"google.golang.org/grpc"
)

// A plugin in one readiness, and what the library has to return.
type plugin struct {
	title string
	// Goes into the configuration.
	configuration map[string]any
	// What happens before it is asked, after it has become ready: its backend goes.
	breaks   bool
	expected results
}

const (
	driver  = "disk.example.org"
	offers  = "CONTROLLER_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS"
	absent  = "Unimplemented"
	broken  = "FailedPrecondition `NOT_READY: backend: ...`"
	patient = "still waits"
	// How long the plugin may take to come up, or to see what became of its backend.
	patience = 10 * time.Second
)

var plugins = []plugin{
	{title: "no checks", expected: results{"true", "nil", driver, offers, absent}},
	{title: "`probe: {ready: true}`", configuration: with("probe", map[string]any{"ready": true}),
		expected: results{"true", "nil", driver, offers, absent}},
	{title: "`probe: {ready: false}`", configuration: with("probe", map[string]any{"ready": false}),
		expected: results{"false", patient, driver, offers, absent}},
	{title: "starting: its check has not passed yet", configuration: check("error"),
		expected: results{"false", patient, driver, offers, absent}},
	{title: "the same with `while_starting: error`", configuration: with("while_starting", "error", check("error")),
		expected: results{broken, broken, driver, offers, absent}},
	{title: "its check fails, `on_failure: error`", configuration: check("error"), breaks: true,
		expected: results{broken, broken, driver, offers, absent}},
	{title: "its check fails, `on_failure: not_ready`", configuration: check("not_ready"), breaks: true,
		expected: results{"false", patient, driver, offers, absent}},
}

func with(key string, value any, others ...map[string]any) map[string]any {
	all := map[string]any{key: value}
	for _, other := range others {
		for key, value := range other {
			all[key] = value
		}
	}
	return all
}

// The path is filled in for each plugin.
func check(onFailure string) map[string]any {
	return map[string]any{"checks": []any{map[string]any{
		"name": "backend", "path": "", "interval": "50ms", "timeout": "50ms", "failure_threshold": 1, "on_failure": onFailure,
	}}}
}

// Runs it, brings it into its readiness, and asks it everything.
func (p plugin) ask(ctx context.Context, binary, work, address string) (seen results, err error) {
	folder, err := os.MkdirTemp(work, "plugin.")
	if err != nil {
		return seen, err
	}
	socket, backend := filepath.Join(folder, "csi.sock"), filepath.Join(folder, "backend")
	file, err := p.write(folder, socket, backend)
	if err != nil {
		return seen, err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return seen, err
	}
	defer log.Close()
	command := exec.CommandContext(ctx, binary, "serve", "--config", file)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return seen, err
	}
	defer func() {
		stopped := command.Process.Signal(syscall.SIGTERM)
		err = errors.Join(err, stopped, command.Wait())
	}()
	// It waits for the socket by itself.
	connection, err := connect(ctx, fmt.Sprintf(address, socket))
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		return seen, fmt.Errorf("%w; it printed: %s", err, said)
	}
	defer connection.Close()
	if p.breaks {
		if err := breakDown(ctx, connection, backend); err != nil {
			return seen, err
		}
	}
	return askAll(ctx, connection), nil
}

func (p plugin) write(folder, socket, backend string) (string, error) {
	configuration := with("endpoint", socket, p.configuration)
	configuration["plugin_info"] = map[string]any{"name": driver, "vendor_version": "1.2.3"}
	configuration["plugin_capabilities"] = map[string]any{"capabilities": []any{
		map[string]any{"service": map[string]any{"type": "CONTROLLER_SERVICE"}},
		map[string]any{"volume_accessibility_constraints": map[string]any{"required": true}},
	}}
	if checks, there := configuration["checks"].([]any); there {
		checks[0].(map[string]any)["path"] = backend
	}
	text, err := json.Marshal(configuration)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "configuration.json")
	return file, os.WriteFile(file, text, 0o644)
}

// The backend comes, the plugin is ready; the backend goes, and the plugin has seen it.
func breakDown(ctx context.Context, connection *grpc.ClientConn, backend string) error {
	if err := os.WriteFile(backend, nil, 0o644); err != nil {
		return err
	}
	if err := until(ctx, connection, true); err != nil {
		return err
	}
	if err := os.Remove(backend); err != nil {
		return err
	}
	return until(ctx, connection, false)
}

func until(ctx context.Context, connection *grpc.ClientConn, wanted bool) error {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if ready, err := rpc.Probe(ctx, connection); (err == nil && ready) == wanted {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("it should be ready: %t, within %s", wanted, patience)
}
