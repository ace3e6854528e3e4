package format

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Newest returns the latest version of a format in PRONOM. It compares the
// formats whose names differ only in the version, and returns the one with the
// highest version. ok is false if id is the latest, or if it has no other
// versions.
func Newest(id ID) (newest ID, ok bool) {
	newest, ok = newestVersions()[id]
	return newest, ok
}

// newestVersions has the latest version of each format that is not the latest.
var newestVersions = sync.OnceValue(func() map[ID]ID {
	type version struct {
		id      ID
		numbers []int
	}
	families := map[string][]version{}
	for i := range registry().size() {
		f := registry().format(i)
		if n := versionNumbers(f.Version); n != nil {
			name := strings.Join(strings.Fields(strings.Replace(f.Name, f.Version, "", 1)), " ")
			families[name] = append(families[name], version{f.ID, n})
		}
	}
	newest := map[ID]ID{}
	for _, list := range families {
		last := slices.MaxFunc(list, func(a, b version) int {
			return cmp.Or(slices.Compare(a.numbers, b.numbers), cmp.Compare(b.id, a.id))
		})
		for _, v := range list {
			if slices.Compare(v.numbers, last.numbers) < 0 {
				newest[v.id] = last.id
			}
		}
	}
	return newest
})

// versionNumbers returns the numbers of the last version in a text such as
// "1.0-1.4" or "97-2003": 1 and 4, or 2003. It returns nil if the text does not
// end in a number. It also returns nil for a year before 1990, as in
// Illustrator 88, because later versions of these formats have other numbers.
func versionNumbers(text string) (numbers []int) {
	start := strings.LastIndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) + 1
	for part := range strings.SplitSeq(text[start:], ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 1 && numbers[0] >= 85 && numbers[0] < 90 {
		return nil
	}
	return numbers
}
