package main

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubernetes-csi/csi-lib-utils/connection"
	"github.com/kubernetes-csi/csi-lib-utils/metrics"
	"github.com/kubernetes-csi/csi-lib-utils/rpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// How long ProbeForever may ask a plugin that is not ready; it asks once a second.
const waits = 1500 * time.Millisecond

// What the calls return, as the page has it.
type results struct {
	probe, forever, name, capabilities, controller string
}

func (r results) byCall() map[string]string {
	return map[string]string{
		"Probe": r.probe, "ProbeForever": r.forever, "GetDriverName": r.name,
		"GetPluginCapabilities": r.capabilities, "GetControllerCapabilities": r.controller,
	}
}

// As a sidecar does when it starts.
func connect(ctx context.Context, address string) (*grpc.ClientConn, error) {
	return connection.Connect(ctx, address, metrics.NewCSIMetricsManagerForSidecar(driver), connection.WithTimeout(patience))
}

func askAll(ctx context.Context, connection *grpc.ClientConn) results {
	ready, err := rpc.Probe(ctx, connection)
	seen := results{probe: shown(strconv.FormatBool(ready), err)}
	limited, cancel := context.WithTimeout(ctx, waits)
	defer cancel()
	seen.forever = shown("nil", rpc.ProbeForever(limited, connection, time.Second))
	name, err := rpc.GetDriverName(ctx, connection)
	seen.name = shown(name, err)
	set, err := rpc.GetPluginCapabilities(ctx, connection)
	names := []string{}
	for kind, there := range set {
		if there {
			names = append(names, kind.String())
		}
	}
	slices.Sort(names)
	seen.capabilities = shown(strings.Join(names, ", "), err)
	_, err = rpc.GetControllerCapabilities(ctx, connection)
	seen.controller = shown("answered", err)
	return seen
}

// What ProbeForever makes of a status: its text.
var probeFailed = regexp.MustCompile(`^CSI driver probe failed: rpc error: code = (\w+) desc = (.*)$`)

func shown(value string, err error) string {
	if err == nil {
		return value
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "still waits"
	}
	code, message := "", ""
	if parts := probeFailed.FindStringSubmatch(err.Error()); parts != nil {
		code, message = parts[1], parts[2]
	} else if answer, is := status.FromError(err); is {
		code, message = answer.Code().String(), answer.Message()
	} else {
		return err.Error()
	}
	if cause, is := strings.CutPrefix(message, "NOT_READY: backend: "); is && cause != "" {
		return code + " `NOT_READY: backend: ...`"
	}
	if code == "Unimplemented" {
		return code
	}
	return code + " `" + message + "`"
}
