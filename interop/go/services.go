package main

import (
	"context"
	"fmt"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const driverName = "disk.example.org"

// What is called in turn, by the names in the file ways.
var services = map[string][]call{
	"identity":     {pluginInfo, pluginCapabilities, probe},
	"registration": {registrationInfo, notifyRegistered},
}

func pluginInfo(ctx context.Context, connection *grpc.ClientConn) error {
	answer, err := csi.NewIdentityClient(connection).GetPluginInfo(ctx, &csi.GetPluginInfoRequest{})
	if err != nil {
		return fmt.Errorf("GetPluginInfo: %w", err)
	}
	if answer.GetName() != driverName || answer.GetVendorVersion() != "1.2.3" {
		return fmt.Errorf("GetPluginInfo: wrong answer %v", answer)
	}
	return nil
}

func pluginCapabilities(ctx context.Context, connection *grpc.ClientConn) error {
	answer, err := csi.NewIdentityClient(connection).GetPluginCapabilities(ctx, &csi.GetPluginCapabilitiesRequest{})
	if err != nil {
		return fmt.Errorf("GetPluginCapabilities: %w", err)
	}
	capabilities := answer.GetCapabilities()
	if len(capabilities) != 1 ||
		capabilities[0].GetService().GetType() != csi.PluginCapability_Service_CONTROLLER_SERVICE {
		return fmt.Errorf("GetPluginCapabilities: wrong answer %v", answer)
	}
	return nil
}

func probe(ctx context.Context, connection *grpc.ClientConn) error {
	answer, err := csi.NewIdentityClient(connection).Probe(ctx, &csi.ProbeRequest{})
	if err != nil {
		return fmt.Errorf("Probe: %w", err)
	}
	if !answer.GetReady().GetValue() {
		return fmt.Errorf("Probe: wrong answer %v", answer)
	}
	return nil
}

func registrationInfo(ctx context.Context, connection *grpc.ClientConn) error {
	answer, err := registration.NewRegistrationClient(connection).GetInfo(ctx, &registration.InfoRequest{})
	if err != nil {
		return fmt.Errorf("GetInfo: %w", err)
	}
	if answer.GetType() != registration.CSIPlugin || answer.GetName() != driverName {
		return fmt.Errorf("GetInfo: wrong answer %v", answer)
	}
	return nil
}

func notifyRegistered(ctx context.Context, connection *grpc.ClientConn) error {
	status := &registration.RegistrationStatus{PluginRegistered: true}
	_, err := registration.NewRegistrationClient(connection).NotifyRegistrationStatus(ctx, status)
	if err != nil {
		return fmt.Errorf("NotifyRegistrationStatus: %w", err)
	}
	return nil
}
