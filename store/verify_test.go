package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
)

// verify gives what Verify finds.
func verify(t testing.TB, dir string, o record.VerifyOptions) []record.Finding {
	t.Helper()
	a := Open(dir, Options{})
	defer a.Close()
	var out []record.Finding
	for f, err := range a.Verify(context.Background(), o) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// TestVerifyClean imports histories in parts and in any order, merging pools between: nothing is wrong
// with what comes of it.
func TestVerifyClean(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		visits := rapid.Permutation(drawHistory(rt)).Draw(rt, "order")
		a := Open(t.TempDir(), Options{})
		defer a.Close()
		for rest := visits; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			put(t, a, rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(rt, "merge") {
				mergeAny(rt, a)
			}
		}
		if got := verify(t, a.Path(), record.VerifyOptions{}); len(got) > 0 {
			rt.Fatalf("got %+v, want nothing", got)
		}
	})
}

// damagedArchive is a small archive of two pools, where the second is as the
// first in part.
func damagedArchive(t *testing.T) string {
	t.Helper()
	a := Open(t.TempDir(), Options{})
	defer a.Close()
	page := "<html><body><h1>title</h1>" + strings.Repeat("<p>a paragraph that is long enough to be one, and is in both</p>", 20) + "</body></html>"
	var visits []*visit
	for i := range 4 {
		url := fmt.Sprintf("http://www.example.com/%d", i)
		visits = append(visits,
			&visit{url: url, time: day0, status: 200, body: page},
			&visit{url: url, time: day0 + 40*dayMillis, status: 200, body: page + "<p>more</p>"},
			&visit{url: url, time: day0 + 41*dayMillis, status: 200, body: page})
	}
	put(t, a, visits)
	return a.Path()
}

// TestVerifyFlips flips a bit at places all over each file in force. Each must
// be found.
func TestVerifyFlips(t *testing.T) {
	dir := damagedArchive(t)
	files, err := archiveFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, len(whole)/50)
		for at := 0; at < len(whole); at += step {
			b := append([]byte(nil), whole...)
			b[at] ^= 1 << (at / step % 8)
			if err := os.WriteFile(name, b, 0o644); err != nil {
				t.Fatal(err)
			}
			if got := verify(t, dir, record.VerifyOptions{}); len(got) == 0 {
				t.Errorf("%s: a flip at byte %d was not found", name, at)
			}
		}
		if err := os.WriteFile(name, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := verify(t, dir, record.VerifyOptions{}); len(got) > 0 {
		t.Errorf("after all was put back: %+v", got)
	}
}

// archiveFiles lists the files in force.
func archiveFiles(dir string) ([]string, error) {
	a := Open(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		return nil, err
	}
	defer v.Close()
	files, err := v.Files(context.Background())
	out := []string{filepath.Join(dir, fileCurrent)}
	for _, f := range files {
		out = append(out, filepath.Join(dir, f.Name))
	}
	return out, err
}

// TestVerifyAffected damages a run and names the captures that are lost with
// it: its own, and those of the later pool that take blocks from it.
func TestVerifyAffected(t *testing.T) {
	dir := damagedArchive(t)
	names, err := filepath.Glob(filepath.Join(dir, dirPools, "200806", "*.raw"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	b[strings.Index(string(b), "\n\n")+20] ^= 1
	if err := os.WriteFile(names[0], b, 0o644); err != nil {
		t.Fatal(err)
	}
	lost := make(map[string]bool)
	for _, f := range verify(t, dir, record.VerifyOptions{}) {
		if f.Severity != record.SeverityError || f.Pool == "" {
			t.Errorf("finding %+v, want an error of a pool", f)
		}
		if f.URL != "" {
			lost[fmt.Sprint(f.URL, " ", f.Time.Pool())] = true
		}
	}
	for i := range 4 {
		for _, pool := range []string{"200806", "200807"} {
			if want := fmt.Sprintf("http://www.example.com/%d %s", i, pool); !lost[want] {
				t.Errorf("%s is not among the lost: %v", want, lost)
			}
		}
	}
	if got := verify(t, dir, record.VerifyOptions{Pool: "200806"}); len(got) == 0 {
		t.Error("VERIFY of the pool finds nothing")
	}
}

// TestVerifyNoPool names a pool that is not there.
func TestVerifyNoPool(t *testing.T) {
	a := Open(damagedArchive(t), Options{})
	defer a.Close()
	for _, err := range a.Verify(context.Background(), record.VerifyOptions{Pool: "200809"}) {
		if none, ok := err.(*record.NoPoolError); !ok || len(none.Pools) != 2 {
			t.Errorf("got error %v, want NoPoolError", err)
		}
	}
}
