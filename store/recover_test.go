package store

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/record/task"
)

// recovered goes through a file and gives what is saved, as one WARC file of
// what was written, and the spans.
func recovered(t testing.TB, name string) (saved []byte, spans []task.Recovered) {
	t.Helper()
	a := openAt(filepath.Join(t.TempDir(), "none"), Options{})
	defer a.Close()
	var b bytes.Buffer
	for r, err := range a.Recover(context.Background(), task.RecoverOptions{File: place(name)}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Write != nil {
			if err := r.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		spans = append(spans, r)
	}
	return b.Bytes(), spans
}

// captured lists the captures of an archive: URL, time and body of each.
func captured(t testing.TB, dir string, pool string) []string {
	t.Helper()
	a := openAt(dir, Options{})
	defer a.Close()
	var out []string
	for _, r := range readRows(t, a, record.MinTime, record.MaxTime) {
		if pool == "" || r.time.Pool() == pool {
			out = append(out, fmt.Sprintf("%s %s %s", r.url, r.time.Std(), r.body))
		}
	}
	return out
}

// imported is captured of a new archive into which a WARC file was imported.
func imported(t testing.TB, warc []byte) []string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "saved.warc")
	if err := writeFile(name, warc); err != nil {
		t.Fatal(err)
	}
	a := openAt(filepath.Join(dir, "archive"), Options{})
	defer a.Close()
	if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{name}}); err != nil {
		t.Fatal(err)
	}
	return captured(t, a.Local(), "")
}

// TestRecoverDBFile damages a db-file at places all over it: every capture that
// does not need a damaged run comes back as it was, also where its blocks lie in
// the db-file of another pool, and none that never was.
func TestRecoverDBFile(t *testing.T) {
	dir := damagedArchive(t)
	for _, pool := range []string{"200806", "200807"} {
		names, err := glob(filepath.Join(dir, commit.DirPools, pool, "*.raw"))
		if err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		want := captured(t, dir, pool)
		saved, _ := recovered(t, names[0])
		if got := imported(t, saved); !reflect.DeepEqual(got, want) {
			t.Fatalf("pool %s whole:\n got %v\nwant %v", pool, got, want)
		}
		whole, err := readFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(whole); at += 1 + len(whole)/40 {
			b := slices.Clone(whole)
			b[at] ^= 1 << (at % 8)
			if err := writeFile(names[0], b); err != nil {
				t.Fatal(err)
			}
			saved, spans := recovered(t, names[0])
			damaged := 0
			for _, s := range spans {
				if s.State == task.RecoverDamaged {
					damaged++
				}
			}
			if damaged == 0 {
				t.Errorf("pool %s, byte %d: no damage is reported", pool, at)
			}
			end := bytes.LastIndex(whole, []byte("version: 2.0\n"))
			if len(saved) == 0 {
				if at >= end {
					t.Errorf("pool %s, byte %d, of the end record: nothing is saved", pool, at)
				}
				continue
			}
			for _, c := range imported(t, saved) {
				if !slices.Contains(want, c) {
					t.Errorf("pool %s, byte %d: %s never was", pool, at, c)
				}
			}
		}
		if err := writeFile(names[0], whole); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecoverRuns damages one run of a db-file of many: the captures of the
// others come back, and what of the damaged one's head can be read is said.
func TestRecoverRuns(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	var visits []*visit
	for i := range 3000 {
		visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%04d", i), time: day0, status: 200, body: fmt.Sprintf("<p>page %d</p>", i*i)})
	}
	put(t, a, visits)
	names, err := glob(filepath.Join(a.Local(), commit.DirPools, "*", "*.raw"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	want := captured(t, a.Local(), "")
	b, err := readFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.Index(b[1:], []byte("version: 2.0\n")) + 1
	b[second+bytes.Index(b[second:], []byte("\n\n"))+30] ^= 4
	if err := writeFile(names[0], b); err != nil {
		t.Fatal(err)
	}
	saved, spans := recovered(t, names[0])
	got := imported(t, saved)
	for _, c := range got {
		if !slices.Contains(want, c) {
			t.Errorf("%s never was", c)
		}
	}
	var damage *task.Recovered
	for i := range spans {
		if spans[i].State == task.RecoverDamaged {
			damage = &spans[i]
		}
	}
	if damage == nil || damage.Offset != int64(second) || !strings.Contains(damage.What, "its head names the captures from http://www.example.com/1024") {
		t.Fatalf("damage %+v, want one at %d", damage, second)
	}
	if len(got) != len(want)-1024 {
		t.Errorf("%d captures came back, want %d", len(got), len(want)-1024)
	}
}
