package store

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/disk/tier"
	"infomall/store/record"
	"infomall/store/record/task"
)

var tierStep = flag.Int("faults.tier", 9, "each how manyth operation ends a MOVE POOL or a COPY POOL to a bucket; 1 means each")

// noTier is why tests of tiers need a folder.
const noTier = "an archive in a bucket has no tier"

// bucketsOf returns the function that opens places in the buckets of a server, with
// working folders of this test.
func bucketsOf(t *testing.T, server *s3test.Server) Buckets {
	dir := t.TempDir()
	return func(url string) (*s3.Client, BucketOptions, error) {
		c, err := server.Place().Open(url)
		return c, BucketOptions{Folder: dir, CacheBytes: -1}, err
	}
}

// tiered is an archive whose db-files move, and what it must answer.
type tiered struct {
	t    *testing.T
	dir  string
	o    Options
	want []*visit
}

// check shows that the archive answers right and that nothing in it is damaged, also to a
// process that opens it only now.
func (x *tiered) check(when string) {
	x.t.Helper()
	a := openAt(x.dir, x.o)
	defer a.Close()
	if got, want := readRows(x.t, a, record.MinTime, record.MaxTime), historyOf(x.want); !equalRows(got, want) {
		x.t.Fatalf("%s the archive answers:\n%s", when, diffRows(got, want))
	}
	for f, err := range a.Verify(context.Background(), task.VerifyOptions{Stateless: true}) {
		if err != nil {
			x.t.Fatalf("%s: %v", when, err)
		}
		x.t.Errorf("%s: VERIFY finds %+v", when, f)
	}
}

// local returns how many db-files are in the archive's folder.
func (x *tiered) local() int {
	x.t.Helper()
	files, err := disk.Glob(disk.OS, filepath.Join(x.dir, commit.DirPools), filepath.Join("*", "*.raw"))
	if err != nil {
		x.t.Fatal(err)
	}
	return len(files)
}

func moved(results []task.MoveResult) map[string]int {
	got := make(map[string]int)
	for _, r := range results {
		got[r.Pool] = r.Moved
	}
	return got
}

