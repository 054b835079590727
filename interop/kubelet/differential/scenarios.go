package main

import (
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What is done to a node, the same on both sides.
type scenario struct {
	name string
	// The version from which on both do the same; known.go says why.
	since string
	// The Node's own labels.
	labels map[string]string
	// What is there when the kubelet starts.
	before func(*stage) error
	steps  []step
}

type step struct {
	done string
	do   func(*stage) error
	// What it waits for, and how long if it is not the usual; that it does not come is no failure.
	until  func(*stage) bool
	within time.Duration
	// How long nothing may have happened before it is over, if that is not the usual.
	calm time.Duration
}

// Shows registrars with these scripts.
func show(scripts ...script) func(*stage) error {
	return func(s *stage) error {
		for _, script := range scripts {
			if err := s.newRegistrar(script).serve(); err != nil {
				return err
			}
		}
		return nil
	}
}

// Each of these was called so often in a step.
func called(what string, times int, sockets ...string) func(*stage) bool {
	return func(s *stage) bool {
		for _, socket := range sockets {
			if s.times(socket, what) < times {
				return false
			}
		}
		return true
	}
}

func registered(sockets ...string) func(*stage) bool {
	return called("Notify registered", 1, sockets...)
}

// The second attempt is seen, if there is one.
func retried(sockets ...string) func(*stage) bool { return called("GetInfo", 2, sockets...) }

// Long enough for a look and a pause after a first failure, where nothing else is to follow.
const aWhile = 2500 * time.Millisecond

func never(*stage) bool { return false }

// Something is done to the n-th registrar.
func to(n int, do func(*registrar) error) func(*stage) error {
	return func(s *stage) error { return do(s.registrars[n]) }
}

func changed(n int, change func(*script)) func(*stage) error {
	return to(n, func(r *registrar) error {
		r.change(change)
		return nil
	})
}

func inRegistry(do func(path func(name string) string) error) func(*stage) error {
	return func(s *stage) error {
		return do(func(name string) string { return filepath.Join(s.registry(), name) })
	}
}

const theSocketIsRemoved = "the socket is removed"

// The socket is removed, and nothing but letting go follows.
func removed(n int) step {
	return step{done: theSocketIsRemoved, do: to(n, (*registrar).remove), until: never, within: aWhile}
}

// One plugin, shown while the kubelet runs, and refused for good.
func refused(name string, script script) scenario {
	return scenario{name: name, steps: []step{{done: "shown", do: show(script), until: retried(script.socket)}, removed(0)}}
}

func nodeInfo(id string, most int64, segments ...string) *csi.NodeGetInfoResponse {
	info := &csi.NodeGetInfoResponse{NodeId: id, MaxVolumesPerNode: most}
	for _, segment := range segments {
		key, value, _ := strings.Cut(segment, "=")
		if info.AccessibleTopology == nil {
			info.AccessibleTopology = &csi.Topology{Segments: map[string]string{}}
		}
		info.AccessibleTopology.Segments[key] = value
	}
	return info
}

// Plugins that differ in their versions, named by number.
func versions(lists ...[]string) (scripts []script, sockets []string) {
	for i, list := range lists {
		socket := string(rune('a'+i)) + ".sock"
		scripts = append(scripts, script{socket: socket, versions: list})
		sockets = append(sockets, socket)
	}
	return scripts, sockets
}

func scenarios() []scenario {
	notNow := status.Error(codes.Aborted, "not now")
	good, goodSockets := versions([]string{"1.0.0"}, []string{"1.0"}, []string{"v1.2.3"}, []string{"1.0.0foo"}, []string{"1.0.0-alpha"},
		[]string{"boo", "1.0.0"}, []string{"1.0.0", "2.0.0"}, []string{"1.1.0", "1.10.0"}, []string{" 1.00.5 "}, []string{"0.3.0", "1.0.0"}, []string{"1.9999999999.1"})
	bad, badSockets := versions([]string{}, []string{"1"}, []string{"01.0"}, []string{"0.3.0"}, []string{"2.0.0"}, []string{"boo"},
		[]string{"2.0.0", "boo"}, []string{"boo", "1"}, []string{"1.18446744073709551616"}, []string{""}, []string{"0.3.0", "0.4", "boo"},
		[]string{"1\t\x01é\u00a0\"\\"}, []string{"01.0", "boo"})
	var rivals []script
	var rivalSockets []string
	for _, script := range good {
		rival := "z" + script.socket
		rivals = append(rivals, scriptNamed(rival, strings.TrimSuffix(script.socket, ".sock")+".example.org", "1.0"))
		rivalSockets = append(rivalSockets, rival)
	}
	return []scenario{
		{name: "a socket appears", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock"}), until: registered("a.sock")},
			removed(0),
			{done: "a new socket in its place", do: to(0, (*registrar).restart), until: registered("a.sock")},
			{done: "another one at once", do: to(0, (*registrar).restart), until: registered("a.sock")},
		}},
		{name: "a socket is there when the kubelet starts, and when it starts again", before: show(script{socket: "a.sock"}), steps: []step{
			{done: "started", until: registered("a.sock")},
			{done: "started again", do: func(s *stage) error {
				if err := s.stop(); err != nil {
					return err
				}
				return s.start(nil)
			}, until: registered("a.sock")},
		}},
		{name: "links to sockets", before: func(s *stage) error {
			return linked(s, "at-start")
		}, steps: []step{
			{done: "one is there when the kubelet starts", until: registered("at-start.sock"), within: 3 * time.Second},
			{done: "another is made", do: func(s *stage) error { return linked(s, "later") }, until: registered("later.sock")},
			{done: "the links are removed", do: inRegistry(func(path func(string) string) error {
				if err := os.Remove(path("at-start.sock")); err != nil {
					return err
				}
				return os.Remove(path("later.sock"))
			}), until: never, within: aWhile},
		}},
		{name: "folders, odd names and moves", before: inRegistry(func(path func(string) string) error {
			return os.MkdirAll(path(".hidden"), 0o750)
		}), steps: []step{
			{done: "in a new folder", do: func(s *stage) error {
				if err := os.MkdirAll(filepath.Join(s.registry(), "deep/er"), 0o750); err != nil {
					return err
				}
				return show(script{socket: "deep/er/a.sock"})(s)
			}, until: registered("deep/er/a.sock")},
			{done: "in a folder with a hidden name that was there at the start", do: show(script{socket: ".hidden/b.sock"}), until: registered(".hidden/b.sock")},
			{done: "without an ending, with a space and an é", do: show(script{socket: "c é", name: "c.example.org"}), until: registered("c é")},
			{done: "under a hidden name", do: show(script{socket: ".d.sock", name: "d.example.org"}), until: never, within: aWhile},
			{done: "renamed to one that is not hidden", do: inRegistry(func(path func(string) string) error {
				return os.Rename(path(".d.sock"), path("d.sock"))
			}), until: registered(".d.sock")},
			{done: "moved out, under a hidden name", do: inRegistry(func(path func(string) string) error {
				return os.Rename(path("d.sock"), path("../.d.sock"))
			}), until: never, within: aWhile},
		}},
		{name: "folders that are links, moved in and removed", before: outside("at-start"), steps: []step{
			{done: "a link to a folder with a socket is there when the kubelet starts", until: never, within: aWhile},
			{done: "another is made", do: outside("later"), until: never, within: aWhile},
			{done: "new sockets in both folders", do: show(script{socket: "../at-start/c.sock"}, script{socket: "../later/d.sock"}), until: registered("../later/d.sock"), within: aWhile},
			{done: "a folder with a socket is moved in", do: movedIn, until: registered("../moved/e.sock")},
			{done: "a folder with a socket is made", do: func(s *stage) error {
				if err := os.Mkdir(filepath.Join(s.registry(), "removed"), 0o750); err != nil {
					return err
				}
				return show(script{socket: "removed/g.sock"})(s)
			}, until: registered("removed/g.sock")},
			{done: "it is removed with what is in it", do: inRegistry(func(path func(string) string) error {
				return os.RemoveAll(path("removed"))
			}), until: never, within: aWhile},
		}},
		{name: "a folder is moved out", since: "1.29", steps: []step{
			{done: "a folder with a socket is moved in", do: movedIn, until: registered("../moved/e.sock")},
			{done: "it is moved out", do: inRegistry(func(path func(string) string) error {
				return os.Rename(path("moved"), path("../moved"))
			}), until: never, within: aWhile},
			{done: "its socket is removed, and a new one is made in it", do: func(s *stage) error {
				if err := os.Remove(filepath.Join(s.root, "moved", "e.sock")); err != nil {
					return err
				}
				return show(script{socket: "../moved/f.sock"})(s)
			}, until: never, within: aWhile},
		}},
		{name: "a socket is moved onto another one", steps: []step{
			{done: "two are shown", do: show(script{socket: "a.sock"}, script{socket: "b.sock"}), until: registered("a.sock", "b.sock")},
			{done: "the second takes the place of the first", do: inRegistry(func(path func(string) string) error {
				return os.Rename(path("b.sock"), path("a.sock"))
			}), until: retried("b.sock")},
		}},
		{name: "a server stops and leaves its sockets", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock"}), until: registered("a.sock")},
			{done: "stopped", do: to(0, func(r *registrar) error {
				r.stop()
				return nil
			}), until: never, within: aWhile},
		}},
		{name: "names that mean something in a URL", steps: []step{
			{done: "`a%20.sock`, `b%zz.sock`, `c?.sock` and `d#.sock`, beside `e+.sock`", do: show(script{socket: "a%20.sock"}, script{socket: "b%zz.sock"}, script{socket: "c?.sock"},
				script{socket: "d#.sock"}, script{socket: "e+.sock", name: "e.example.org"}), until: never, within: 12 * time.Second},
		}},
		{name: "things that are no sockets", before: inRegistry(func(path func(string) string) error {
			if err := syscall.Mkfifo(path("fifo.sock"), 0o600); err != nil {
				return err
			}
			return os.WriteFile(path("file.sock"), nil, 0o600)
		}), steps: []step{
			{done: "files, a FIFO and links to nowhere and to themselves, beside a plugin", do: func(s *stage) error {
				err := inRegistry(func(path func(string) string) error {
					for _, link := range [][2]string{{"nowhere", "dangling.sock"}, {"self.sock", "self.sock"}, {"fifo.sock", "to-fifo.sock"}} {
						if err := os.Symlink(link[0], path(link[1])); err != nil {
							return err
						}
					}
					return os.WriteFile(path("file2.sock"), nil, 0o600)
				})(s)
				if err != nil {
					return err
				}
				return show(script{socket: "a.sock"})(s)
			}, until: registered("a.sock")},
			{done: "a file takes the place of the socket", do: inRegistry(func(path func(string) string) error {
				if err := os.Remove(path("a.sock")); err != nil {
					return err
				}
				return os.WriteFile(path("a.sock"), nil, 0o600)
			}), until: never, within: aWhile},
		}},
		{name: "nobody listens on the socket", steps: []step{
			{done: "a dead socket", do: inRegistry(func(path func(string) string) error {
				listener, err := net.Listen("unix", path("a.sock"))
				if err != nil {
					return err
				}
				listener.(*net.UnixListener).SetUnlinkOnClose(false)
				return listener.Close()
			}), until: never, within: 13 * time.Second},
			{done: "a plugin takes its place", do: func(s *stage) error {
				r := s.newRegistrar(script{socket: "a.sock"})
				return r.restart()
			}, until: called("Notify registered", 2, "a.sock")},
		}},
		{name: "GetInfo takes over a second", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock", slow: 1500 * time.Millisecond}), until: retried("a.sock"), calm: 1300 * time.Millisecond},
			{done: "it takes no time any more", do: changed(0, func(s *script) { s.slow = 0 }), until: registered("a.sock"), within: longPatience},
		}},
		{name: "GetInfo takes just under a second", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock", slow: 700 * time.Millisecond}), until: registered("a.sock")},
		}},
		refused("GetInfo is UNIMPLEMENTED", script{socket: "a.sock", mute: true}),
		{name: "GetInfo fails, then works", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock", infoError: status.Error(codes.ResourceExhausted, "later: \"x\"")}), until: retried("a.sock")},
			{done: "it works", do: changed(0, func(s *script) { s.infoError = nil }), until: registered("a.sock"), within: longPatience},
		}},
		refused("an unknown type", script{socket: "a.sock", kind: "csiplugin"}),
		{name: "no endpoint", steps: []step{
			{done: "the plugin is on the registration socket", do: show(script{socket: "a.sock", endpoint: text(""), node: nodeInfo("i-1", 0)}), until: registered("a.sock")},
			{done: "it is not", do: show(script{socket: "b.sock", endpoint: text("")}), until: retried("b.sock")},
		}},
		refused("an endpoint with a scheme", script{socket: "a.sock", endpoint: text("unix://CSI")}),
		refused("an endpoint that is no absolute path", script{socket: "a.sock", endpoint: text("csi1.sock")}),
		refused("an endpoint that does not exist", script{socket: "a.sock", endpoint: text("CSI.not")}),
		refused("an endpoint below a file", script{socket: "a.sock", endpoint: text("/etc/passwd/csi.sock")}),
		refused("an endpoint with an escape", script{socket: "a.sock", endpoint: text("/run/csi%201.sock")}),
		refused("an endpoint with an escape that is none", script{socket: "a.sock", endpoint: text("/run/csi%.sock")}),
		refused("an endpoint that is a folder", script{socket: "a.sock", endpoint: text("/proc")}),
		refused("an endpoint that is a file", script{socket: "a.sock", endpoint: text("/etc/passwd")}),
		refused("an endpoint that is too long", script{socket: "a.sock", endpoint: text("/" + strings.Repeat("long/", 30))}),
		{name: "versions that are taken", steps: []step{
			{done: "shown", do: show(good...), until: registered(goodSockets...)},
			{done: "a second socket of each, with version 1.0", do: show(rivals...), until: retried(rivalSockets...)},
		}},
		{name: "versions that are not", steps: []step{
			{done: "shown", do: show(bad...), until: retried(badSockets...)},
		}},
		{name: "a second socket of a driver, with the same version", steps: []step{
			{done: "the first one", do: show(script{socket: "a.sock"}), until: registered("a.sock")},
			{done: "the second one", do: show(scriptNamed("b.sock", "a.example.org", "1.0.0")), until: retried("b.sock")},
			{done: "the first is removed", do: to(0, (*registrar).remove), until: registered("b.sock"), within: longPatience},
		}},
		{name: "a second socket of a driver, with the same version in more numbers", steps: []step{
			{done: "the first one", do: show(scriptNamed("a.sock", "a.example.org", "1.0")), until: registered("a.sock")},
			{done: "the second one", do: show(scriptNamed("b.sock", "a.example.org", "1.0.0")), until: retried("b.sock")},
		}},
		{name: "a second socket of a driver, with a higher version", steps: []step{
			{done: "the first one", do: show(script{socket: "a.sock"}), until: registered("a.sock")},
			{done: "the second one", do: show(scriptNamed("b.sock", "a.example.org", "1.0.1")), until: registered("b.sock")},
			removed(0),
			{done: "the second one is removed, too", do: to(1, (*registrar).remove), until: never, within: aWhile},
		}},
		{name: "a second socket, with a higher version and another node id", steps: []step{
			{done: "the first one", do: show(script{socket: "a.sock"}), until: registered("a.sock")},
			{done: "the second one", do: func(s *stage) error {
				script := scriptNamed("b.sock", "a.example.org", "1.0.1")
				script.node = nodeInfo("i-2", 0)
				return show(script)(s)
			}, until: retried("b.sock")},
		}},
		{name: "a second socket, with a higher version and other topology keys", steps: []step{
			{done: "the first one", do: show(script{socket: "a.sock", node: nodeInfo("i-1", 0, "a.example.org/rack=r1")}), until: registered("a.sock")},
			{done: "the second one", do: func(s *stage) error {
				script := scriptNamed("b.sock", "a.example.org", "1.0.1")
				script.node = nodeInfo("i-1", 0, "a.example.org/row=r1")
				return show(script)(s)
			}, until: retried("b.sock")},
		}},
		{name: "a second socket, with a higher version and another number of volumes", steps: []step{
			{done: "the first one", do: show(script{socket: "a.sock", node: nodeInfo("i-1", 5)}), until: registered("a.sock")},
			{done: "the second one", do: func(s *stage) error {
				script := scriptNamed("b.sock", "a.example.org", "1.0.1")
				script.node = nodeInfo("i-1", 6)
				return show(script)(s)
			}, until: retried("b.sock")},
		}},
		{name: "NodeGetInfo fails, then works", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock", nodeError: status.Error(codes.FailedPrecondition, "no volume group \"vg0\"")}), until: retried("a.sock")},
			{done: "it works", do: changed(0, func(s *script) { s.nodeError = nil }), until: registered("a.sock"), within: 6 * time.Second},
			{done: "a new socket", do: to(0, (*registrar).restart), until: registered("a.sock")},
		}},
		refused("NodeGetInfo is UNIMPLEMENTED", script{socket: "a.sock", nodeError: status.Error(codes.Unimplemented, "")}),
		refused("no node id", script{socket: "a.sock", node: nodeInfo("", 0)}),
		{name: "node ids of 256 and 257 bytes", steps: []step{
			{done: "256 bytes", do: show(script{socket: "a.sock", node: nodeInfo(strings.Repeat("i", 256), 0)}), until: registered("a.sock")},
			{done: "257 bytes", do: show(script{socket: "b.sock", node: nodeInfo(strings.Repeat("i", 257), 0)}), until: retried("b.sock")},
		}},
		{name: "numbers of volumes", steps: []step{
			{done: "7, more than an int32, and less than none", do: show(
				script{socket: "a.sock", node: nodeInfo("i-1", 7)},
				script{socket: "b.sock", node: nodeInfo("i-1", math.MaxInt64)},
				script{socket: "c.sock", node: nodeInfo("i-1", -1)},
			), until: registered("a.sock", "b.sock", "c.sock")},
		}},
		{name: "topology that is taken", labels: map[string]string{"b.example.org/rack": "r1"}, steps: []step{
			{done: "own keys, the zone, and what the Node says already", do: show(script{socket: "a.sock",
				node: nodeInfo("i-1", 0, "topology.kubernetes.io/zone=z1", "a.example.org/rack=R_1.x", "b.example.org/rack=r1", "plain=")}), until: registered("a.sock")},
			removed(0),
		}},
		{name: "topology that the Node has another value of", labels: map[string]string{"b.example.org/rack": "r1"}, steps: []step{
			{done: "shown", do: show(script{socket: "a.sock", node: nodeInfo("i-1", 0, "b.example.org/rack=r2")}), until: retried("a.sock")},
		}},
		{name: "topology that another driver gave another value", steps: []step{
			{done: "the first one", do: show(script{socket: "a.sock", node: nodeInfo("i-1", 0, "example.org/rack=r1")}), until: registered("a.sock")},
			removed(0),
			{done: "the other one", do: show(script{socket: "b.sock", node: nodeInfo("i-1", 0, "example.org/rack=r2")}), until: retried("b.sock")},
		}},
		refused("a topology key that is none", script{socket: "a.sock", node: nodeInfo("i-1", 0, "a/b/c=r1")}),
		refused("a topology key of Kubernetes", script{socket: "a.sock", node: nodeInfo("i-1", 0, "kubernetes.io/rack=r1")}),
		refused("topology keys of Kubernetes and others, good and bad", script{socket: "a.sock", node: nodeInfo("i-1", 0, "kubernetes.io/rack=r1", "a.k8s.io/b=", "a.example.org/rack=<&>", "a/b/c=r1")}),
		refused("a topology value that is none", script{socket: "a.sock", node: nodeInfo("i-1", 0, "a.example.org/rack=r 1")}),
		refused("a topology value of 64 bytes", script{socket: "a.sock", node: nodeInfo("i-1", 0, "a.example.org/rack="+strings.Repeat("r", 64))}),
		{name: "topology of a driver that is known, with another version", steps: []step{
			{done: "the first one", do: show(script{socket: "a.sock"}), until: registered("a.sock")},
			{done: "a second socket, with a key that is none", do: func(s *stage) error {
				script := scriptNamed("b.sock", "a.example.org", "1.0.1")
				script.node = nodeInfo("i-1", 0, "-a=r1")
				return show(script)(s)
			}, until: retried("b.sock")},
		}},
		refused("no driver name", script{socket: "a.sock", name: nameless}),
		refused("a driver name with an empty part", script{socket: "a.sock", name: "a..example.org"}),
		refused("a driver name with an underscore", script{socket: "a.sock", name: "a_b.example.org"}),
		refused("a driver name with a quote, a tab and more", script{socket: "a.sock", name: "a\"\\\t\x01é\u00a0'", versions: []string{}}),
		refused("a driver name of 64 bytes", script{socket: "a.sock", name: strings.Repeat("a", 64)}),
		{name: "a driver name with capitals, and one of 63 bytes", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock", name: "Disk.Example.ORG"}, script{socket: "b.sock", name: strings.Repeat("b", 63)}), until: registered("a.sock", "b.sock")},
		}},
		{name: "the registrar answers that it is registered with an error", steps: []step{
			{done: "shown", do: show(script{socket: "a.sock", notifyError: notNow}), until: retried("a.sock")},
			removed(0),
		}},
		refused("the registrar answers a refusal in validation with an error", script{socket: "a.sock", versions: []string{}, notifyError: notNow}),
		refused("the registrar answers a refusal in registration with an error", script{socket: "a.sock", node: nodeInfo("", 0), notifyError: notNow}),
		refused("the registrar answers a refusal of its type with an error", script{socket: "a.sock", kind: "x", notifyError: notNow}),
		{name: "the socket is removed while NodeGetInfo runs", steps: []step{
			{done: "shown", do: func(s *stage) error {
				r := s.newRegistrar(script{socket: "a.sock", slowNode: 1500 * time.Millisecond})
				r.change(func(script *script) { script.meanwhile = r.remove })
				return r.serve()
			}, until: registered("a.sock"), calm: aWhile},
		}},
		{name: "the socket is removed while NodeGetInfo runs, which fails", steps: []step{
			{done: "shown", do: func(s *stage) error {
				r := s.newRegistrar(script{socket: "a.sock", slowNode: 1500 * time.Millisecond, nodeError: status.Error(codes.Internal, "no")})
				r.change(func(script *script) { script.meanwhile = r.remove })
				return r.serve()
			}, until: called("Notify", 1, "a.sock"), calm: aWhile},
		}},
	}
}

func scriptNamed(socket, name, version string) script {
	return script{socket: socket, name: name, versions: []string{version}}
}

// A registrar outside the directory, and a link to its socket in it.
func linked(s *stage, name string) error {
	r := s.newRegistrar(script{socket: name + ".sock"})
	r.path = filepath.Join(s.root, name+".sock")
	if err := r.serve(); err != nil {
		return err
	}
	return os.Symlink(r.path, filepath.Join(s.registry(), name+".sock"))
}

// A folder with a socket outside the directory, and a link to it there.
func outside(name string) func(*stage) error {
	return func(s *stage) error {
		folder := filepath.Join(s.root, name)
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return err
		}
		if err := show(script{socket: filepath.Join("..", name, "there.sock")})(s); err != nil {
			return err
		}
		return os.Symlink(folder, filepath.Join(s.registry(), name))
	}
}

// A folder with a socket comes into the directory.
func movedIn(s *stage) error {
	if err := os.MkdirAll(filepath.Join(s.root, "moved"), 0o750); err != nil {
		return err
	}
	if err := show(script{socket: "../moved/e.sock"})(s); err != nil {
		return err
	}
	return os.Rename(filepath.Join(s.root, "moved"), filepath.Join(s.registry(), "moved"))
}
