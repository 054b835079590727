package main

import "regexp"

// A difference that is known, and why it is there.
type difference struct {
	why string
	// Of versions before this one alone; of all of them if it is none.
	before string
	// Lines that differ so: the texts of their groups have to be the same.
	real, ours *regexp.Regexp
}

// Refused by the API server, on both sides, for the same object and in the same step.
const refusedBy = `^(.*error updating (?:Node|CSINode) object with CSI driver node info: .*(?:Node|CSINode\.storage\.k8s\.io) "node-1" is invalid: )`

// Of scenarios that have a version from which on they are played.
const leftOut = "Kubelets to 1.28 (fsnotify 1.6) still hear of a folder that was moved out of plugins_registry, later ones, and we for all, do " +
	"not; so that scenario is left out for them"

var known = []*difference{
	{
		why: "Behind the name of a field the words are our own: they say what is wrong and what would be right, where an API server " +
			"shows regular expressions, which differ between its versions. It also counts the entries of a CSINode where we name the " +
			"driver, and tells of all labels that are wrong where we tell of the first",
		real: regexp.MustCompile(refusedBy + `\[?(metadata\.labels|spec\.drivers)(?:\[\d+\])?(\.name|\.nodeID|): .*$`),
		ours: regexp.MustCompile(refusedBy + `(metadata\.labels|spec\.drivers)(?:\[[^ ]*\])?(\.name|\.nodeID|): .*$`),
	},
	{
		why:    "Kubelets to 1.28 say `reported by this driver` and `reported by driver` where later ones say `reported`, as we do for all",
		before: "1.29",
		real:   regexp.MustCompile(`^(.*err=(?:could not find a highest supported version from versions \(\[.*\]\)|highest supported version) reported) by (?:this )?driver(:| is)(.*)$`),
		ours:   regexp.MustCompile(`^(.*err=(?:could not find a highest supported version from versions \(\[.*\]\)|highest supported version) reported)(:| is)(.*)$`),
	},
	{
		why: "API servers to 1.32 call a CSINode's entry that may not change `CSINodeDriver`, without its field; where it has a number " +
			"of volumes they show its address in memory, so that each of a kubelet's four attempts has a text of its own",
		before: "1.33",
		real:   regexp.MustCompile(`^(.*error updating CSINode object with CSI driver node info: .*caused by: )\[?CSINode\.storage\.k8s\.io "node-1" is invalid: CSINodeDriver: .*(field is immutable)\]?$`),
		ours:   regexp.MustCompile(`^(.*error updating CSINode object with CSI driver node info: .*caused by: )CSINode\.storage\.k8s\.io "node-1" is invalid: spec\.drivers\[[^ ]*\]: (field is immutable)$`),
	},
}