// TestTier moves the db-files of old pools to a bucket and to a folder, and back. The
// archive answers the same all the time, is merged, copied and repaired, and leaves
// nothing behind.
func TestTier(t *testing.T) {
	needsFolder(t, noTier)
	server := s3test.Start(t)
	for _, place := range []string{"s3://" + s3test.Bucket + "/old", filepath.Join(t.TempDir(), "old")} {
		x := &tiered{t: t, dir: t.TempDir(), o: Options{Bucket: bucketsOf(t, server)}}
		a := openAt(x.dir, x.o)
		defer a.Close()
		x.want = threeMonths(t, a)
		move := func(want map[string]int, o task.MoveOptions) {
			t.Helper()
			results, err := a.Move(t.Context(), o)
			if err != nil || !reflect.DeepEqual(moved(results), want) {
				t.Fatalf("%s: MOVE moved %v, want %v; %v", place, moved(results), want, err)
			}
		}
		there := func(pool string) []string {
			t.Helper()
			far, root, err := a.tier(place)
			if err != nil {
				t.Fatal(err)
			}
			files, err := disk.Glob(far, filepath.Join(root, commit.DirPools), filepath.Join(pool, "*.raw"))
			if err != nil {
				t.Fatal(err)
			}
			return files
		}
		august := day0 + 62*dayMillis // within August
		move(map[string]int{"200806": 1, "200807": 1}, task.MoveOptions{To: place, Ended: august, Dry: true})
		if x.local() != 3 {
			t.Fatalf("%s: a dry run left %d db-files", place, x.local())
		}
		move(map[string]int{"200806": 1, "200807": 1}, task.MoveOptions{To: place, Ended: august})
		move(map[string]int{"200806": 0, "200807": 0}, task.MoveOptions{To: place, Ended: august})
		if x.local() != 1 || len(there("*")) != 2 {
			t.Fatalf("%s: %d db-files are in the folder, %v in the tier", place, x.local(), there("*"))
		}
		x.check(place + " moved:")

		// A copy has the files of the tier, too, but no tier.
		dir := filepath.Join(t.TempDir(), "copy")
		copyTo(t, a, dir)
		(&tiered{t: t, dir: dir, want: x.want}).check(place + " copied:")

		// A damaged file of the tier is found, and repaired from the copy; the next MOVE
		// replaces it.
		june := there("200806")[0]
		if strings.HasPrefix(place, s3.Scheme) {
			server.Change("old/pools/200806/"+filepath.Base(june), func(b []byte) []byte {
				b = slices.Clone(b)
				b[len(b)/2] ^= 1
				return b
			})
		} else {
			flip(t, june)
		}
		found := 0
		for _, err := range openAt(x.dir, x.o).Verify(t.Context(), task.VerifyOptions{Stateless: true}) {
			if err != nil {
				t.Fatal(err)
			}
			found++
		}
		if found == 0 {
			t.Errorf("%s: VERIFY finds no damage in the tier", place)
		}
		if _, err := a.Repair(t.Context(), task.RepairOptions{Pool: "200806", Dir: dir}); err != nil {
			t.Error(err)
		}
		x.check(place + " repaired:")
		move(map[string]int{"200806": 1, "200807": 0}, task.MoveOptions{To: place, Ended: august})
		x.check(place + " moved again:")

		// Captures that come later are merged with those of the tier. The old file goes.
		late := &visit{url: "http://late.example/", time: day0 + dayMillis, status: 200, body: "late"}
		put(t, a, []*visit{late})
		x.want = append(x.want, late)
		x.check(place + " with late captures:")
		if _, err := a.Merge(t.Context(), task.MergeOptions{Pools: []string{"200806"}}); err != nil {
			t.Fatal(err)
		}
		if x.local() != 2 || len(there("*")) != 1 {
			t.Errorf("%s: merged, %d db-files are in the folder, %v in the tier", place, x.local(), there("*"))
		}
		x.check(place + " merged:")

		// Without its catalogue, the archive is indexed again from both places.
		move(map[string]int{"200806": 1, "200807": 0, "200808": 1}, task.MoveOptions{To: place, Ended: record.MaxTime})
		for _, name := range []string{commit.FileCurrent, commit.DirCatalog, commit.DirIndex} {
			if err := removeAll(filepath.Join(x.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		lost := openAt(x.dir, x.o)
		if _, err := lost.Snapshot(t.Context()); err == nil || !strings.Contains(err.Error(), "TIER names") {
			t.Errorf("%s: without its catalogue it is opened: %v", place, err)
		}
		if err := os.Mkdir(filepath.Join(x.dir, commit.DirCatalog), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(x.dir, commit.DirIndex), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := lost.Reindex(t.Context(), task.ReindexOptions{}); err != nil {
			t.Fatal(err)
		}
		lost.Close()
		x.check(place + " indexed again:")
	}
}

// TestTierBack brings everything back from the tier: it is then empty, and the archive has
// no tier. What somebody still reads there stays until the next time.
func TestTierBack(t *testing.T) {
	needsFolder(t, noTier)
	server := s3test.Start(t)
	place := "s3://" + s3test.Bucket + "/old"
	x := &tiered{t: t, dir: t.TempDir(), o: Options{Bucket: bucketsOf(t, server)}}
	a := openAt(x.dir, x.o)
	defer a.Close()
	x.want = threeMonths(t, a)
	if _, err := a.Move(t.Context(), task.MoveOptions{To: place, Ended: record.MaxTime}); err != nil {
		t.Fatal(err)
	}
	if x.local() != 0 || len(server.Objects()) != 4 {
		t.Fatalf("%d db-files are in the folder; the bucket has %v", x.local(), server.Objects())
	}
	reader := openAt(x.dir, x.o)
	defer reader.Close()
	held, err := reader.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Move(t.Context(), task.MoveOptions{}); err == nil || !strings.Contains(err.Error(), "still read") {
		t.Errorf("with a reader: %v", err)
	}
	if x.local() != 3 || len(server.Objects()) != 4 {
		t.Errorf("with a reader, %d db-files are in the folder; the bucket has %v", x.local(), server.Objects())
	}
	held.Close()
	if _, err := a.Move(t.Context(), task.MoveOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(server.Objects()) != 0 {
		t.Errorf("the bucket still has %v", server.Objects())
	}
	if l, err := tier.ReadLink(disk.OS, x.dir); err != nil || l.Place != "" {
		t.Errorf("the archive still has the tier %q, %v", l.Place, err)
	}
	x.o.Bucket = nil
	x.check("back:")
}

// TestTierRefuses names places that are no place for the db-files of this archive.
func TestTierRefuses(t *testing.T) {
	needsFolder(t, noTier)
	server := s3test.Start(t)
	o := Options{Bucket: bucketsOf(t, server)}
	a, b := openAt(t.TempDir(), o), openAt(t.TempDir(), o)
	defer a.Close()
	defer b.Close()
	threeMonths(t, a)
	threeMonths(t, b)
	copied := filepath.Join(t.TempDir(), "copy")
	copyTo(t, a, copied)
	mine := "s3://" + s3test.Bucket + "/mine"
	for _, c := range []struct {
		a        *Archive
		to, want string
	}{
		{a, a.Local(), "that is the archive itself"},
		{a, b.Local(), "there is an archive"},
		{a, mine, ""},
		{b, mine, "of another archive"},
		{a, "s3://" + s3test.Bucket + "/other", "are in " + mine + " already"},
		{openAt(copied, o), "s3://" + s3test.Bucket + "/copied", "unchanged copy"},
		{b, "ftp://x", "names no bucket"},
	} {
		_, err := c.a.Move(t.Context(), task.MoveOptions{To: c.to, Ended: record.MaxTime})
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("MOVE to %s: %v, want %q", c.to, err, c.want)
		}
	}
	// Without the store, the error says which file is in which tier.
	server.SetFault(func(*http.Request, int) s3test.Fault { return s3test.DropBefore })
	_, err := tellRows(openAt(a.Local(), o), record.MinTime, record.MaxTime)
	if err == nil || !strings.Contains(err.Error(), "in the tier "+mine) {
		t.Errorf("without the store: %v", err)
	}
}

// TestTierFaults ends a MOVE at its operations and at its requests. The archive answers the
// same, and the next MOVE does the rest.
func TestTierFaults(t *testing.T) {
	needsFolder(t, noTier)
	base := t.TempDir()
	a := openAt(base, Options{})
	want := threeMonths(t, a)
	a.Close()
	for _, back := range []bool{false, true} {
		for at, failed := 1, true; failed; at += *tierStep {
			failed = false
			root := t.TempDir()
			d := disktest.New(root)
			x := &tiered{t: t, dir: filepath.Join(root, "a"), want: want}
			a := openAt(x.dir, Options{Disk: d})
			threeMonths(t, a)
			place := filepath.Join(root, "old")
			o := task.MoveOptions{To: place, Ended: record.MaxTime}
			if back {
				if _, err := a.Move(t.Context(), o); err != nil {
					t.Fatal(err)
				}
				o = task.MoveOptions{}
			}
			first := 0
			d.Fault = func(n int, _ string) error {
				if first == 0 {
					first = n
				}
				if n-first < at-1 {
					return nil
				}
				failed = true
				return disktest.ErrKilled
			}
			_, err := a.Move(t.Context(), o)
			a.Close()
			if failed != (err != nil) {
				t.Fatalf("killed at operation %d: %v", at, err)
			}
			x.check("killed:")
			a = openAt(x.dir, Options{})
			if _, err := a.Move(t.Context(), o); err != nil {
				t.Fatalf("after it was killed at operation %d: %v", at, err)
			}
			a.Close()
			left := map[bool]int{false: 0, true: 3}[back]
			if x.local() != left {
				t.Fatalf("killed at operation %d, %d db-files are in the folder after the next MOVE, want %d", at, x.local(), left)
			}
			x.check("after the next MOVE")
		}
	}
	server := s3test.Start(t)
	for at, failed := 1, true; failed; at += *tierStep {
		failed = false
		x := &tiered{t: t, dir: filepath.Join(t.TempDir(), "a"), want: want, o: Options{Bucket: bucketsOf(t, server)}}
		if err := copyFiles(x.dir, base); err != nil {
			t.Fatal(err)
		}
		first := 0
		server.SetFault(func(_ *http.Request, n int) s3test.Fault {
			if first == 0 {
				first = n
			}
			if n-first < at-1 {
				return s3test.Works
			}
			failed = true
			return s3test.Faults[at%len(s3test.Faults)]
		})
		o := task.MoveOptions{To: fmt.Sprintf("s3://%s/%d", s3test.Bucket, at), Ended: record.MaxTime}
		a := openAt(x.dir, x.o)
		_, err := a.Move(t.Context(), o)
		server.SetFault(nil)
		if failed != (err != nil) {
			t.Fatalf("request %d fails: %v", at, err)
		}
		x.check("with a failed request")
		if _, err := a.Move(t.Context(), o); err != nil || x.local() != 0 {
			t.Fatalf("after request %d failed: %v, %d db-files are in the folder", at, err, x.local())
		}
		a.Close()
		x.check("moved at last")
	}
}
