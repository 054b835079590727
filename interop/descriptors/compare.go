package main

import (
	"fmt"
	"maps"
	"slices"
)

// A sentence for each declaration that is not the same on both sides, by name.
func compare(ours, theirs declarations) []string {
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		switch is, found := ours[name]; {
		case !found:
			differences = append(differences, fmt.Sprintf("%s is missing here: %s", name, theirs[name]))
		case is != theirs[name]:
			differences = append(differences, fmt.Sprintf("%s is %s here, and officially %s", name, is, theirs[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if _, found := theirs[name]; !found {
			differences = append(differences, fmt.Sprintf("%s is only here: %s", name, ours[name]))
		}
	}
	return differences
}
