package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const deploy = "../../deploy"

func TestEveryManifestPasses(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(deploy, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, file := range files {
		objects, err := read(file)
		if err == nil {
			err = judge(objects)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Each case breaks one thing in a manifest that is right.
func TestWhatIsWrongInAManifestIsFound(t *testing.T) {
	good, err := os.ReadFile(filepath.Join(deploy, "daemonset.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ name, from, to, message string }{
		{"misspelt key", "livenessProbe:", "livenesProbe:", `unknown field "spec.template.spec.containers[0].livenesProbe"`},
		{"key at the wrong depth", "    spec:\n      serviceAccountName", "    serviceAccountName: x\n    spec:\n      serviceAccountName",
			`unknown field "spec.template.serviceAccountName"`},
		{"doubled key", "attachRequired: false", "attachRequired: false\n  attachRequired: true", `key "attachRequired" already set`},
		{"wrong type", "containerPort: 9808", `containerPort: "9808"`, "cannot unmarshal string"},
		{"unknown kind", "kind: DaemonSet", "kind: DemonSet", `no kind "DemonSet" is registered`},
		{"wrong group", "apiVersion: storage.k8s.io/v1", "apiVersion: storage.k8s.io/v0", `no kind "CSIDriver" is registered`},
		{"volume that is not there", "        - name: registration\n          hostPath", "        - name: registrations\n          hostPath",
			"it mounts the volume registration, which the pod does not have"},
		{"port that is not there", "containerPort: 9808", "containerPort: 9809", "it is probed on the port 9808, which no container of the pod has"},
		{"labels that are not selected", "        app: csi-identity-example\n    spec", "        app: other\n    spec", "does not select its own pods"},
		{"account that is not there", "serviceAccountName: csi-identity-example", "serviceAccountName: other",
			"it wants the ServiceAccount other, which is not in the file"},
		{"configuration that is not there", "configMap:\n            name: csi-identity-example", "configMap:\n            name: other",
			"volume config wants the ConfigMap other, which is not in the file"},
		{"variable that is not there", "- name: NODE_NAME", "- name: NODE", "uses a variable that is not set"},
		{"more rights than needed", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "it may gain privileges"},
		{"capabilities", `drop: ["ALL"]`, `drop: ["NET_RAW"]`, "it has capabilities"},
		{"root file system", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "its root file system can be written"},
		{"no seccomp profile", "        seccompProfile:\n          type: RuntimeDefault\n", "", "it has no seccomp profile"},
	} {
		t.Run(wrong.name, func(t *testing.T) {
			text := strings.Replace(string(good), wrong.from, wrong.to, 1)
			if text == string(good) {
				t.Fatalf("the manifest has no %q", wrong.from)
			}
			file := filepath.Join(t.TempDir(), "wrong.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			objects, err := read(file)
			if err == nil {
				err = judge(objects)
			}
			if err == nil || !strings.Contains(err.Error(), wrong.message) {
				t.Errorf("got %v, want something with %q", err, wrong.message)
			}
		})
	}
}
