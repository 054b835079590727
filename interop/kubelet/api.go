package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/cache"
)

// What handles plugins of a type, whatever the version of the kubelet calls it with.
type plugins interface {
	validate(name, endpoint string, versions []string) error
	register(name, endpoint string) error
	deregister(name string)
}

// The shapes that the kubelet's interface of a handler has had. Only the one of the version that this is built with fits it, and
// it is sought when the program runs, so that all versions build the same files.
type (
	since128 struct{ plugins }
	since130 struct{ plugins }
	since133 struct{ plugins }
	since137 struct{ plugins }
)

func (h since128) ValidatePlugin(name, endpoint string, versions []string) error {
	return h.validate(name, endpoint, versions)
}
func (h since128) RegisterPlugin(name, endpoint string, _ []string) error {
	return h.register(name, endpoint)
}
func (h since128) DeRegisterPlugin(name string) { h.deregister(name) }

func (h since130) ValidatePlugin(name, endpoint string, versions []string) error {
	return h.validate(name, endpoint, versions)
}
func (h since130) RegisterPlugin(name, endpoint string, _ []string, _ *time.Duration) error {
	return h.register(name, endpoint)
}
func (h since130) DeRegisterPlugin(name string) { h.deregister(name) }

func (h since133) ValidatePlugin(name, endpoint string, versions []string) error {
	return h.validate(name, endpoint, versions)
}
func (h since133) RegisterPlugin(name, endpoint string, _ []string, _ *time.Duration) error {
	return h.register(name, endpoint)
}
func (h since133) DeRegisterPlugin(name, _ string) { h.deregister(name) }

func (h since137) ValidatePlugin(_ context.Context, name, endpoint string, versions []string) error {
	return h.validate(name, endpoint, versions)
}
func (h since137) RegisterPlugin(_ context.Context, name, endpoint string, _ []string, _ *time.Duration) error {
	return h.register(name, endpoint)
}
func (h since137) DeRegisterPlugin(_ context.Context, name, _ string) { h.deregister(name) }

func asHandler(h plugins) (cache.PluginHandler, error) {
	for _, shape := range []any{since128{h}, since130{h}, since133{h}, since137{h}} {
		if handler, fits := shape.(cache.PluginHandler); fits {
			return handler, nil
		}
	}
	return nil, errors.New("this version's handlers have a shape that api.go does not know")
}
