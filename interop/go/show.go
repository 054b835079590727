package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const oversizedBytes = 5 << 20

// What the caller of one call sees.
type seen struct {
	Client  string `json:"client"`
	Version string `json:"version"`
	Way     string `json:"way"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The calls in ../errors/cases; each returns what a right answer says.
var singles = map[string]func(context.Context, *grpc.ClientConn) (string, error){
	"probe": func(ctx context.Context, connection *grpc.ClientConn) (string, error) {
		return probeWith(ctx, connection, &csi.ProbeRequest{})
	},
	"controller": func(ctx context.Context, connection *grpc.ClientConn) (string, error) {
		answer, err := csi.NewControllerClient(connection).ControllerGetCapabilities(ctx, &csi.ControllerGetCapabilitiesRequest{})
		return answer.String(), err
	},
	// The field is one that no server knows, so that nothing but the size is wrong.
	"oversized": func(ctx context.Context, connection *grpc.ClientConn) (string, error) {
		request := &csi.ProbeRequest{}
		field := append([]byte{0x7a, 0x80, 0x80, 0xc0, 0x02}, make([]byte, oversizedBytes)...)
		request.ProtoReflect().SetUnknown(field)
		return probeWith(ctx, connection, request)
	},
}

func show(way, name string, connect func() (*grpc.ClientConn, error)) seen {
	single, found := singles[name]
	if !found {
		fail(fmt.Errorf("unknown call %q", name))
	}
	connection, err := connect()
	if err != nil {
		fail(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	text, err := single(ctx, connection)
	result := seen{Client: "grpc-go", Version: grpc.Version, Way: way, Code: "OK", Message: text}
	if err != nil {
		result.Code, result.Message = codeName(status.Code(err)), status.Convert(err).Message()
	}
	return result
}

func probeWith(ctx context.Context, connection *grpc.ClientConn, request *csi.ProbeRequest) (string, error) {
	answer, err := csi.NewIdentityClient(connection).Probe(ctx, request)
	if answer.GetReady() == nil {
		return "ready unset", err
	}
	return fmt.Sprintf("ready=%t", answer.GetReady().GetValue()), err
}

// The name in the gRPC documents, FAILED_PRECONDITION, where Go says FailedPrecondition.
func codeName(code codes.Code) string {
	var name strings.Builder
	for i, letter := range code.String() {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			name.WriteByte('_')
		}
		name.WriteRune(letter)
	}
	return strings.ToUpper(name.String())
}
