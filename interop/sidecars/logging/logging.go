// Package logging sets up what the Kubernetes sidecars log with, which has a part in their memory and wakes up now and then.
package logging

import (
	"flag"

	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // the format "json", which they have
)

// Start logs with the settings that are the default.
func Start() error {
	gates := featuregate.NewFeatureGate()
	if err := logsapi.AddFeatureGates(gates); err != nil {
		return err
	}
	configuration := logsapi.NewLoggingConfiguration()
	logsapi.AddGoFlags(configuration, flag.CommandLine)
	logs.InitLogs()
	return logsapi.ValidateAndApply(configuration, gates)
}
