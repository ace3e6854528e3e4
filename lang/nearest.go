package lang

import "strings"

// foldASCII lowers A to Z and leaves all else: other letters may change their
// length or number when folded.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// upperASCII is foldASCII the other way.
func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r + 'A' - 'a'
		}
		return r
	}, s)
}

// Nearest is the one among names that name may have been meant for: within two
// edits (one for a name of up to three letters), case aside; the first of
// several. It is "" if there is none.
func Nearest(name string, among []string) string {
	short := []rune(foldASCII(name))
	if len(short) > nameRunesMax {
		return ""
	}
	best, most := "", editsMax(len(short))
	for _, a := range among {
		long := []rune(foldASCII(a))
		if len(long) > nameRunesMax || abs(len(long)-len(short)) > most {
			continue
		}
		if d := edits(short, long); d <= most {
			if d == 0 {
				return a
			}
			best, most = a, d-1
		}
	}
	return best
}

// nameRunesMax bounds the work of comparing: nobody means names that long.
const nameRunesMax = 64

func editsMax(length int) int {
	if length <= 3 {
		return 1
	}
	return 2
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// edits counts the letters to insert, delete, replace, or swap with the next
// one, that make b of a.
func edits(a, b []rune) int {
	var rows [3][nameRunesMax + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
