package main

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Ways to dial a Unix socket, by the names in the file ways.
var ways = map[string]func(path string) (*grpc.ClientConn, error){
	// The kubelet on a registration socket, in every version: the target is a bare path, the authority is what grpc-go
	// makes of it.
	"kubelet-registration": func(path string) (*grpc.ClientConn, error) {
		return dialAsKubelet(path, grpc.WithBlock())
	},
	// The same up to 1.28, whose grpc-go sent the path as it is: so does today's when it is told to.
	"kubelet-registration-1.28": func(path string) (*grpc.ClientConn, error) {
		return dialAsKubelet(path, grpc.WithBlock(), grpc.WithAuthority(path))
	},
	// The kubelet on a driver's socket, since 1.26.
	"kubelet-csi": func(path string) (*grpc.ClientConn, error) {
		return dialAsKubelet(path, grpc.WithAuthority("localhost"))
	},
	"unix:///": func(path string) (*grpc.ClientConn, error) {
		return grpc.NewClient("unix://"+path, plaintext)
	},
	"unix:/": func(path string) (*grpc.ClientConn, error) {
		return grpc.NewClient("unix:"+path, plaintext)
	},
	"passthrough:///": func(path string) (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///"+path, plaintext, grpc.WithContextDialer(dialUnix))
	},
}

var plaintext = grpc.WithTransportCredentials(insecure.NewCredentials())

// The kubelet still uses the older entry point, which, unlike NewClient, takes a target without a scheme as it is.
func dialAsKubelet(path string, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	options := append(more, plaintext, grpc.WithContextDialer(dialUnix))
	return grpc.DialContext(ctx, path, options...)
}

func dialUnix(ctx context.Context, path string) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", path)
}
