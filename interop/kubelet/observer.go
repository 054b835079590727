package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// How long a kubelet has to come back to a plugin that it refused. It looks once a second, and first after half a second's
// back-off.
const comesBackWithin = 6 * time.Second

// What a version of the kubelet does of itself.
type habits struct {
	// The authority it sends on a registration socket.
	authority string
	// Whether it comes back to a plugin on the same socket that was refused in that step.
	retriesValidate, retriesRegister bool
}

// A plugin of grpc-go that stays as it is, and a handler that refuses it: what the kubelet does then, it does of itself. The
// agent would show a new socket.
type observer struct {
	registration.UnimplementedRegistrationServer
	where refusal
	kind  string

	mutex     sync.Mutex
	authority string
	refusals  chan struct{}
}

func (o *observer) GetInfo(ctx context.Context, _ *registration.InfoRequest) (*registration.PluginInfo, error) {
	fields, _ := metadata.FromIncomingContext(ctx)
	o.mutex.Lock()
	o.authority = strings.Join(fields.Get(":authority"), ",")
	o.mutex.Unlock()
	return &registration.PluginInfo{Type: o.kind, Name: o.kind, SupportedVersions: []string{"1.0.0"}}, nil
}

func (o *observer) NotifyRegistrationStatus(context.Context, *registration.RegistrationStatus,
) (*registration.RegistrationStatusResponse, error) {
	return &registration.RegistrationStatusResponse{}, nil
}

func (o *observer) refuseIn(where refusal) error {
	if o.where != where {
		return nil
	}
	o.refusals <- struct{}{}
	return errors.New("the observer does not want it")
}

func (o *observer) validate(string, string, []string) error { return o.refuseIn(inValidate) }
func (o *observer) register(string, string) error           { return o.refuseIn(inRegister) }
func (o *observer) deregister(string)                       {}

// Shows it to a kubelet; returns the authority, and whether the kubelet came back.
func (o *observer) watch(n *node) (string, bool, error) {
	socket := filepath.Join(n.folder, o.kind+"-reg.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return "", false, err
	}
	server := grpc.NewServer()
	registration.RegisterRegistrationServer(server, o)
	go server.Serve(listener)
	defer server.Stop()
	select {
	case <-o.refusals:
	case <-time.After(patience):
		return "", false, fmt.Errorf("the kubelet has not found %s within %s", socket, patience)
	}
	o.mutex.Lock()
	authority := strings.ReplaceAll(o.authority, n.folder, "/path")
	o.mutex.Unlock()
	authority = strings.ReplaceAll(authority, strings.ReplaceAll(n.folder, "/", "%2F"), "%2Fpath")
	authority = strings.ReplaceAll(authority, o.kind+"-reg", "reg")
	select {
	case <-o.refusals:
		return authority, true, nil
	case <-time.After(comesBackWithin):
		return authority, false, nil
	}
}

// Sees how the kubelet, which has to run with these observers as its handlers, goes about them.
func (n *node) observe() (seen habits, err error) {
	if seen.authority, seen.retriesValidate, err = n.observers[0].watch(n); err != nil {
		return seen, err
	}
	_, seen.retriesRegister, err = n.observers[1].watch(n)
	return seen, err
}

func newObservers() []*observer {
	return []*observer{
		{where: inValidate, kind: "refused-in-validate", refusals: make(chan struct{}, 100)},
		{where: inRegister, kind: "refused-in-register", refusals: make(chan struct{}, 100)},
	}
}

// Compares it with what this version is known to do; the authority is only shown.
func (seen habits) differFrom(retries string) error {
	expected := map[string]habits{
		"validation": {seen.authority, true, false},
		"both":       {seen.authority, true, true},
	}
	wanted, known := expected[retries]
	if !known {
		return fmt.Errorf("-retries is validation or both, not %q", retries)
	}
	if seen != wanted {
		return fmt.Errorf("the kubelet retries after a refusal in ValidatePlugin: %t, in RegisterPlugin: %t; it should retry after %s",
			seen.retriesValidate, seen.retriesRegister, retries)
	}
	return nil
}
