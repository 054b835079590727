package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// What a registrar and its plugin answer.
type script struct {
	// Where it shows itself, below plugins_registry.
	socket string
	// Without a type, CSIPlugin; without a name, the socket's; without versions, 1.0.0.
	kind, name string
	versions   []string
	// Where it says that the plugin is, instead of where it is; "" is no endpoint.
	endpoint *string
	// Has neither GetInfo nor NotifyRegistrationStatus.
	mute bool
	// GetInfo takes so long, and NodeGetInfo.
	slow, slowNode time.Duration
	infoError      error
	notifyError    error
	node           *csi.NodeGetInfoResponse
	nodeError      error
	// What is done when NodeGetInfo is called, before it answers.
	meanwhile func() error
}

// A registrar and its plugin, whose answers may change while they serve, and who write down what they are asked.
type registrar struct {
	registration.UnimplementedRegistrationServer
	csi.UnimplementedNodeServer
	stage *stage
	path  string
	csi   string

	mutex  sync.Mutex
	script script
	// The first server is that of the registration socket.
	servers []*grpc.Server
}

// A text to point to.
func text(text string) *string { return &text }

func (r *registrar) Script() script {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.script
}

func (r *registrar) change(change func(*script)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	change(&r.script)
}

func (r *registrar) serve() error {
	if err := r.listen(r.csi, true); err != nil {
		return err
	}
	return r.listen(r.path, false)
}

func (r *registrar) listen(path string, isPlugin bool) error {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	server := grpc.NewServer()
	script := r.Script()
	if !isPlugin && !script.mute {
		registration.RegisterRegistrationServer(server, r)
	}
	// Who has no endpoint has the plugin on the registration socket.
	if isPlugin || script.endpoint != nil && *script.endpoint == "" && script.node != nil {
		csi.RegisterNodeServer(server, r)
	}
	r.servers = append(r.servers, server)
	go server.Serve(listener)
	return nil
}

// The sockets stay.
func (r *registrar) stop() {
	for _, server := range r.servers {
		server.Stop()
	}
	r.servers = nil
}

func (r *registrar) GetInfo(ctx context.Context, _ *registration.InfoRequest) (*registration.PluginInfo, error) {
	r.note("GetInfo for %s", authority(ctx))
	script := r.Script()
	// To its end, even if nobody waits any more: the caller would see either, that its time is up or that the call was given up.
	time.Sleep(script.slow)
	if script.infoError != nil {
		return nil, script.infoError
	}
	info := &registration.PluginInfo{Type: script.kind, Name: script.name, Endpoint: r.csi, SupportedVersions: script.versions}
	if script.endpoint != nil {
		info.Endpoint = strings.ReplaceAll(*script.endpoint, "CSI", r.csi)
	}
	return info, nil
}

func (r *registrar) NotifyRegistrationStatus(_ context.Context, told *registration.RegistrationStatus,
) (*registration.RegistrationStatusResponse, error) {
	if told.GetPluginRegistered() && told.GetError() == "" {
		r.note("Notify registered")
	} else {
		r.note("Notify registered=%t: %s", told.GetPluginRegistered(), told.GetError())
	}
	return &registration.RegistrationStatusResponse{}, r.Script().notifyError
}

func (r *registrar) NodeGetInfo(ctx context.Context, _ *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	r.note("NodeGetInfo for %s", authority(ctx))
	script := r.Script()
	if script.meanwhile != nil {
		if err := script.meanwhile(); err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
	}
	time.Sleep(script.slowNode)
	if script.nodeError != nil {
		return nil, script.nodeError
	}
	if script.node != nil {
		return script.node, nil
	}
	return &csi.NodeGetInfoResponse{NodeId: "i-1"}, nil
}

func (r *registrar) note(format string, arguments ...any) {
	r.stage.note(r.Script().socket, fmt.Sprintf(format, arguments...))
}

func authority(ctx context.Context) string {
	fields, _ := metadata.FromIncomingContext(ctx)
	return strings.Join(fields.Get(":authority"), ",")
}

// Removes the registration socket.
func (r *registrar) remove() error { return os.Remove(r.path) }

// The server goes, and its sockets; then there are new ones.
func (r *registrar) restart() error {
	r.stop()
	for _, path := range []string{r.path, r.csi} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return r.serve()
}

func (s *stage) newRegistrar(script script) *registrar {
	if script.kind == "" {
		script.kind = "CSIPlugin"
	}
	if script.name == "" {
		script.name = strings.TrimSuffix(filepath.Base(script.socket), ".sock") + ".example.org"
	}
	if script.name == nameless {
		script.name = ""
	}
	if script.versions == nil {
		script.versions = []string{"1.0.0"}
	}
	s.plugins++
	r := &registrar{
		stage: s, script: script,
		path: filepath.Join(s.registry(), script.socket),
		csi:  filepath.Join(s.root, fmt.Sprintf("csi%d.sock", s.plugins)),
	}
	s.registrars = append(s.registrars, r)
	return r
}

// In a script: the driver has no name.
const nameless = "-"
