package ast

import "strings"

// nameRunesMax is the maximum length, in characters, of a mistyped name; for
// longer names Nearest returns "". No real name is that long, and the bound
// limits the time of a comparison.
const nameRunesMax = 64

// Nearest returns the element of names that a mistyped name most likely means.
// For "tittle" it returns "title". It returns "" if no element is near. The
// result is for the hint of an Error.
//
// An element is near if at most two letters are changed, added, dropped or
// swapped with a neighbor. If the mistyped name has two to four letters, only
// one change is allowed; if it has one letter, none. Case does not count. Among
// equally near elements, one with the same first letter wins. If none is near,
// and the mistyped name has at least three letters, Nearest returns the only
// element that begins with it.
func Nearest(name string, names []string) string {
	wrong := []rune(strings.ToLower(name))
	if len(wrong) > nameRunesMax {
		return ""
	}
	best, bestAt := "", 3
	switch {
	case len(wrong) < 2:
		bestAt = 1
	case len(wrong) < 5:
		bestAt = 2 // two changes make any short word any other
	}
	for _, n := range names {
		letters := []rune(strings.ToLower(n))
		d := distance(wrong, letters, bestAt+1)
		if d < bestAt || d == bestAt && best != "" && d > 0 && letters[0] == wrong[0] && !strings.EqualFold(best[:1], string(wrong[0])) {
			best, bestAt = n, d
		}
	}
	if best != "" || len(wrong) < 3 {
		return best
	}
	for _, n := range names {
		if strings.HasPrefix(strings.ToLower(n), string(wrong)) {
			if best != "" {
				return ""
			}
			best = n
		}
	}
	return best
}

// distance returns the minimum number of edits that turn a into b, but at most
// limit. An edit changes, adds or drops a letter, or swaps two neighbors.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
