package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

const (
	callsOnOneConnection         = 1000
	connectionsAtOnce            = 5
	callsOnEachConnection        = 20
	maxFields                    = 6
	maxFieldBytes                = 400
	callTimeout                  = 5 * time.Second
	letters                      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/%:;,."
	seed                  uint64 = 0x1d3e
)

// One remote call, and whether the answer was right.
type call func(context.Context, *grpc.ClientConn) error

// Calls on one connection, then on several at once; returns how many were answered right, and what the first failure was.
func load(connect func() (*grpc.ClientConn, error), calls []call) (int, error) {
	ok, err := sequence(connect, calls, callsOnOneConnection, 0)
	if err != nil {
		return ok, err
	}
	type part struct {
		ok  int
		err error
	}
	parts := make(chan part)
	for i := range connectionsAtOnce {
		go func() {
			ok, err := sequence(connect, calls, callsOnEachConnection, uint64(i)+1)
			parts <- part{ok, err}
		}()
	}
	var first error
	for range connectionsAtOnce {
		part := <-parts
		ok += part.ok
		if first == nil {
			first = part.err
		}
	}
	return ok, first
}

func sequence(connect func() (*grpc.ClientConn, error), calls []call, count int, stream uint64) (int, error) {
	connection, err := connect()
	if err != nil {
		return 0, fmt.Errorf("dial: %w", err)
	}
	defer connection.Close()
	random := rand.New(rand.NewPCG(seed, stream))
	for i := range count {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		ctx = metadata.NewOutgoingContext(ctx, randomMetadata(random))
		err := calls[i%len(calls)](ctx, connection)
		cancel()
		if err != nil {
			return i, err
		}
	}
	return count, nil
}

// Enough, and different enough, to make the peers' header tables overflow again and again.
func randomMetadata(random *rand.Rand) metadata.MD {
	fields := metadata.MD{}
	for range random.IntN(maxFields + 1) {
		value := make([]byte, 1+random.IntN(maxFieldBytes))
		for i := range value {
			value[i] = letters[random.IntN(len(letters))]
		}
		fields.Append(fmt.Sprintf("x-interop-%d", random.IntN(50)), string(value))
	}
	return fields
}
