// Answers /healthz by asking a plugin Probe over a new gRPC connection for each request, as livenessprobe does, with the
// library it does so with. It logs as that does, but has none of its other
// flags, so the original needs no less.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"csi-identity/interop/sidecars/logging"

	"github.com/kubernetes-csi/csi-lib-utils/connection"
	"github.com/kubernetes-csi/csi-lib-utils/metrics"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
)

const probeTimeout = 3 * time.Second

type liveness struct {
	plugin  string
	metrics metrics.CSIMetricsManager
}

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: %s <path of the plugin's socket> <address for HTTP>", os.Args[0]))
	}
	if err := logging.Start(); err != nil {
		fail(err)
	}
	l := liveness{plugin: os.Args[1], metrics: metrics.NewCSIMetricsManagerForSidecar("")}
	if err := l.learnName(); err != nil {
		fail(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", l.healthz)
	l.metrics.RegisterToServer(mux, "/metrics")
	listener, err := net.Listen("tcp", os.Args[2])
	if err != nil {
		fail(err)
	}
	// Port 0 is one of the kernel's choice.
	fmt.Fprintf(os.Stderr, "serving HTTP address=%s\n", listener.Addr())
	fail(http.Serve(listener, mux))
}

// Waits for the plugin first.
func (l liveness) learnName() error {
	conn, err := connection.Connect(context.Background(), l.plugin, l.metrics, connection.WithTimeout(0))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	name, err := rpc.GetDriverName(context.Background(), conn)
	if err != nil {
		return fmt.Errorf("GetPluginInfo: %w", err)
	}
	l.metrics.SetDriverName(name)
	return nil
}

func (l liveness) healthz(w http.ResponseWriter, request *http.Request) {
	ctx, cancel := context.WithTimeout(request.Context(), probeTimeout)
	defer cancel()
	ready, err := l.probe(ctx)
	switch {
	case err != nil:
		answer(w, http.StatusInternalServerError, err.Error())
	case !ready:
		answer(w, http.StatusInternalServerError, "not ready")
	default:
		answer(w, http.StatusOK, "ok")
	}
}

func (l liveness) probe(ctx context.Context) (bool, error) {
	conn, err := connection.Connect(ctx, l.plugin, l.metrics)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	return rpc.Probe(ctx, conn)
}

func answer(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	// A client that has gone needs no answer.
	_, _ = w.Write([]byte(text))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
