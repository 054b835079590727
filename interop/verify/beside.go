package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	// A run on a healthy plugin has to be shorter.
	longest = 3 * time.Second
	// How often it is measured.
	repeated = 5
)

// How long runs on healthy plugins took.
type times []timed

type timed struct {
	what  string
	taken []time.Duration
}

// measure takes the time of whole runs on plugins that are good, on the machine as it is.
func (p programs) measure(ctx context.Context) (times, error) {
	serve := p.ours + " serve --name disk.example.org --vendor-version 1.2.3 --node-id node-1"
	all := times{
		{what: "`csi-identity serve --node-id node-1`, which runs"},
		{what: "the same, started and stopped by `--command`, with `--empty-requests`"},
		{what: "`faulty-plugin` without a fault, started and stopped by `--command`, with `--empty-requests`"},
	}
	for range repeated {
		for at, run := range []func(context.Context) (report, error){
			func(ctx context.Context) (report, error) { return p.verifyRunning(ctx, serve) },
			func(ctx context.Context) (report, error) {
				return p.judge(ctx, plugin{}, "exec "+serve)
			},
			func(ctx context.Context) (report, error) {
				return p.judge(ctx, plugin{whole: true}, "exec "+p.faulty)
			},
		} {
			seen, err := run(ctx)
			if err != nil {
				return nil, err
			}
			all[at].taken = append(all[at].taken, seen.took)
		}
	}
	for _, one := range all {
		slices.Sort(one.taken)
		fmt.Printf("%s: %s\n", one.what, one.text())
	}
	return all, nil
}

// verifyRunning judges a plugin that runs already.
func (p programs) verifyRunning(ctx context.Context, command string) (report, error) {
	var seen report
	err := p.with(ctx, strings.Fields(command), func(socket string) (err error) {
		seen, err = p.verify(ctx, "--endpoint", socket)
		return err
	})
	return seen, err
}

func (t timed) text() string {
	first, last := t.taken[0], t.taken[len(t.taken)-1]
	return fmt.Sprintf("%d to %d ms", first.Milliseconds(), last.Milliseconds())
}

func (t times) areShort() bool {
	for _, one := range t {
		if slowest := one.taken[len(one.taken)-1]; slowest >= longest {
			fmt.Printf("verify: %s took %s, not less than %s\n", one.what, slowest, longest)
			return false
		}
	}
	return true
}

// beside is the part of the page that is kept, with its date.
func (p programs) beside(all []verdicts, known *rows, times times) string {
	var hangs, seenOnlyByThem, neither []string
	ours, theirs := map[string]int{}, map[string]int{}
	for _, one := range all {
		name, kind, passes := "`"+one.fault+"`", one.whole.kind(), one.theirs.outcome == passed
		ours[kind]++
		if !passes {
			theirs[kind]++
		}
		if one.theirs.outcome == hung {
			hangs = append(hangs, name)
		}
		switch {
		case kind == nothing && passes:
			neither = append(neither, name)
		case kind == nothing:
			seenOnlyByThem = append(seenOnlyByThem, name)
		}
	}
	same := "Test by test, `verify --profile csi-sanity` says the same of all of them.\n"
	if len(known.all) != 0 {
		same = strings.TrimSuffix(same, ".\n") + ", but for these:\n\n| fault | verify | csi-sanity | why |\n| --- | --- | --- | --- |\n"
		for _, row := range known.all {
			same += fmt.Sprintf("| `%s` | %s | %s | %s |\n", row[0], row[1], row[2], row[3])
		}
	}
	var took strings.Builder
	for _, one := range times {
		fmt.Fprintf(&took, "- %s: %s\n", one.what, one.text())
	}
	var counts strings.Builder
	for _, row := range []struct {
		who string
		by  map[string]int
		all int
	}{
		{"verify", ours, len(all) - ours[nothing]},
		{"csi-sanity", theirs, sum(theirs)},
	} {
		fmt.Fprintf(&counts, "| %s | %d | %d | %d | %d |\n", row.who, row.by["MUST"], row.by["BREAKS"], row.by["ADVICE"], row.all)
	}
	return fmt.Sprintf(`### Faulty plugins, beside csi-sanity

`+"`interop/verify/run --write`"+` had both judge a plugin with each of the %d faults of `+"`crates/faulty-plugin`"+` (%s): verify by the profile
kubernetes, with `+"`--command`, `--empty-requests` and `--controller-endpoint`"+`, csi-sanity %s by its tests of the Identity service.
How many of them each finds something in, by the worst that verify says. The faults were written for verify's rules, so its own line is what
it has to be; what is measured is the other.

| found by | MUST | BREAKS | ADVICE | all |
| --- | --- | --- | --- | --- |
%s
csi-sanity calls each of the three RPCs once. It does not look at a second call, the start and end of the process, the socket's file,
the authorities of other clients, and of GetPluginInfo at the name alone; its tests of Node are not run here. It has no deadline for a
call, and a minute for the connection: %d of those it finds had not ended after %s, %s.
Found by csi-sanity and not by verify: %s. Found by neither: %s. What csi-sanity says of each is in `+"`interop/sanity/faults.tsv`"+`.

%s
That profile is made after csi-sanity 5.4. The tests of 5.6 differ from its tests in one thing: they know another service,
SNAPSHOT_ACCESSIBILITY_CONSTRAINTS.

How long a whole run of verify took, the shortest and the longest of %d with nothing else to do for the machine (%s, %s):

%s`, len(all), date(), p.sanityVersion, counts.String(), len(hangs), sanityLimit, listed(hangs), listed(seenOnlyByThem), listed(neither),
		same, repeated, date(), processors(), took.String())
}

func sum(by map[string]int) int {
	all := 0
	for _, count := range by {
		all += count
	}
	return all
}

func listed(all []string) string {
	if len(all) == 0 {
		return nothing
	}
	return strings.Join(all, ", ")
}

func date() string { return time.Now().Format(time.DateOnly) }

func processors() string { return fmt.Sprintf("%d processors", runtime.NumCPU()) }
