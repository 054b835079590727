// Package manager puts the parts of the kubelet together as its plugin manager does. That one package is left out, since it
// brings much of the rest of the kubelet with it, which would be built for nothing.
package manager

import (
	"context"
	"errors"
	"time"

	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/cache"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/operationexecutor"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/pluginwatcher"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/reconciler"
)

// As in the kubelet.
const loopInterval = time.Second

// Start watches a folder with the kubelet's code, whatever its version; what it returns stops that.
func Start(ctx context.Context, folder string, handlers map[string]cache.PluginHandler) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	done, stopped := make(chan struct{}), make(chan struct{})
	actual, desired := cache.NewActualStateOfWorld(), cache.NewDesiredStateOfWorld()
	executor := operationexecutor.NewOperationExecutor(operationexecutor.NewOperationGenerator(nil))
	loop := reconciler.NewReconciler(executor, loopInterval, desired, actual)
	for kind, handler := range handlers {
		loop.AddHandler(kind, handler)
	}
	run := running(ctx, done, loop)
	if run == nil {
		cancel()
		return nil, errors.New("this version's reconciler runs in a way that manager.go does not know")
	}
	if err := startWatcher(ctx, done, pluginwatcher.NewWatcher(folder, desired)); err != nil {
		cancel()
		return nil, err
	}
	go func() {
		defer close(stopped)
		run()
	}()
	return func() {
		cancel()
		close(done)
		<-stopped
	}, nil
}

// Until 1.34 it took no context.
func startWatcher(ctx context.Context, stop <-chan struct{}, watcher *pluginwatcher.Watcher) error {
	switch watcher := any(watcher).(type) {
	case interface {
		Start(<-chan struct{}) error
	}:
		return watcher.Start(stop)
	case interface {
		Start(context.Context, <-chan struct{}) error
	}:
		return watcher.Start(ctx, stop)
	}
	return errors.New("this version's watcher starts in a way that manager.go does not know")
}

// Until 1.36 it took a channel; it is nil for a reconciler that is run in an unknown way.
func running(ctx context.Context, stop <-chan struct{}, loop reconciler.Reconciler) func() {
	switch loop := any(loop).(type) {
	case interface{ Run(<-chan struct{}) }:
		return func() { loop.Run(stop) }
	case interface{ Run(context.Context) }:
		return func() { loop.Run(ctx) }
	}
	return nil
}
