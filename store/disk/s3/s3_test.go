package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
)

// TestObjects writes, reads, lists and removes objects, with conditions.
func TestObjects(t *testing.T) {
	ctx := t.Context()
	server := s3test.Start(t)
	c := server.Client(t, "some/prefix")
	put := func(name, content string, when s3.Condition) (s3.Info, error) {
		return c.Put(ctx, name, strings.NewReader(content), int64(len(content)), when)
	}
	first, err := put("a b/ä+1", "0123456789", s3.IfAbsent)
	if err != nil || first.ETag == "" || first.Date.IsZero() {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := put("a b/ä+1", "other", s3.IfAbsent); !errors.Is(err, s3.ErrCondition) {
		t.Errorf("if absent, of an object that exists: %v, want ErrCondition", err)
	}
	if _, err := put("a b/ä+1", "other", s3.IfUnchanged("0123")); !errors.Is(err, s3.ErrCondition) {
		t.Errorf("if unchanged, with another ETag: %v, want ErrCondition", err)
	}
	if _, err := put("none", "other", s3.IfUnchanged(first.ETag)); !errors.Is(err, s3.ErrCondition) {
		t.Errorf("if unchanged, of no object: %v, want ErrCondition", err)
	}
	for _, g := range []struct {
		off, n int64
		want   string
	}{{0, -1, "0123456789"}, {3, 4, "3456"}, {8, 10, "89"}, {8, -1, "89"}, {10, 5, ""}, {12, 5, ""}} {
		b, info, err := c.Get(ctx, "a b/ä+1", g.off, g.n, "")
		if err != nil || string(b) != g.want || g.want != "" && (info.Size != 10 || info.ETag != first.ETag) {
			t.Errorf("get %d+%d: %q, %+v, %v; want %q", g.off, g.n, b, info, err, g.want)
		}
	}
	if b, info, err := c.Get(ctx, "a b/ä+1", 0, -1, first.ETag); b != nil || info.ETag != first.ETag || err != nil {
		t.Errorf("get of what is known: %q, %+v, %v", b, info, err)
	}
	second, err := put("a b/ä+1", "more", s3.IfUnchanged(first.ETag))
	if err != nil || second.ETag == first.ETag {
		t.Errorf("if unchanged: %+v, %v", second, err)
	}
	if info, err := c.Head(ctx, "a b/ä+1"); err != nil || info.Size != 4 || info.ETag != second.ETag {
		t.Errorf("head: %+v, %v", info, err)
	}
	for i := range 1100 {
		server.Change(fmt.Sprintf("some/prefix/many/%04d", i), func([]byte) []byte { return []byte("x") })
	}
	list := func(prefix string, deep bool) (names []string) {
		for i, err := range c.List(ctx, prefix, deep) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, i.Name)
		}
		return names
	}
	if got := list("", false); !slices.Equal(got, []string{"a b/", "many/"}) {
		t.Errorf("list of folders: %q", got)
	}
	if got := list("", true); len(got) != 1101 || got[0] != "a b/ä+1" || got[1100] != "many/1099" {
		t.Errorf("deep list: %d names, %q", len(got), got[0])
	}
	for range 2 {
		if err := c.Remove(ctx, "a b/ä+1"); err != nil {
			t.Error(err)
		}
	}
	_, _, err = c.Get(ctx, "a b/ä+1", 0, -1, "")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "s3://bucket/some/prefix/a b/ä+1") {
		t.Errorf("get of no object: %v", err)
	}
	other, _ := server.Place().Open("s3://missing/x")
	if _, err := other.Head(ctx, "y"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("head in no bucket: %v", err)
	}
	if _, err := other.PutBytes(ctx, "y", nil, s3.IfAbsent); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "create the bucket") {
		t.Errorf("put in no bucket: %v", err)
	}
}

// TestLargeObject writes an object in parts, with faults at each request.
func TestLargeObject(t *testing.T) {
	ctx := t.Context()
	b := bytes.Repeat([]byte("0123456789abcdef"), 1<<20+3)
	server := s3test.Start(t)
	c := server.Client(t, "")
	for i, f := range []s3test.Fault{s3test.DropAfter, s3test.Error500Late} {
		requests := 0
		var mu sync.Mutex
		server.SetFault(func(r *http.Request, n int) s3test.Fault {
			mu.Lock()
			defer mu.Unlock()
			if requests++; requests%2 == 1 {
				return f
			}
			return s3test.Works
		})
		name := fmt.Sprint("large", i)
		info, err := c.Put(ctx, name, bytes.NewReader(b), int64(len(b)), s3.IfAbsent)
		if err != nil || info.Size != int64(len(b)) {
			t.Fatalf("fault %d: %+v, %v", f, info, err)
		}
		server.SetFault(nil)
		if got, _, err := c.Get(ctx, name, int64(len(b))-20, -1, ""); err != nil || !bytes.Equal(got, b[len(b)-20:]) {
			t.Errorf("fault %d: the end is %q, %v", f, got, err)
		}
	}
}

