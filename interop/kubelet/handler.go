package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// What the kubelet does with a plugin, as the handler sees it.
type event struct {
	// validated, registered, refused or deregistered
	what string
	// The driver's name, and behind it the node's id where there is one.
	of string
}

// Stands in for the kubelet's handler of CSI plugins: it asks NodeGetInfo on the endpoint that was registered, as the real one
// does, and keeps no CSINode.
type handler struct {
	ctx    context.Context
	events chan event
	// The registration socket.
	socket string

	mutex   sync.Mutex
	refusal refusal
	// The last registration was accepted, and has not been taken back.
	registered bool
	// The refusal was told; there may be many until it is taken back.
	told bool
	// Which socket was there at the last refusal, and at the last two registrations.
	refusedOn, registeredOn, registeredOnBefore identity
}

// What tells a file from its successor, whose inode may be the same.
type identity struct {
	inode   uint64
	changed syscall.Timespec
}

// In which step plugins are refused.
type refusal int

const (
	nowhere refusal = iota
	inValidate
	inRegister
)

func (h *handler) refuse(where refusal) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.refusal, h.told = where, false
}

func (h *handler) refuses(where refusal, name string) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.refusal != where {
		return false
	}
	h.refusedOn = identify(h.socket)
	if !h.told {
		h.told = true
		h.events <- event{"refused", name}
	}
	return true
}

// None if there is no such file.
func identify(path string) identity {
	var found syscall.Stat_t
	if err := syscall.Stat(path, &found); err != nil {
		return identity{}
	}
	return identity{found.Ino, found.Ctim}
}

func (h *handler) validate(name, _ string, versions []string) error {
	if h.refuses(inValidate, name) {
		return errors.New("the handler does not want it")
	}
	if len(versions) != 1 || versions[0] != "1.0.0" {
		return fmt.Errorf("versions are %v, not 1.0.0", versions)
	}
	return nil
}

func (h *handler) register(name, endpoint string) error {
	if h.refuses(inRegister, name) {
		return errors.New("the handler cannot register it")
	}
	ctx, cancel := context.WithTimeout(h.ctx, 2*time.Minute)
	defer cancel()
	// As the kubelet dials it. Up to 1.30, its grpc-go has no NewClient yet.
	connection, err := grpc.DialContext(ctx, endpoint,
		grpc.WithAuthority("localhost"),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, path string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}),
	)
	if err != nil {
		return err
	}
	defer connection.Close()
	info, err := csi.NewNodeClient(connection).NodeGetInfo(ctx, &csi.NodeGetInfoRequest{})
	if err != nil {
		return err
	}
	h.mutex.Lock()
	h.registeredOn, h.registeredOnBefore = identify(h.socket), h.registeredOn
	h.registered = true
	h.mutex.Unlock()
	h.events <- event{"registered", name + " on " + info.GetNodeId()}
	return nil
}

func (h *handler) deregister(name string) {
	h.mutex.Lock()
	registered := h.registered
	h.registered = false
	h.mutex.Unlock()
	// Up to 1.35, the kubelet also lets go of a plugin that was refused in RegisterPlugin, when its socket goes.
	if registered {
		h.events <- event{"deregistered", name}
	}
}
