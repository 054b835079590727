package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A scenario, and what the kubelet's code and csi-identity did in it.
type result struct {
	scenario scenario
	seen     [2]record
}

// The differences that are known, by their places in known.go, and the first that is not.
func (r result) compare(version string) (explained []int, unknown string) {
	theirs, ours := r.seen[0], r.seen[1]
	for i := range max(len(theirs), len(ours)) {
		if i >= len(theirs) {
			return explained, fmt.Sprintf("the kubelet's code has nothing for\n  ours:  %s", ours[i])
		}
		if i >= len(ours) {
			return explained, fmt.Sprintf("csi-identity has nothing for\n  real:  %s", theirs[i])
		}
		if theirs[i] == ours[i] {
			continue
		}
		why := slices.IndexFunc(known, func(d *difference) bool { return d.isOf(version) && d.explains(theirs[i], ours[i]) })
		if why < 0 {
			return explained, fmt.Sprintf("they differ in\n  real:  %s\n  ours:  %s", theirs[i], ours[i])
		}
		if !slices.Contains(explained, why) {
			explained = append(explained, why)
		}
	}
	return explained, ""
}

func (d *difference) isOf(version string) bool {
	return d.before == "" || minor(version) < minor(d.before)
}

func minor(version string) int {
	_, text, _ := strings.Cut(version, ".")
	// What is no number is refused by csi-identity.
	number, _ := strconv.Atoi(text)
	return number
}

func (d *difference) explains(theirs, ours string) bool {
	a, b := d.real.FindStringSubmatch(theirs), d.ours.FindStringSubmatch(ours)
	return a != nil && b != nil && slices.Equal(a[1:], b[1:])
}
