package task

import (
	"fmt"
	"slices"
	"testing"

	"infomall/store/record"
	"infomall/store/urlkey"
)

func scopesOf(t *testing.T, texts ...string) (out []BlockScope) {
	t.Helper()
	for _, text := range texts {
		s, err := NewBlockScope(text, "")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// TestBlockListLookup shows which captures an entry keeps out.
func TestBlockListLookup(t *testing.T) {
	one, two := record.Digest{1}, record.Digest{2}
	l := (&BlockList{}).
		Add(BlockEntry{Scopes: scopesOf(t, "a.example", "=b.example:8080"), Allowed: scopesOf(t, "a.example/free"), From: 10, To: 20}).
		Add(BlockEntry{Scopes: scopesOf(t, "c.example"), From: record.MinTime, To: record.MaxTime + 1, Digests: []BodyDigest{{one, [20]byte{1}}}}).
		Add(BlockEntry{From: record.MinTime, To: record.MaxTime + 1, Digests: []BodyDigest{{two, [20]byte{2}}}})
	number := func(e *BlockEntry) int64 {
		if e == nil {
			return 0
		}
		return e.Number
	}
	for _, c := range []struct {
		url       string
		at        record.Time
		byURL     int64
		one, two  int64 // with the bodies one and two
		one1, no1 int64 // with the SHA-1 of one, with another
	}{
		{"http://a.example/", 10, 1, 0, 3, 0, 0},
		{"https://www.a.example/x", 19, 1, 0, 3, 0, 0},
		{"http://a.example/", 9, 0, 0, 3, 0, 0},
		{"http://a.example/", 20, 0, 0, 3, 0, 0},
		{"http://a.example/free/x", 12, 0, 0, 3, 0, 0},
		{"http://b.example:8080/", 12, 1, 0, 3, 0, 0},
		{"http://b.example/", 12, 0, 0, 3, 0, 0},
		{"http://c.example/", 12, 0, 2, 3, 2, 0},
		{"http://d.example/", 12, 0, 0, 3, 0, 0},
	} {
		key := urlkey.Key(c.url)
		got := fmt.Sprint(number(l.URL(key, c.at)), number(l.Body(key, c.at, one)), number(l.Body(key, c.at, two)), number(l.BodySHA1(key, c.at, [20]byte{1})), number(l.BodySHA1(key, c.at, [20]byte{9})))
		if want := fmt.Sprint(c.byURL, c.one, c.two, c.one1, c.no1); got != want {
			t.Errorf("%s at %d: entries %s, want %s", c.url, c.at, got, want)
		}
	}
}

// TestAllow shows what ALLOW leaves of a list.
func TestAllow(t *testing.T) {
	list := (&BlockList{}).Add(BlockEntry{Scopes: scopesOf(t, "a.example")}).Add(BlockEntry{Scopes: scopesOf(t, "b.example/x", "c.example")}).Add(BlockEntry{Digests: []BodyDigest{{}}})
	for _, c := range []struct {
		allow   []string
		entries []int64
		want    string // each entry that is left, with what is lifted
		removed int
		partly  int
		missing int
	}{
		{[]string{"a.example"}, nil, "2[] 3[]", 1, 0, 0},
		{[]string{"example"}, nil, "3[]", 2, 0, 0},
		{[]string{"a.example/x"}, nil, "1['a.example/x'] 2[] 3[]", 0, 1, 0},
		{[]string{"a.example/x", "a.example/x/y"}, nil, "1['a.example/x'] 2[] 3[]", 0, 1, 1},
		{[]string{"a.example/x/y", "a.example/x"}, nil, "1['a.example/x'] 2[] 3[]", 0, 1, 0},
		{[]string{"a.example/x", "a.example"}, nil, "2[] 3[]", 1, 0, 0},
		{[]string{"c.example"}, nil, "1[] 2['c.example'] 3[]", 0, 1, 0},
		{[]string{"c.example", "b.example"}, nil, "1[] 3[]", 1, 0, 0},
		{[]string{"d.example"}, nil, "1[] 2[] 3[]", 0, 0, 1},
		{nil, []int64{3, 9}, "1[] 2[]", 1, 0, 1},
	} {
		var o AllowOptions
		o.Scopes, o.Entries = scopesOf(t, c.allow...), c.entries
		next, res := list.Allow(o)
		var left []string
		for _, e := range next.Entries {
			left = append(left, fmt.Sprintf("%d[%s]", e.Number, ScopesText(e.Allowed)))
		}
		want := c.want
		if got := fmt.Sprint(left); got != "["+want+"]" || len(res.Removed) != c.removed || len(res.Partly) != c.partly || len(res.Missing)+len(res.MissingEntries) != c.missing || next.Next != list.Next {
			t.Errorf("ALLOW %v %v leaves %s, removed %d, partly %d, missing %d %d; want %s %d %d %d", c.allow, c.entries, got, len(res.Removed), len(res.Partly), len(res.Missing), len(res.MissingEntries), want, c.removed, c.partly, c.missing)
		}
		if slices.ContainsFunc(list.Entries, func(e BlockEntry) bool { return e.Allowed != nil }) {
			t.Fatal("ALLOW changed the list that it was given")
		}
	}
}
