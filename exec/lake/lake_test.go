package lake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/store/record"
)

// errKilled is the error of every call of a memory place after its last.
var errKilled = errors.New("killed")

// memory is a place in memory. It fails at the call with the number last and later.
type memory struct {
	files map[string][]byte
	calls int
	last  int  // 0 means that no call fails
	late  bool // a write that fails was carried out
}

func (m *memory) call() error {
	if m.calls++; m.last > 0 && m.calls >= m.last {
		return errKilled
	}
	return nil
}

func (m *memory) Read(_ context.Context, name string, off, n int64) ([]byte, error) {
	if err := m.call(); err != nil {
		return nil, err
	}
	b, ok := m.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return b[min(off, int64(len(b))):min(off+n, int64(len(b)))], nil
}

func (m *memory) Write(_ context.Context, name string, body io.ReaderAt, size int64) error {
	err := m.call()
	if err == nil || m.late && m.calls == m.last {
		b := make([]byte, size)
		if _, err := body.ReadAt(b, 0); err != nil && err != io.EOF {
			return err
		}
		m.files[name] = b
	}
	return err
}

func (m *memory) List(context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		if err := m.call(); err != nil {
			yield(File{}, err)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(m.files)) {
			if !yield(File{name, int64(len(m.files[name]))}, nil) {
				return
			}
		}
	}
}

func (m *memory) Remove(_ context.Context, name string) error {
	if err := m.call(); err != nil {
		return err
	}
	delete(m.files, name)
	return nil
}

// row is a row of the tests: a month, a URL and a pool.
type row struct{ month, url, pool string }

// write writes rows, which must be sorted, to a place, three rows to a part.
func write(t *testing.T, p Place, statement string, list ...row) (Result, error) {
	t.Helper()
	cols := []value.Column{{Name: "url", Type: value.URL}, {Name: "pool", Type: value.Text}, {Name: "month", Type: value.Text}}
	rows := func(yield func(*value.Batch, error) bool) {
		b := value.NewBatch(cols)
		for _, r := range list {
			month := value.OfText(r.month)
			if r.month == "" {
				month = value.Value{}
			}
			for i, v := range []value.Value{value.OfText(r.url), value.OfText(r.pool), month} {
				b.Cols[i].AppendValue(v)
			}
			b.N++
		}
		for from := 0; from < b.N; from += 2 {
			if !yield(b.Slice(from, min(from+2, b.N)), nil) {
				return
			}
		}
	}
	return Write(context.Background(), Options{
		Place: p, Name: "lake/", Origin: Origin{Statement: statement, State: fmt.Sprint("state of ", len(list))},
		Columns: cols, Files: []int{0, 1}, By: []int{2}, SortedBy: []string{"url"}, Zone: time.UTC, FileRows: 3,
		Temp: func() (*os.File, error) { return os.CreateTemp(t.TempDir(), "") },
	}, rows)
}

var (
	before = []row{{"2008-06", "a", "p"}, {"2008-06", "b", "p"}, {"2008-06", "c", "q"}, {"2008-06", "d", "p"}, {"2008-07", "a", "q"}, {"", "x", "q"}}
	after  = []row{{"2008-06", "a", "p"}, {"2008-06", "b", "p"}, {"2008-06", "c", "q"}, {"2008-07", "a", "r"}, {"2008-08", "a", "q"}, {"2009", "a", "q"}}
)

// content returns the rows of a place by part, and checks that its manifest says what is
// there.
func content(t *testing.T, m *memory) string {
	t.Helper()
	var now Manifest
	if err := json.Unmarshal(m.files[ManifestName], &now); err != nil {
		t.Fatal(err)
	}
	if !now.Complete || len(now.Files) != len(m.files)-1 {
		t.Errorf("complete is %t, %d files of %d", now.Complete, len(now.Files), len(m.files)-1)
	}
	var s strings.Builder
	for _, p := range now.Files {
		b := m.files[p.Path]
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != p.SHA256 || int64(len(b)) != p.Bytes {
			t.Errorf("%s is not the file of the manifest", p.Path)
		}
		path := filepath.Join(t.TempDir(), "part.parquet")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		table, err := rowio.OpenTable(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "%s %d %s:", p.Path, p.Rows, strings.Join(p.Pools, "+"))
		for b, err := range table.Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				fmt.Fprintf(&s, " %s/%s", b.Cols[0].Texts[i], b.Cols[1].Texts[i])
			}
		}
		s.WriteByte('\n')
	}
	return s.String()
}

