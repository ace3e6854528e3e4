package lookup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"infomall/exec/relation/relationtest"
	"infomall/store/record"
)

// TestFamily shows which URLs are looked up together.
func TestFamily(t *testing.T) {
	for url, want := range map[string][]string{
		"http://a.example/":      {"http://a.example/", "http://www.a.example/", "https://a.example/", "https://www.a.example/"},
		"https://www.a.example/": {"https://www.a.example/", "https://a.example/", "http://www.a.example/", "http://a.example/"},
		"http://a.example/x?y":   {"http://a.example/x?y", "http://www.a.example/x?y", "https://a.example/x?y", "https://www.a.example/x?y"},
		"http://a.example/x": {"http://a.example/x", "http://www.a.example/x", "http://a.example/x/", "http://www.a.example/x/",
			"https://a.example/x", "https://www.a.example/x", "https://a.example/x/", "https://www.a.example/x/"},
		"ftp://a.example/": {"ftp://a.example/"},
		"http://a.example/%zz?q=50%": {"http://a.example/%zz?q=50%", "http://www.a.example/%zz?q=50%", "http://a.example/%25zz?q=50%", "http://www.a.example/%25zz?q=50%",
			"https://a.example/%zz?q=50%", "https://www.a.example/%zz?q=50%", "https://a.example/%25zz?q=50%", "https://www.a.example/%25zz?q=50%"},
		"http://a.example/%2541/%25/?": {"http://a.example/%2541/%25/?", "http://www.a.example/%2541/%25/?", "http://a.example/%2541/%/?", "http://www.a.example/%2541/%/?",
			"https://a.example/%2541/%25/?", "https://www.a.example/%2541/%25/?", "https://a.example/%2541/%/?", "https://www.a.example/%2541/%/?"},
	} {
		if got := Family(url); !slices.Equal(got, want) {
			t.Errorf("family of %s is %q, want %q", url, got, want)
		}
		for _, other := range want {
			if len(want) > 1 && !SameFamily(url, other) {
				t.Errorf("%s and %s are not of one family", url, other)
			}
		}
	}
}

// TestOrder compares the captures of a family, sorted in memory and merged, with a
// plain sort, and the nearest captures with a plain search.
func TestOrder(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range 200 {
		var list []relationtest.Capture
		url := "http://a.example/x"
		urls := append(Family(url), "http://a.example/other")
		for i := range rng.IntN(40) {
			list = append(list, relationtest.Capture{URL: urls[rng.IntN(len(urls))], Time: record.Time(rng.IntN(30) * 1000), Status: 200, Body: fmt.Sprint(i)})
		}
		snap := relationtest.New(list...)
		scan := always(Keys(Family(url)), AllColumns)
		var sorted, merged []Capture
		for c, err := range Captures(t.Context(), snap, url, AllColumns) {
			if err != nil {
				t.Fatal(err)
			}
			sorted = append(sorted, c)
		}
		mergeURLs(t.Context(), snap, Family(url), scan, func(c Capture, err error) bool {
			merged = append(merged, c)
			return err == nil
		})
		if !slices.EqualFunc(sorted, merged, func(a, b Capture) bool { return a.Time == b.Time && a.URL == b.URL }) {
			t.Fatalf("seed %d, round %d: sorted %v\nmerged %v", seed, round, sorted, merged)
		}
		if !slices.IsSortedFunc(sorted, func(a, b Capture) int { return before(url, &a, &b) }) {
			t.Fatalf("seed %d, round %d: not sorted: %v", seed, round, sorted)
		}
		at := record.Time(rng.IntN(30) * 1000)
		f, err := Nearest(t.Context(), snap, url, at)
		if err != nil {
			t.Fatal(err)
		}
		if f.Count != int64(len(sorted)) || len(f.Nearest) != min(len(sorted), nearestMax) {
			t.Fatalf("seed %d, round %d: found %d of %d", seed, round, f.Count, len(sorted))
		}
		for i := range f.Nearest {
			c := &f.Nearest[i]
			for _, x := range sorted {
				if i == 0 && Distance(x.Time, at) < Distance(c.Time, at) {
					t.Fatalf("seed %d, round %d: %v is nearer to %d than %v", seed, round, x, at, c)
				}
			}
		}
		if len(sorted) == 0 {
			continue
		}
		c := &f.Nearest[0]
		n, err := f.Around(t.Context(), snap, c)
		if err != nil {
			t.Fatal(err)
		}
		at2 := slices.IndexFunc(sorted, func(x Capture) bool { return x.Ref == c.Ref })
		var want Around
		if at2 > 0 {
			want.Prev = sorted[at2-1]
		}
		if at2 < len(sorted)-1 {
			want.Next = sorted[at2+1]
		}
		if n.Prev.Ref != want.Prev.Ref || n.Next.Ref != want.Next.Ref || n.Prev.URL != want.Prev.URL || n.Next.URL != want.Next.URL {
			t.Fatalf("seed %d, round %d: around %v is %v, want %v", seed, round, c, n, want)
		}
	}
}

