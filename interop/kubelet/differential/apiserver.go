package main

import (
	"context"
	"encoding/json"
	"fmt"

	core "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	internalcore "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	internalstorage "k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/auth/nodeidentifier"
	nodes "k8s.io/kubernetes/pkg/registry/core/node"
	csinodes "k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/plugin/pkg/admission/noderestriction"
)

var (
	nodeKind        = core.SchemeGroupVersion.WithKind("Node")
	nodeResource    = core.SchemeGroupVersion.WithResource("nodes")
	csiNodeResource = storage.SchemeGroupVersion.WithResource("csinodes")
)

// A fake clientset takes every object. This one asks before it does what an API server asks: admission of what a node changes
// in itself, and the rules for updates of both objects.
func newAPIServer(node *core.Node) *fake.Clientset {
	client := fake.NewSimpleClientset(node)
	client.PrependReactor("patch", "nodes", func(action testing.Action) (bool, runtime.Object, error) {
		if err := checkNode(client, action.(testing.PatchAction)); err != nil {
			return true, nil, err
		}
		return false, nil, nil
	})
	client.PrependReactor("update", "csinodes", func(action testing.Action) (bool, runtime.Object, error) {
		if err := checkCSINode(client, action.(testing.UpdateAction)); err != nil {
			return true, nil, err
		}
		return false, nil, nil
	})
	return client
}

func checkNode(client *fake.Clientset, patch testing.PatchAction) error {
	old, err := client.Tracker().Get(nodeResource, "", patch.GetName())
	if err != nil {
		return err
	}
	document, err := json.Marshal(old)
	if err != nil {
		return err
	}
	if document, err = strategicpatch.StrategicMergePatch(document, patch.GetPatch(), core.Node{}); err != nil {
		return err
	}
	changed := &core.Node{}
	if err := json.Unmarshal(document, changed); err != nil {
		return err
	}
	before, after := &internalcore.Node{}, &internalcore.Node{}
	if err := convert(old, before, changed, after); err != nil {
		return err
	}
	restriction := noderestriction.NewPlugin(nodeidentifier.NewDefaultNodeIdentifier())
	asked := admission.NewAttributesRecord(after, before, nodeKind, "", patch.GetName(), nodeResource, patch.GetSubresource(),
		admission.Update, nil, false, &user.DefaultInfo{Name: "system:node:" + nodeName, Groups: []string{"system:nodes"}})
	if err := restriction.Admit(context.Background(), asked, nil); err != nil {
		return err
	}
	return rest.BeforeUpdate(nodes.StatusStrategy, of(nodeResource), after, before)
}

func checkCSINode(client *fake.Clientset, update testing.UpdateAction) error {
	changed := update.GetObject().(*storage.CSINode)
	old, err := client.Tracker().Get(csiNodeResource, "", changed.Name)
	if err != nil {
		return err
	}
	before, after := &internalstorage.CSINode{}, &internalstorage.CSINode{}
	if err := convert(old, before, changed, after); err != nil {
		return err
	}
	return rest.BeforeUpdate(csinodes.Strategy, of(csiNodeResource), after, before)
}

// To the form in which an API server judges them. A fake clientset numbers no versions, without which there are no updates.
func convert(old, before, changed, after runtime.Object) error {
	for _, pair := range [][2]runtime.Object{{old, before}, {changed, after}} {
		if err := legacyscheme.Scheme.Convert(pair[0], pair[1], nil); err != nil {
			return err
		}
		object, ok := pair[1].(interface{ SetResourceVersion(string) })
		if !ok {
			return fmt.Errorf("%T has no version", pair[1])
		}
		object.SetResourceVersion("1")
	}
	return nil
}

func of(resource schema.GroupVersionResource) context.Context {
	ctx := request.WithNamespace(context.Background(), "")
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: "update", APIGroup: resource.Group, APIVersion: resource.Version, Resource: resource.Resource,
	})
}
