package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// What `csi-identity verify` says of a plugin.
type report struct {
	Passes   bool      `json:"passes"`
	LeftOut  []string  `json:"left_out"`
	Findings []finding `json:"findings"`
	// Nothing could be observed, and why.
	unobserved string
	took       time.Duration
}

type finding struct {
	ID        string  `json:"id"`
	Severity  string  `json:"severity"`
	ImpliedBy *string `json:"implied_by"`
	Evidence  []struct {
		Seen string `json:"seen"`
	} `json:"evidence"`
}

// verify judges the plugin that the arguments say.
func (p programs) verify(ctx context.Context, arguments ...string) (report, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, p.ours, append([]string{"verify", "--format", "json"}, arguments...)...)
	var complaint strings.Builder
	command.Stderr = &complaint
	started := time.Now()
	said, err := command.Output()
	seen := report{took: time.Since(started)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 2:
		seen.unobserved = strings.TrimSpace(complaint.String())
		return seen, nil
	case err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1):
		return seen, fmt.Errorf("verify %s: %w: %s", strings.Join(arguments, " "), err, complaint.String())
	}
	if err := json.Unmarshal(said, &seen); err != nil {
		return seen, fmt.Errorf("verify %s: %w", strings.Join(arguments, " "), err)
	}
	if seen.Passes != (command.ProcessState.ExitCode() == 0) {
		return seen, fmt.Errorf("verify %s: its exit code and its report differ", strings.Join(arguments, " "))
	}
	return seen, nil
}

// serious is what fails the plugin, sorted.
func (r report) serious() []finding {
	var all []finding
	for _, one := range r.Findings {
		if one.Severity != "ADVICE" && one.ImpliedBy == nil {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b finding) int { return strings.Compare(a.ID, b.ID) })
	return all
}

const nothing = "nothing"

// kind is the worst that was found.
func (r report) kind() string {
	kind := nothing
	for _, severity := range []string{"ADVICE", "BREAKS", "MUST"} {
		if slices.ContainsFunc(r.Findings, func(one finding) bool { return one.Severity == severity }) {
			kind = severity
		}
	}
	return kind
}