// TestFaults repeats what may pass. A PUT with a condition whose answer was lost is known
// as carried out, and as unknown if another client has written since.
func TestFaults(t *testing.T) {
	ctx := t.Context()
	for _, f := range s3test.Faults {
		server := s3test.Start(t)
		c := server.Client(t, "p")
		once := func() {
			done := false
			server.SetFault(func(*http.Request, int) s3test.Fault {
				if done {
					return s3test.Works
				}
				done = true
				return f
			})
		}
		once()
		info, err := c.PutBytes(ctx, "x", []byte("mine"), s3.IfAbsent)
		if err != nil {
			t.Errorf("fault %d: put: %v", f, err)
		}
		once()
		if b, _, err := c.Get(ctx, "x", 0, -1, ""); err != nil || string(b) != "mine" {
			t.Errorf("fault %d: get: %q, %v", f, b, err)
		}
		once()
		for i, err := range c.List(ctx, "", true) {
			if err != nil || i.Name != "x" {
				t.Errorf("fault %d: list: %+v, %v", f, i, err)
			}
		}
		// Another client writes between the two attempts.
		n := 0
		server.SetFault(func(*http.Request, int) s3test.Fault {
			if n++; n == 1 {
				return f
			}
			if n == 2 {
				server.Change("p/x", func([]byte) []byte { return []byte("theirs") })
			}
			return s3test.Works
		})
		_, err = c.PutBytes(ctx, "x", []byte("mine again"), s3.IfUnchanged(info.ETag))
		sure := f == s3test.SlowDown
		if !errors.Is(err, s3.ErrUnsure) && !sure && f != s3test.Tear || sure && !errors.Is(err, s3.ErrCondition) {
			t.Errorf("fault %d: put beside another client: %v", f, err)
		}
		if c.Stats().Repeated < 2 && f != s3test.Tear {
			t.Errorf("fault %d: %d repetitions", f, c.Stats().Repeated)
		}
	}
}

// TestGivesUp returns the error of a store that never works, and ends early with ctx.
func TestGivesUp(t *testing.T) {
	server := s3test.Start(t)
	c := server.Client(t, "")
	server.SetFault(func(*http.Request, int) s3test.Fault { return s3test.SlowDown })
	if _, err := c.Head(t.Context(), "x"); err == nil || c.Stats().Requests != 8 {
		t.Errorf("%v after %d requests", err, c.Stats().Requests)
	}
	ctx, cancel := context.WithCancel(t.Context())
	server.SetFault(func(*http.Request, int) s3test.Fault { cancel(); return s3test.SlowDown })
	if _, err := c.Head(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestBadPlaces refuses URLs and endpoints that are none.
func TestBadPlaces(t *testing.T) {
	for _, c := range []struct{ place, endpoint, want string }{
		{"s3://", "", "names no bucket"}, {"s3:///x", "", "names no bucket"}, {"/x", "", "names no bucket"},
		{"s3://bucket", "127.0.0.1:9000", "is no URL"}, {"s3://bucket", "ftp://x", "is no URL"}, {"s3://B_", "", "names no bucket"},
	} {
		_, err := s3.Server{Endpoint: c.endpoint}.Open(c.place)
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q at %q: %v, want %q", c.place, c.endpoint, err, c.want)
		}
	}
}

// TestProbe finds that a store ignores conditions.
func TestProbe(t *testing.T) {
	server := s3test.Start(t)
	c := server.Client(t, "p")
	for _, ignored := range []bool{false, true} {
		server.IgnoreConditions = ignored
		absent, match := s3.ProbeAbsent(t.Context(), c, fmt.Sprint("a", ignored)), s3.ProbeMatch(t.Context(), c, "m")
		if (absent != nil) != ignored || (match != nil) != ignored {
			t.Errorf("conditions ignored %v: %v, %v", ignored, absent, match)
		}
	}
}
