// Offers a plugin to a kubelet, as node-driver-registrar does, with the library it asks the plugin's name with. It
// logs as that does, but has neither its other flags nor its HTTP, so the original needs no less.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"csi-identity/interop/sidecars/logging"

	"github.com/kubernetes-csi/csi-lib-utils/connection"
	"github.com/kubernetes-csi/csi-lib-utils/metrics"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type registrar struct {
	registration.UnimplementedRegistrationServer
	driver string
	plugin string
}

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: %s <path of the plugin's socket> <folder of the registration socket>", os.Args[0]))
	}
	if err := logging.Start(); err != nil {
		fail(err)
	}
	plugin, folder := os.Args[1], os.Args[2]
	// Kept open, though it is used only once.
	conn, err := connection.Connect(context.Background(), plugin, metrics.NewCSIMetricsManagerForSidecar(""),
		connection.WithTimeout(0))
	if err != nil {
		fail(fmt.Errorf("connect: %w", err))
	}
	defer conn.Close()
	driver, err := rpc.GetDriverName(context.Background(), conn)
	if err != nil {
		fail(fmt.Errorf("GetPluginInfo: %w", err))
	}
	unix.Umask(0o077)
	listener, err := net.Listen("unix", filepath.Join(folder, driver+"-reg.sock"))
	if err != nil {
		fail(err)
	}
	server := grpc.NewServer()
	registration.RegisterRegistrationServer(server, registrar{driver: driver, plugin: plugin})
	fail(server.Serve(listener))
}

func (r registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              r.driver,
		Endpoint:          r.plugin,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (r registrar) NotifyRegistrationStatus(_ context.Context, status *registration.RegistrationStatus,
) (*registration.RegistrationStatusResponse, error) {
	if !status.PluginRegistered {
		fail(fmt.Errorf("refused: %s", status.Error))
	}
	return &registration.RegistrationStatusResponse{}, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
