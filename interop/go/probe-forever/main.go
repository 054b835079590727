// Waits for a plugin as the Kubernetes sidecars do when they start: dials and calls rpc.ProbeForever of csi-lib-utils.
// Prints a line that says what it is, one for each answer of the plugin, and one for what ProbeForever returned.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	library      = "github.com/kubernetes-csi/csi-lib-utils"
	probeTimeout = time.Second
)

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: %s <path of the socket>", os.Args[0]))
	}
	version, err := libraryVersion()
	if err != nil {
		fail(err)
	}
	fmt.Printf("csi-lib-utils %s\n", version)
	connection, err := dial(os.Args[1])
	if err != nil {
		fail(err)
	}
	defer connection.Close()
	if err := rpc.ProbeForever(context.Background(), connection, probeTimeout); err != nil {
		fmt.Printf("returned %v\n", err)
	} else {
		fmt.Println("returned nil")
	}
}

// As the library's connection.Connect does, which would need three times as many modules for metrics and traces.
func dial(path string) (*grpc.ClientConn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return grpc.DialContext(ctx, "unix://"+path,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithBlock(),
		grpc.WithIdleTimeout(0),
		grpc.WithUnaryInterceptor(showAnswer),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", path)
		}),
	)
}

func showAnswer(ctx context.Context, method string, request, answer any, connection *grpc.ClientConn,
	invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := invoke(ctx, method, request, answer, connection, options...)
	if err != nil {
		fmt.Printf("answered %v\n", err)
	} else if probe, ok := answer.(*csi.ProbeResponse); ok {
		fmt.Printf("answered ready=%t\n", probe.GetReady().GetValue())
	}
	return err
}

func libraryVersion() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", fmt.Errorf("built without module information")
	}
	for _, module := range info.Deps {
		if module.Path == library {
			return module.Version[1:], nil
		}
	}
	return "", fmt.Errorf("built without %s", library)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
