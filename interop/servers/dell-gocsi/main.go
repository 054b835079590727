// A plugin as small as it can be with the gocsi of dell: Identity and the two calls of Node that a plugin needs to be registered,
// with fixed answers, served and validated as that library does it, on the socket in CSI_ENDPOINT.
package main

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/dell/gocsi"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type plugin struct {
	csi.IdentityServer
	csi.NodeServer
}

func main() {
	service := plugin{}
	gocsi.Run(context.Background(), "disk.example.org", "a plugin without volumes", "", &gocsi.StoragePlugin{
		Identity: service,
		Node:     service,
		EnvVars:  []string{gocsi.EnvVarMode + "=node", gocsi.EnvVarSpecValidation + "=true"},
	})
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

func (plugin) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest,
) (*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{}, nil
}
