// A client of grpc-go that dials a Unix socket in one of the ways in use, calls a service, and prints how that
// went as one line of JSON. What it calls and prints is described in ../README.md.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"google.golang.org/grpc"
)

type outcome struct {
	Client     string  `json:"client"`
	Version    string  `json:"version"`
	Way        string  `json:"way"`
	Service    string  `json:"service"`
	CallsOK    int     `json:"calls_ok"`
	FirstError *string `json:"first_error"`
}

func main() {
	if len(os.Args) != 5 {
		fail(fmt.Errorf("usage: %s <call | show> <way> <service or call> <path of the socket>", os.Args[0]))
	}
	action, way, what, path := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	dial, found := ways[way]
	if !found {
		fail(fmt.Errorf("unknown way %q", way))
	}
	connect := func() (*grpc.ClientConn, error) { return dial(path) }
	var result any
	if action == "show" {
		result = show(way, what, connect)
	} else {
		result = callOften(way, what, connect)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

func callOften(way, service string, connect func() (*grpc.ClientConn, error)) outcome {
	calls, found := services[service]
	if !found {
		fail(fmt.Errorf("unknown service %q", service))
	}
	result := outcome{Client: "grpc-go", Version: grpc.Version, Way: way, Service: service}
	ok, err := load(connect, calls)
	result.CallsOK = ok
	if err != nil {
		text := err.Error()
		result.FirstError = &text
	}
	return result
}

// A call that failed is a result; this is for what kept the program from having one.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}