// TestSecond shows that the time of an address, which has whole seconds, finds the capture of that
// second, even if a capture of another second is fewer milliseconds away. Otherwise the addresses
// that a TimeMap lists lead to other captures.
func TestSecond(t *testing.T) {
	url := "http://a.example/"
	var list []relationtest.Capture
	for i, ms := range []record.Time{59_900, 60_999, 61_100, 61_200} {
		list = append(list, relationtest.Capture{URL: url, Time: ms, Status: 200, Body: fmt.Sprint(i)})
	}
	snap := relationtest.New(list...)
	for at, want := range map[record.Time]record.Time{
		59_000: 59_900, 60_000: 60_999, 61_000: 61_100, 62_000: 61_200, // as addresses have it
		61_150: 61_100, 61_199: 61_200, // with milliseconds
	} {
		f, err := Nearest(t.Context(), snap, url, at)
		if err != nil {
			t.Fatal(err)
		}
		if f.Nearest[0].Time != want {
			t.Errorf("at %d: found %d, want %d", at, f.Nearest[0].Time, want)
		}
	}
}

// TestTimes shows which period some digits name.
func TestTimes(t *testing.T) {
	for digits, want := range map[string]string{
		"2008":              "2008-01-01 00:00:00 2009-01-01 00:00:00",
		"200802":            "2008-02-01 00:00:00 2008-03-01 00:00:00",
		"20080229":          "2008-02-29 00:00:00 2008-03-01 00:00:00",
		"2008022923":        "2008-02-29 23:00:00 2008-03-01 00:00:00",
		"200802292359":      "2008-02-29 23:59:00 2008-03-01 00:00:00",
		"20080229235959":    "2008-02-29 23:59:59 2008-03-01 00:00:00",
		"20080229235959123": "2008-02-29 23:59:59 2008-03-01 00:00:00",
		"20080":             "2008-01-01 00:00:00 2009-01-01 00:00:00",
		"200813":            "", "20090229": "", "200": "", "2008-02": "", "": "",
	} {
		from, to, ok := Period(digits)
		got := ""
		if ok {
			got = from.Std().Format(time.DateTime) + " " + to.Std().Format(time.DateTime)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", digits, got, want)
		}
	}
}

// TestCanonical shows URLs as people write them.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"pku.edu.cn": "http://pku.edu.cn/", " http://A.example ": "http://a.example/", "http:/a.example/x": "http://a.example/x", "//a.example": "http://a.example/",
		"localhost:8080/x": "http://localhost:8080/x", "a.example:81": "http://a.example:81/", "https:/a.example": "https://a.example/", "ftp://a.example/": "ftp://a.example/",
	} {
		if got, err := Canonical(text); got != want || err != nil {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
}
