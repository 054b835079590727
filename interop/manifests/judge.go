package main

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// judge finds what types alone do not: names that lead nowhere, and containers with more rights than they need.
func judge(objects []runtime.Object) error {
	for _, object := range objects {
		set, ok := object.(*appsv1.DaemonSet)
		if !ok {
			continue
		}
		if set.Namespace == "" {
			return fmt.Errorf("DaemonSet %s has no namespace", set.Name)
		}
		selector, err := v1.LabelSelectorAsSelector(set.Spec.Selector)
		if err != nil {
			return fmt.Errorf("DaemonSet %s: %w", set.Name, err)
		}
		own := set.Spec.Template.Labels
		if !selector.Matches(labels.Set(own)) {
			return fmt.Errorf("DaemonSet %s does not select its own pods, which have the labels %v", set.Name, own)
		}
		if err := judgePod(set.Spec.Template.Spec, objects); err != nil {
			return fmt.Errorf("DaemonSet %s: %w", set.Name, err)
		}
	}
	return nil
}

func judgePod(pod corev1.PodSpec, objects []runtime.Object) error {
	var volumes []string
	for _, volume := range pod.Volumes {
		volumes = append(volumes, volume.Name)
		if config := volume.ConfigMap; config != nil && !hasObject[*corev1.ConfigMap](objects, config.Name) {
			return fmt.Errorf("volume %s wants the ConfigMap %s, which is not in the file", volume.Name, config.Name)
		}
	}
	if name := pod.ServiceAccountName; name != "" && !hasObject[*corev1.ServiceAccount](objects, name) {
		return fmt.Errorf("it wants the ServiceAccount %s, which is not in the file", name)
	}
	for _, container := range pod.Containers {
		if err := judgeContainer(container, pod, volumes); err != nil {
			return fmt.Errorf("container %s: %w", container.Name, err)
		}
	}
	return nil
}

func judgeContainer(container corev1.Container, pod corev1.PodSpec, volumes []string) error {
	for _, mount := range container.VolumeMounts {
		if !slices.Contains(volumes, mount.Name) {
			return fmt.Errorf("it mounts the volume %s, which the pod does not have", mount.Name)
		}
	}
	var variables []string
	for _, variable := range container.Env {
		variables = append(variables, variable.Name)
	}
	for _, argument := range container.Args {
		if _, rest, found := strings.Cut(argument, "$("); found {
			name, _, _ := strings.Cut(rest, ")")
			if !slices.Contains(variables, name) {
				return fmt.Errorf("the argument %s uses a variable that is not set", argument)
			}
		}
	}
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if probe == nil || probe.HTTPGet == nil {
			continue
		}
		port := probe.HTTPGet.Port
		if port.Type == intstr.String && !slices.ContainsFunc(container.Ports, func(known corev1.ContainerPort) bool {
			return known.Name == port.StrVal
		}) {
			return fmt.Errorf("it is probed on the port %s, which it does not have", port.StrVal)
		}
		if port.Type == intstr.Int && !slices.ContainsFunc(pod.Containers, func(other corev1.Container) bool {
			return slices.ContainsFunc(other.Ports, func(known corev1.ContainerPort) bool {
				return known.ContainerPort == port.IntVal
			})
		}) {
			return fmt.Errorf("it is probed on the port %d, which no container of the pod has", port.IntVal)
		}
	}
	rights := container.SecurityContext
	switch {
	case rights == nil:
		return fmt.Errorf("it has no securityContext")
	case rights.AllowPrivilegeEscalation == nil || *rights.AllowPrivilegeEscalation:
		return fmt.Errorf("it may gain privileges; set allowPrivilegeEscalation: false")
	case rights.ReadOnlyRootFilesystem == nil || !*rights.ReadOnlyRootFilesystem:
		return fmt.Errorf("its root file system can be written; set readOnlyRootFilesystem: true")
	case rights.Capabilities == nil || !slices.Contains(rights.Capabilities.Drop, "ALL") || len(rights.Capabilities.Add) > 0:
		return fmt.Errorf("it has capabilities; drop ALL and add none")
	case rights.SeccompProfile == nil && (pod.SecurityContext == nil || pod.SecurityContext.SeccompProfile == nil):
		return fmt.Errorf("it has no seccomp profile; set RuntimeDefault")
	case container.Resources.Requests == nil || container.Resources.Limits.Memory().IsZero():
		return fmt.Errorf("it has no resource requests or no memory limit")
	}
	return nil
}

func hasObject[T v1.Object](objects []runtime.Object, name string) bool {
	return slices.ContainsFunc(objects, func(object runtime.Object) bool {
		found, ok := object.(T)
		return ok && found.GetName() == name
	})
}