const (
	contentBefore = `month=2008-06/part-0.parquet 3 p+q: a/p b/p c/q
month=2008-06/part-1.parquet 1 p: d/p
month=2008-07/part-0.parquet 1 q: a/q
month=__HIVE_DEFAULT_PARTITION__/part-0.parquet 1 q: x/q
`
	contentAfter = `month=2008-06/part-0.parquet 3 p+q: a/p b/p c/q
month=2008-07/part-0.parquet 1 r: a/r
month=2008-08/part-0.parquet 1 q: a/q
month=2009/part-0.parquet 1 q: a/q
`
)

// TestWrite shows that a run writes what the rows say, the same run again nothing, and a run
// with other rows only what has changed.
func TestWrite(t *testing.T) {
	m := &memory{files: map[string][]byte{}}
	for _, c := range []struct {
		rows             []row
		written, removed int
		want             string
	}{
		{before, 4, 0, contentBefore}, {before, 0, 0, contentBefore}, {after, 3, 2, contentAfter}, {after, 0, 0, contentAfter}, {nil, 0, 4, ""}, {before, 4, 0, contentBefore},
	} {
		got, err := write(t, m, "s", c.rows...)
		if err != nil {
			t.Fatal(err)
		}
		if got.Written != c.written || got.Removed != c.removed || got.Rows != int64(len(c.rows)) || got.Files != strings.Count(c.want, "\n") {
			t.Errorf("%+v, want %d written, %d removed", got, c.written, c.removed)
		}
		if now := content(t, m); now != c.want {
			t.Errorf("got\n%swant\n%s", now, c.want)
		}
	}
	// A part keeps the state in which it was written.
	var now Manifest
	if _, err := write(t, m, "s", append(slices.Clone(before), row{"", "y", "q"})...); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(m.files[ManifestName], &now); err != nil || now.Files[0].State != "state of 6" || now.Files[3].State != "state of 7" || now.State != "state of 7" {
		t.Errorf("%v, manifest %+v", err, now)
	}
}

// TestKilled ends a run at each call of its place, before or after the call has done
// something. Each part is then whole, and the next run gives what it would have given.
func TestKilled(t *testing.T) {
	for _, late := range []bool{false, true} {
		for last, ended := 1, false; !ended; last++ {
			m := &memory{files: map[string][]byte{}}
			if _, err := write(t, m, "s", before...); err != nil {
				t.Fatal(err)
			}
			old := maps.Clone(m.files)
			m.calls, m.last, m.late = 0, last, late
			_, err := write(t, m, "s", after...)
			if ended = err == nil; !ended && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			killed := maps.Clone(m.files)
			m.last = 0
			// The archive may be as it was again, or as it was for the run that was killed.
			for _, again := range []struct {
				rows []row
				want string
			}{{before, contentBefore}, {after, contentAfter}} {
				m.files = maps.Clone(killed)
				if _, err := write(t, m, "s", again.rows...); err != nil {
					t.Fatalf("call %d: %v", last, err)
				}
				if now := content(t, m); now != again.want {
					t.Errorf("killed at call %d, got\n%swant\n%s", last, now, again.want)
				}
			}
			for name, b := range killed {
				if name != ManifestName && !bytes.Equal(b, old[name]) && !bytes.Equal(b, m.files[name]) {
					t.Errorf("killed at call %d: %s is neither the old nor the new part", last, name)
				}
			}
			if last > 100 {
				t.Fatal("the run never ends")
			}
		}
	}
}

