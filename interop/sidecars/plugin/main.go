// A plugin as small as it can be in Go: Identity and NodeGetInfo with fixed answers on a Unix socket, with the server and the
// logging that plugins use. It has nothing to store and starts no loop, so a plugin of use needs no less.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"csi-identity/interop/sidecars/logging"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type plugin struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedNodeServer
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: %s <path of the socket to bind>", os.Args[0]))
	}
	if err := logging.Start(); err != nil {
		fail(err)
	}
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		fail(err)
	}
	server := grpc.NewServer()
	csi.RegisterIdentityServer(server, plugin{})
	csi.RegisterNodeServer(server, plugin{})
	fail(server.Serve(listener))
}

func (plugin) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: "disk.example.org", VendorVersion: "1.2.3"}, nil
}

func (plugin) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest,
) (*csi.GetPluginCapabilitiesResponse, error) {
	service := &csi.PluginCapability_Service{Type: csi.PluginCapability_Service_CONTROLLER_SERVICE}
	capability := &csi.PluginCapability{Type: &csi.PluginCapability_Service_{Service: service}}
	return &csi.GetPluginCapabilitiesResponse{Capabilities: []*csi.PluginCapability{capability}}, nil
}

func (plugin) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(true)}, nil
}

func (plugin) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: "node-1"}, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
