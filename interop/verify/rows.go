package main

import (
	"fmt"
	"os"
	"strings"
)

// Rows of a file, of which each is to be met with.
type rows struct {
	all   [][]string
	taken []bool
}

// readRows reads lines of fields between `|`; lines that begin with `#` are comments.
func readRows(file string, fields int) (*rows, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all [][]string
	for number, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "|")
		if len(row) != fields {
			return nil, fmt.Errorf("%s:%d has %d fields, not %d", file, number+1, len(row), fields)
		}
		all = append(all, row)
	}
	return &rows{all, make([]bool, len(all))}, nil
}

// take returns the row that begins with these fields, if there is one, and notes that it was met with.
func (r *rows) take(fields ...string) []string {
next:
	for at, row := range r.all {
		for column, field := range fields {
			if row[column] != field {
				continue next
			}
		}
		r.taken[at] = true
		return row
	}
	return nil
}

// left are the rows that nobody took.
func (r *rows) left() [][]string {
	var left [][]string
	for at, row := range r.all {
		if !r.taken[at] {
			left = append(left, row)
		}
	}
	return left
}
