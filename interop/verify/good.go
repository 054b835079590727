package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// A plugin that is held to be good.
type plugin struct {
	name, title string
	// For a shell, which has CSI_ENDPOINT; "$OURS" and the like are filled in.
	command string
	// Whether its Controller service, if it declares one, has to be on its socket.
	whole bool
}

var plugins = []plugin{
	{name: "serve", title: "`csi-identity serve`",
		command: `exec OURS serve --name disk.example.org --vendor-version 1.2.3`},
	{name: "serve-node", title: "`csi-identity serve --node-id`, for a controller elsewhere",
		command: `exec OURS serve --name disk.example.org --vendor-version 1.2.3 --capability CONTROLLER_SERVICE --node-id node-1`},
	{name: "serve-config", title: "`csi-identity serve --config`, with a check and topology",
		command: `exec OURS serve --config WORK/config.yaml`},
	{name: "minimal", title: "example `minimal`", whole: true,
		command: `exec EXAMPLES/minimal "$CSI_ENDPOINT"`},
	{name: "with-checks", title: "example `with_checks`", whole: true,
		command: `exec EXAMPLES/with_checks "$CSI_ENDPOINT" BACKEND WORK`},
	{name: "with-controller-and-node", title: "example `with_controller_and_node`", whole: true,
		command: `exec EXAMPLES/with_controller_and_node "$CSI_ENDPOINT"`},
	{name: "faulty-plugin", title: "`faulty-plugin` without a fault", whole: true,
		command: `exec FAULTY --serve controller,group-controller,snapshot-metadata`},
	{name: "dell-gocsi", title: "github.com/dell/gocsi", command: theirs("dell-gocsi")},
	{name: "rexray-gocsi", title: "github.com/rexray/gocsi", command: theirs("rexray-gocsi")},
	{name: "mock-driver", title: "mock driver of csi-test", whole: true, command: theirs("mock-driver")},
	{name: "host-path", title: "host-path driver of 2018", whole: true, command: theirs("host-path")},
}

const configuration = `plugin_info:
  name: disk.example.org
  vendor_version: 1.2.3
  manifest:
    url: https://example.org/disk
plugin_capabilities:
  capabilities:
    - service: {type: CONTROLLER_SERVICE}
    - volume_accessibility_constraints: {required: true}
    - volume_expansion: {type: ONLINE}
node:
  node_id: node-1
  max_volumes_per_node: 16
  accessible_topology: {segments: {topology.disk.example.org/rack: r1}}
checks:
  - name: directory
    path: %q
`

func theirs(name string) string {
	return `exec ../servers/plugin serve ` + name + ` PROGRAMS/` + name + ` "${CSI_ENDPOINT#unix://}"`
}

// judgeGood lets verify judge all of them, from start to end, and makes the section of the page.
func (p programs) judgeGood(ctx context.Context) (string, bool, error) {
	known, err := readRows(findingsFile, 3)
	if err != nil {
		return "", false, err
	}
	backend, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", false, err
	}
	defer backend.Close()
	if err := os.WriteFile(filepath.Join(p.work, "config.yaml"), fmt.Appendf(nil, configuration, p.work), 0o600); err != nil {
		return "", false, err
	}
	fill := strings.NewReplacer("OURS", p.ours, "EXAMPLES", p.examples, "FAULTY", p.faulty, "PROGRAMS", p.folder,
		"WORK", p.work, "BACKEND", backend.Addr().String())
	right := true
	var rows strings.Builder
	for _, plugin := range plugins {
		seen, err := p.judge(ctx, plugin, fill.Replace(plugin.command))
		if err != nil {
			return "", false, fmt.Errorf("%s: %w", plugin.name, err)
		}
		var found []string
		for _, one := range seen.serious() {
			row := known.take(plugin.name, one.ID)
			if row == nil {
				right = false
				fmt.Printf("verify: %s has %s %s, of which `%s` does not say that it is right: %s\n",
					plugin.name, one.Severity, one.ID, findingsFile, one.Evidence[0].Seen)
				continue
			}
			found = append(found, fmt.Sprintf("%s %s: %s", one.Severity, one.ID, row[2]))
		}
		fmt.Printf("%s: %s, %s\n", plugin.name, orNone(found), seen.took.Round(10e6))
		fmt.Fprintf(&rows, "| %s | %s |\n", plugin.title, orNone(found))
	}
	for _, row := range known.left() {
		right = false
		fmt.Printf("verify: `%s` says that %s has %s, and it has not\n", findingsFile, row[0], row[1])
	}
	return fmt.Sprintf(goodText, rows.String()), right, nil
}

func (p programs) judge(ctx context.Context, plugin plugin, command string) (report, error) {
	socket, err := p.socket()
	if err != nil {
		return report{}, err
	}
	var seen report
	if plugin.whole {
		seen, err = p.judgeWhole(ctx, socket, command)
	} else {
		seen, err = p.verify(ctx, started(socket, command)...)
	}
	switch {
	case err != nil:
		return seen, err
	case seen.unobserved != "":
		return seen, errors.New(seen.unobserved)
	case len(seen.LeftOut) != 0:
		return seen, fmt.Errorf("there was no time for %s", strings.Join(seen.LeftOut, ", "))
	}
	return seen, nil
}

// judgeWhole judges a plugin that has to serve on this socket all that it declares.
func (p programs) judgeWhole(ctx context.Context, socket, command string) (report, error) {
	return p.verify(ctx, append(started(socket, command), "--controller-endpoint", socket)...)
}

func started(socket, command string) []string {
	return []string{"--empty-requests", "--endpoint", socket, "--command", command}
}

func orNone(all []string) string {
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, "<br>")
}

const goodText = `## csi-identity verify

### Good plugins

What ` + "`csi-identity verify --command ... --empty-requests`" + ` finds in plugins that are held to be good, MUST and BREAKS, by the profile
kubernetes; advice is left out. It starts each of them, asks, stops and starts again. The plugins that serve a Controller, or should,
get their own socket as ` + "`--controller-endpoint`" + `. Each finding is right, with its proof beside it, from ` + "`interop/verify/findings`" + `;
another one, or one less, makes the run fail.

| plugin | found |
| --- | --- |
%s`
