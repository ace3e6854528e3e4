package history

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func texts(h *History) []string {
	var out []string
	for _, e := range h.Entries {
		out = append(out, e.Text)
	}
	return out
}

func mustOpen(t *testing.T, path string) *History {
	t.Helper()
	h, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	h.now = func() time.Time { return time.Date(2008, 7, 1, 12, 0, 0, 500, time.UTC) }
	return h
}

// TestHistoryAdd shows which texts are stored and which are not.
func TestHistoryAdd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h := mustOpen(t, path)
	for _, c := range []struct {
		text string
		kept bool
	}{
		{"SELECT 1;", true},
		{"SELECT 1;", false}, // as the one before
		{"SELECT 1;\n", false},
		{" SELECT 'secret';", false},
		{"", false},
		{"SELECT '标题'\nFROM 'x';", true},
		{"SELECT 1;", true},
	} {
		id, kept, err := h.Add(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if (id != "") != c.kept || (kept != "") != c.kept {
			t.Errorf("add(%q) kept %q, want it kept: %v", c.text, kept, c.kept)
		}
	}
	want := []string{"SELECT 1;", "SELECT '标题'\nFROM 'x';", "SELECT 1;"}
	if got := texts(mustOpen(t, path)); !slices.Equal(got, want) {
		t.Errorf("read back %q, want %q", got, want)
	}
}

// TestHistoryDamaged shows that lines which are no entries cost only
// themselves.
func TestHistoryDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	file := `{"id":"a","time":"2008-07-01T12:00:00Z","text":"SELECT 1;"}
not JSON
{"time":"2008-07-01T12:00:00Z"}
{"text":"no id"}
{"id":"z","status":"done"}

{"id":"b","text":"SELECT 2;"}
{"id":"c","text":"SELECT 3`
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"SELECT 1;", "SELECT 2;"}
	if got := texts(mustOpen(t, path)); !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestHistoryTorn shows that an entry after a line that was written only in part is not lost with
// that line.
func TestHistoryTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte("{\"id\":\"a\",\"text\":\"SELECT 1;\"}\n{\"id\":\"b\",\"te"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := mustOpen(t, path).Add("SELECT 2;"); err != nil {
		t.Fatal(err)
	}
	want := []string{"SELECT 1;", "SELECT 2;"}
	if got := texts(mustOpen(t, path)); !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestHistoryTogether lets eight shells start and add entries at once, on a
// file so long that one of them cuts it. No entry may be lost or torn.
func TestHistoryTogether(t *testing.T) {
	const shells, each = 8, 100
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, encode(manyEntries()...), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for shell := range shells {
		wg.Go(func() {
			h := newHistory(path)
			for i := range each {
				if i == each/2 {
					var err error
					if h, err = Open(path); err != nil {
						t.Error(err)
					}
				}
				if _, _, err := h.Add(fmt.Sprintf("%d/%d", shell, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	found := texts(mustOpen(t, path))
	for shell := range shells {
		for i := range each {
			if entry := fmt.Sprintf("%d/%d", shell, i); !slices.Contains(found, entry) {
				t.Errorf("entry %s is lost", entry)
			}
		}
	}
	if len(found) > historyFileMax {
		t.Errorf("%d entries; the file was never cut", len(found))
	}
	if left, _ := filepath.Glob(path + "-*"); len(left) > 0 {
		t.Errorf("temporary files left: %q", left)
	}
}

// manyEntries returns one entry more than the history file may have.
func manyEntries() []Entry {
	var entries []Entry
	for i := range historyFileMax + 1 {
		entries = append(entries, Entry{ID: fmt.Sprint(i), Text: fmt.Sprint("SELECT ", i)})
	}
	return entries
}

// TestHistoryShortened shows that a long file is cut to its last entries.
func TestHistoryShortened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, encode(manyEntries()...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h := mustOpen(t, path)
		if len(h.Entries) != historyKept || h.Entries[historyKept-1].Text != fmt.Sprint("SELECT ", historyFileMax) {
			t.Fatalf("%d entries, the last %q; want the last %d", len(h.Entries), h.Entries[len(h.Entries)-1].Text, historyKept)
		}
	}
}

// TestHistoryNowhere shows that a history without a file still serves its
// shell, and that a file that cannot be written gives an error.
func TestHistoryNowhere(t *testing.T) {
	h, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	id, kept, err := h.Add("SELECT 1;")
	if kept == "" || err != nil {
		t.Errorf("add gave %q, %v; want it kept in memory", kept, err)
	}
	if err := h.End(id, time.Second, 1, "done"); err != nil || h.Entries[0].Status != "done" {
		t.Errorf("end gave %v and %v; want it kept in memory", err, h.Entries)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(blocked, "history")); err == nil || !strings.Contains(err.Error(), "read the history") {
		t.Errorf("Open under a file gave %v, want an error that names the deed", err)
	}
}

// TestHistoryShared runs two shells on one file. Each must see what the other
// adds, once and in order, also after a third shell has cut the file.
func TestHistoryShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	a, b := mustOpen(t, path), mustOpen(t, path)
	add := func(h *History, text string) string {
		id, _, err := h.Add(text)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	news := func(h *History, want ...string) {
		t.Helper()
		added, err := h.News()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range added {
			got = append(got, e.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("news are %q, want %q", got, want)
		}
	}
	id := add(a, "one")
	add(b, "two")
	add(a, "three")
	news(b, "one", "three")
	news(b)
	news(a, "two")
	if err := a.End(id, 1500*time.Millisecond, 7, "done"); err != nil {
		t.Fatal(err)
	}
	news(b)
	if e := b.Entries[b.known[id]]; e.Millis != 1500 || e.Rows != 7 || e.Status != "done" {
		t.Errorf("the other shell knows of the end only %+v", e)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(encode(manyEntries()...)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	c := mustOpen(t, path) // cuts it
	news(a, texts(c)...)
	add(c, "four")
	news(a, "four")
}

// TestHistoryWithoutValues shows that the values of parameters stay out.
func TestHistoryWithoutValues(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SET $token = 'secret';", "SET $token = ;"},
		{"set :token = 'se;cret'; SELECT $token;", "set :token = ; SELECT $token;"},
		{"SELECT 1;\nSET $a = 5 -- ;\n+ 1;\nSET $b = 'x", "SELECT 1;\nSET $a = ;\nSET $b = "},
		{"SET $token 'secret';", "SET $token = ;"},
		{"-- for now\nSET $a = 1;", "-- for now\nSET $a = ;"},
		{"SET timezone = 'Asia/Shanghai';", "SET timezone = 'Asia/Shanghai';"},
		{"SELECT url AS set, $x FROM 'a';", "SELECT url AS set, $x FROM 'a';"},
		{"CRAWL 'http://me:se/cret@a.cn/', 'http://me:x@b.cn/@' PROXY 'http://p:1@c.cn:3128';", "CRAWL 'http://me:se/cret@a.cn/', 'http://b.cn/@' PROXY 'http://c.cn:3128';"},
		{"SET $a = 1; SELECT 'x;y'; SET $b = ';'; SET $c = 2", "SET $a = ; SELECT 'x;y'; SET $b = ; SET $c = "},
		{"SET", "SET"},
		{"", ""},
	} {
		if got := withoutValues(c.text); got != c.want {
			t.Errorf("of %q stays %q, want %q", c.text, got, c.want)
		}
	}
}
