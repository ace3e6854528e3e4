package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infomall/store/record"
)

// TestNearby imports a page like another of its host that an import before has
// brought: what they share is stored once, if that may be named, which it may not
// be from an earlier pool, and is not looked for on other hosts.
func TestNearby(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var parts []string
	for range 20 {
		words := make([]string, 50)
		for i := range words {
			words[i] = fmt.Sprintf("%x", r.Uint32())
		}
		parts = append(parts, "<p>"+strings.Join(words, " ")+"</p>")
	}
	page := func(title string) string {
		return "<html><body><h1>" + title + "</h1>\n" + strings.Join(parts, "\n") + "</body></html>"
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	whole := put(t, a, []*visit{{url: "http://a.example/1.0/manual.html", time: day0, status: 200, body: page("Manual 1.0")}}).NewBytes
	for _, c := range []struct {
		name  string
		url   string
		day   int64
		share bool
	}{
		{"of the same month", "http://a.example/1.1/manual.html", 1, true},
		{"of a later month", "http://a.example/0.9/manual.html", 40, true},
		{"of an earlier month", "http://a.example/1.2/manual.html", -40, false},
		{"of another host", "http://b.example/1.1/manual.html", 1, false},
	} {
		v := &visit{url: c.url, time: day0 + record.Time(c.day)*dayMillis, status: 200, body: page("Manual " + c.name)}
		got := put(t, a, []*visit{v}).NewBytes
		if share := got < whole/4; share != c.share {
			t.Errorf("a page %s: %d new bytes, where the first had %d", c.name, got, whole)
		}
		rows := readRows(t, a, v.time, v.time+1)
		i := 0
		for i < len(rows) && rows[i].url != c.url {
			i++
		}
		if i == len(rows) || rows[i].body != v.body {
			t.Errorf("a page %s is not as it was", c.name)
		}
	}
}