// TestRefused shows that a run changes nothing where something else is.
func TestRefused(t *testing.T) {
	other := &memory{files: map[string][]byte{}}
	if _, err := write(t, other, "another", before...); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files map[string][]byte
		want  string
	}{
		{map[string][]byte{"notes.txt": {1}}, "export to lake/: there are files, such as notes.txt, and no _manifest; write to an empty folder"},
		{map[string][]byte{ManifestName: []byte("{}")}, `its format is ""; write to an empty folder`},
		{map[string][]byte{ManifestName: []byte("<")}, "not one that EXPORT wrote: invalid character"},
		{other.files, "there is the data set of another statement, which _manifest names; write to another folder"},
	} {
		m := &memory{files: maps.Clone(c.files)}
		if _, err := write(t, m, "s", before...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
		if !maps.EqualFunc(m.files, c.files, bytes.Equal) {
			t.Errorf("%s: the run has changed the place", c.want)
		}
	}
}

// meeting is a place into which another run writes its manifest before the second one of the
// first run.
type meeting struct {
	*memory
	t         *testing.T
	manifests int
}

func (m *meeting) Write(ctx context.Context, name string, body io.ReaderAt, size int64) error {
	if name == ManifestName {
		m.manifests++
	} else if m.manifests == 1 {
		m.manifests++
		if _, err := write(m.t, m.memory, "s", after...); err != nil {
			m.t.Fatal(err)
		}
	}
	return m.memory.Write(ctx, name, body, size)
}

// TestTwoRuns shows that a run notices another one that has written meanwhile.
func TestTwoRuns(t *testing.T) {
	m := &meeting{&memory{files: map[string][]byte{}}, t, 0}
	if _, err := write(t, m, "s", before...); err == nil || !strings.Contains(err.Error(), "another EXPORT writes there, too") {
		t.Errorf("got %v", err)
	}
}

// TestSegment shows how folders are named.
func TestSegment(t *testing.T) {
	for _, c := range []struct {
		v    value.Value
		want string
	}{
		{value.OfText("com,ex"), "m=com,ex"}, {value.OfText("a/b%=?"), "m=a%2Fb%25%3D%3F"}, {value.OfText(".."), "m=%2E%2E"}, {value.OfText("a.b"), "m=a.b"}, {value.OfText("北京"), "m=北京"},
		{value.OfText("\xff\n"), "m=%FF%0A"}, {value.Value{}, "m=__HIVE_DEFAULT_PARTITION__"}, {value.OfInt(-7), "m=-7"}, {value.OfBool(true), "m=true"},
		{value.OfTime(record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC))), "m=2008-06-01"}, {value.OfTime(record.At(time.Date(2008, 6, 1, 8, 30, 0, 0, time.UTC))), "m=2008-06-01T08%3A30%3A00Z"},
	} {
		got, err := segment("m", c.v, time.UTC)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.v, got, err, c.want)
		}
		if !ours(got+"/part-12.parquet", []string{"m"}) {
			t.Errorf("%s/part-12.parquet is not one of ours", got)
		}
	}
	if _, err := segment("m", value.OfText(strings.Repeat("x", 300)), time.UTC); err == nil {
		t.Error("a name of 302 bytes is allowed")
	}
	for _, name := range []string{"part-0.parquet", "m=1/part-x.parquet", "n=1/part-0.parquet", "m=1/n=1/part-0.parquet", "m=1/part-0.parquet.bak"} {
		if ours(name, []string{"m"}) {
			t.Errorf("%s is one of ours", name)
		}
	}
}

// TestFolder writes a data set to a folder, changes it, and leaves no other file there.
func TestFolder(t *testing.T) {
	f := Folder(filepath.Join(t.TempDir(), "a", "lake"))
	for _, c := range []struct {
		rows []row
		want string
	}{
		{before, "_manifest month=2008-06/part-0.parquet month=2008-06/part-1.parquet month=2008-07/part-0.parquet month=__HIVE_DEFAULT_PARTITION__/part-0.parquet"},
		{after, "_manifest month=2008-06/part-0.parquet month=2008-07/part-0.parquet month=2008-08/part-0.parquet month=2009/part-0.parquet"},
	} {
		if _, err := write(t, f, "s", c.rows...); err != nil {
			t.Fatal(err)
		}
		var names []string
		for file, err := range f.List(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, file.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		// A file that was half written when the machine stopped is removed by the next run.
		if err := os.WriteFile(f.path("month=2008-06/part-0.parquet.ABCDEFGH.open"), []byte("PAR1"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(f.path("month=__HIVE_DEFAULT_PARTITION__")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty folder is there: %v", err)
	}
}
