package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	listers "k8s.io/client-go/listers/storage/v1"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/cache"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/csi"
	"sigs.k8s.io/yaml"

	authentication "k8s.io/api/authentication/v1"

	"csi-identity/interop/kubelet/manager"
)

const nodeName = "node-1"

// What the kubelet's code for CSI asks of the kubelet; all else would be a nil pointer.
type host struct {
	volume.VolumeHost
	kubelet
	client *fake.Clientset
	ready  chan struct{}
}

type kubelet struct{ volume.KubeletVolumeHost }

func (h *host) GetKubeClient() clientset.Interface { return h.client }
func (h *host) GetNodeName() types.NodeName        { return nodeName }
func (h *host) GetInformerFactory() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(h.client, 0)
}
func (h *host) CSIDriverLister() listers.CSIDriverLister {
	return h.GetInformerFactory().Storage().V1().CSIDrivers().Lister()
}
func (h *host) GetServiceAccountTokenFunc() func(string, string, *authentication.TokenRequest) (*authentication.TokenRequest, error) {
	return nil
}

// Its end is that the CSINode is there.
func (h *host) SetKubeletError(err error) {
	if err == nil {
		close(h.ready)
	}
}

// The kubelet's plugin manager with its handler of CSI plugins, in place of `csi-identity kubelet`.
func realKubelet(folder, objects string, labels map[string]string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	node := &core.Node{ObjectMeta: meta.ObjectMeta{Name: nodeName, UID: "of-the-node", Labels: labels}}
	h := &host{client: newAPIServer(node), ready: make(chan struct{})}
	if err := csi.ProbeVolumePlugins()[0].Init(h); err != nil {
		return err
	}
	select {
	case <-h.ready:
	case <-time.After(10 * time.Second):
		return fmt.Errorf("the CSINode is not initialised")
	}
	end, err := manager.Start(ctx, folder, map[string]cache.PluginHandler{"CSIPlugin": csi.PluginHandler})
	if err != nil {
		return err
	}
	defer end()
	written := ""
	for ctx.Err() == nil {
		text, err := h.show(ctx)
		if err != nil {
			return err
		}
		if text != written {
			if err := os.WriteFile(objects+".draft", []byte(text), 0o644); err != nil {
				return err
			}
			if err := os.Rename(objects+".draft", objects); err != nil {
				return err
			}
			written = text
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// Node and CSINode as `csi-identity kubelet` shows them.
func (h *host) show(ctx context.Context) (string, error) {
	node, err := h.client.CoreV1().Nodes().Get(ctx, nodeName, meta.GetOptions{})
	if err != nil {
		return "", err
	}
	csiNode, err := h.client.StorageV1().CSINodes().Get(ctx, nodeName, meta.GetOptions{})
	if err != nil {
		return "", err
	}
	first, err := yaml.Marshal(node)
	if err != nil {
		return "", err
	}
	second, err := yaml.Marshal(csiNode)
	return string(first) + "---\n" + string(second), err
}
