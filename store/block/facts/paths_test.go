package facts

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/packed"
)

// TestPaths encodes and decodes paths of blocks, and other texts in their place. A path that
// follows from the one before takes one byte.
func TestPaths(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		letter := rapid.SampledFrom([]string{"", "T", "C", "B", "L", "R", "X", "TT"}).Draw(t, "letter")
		number := rapid.SampledFrom([]string{"", "0", "1", "2", "3", "10", "01", "-1", "99999999999999999999"}).Draw(t, "number")
		return letter + number
	})
	path := rapid.OneOf(name, rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return name.Draw(t, "first") + "." + name.Draw(t, "second") + rapid.SampledFrom([]string{"", "", "", ".", ".1"}).Draw(t, "more")
	}))
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOf(path).Draw(t, "paths")
		b, got := encodePaths(t, paths)
		if !slices.Equal(got, paths) {
			t.Fatalf("got %q, want %q", got, paths)
		}
		r := packed.Reader{B: b}
		if skipPaths(&r, len(paths)); r.Bad || len(r.B) != 0 {
			t.Fatalf("skipPaths: Bad is %v, %d bytes are left", r.Bad, len(r.B))
		}
	})
	for _, c := range []struct {
		paths []string
		want  int
	}{
		{[]string{WholePath}, 1},
		{[]string{"1", "2", "3.T1", "3.T2", "3.C", "3.B", "4.1", "4.2", "10.1"}, 8 + 6},
		{[]string{"1.1", "2.1", "2.2", "3.2", "3.3", "4.4"}, 6 + 2*4},
		{[]string{"T1", "T2.L", "T2.C1", "T2.C2", "T2.R", "C.1", "C.2", "B.T", "B.C"}, 9},
	} {
		if b, got := encodePaths(t, c.paths); len(b) != c.want || !slices.Equal(got, c.paths) {
			t.Errorf("%q take %d bytes, want %d, and are decoded as %q", c.paths, len(b), c.want, got)
		}
	}
}

// encodePaths encodes paths, and decodes them again.
func encodePaths(t interface{ Fatalf(string, ...any) }, paths []string) (b []byte, again []string) {
	var steps pathSteps
	for _, p := range paths {
		b = steps.appendPath(b, p)
	}
	r := packed.Reader{B: b}
	steps = pathSteps{}
	for range paths {
		again = append(again, string(steps.takePath(nil, &r)))
	}
	if r.Bad || len(r.B) != 0 {
		t.Fatalf("%q: Bad is %v, %d bytes are left", paths, r.Bad, len(r.B))
	}
	return b, again
}

// TestDamagedPaths decodes steps that no path has: it sets Bad.
func TestDamagedPaths(t *testing.T) {
	for _, b := range [][]byte{{}, {stepNext << 4}, {byte(stepsEnd << 4)}, {0x30 | stepNext}, {byte(0x30 | stepsEnd)}, {0x4f}, {pathText}, {pathText, 2, 'x'}} {
		t.Run(fmt.Sprintf("%x", b), func(t *testing.T) {
			r := packed.Reader{B: b}
			var steps pathSteps
			if got := steps.takePath(nil, &r); !r.Bad {
				t.Errorf("got %q, and Bad is not set", got)
			}
		})
	}
}
