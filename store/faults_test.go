package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/notes"
	"infomall/store/record"
	"infomall/store/record/task"
)

var (
	killPoints  = flag.Int("faults.kill", 200, "points at which imports are killed")
	importDays  = flag.Int("faults.days", 180, "days of imports on a disk that fails now and then")
	powerStates = flag.Int("faults.power", 600, "states that a power cut leaves, to be looked at")
	powerSeed   = flag.Uint64("faults.seed", 0, "seed of the states that TestPowerLoss looks at; 0 means another one in each run")
)

// imports is a history that comes in several parts, and what the archive must
// say after each.
type imports struct {
	parts [][]*visit
	want  [][]row // want[n]: after n parts
}

func newImports(seed int) imports {
	visits := rapid.Custom(drawHistory).Example(seed)
	// In order of time, so that what a revisit names is there when it comes: a
	// digest may be that of a later capture.
	for _, v := range visits {
		if v.as == "digest" {
			v.as = ""
		}
	}
	slices.SortFunc(visits, func(a, b *visit) int { return int(a.time - b.time) })
	im := imports{want: [][]row{nil}}
	for n := range 4 {
		from, to := n*len(visits)/4, (n+1)*len(visits)/4
		im.parts = append(im.parts, visits[from:to])
		im.want = append(im.want, historyOf(visits[:to]))
	}
	return im
}

// judge tells what is wrong with an archive in which at least acked parts must
// be, and at most begun may be; of each part all or nothing.
func (im imports) judge(dir string, acked, begun int) error {
	a := openAt(dir, Options{})
	defer a.Close()
	got, err := tellRows(a, record.MinTime, record.MaxTime)
	if err != nil {
		return err
	}
	for n := acked; n <= begun; n++ {
		if equalRows(got, im.want[n]) {
			return nil
		}
	}
	return fmt.Errorf("between %d and %d parts should be there:\n%s", acked, begun, diffRows(got, im.want[acked]))
}

// finish imports all again, and tells what is wrong then: also leftovers.
func (im imports) finish(a *Archive) error {
	for _, part := range im.parts {
		var res task.ImportResult
		if err := putErr(a, part, &res); err != nil {
			return err
		}
	}
	last := len(im.parts)
	if err := im.judge(a.dir, last, last); err != nil {
		return err
	}
	// The next writer sweeps, also what the last import held itself.
	return noLeftovers(a)
}

// leftovers tells of files that nothing names. A generation that a killed writer
// did not come to put in force stays, with its files, until the next writes over
// it: it can't be told from one that a damaged CURRENT hides.
func leftovers(a *Archive, tell func(name string)) error {
	now, err := a.folder.InForce()
	if err != nil || now.Generation == 0 {
		return err
	}
	n := now.Generation
	numbers := make(map[uint32]bool) // of the db-files, which may have an index of words
	known := map[string]bool{commit.FileCurrent: true, commit.FileLock: true, commit.FileFormat: true, notes.FileDefinitions: true}
	for _, g := range []uint64{n, n + 1} {
		c, err := a.folder.Load(g)
		if g > n && err != nil {
			break
		}
		if err != nil {
			return err
		}
		known[a.folder.CatalogFile(g)] = true
		for _, s := range c.Segments {
			known[s.File], known[s.Index], known[filepath.Join(commit.DirPools, s.Pool, commit.FileLock)] = true, true, true
			numbers[s.Number()] = true
		}
		for _, g := range c.Gone {
			known[filepath.FromSlash(g.Name)] = true
		}
		for _, n := range c.Names {
			known[n.Name] = true
		}
		for _, r := range c.Removals {
			known[r.Name] = true
		}
	}
	for _, path := range filesIn(a.dir) {
		rel := relative(a.dir, path)
		if !known[filepath.FromSlash(rel)] && rel != commit.Documents.Dir+"/"+commit.FileLock && !commit.DerivedOf(rel, numbers) && !ofBucket(rel) {
			tell(rel)
		}
	}
	return nil
}

// ofBucket reports whether a file of this name belongs to an archive in a bucket: the number that is next, a
// lock of this machine, or a note of it.
func ofBucket(rel string) bool {
	return inBuckets() && (rel == "NUMBER" || path.Base(rel) == commit.FileLock || strings.HasPrefix(path.Base(rel), "."))
}

// noLeftovers is an error if there are files that nothing names after the next writer.
func noLeftovers(a *Archive) error {
	swept, err := sweep(a)
	if err != nil || !swept {
		return err
	}
	var names []string
	err = leftovers(a, func(name string) { names = append(names, name) })
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("left over: %q", names)
	}
	return err
}

// step imports one part. Behind the second it merges all pools, and behind the
// last but one it seals them, which changes no answer.
func (im imports) step(a *Archive, n int) error {
	var res task.ImportResult
	err := putErr(a, im.parts[n], &res)
	if err == nil && n > 0 && n < len(im.parts)-1 {
		_, err = a.Merge(context.Background(), task.MergeOptions{Seal: n > 1})
	}
	return err
}

// progress is a place in a record of operations: what was acknowledged and
// begun by then.
type progress struct{ mark, acked, begun int }

// record imports the parts on d, each until it is acknowledged, and tells when
// that was.
func (im imports) record(d *disktest.Disk, over func(disk.FS) disk.FS, dir string) ([]progress, error) {
	var out []progress
	for n := 0; n < len(im.parts); {
		out = append(out, progress{d.Mark(), n, n + 1})
		a := openOver(dir, Options{}, over)
		err := im.step(a, n)
		if e := a.Close(); e != nil {
			return nil, e
		}
		d.Revive()
		if open := d.OpenFiles(); open != 0 {
			return nil, fmt.Errorf("%d files are open after an import that ended with %v", open, err)
		}
		if err == nil {
			n++
			out = append(out, progress{d.Mark(), n, n})
		} else if !errors.Is(err, disktest.ErrKilled) && !errors.Is(err, syscall.EIO) {
			return nil, err
		}
	}
	return out, nil
}

// once fails with err at the n-th operation, and never again.
func once(n int, err error) func(int, string) error {
	return func(at int, _ string) error {
		if at == n {
			return err
		}
		return nil
	}
}

// kinds of histories are tried; each takes some number of operations.
const kinds = 10

// allImports makes histories, and counts what each takes without a fault.
func allImports(t *testing.T) (ims [kinds]imports, operations [kinds]int) {
	t.Helper()
	for i := range ims {
		ims[i] = newImports(i)
		root := t.TempDir()
		d, over := failing(root)
		if _, err := ims[i].record(d, over, filepath.Join(root, "archive")); err != nil {
			t.Fatal(err)
		}
		operations[i] = d.Operations()
	}
	return ims, operations
}

// TestKillPoints kills imports, merges and sealings at many points. What was acknowledged is
// there, of what was not all or nothing, and the next writer takes up what is
// left without anybody's help.
func TestKillPoints(t *testing.T) {
	count := *killPoints
	if testing.Short() {
		count = min(count, 30)
	}
	ims, operations := allImports(t)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range count {
		im := ims[i%kinds]
		root := t.TempDir()
		dir := filepath.Join(root, "archive")
		d, over := failing(root)
		at := 1 + r.IntN(operations[i%kinds])
		acked := 0
		d.Fault = func(n int, _ string) error {
			if n >= at {
				return disktest.ErrKilled
			}
			return nil
		}
		for n := range im.parts {
			a := openOver(dir, Options{}, over)
			err := im.step(a, n)
			a.Close()
			if err != nil {
				break
			}
			acked++
		}
		err := im.judge(dir, acked, min(acked+1, len(im.parts)))
		if err == nil {
			a := openAt(dir, Options{})
			err = im.finish(a)
			a.Close()
		}
		if err != nil {
			t.Fatalf("history %d killed at operation %d, %d parts acknowledged: %v", i%kinds, at, acked, err)
		}
	}
	t.Logf("%d kill points", count)
}

// explore looks at states that a power cut may leave of an import during which
// the disk's fault came and which was then begun again, as r draws them. It
// tells of the first bad one.
func explore(t *testing.T, im imports, d *disktest.Disk, root string, states int, r *rand.Rand) (looked int, bad error) {
	t.Helper()
	marks, err := im.record(d, func(disk.FS) disk.FS { return d }, filepath.Join(root, "archive"))
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	for marks[first].acked == 0 {
		first++
	}
	seen := make(map[[sha256.Size]byte]bool)
	state := filepath.Join(t.TempDir(), "state")
	for tries := 0; len(seen) < states && tries < 20*states; tries++ {
		n := marks[first].mark + r.IntN(d.Mark()-marks[first].mark+1)
		at := marks[first]
		for _, p := range marks[first:] {
			if p.mark <= n {
				at = p
			}
		}
		c := d.Crash(n, r)
		sum := c.Sum()
		sum[0] ^= byte(at.acked) // the same state may be good earlier only
		if seen[sum] {
			continue
		}
		seen[sum] = true
		looked++
		if err := removeAll(state); err != nil {
			t.Fatal(err)
		}
		if err := c.WriteTo(state); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(state, "archive")
		err := im.judge(dir, at.acked, at.begun)
		if err == nil && looked%20 == 0 {
			a := openAt(dir, Options{})
			err = im.finish(a)
			a.Close()
		}
		if err != nil {
			return looked, fmt.Errorf("after %d of %d operations: %w", n, d.Mark(), err)
		}
	}
	return looked, nil
}

// explorations is how many imports TestPowerLoss records.
const explorations = 20

// exploreAll explores imports that were killed or met an I/O error somewhere. r draws the
// places of the faults and the states. If ignore is true, no sync has an effect.
func exploreAll(t *testing.T, states int, ignore bool, r *rand.Rand) (looked int, bad error) {
	t.Helper()
	ims, operations := allImports(t)
	for i := range explorations {
		root := t.TempDir()
		d := disktest.New(root)
		d.IgnoreSync = ignore
		fault := disktest.ErrKilled
		if i%2 == 1 {
			fault = syscall.EIO
		}
		d.Fault = once(1+r.IntN(operations[i%kinds]), fault)
		n, err := explore(t, ims[i%kinds], d, root, states/explorations, r)
		looked += n
		if err != nil {
			return looked, fmt.Errorf("recording %d with %w: %w", i, fault, err)
		}
	}
	return looked, nil
}

// noPower is why tests of power cuts need a folder.
const noPower = "an object is durable, and whole, when the store has acknowledged it; TestBucketKills kills writers at each request"

// TestPowerLoss looks at what a power cut may leave after the first
// acknowledgement: the archive opens, nothing acknowledged is lost, and the
// import can be begun again. Each run looks at other states, unless -faults.seed is set.
func TestPowerLoss(t *testing.T) {
	needsFolder(t, noPower)
	states := *powerStates
	if testing.Short() {
		states = min(states, 400)
	}
	seed := *powerSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	looked, err := exploreAll(t, states, false, rand.New(rand.NewPCG(seed, 4)))
	if err != nil {
		t.Fatalf("state %d: %v", looked, err)
	}
	t.Logf("%d states", looked)
}

// TestPowerLossAfterFailedSync lets each sync of an import fail in its turn, and
// power go some time after that. After a failed sync, nobody knows whether the file
// is durable, even if a later sync succeeds. So the import must have written the
// file again.
func TestPowerLossAfterFailedSync(t *testing.T) {
	needsFolder(t, noPower)
	states := *powerStates / 30
	if testing.Short() {
		states = 3
	}
	im := newImports(0)
	r := rand.New(rand.NewPCG(7, 8))
	looked, syncs := 0, 0
	for failed := true; failed; syncs++ {
		root := t.TempDir()
		d := disktest.New(root)
		left, name := syncs, ""
		failed = false
		d.Fault = func(_ int, what string) error {
			if !strings.HasPrefix(what, "sync") {
				return nil
			}
			left--
			if left != -1 {
				return nil
			}
			failed, name = true, strings.TrimPrefix(what, root)
			return syscall.EIO
		}
		n, err := explore(t, im, d, root, states, r)
		looked += n
		if err != nil {
			t.Errorf("sync %d fails, %s: %v", syncs, name, err)
		}
	}
	t.Logf("%d syncs, %d states", syncs-1, looked)
}

// TestPowerLossWithoutSync shows that TestPowerLoss can fail: without syncs it
// finds something soon.
func TestPowerLossWithoutSync(t *testing.T) {
	needsFolder(t, noPower)
	if looked, err := exploreAll(t, 1000, true, rand.New(rand.NewPCG(3, 4))); err == nil {
		t.Errorf("%d states were good although nothing was ever synced", looked)
	}
}

// TestDiskFull fills the disk up at many points, and lets it fail once at as
// many. The import says why it ends, reading goes on, and when there is space
// again the import does.
func TestDiskFull(t *testing.T) {
	ims, operations := allImports(t)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 60 {
		im := ims[i%kinds]
		dir := filepath.Join(t.TempDir(), "archive")
		d, over := failing(filepath.Dir(dir))
		a := openOver(dir, Options{}, over)
		at := 1 + r.IntN(operations[i%kinds])
		want := syscall.ENOSPC
		d.Fault = func(n int, what string) error {
			if n >= at && !strings.HasPrefix(what, "remove") {
				return syscall.ENOSPC
			}
			return nil
		}
		if i%2 == 1 {
			want = syscall.EIO
			d.Fault = once(at, want)
		}
		acked := 0
		for n := range im.parts {
			if err := im.step(a, n); err == nil {
				acked++
			} else if !errors.Is(err, want) {
				t.Errorf("fault at %d: error %v, want %v", at, err, want)
			} else {
				break
			}
		}
		if err := im.judge(dir, acked, min(acked+1, len(im.parts))); err != nil {
			t.Errorf("fault at %d, reading: %v", at, err)
		}
		d.Fault = nil
		if err := im.finish(a); err != nil {
			t.Errorf("fault at %d, going on: %v", at, err)
		}
		if open := d.OpenFiles(); open != 0 {
			t.Errorf("fault at %d: %d files are open", at, open)
		}
		a.Close()
	}
}

// flaky is a disk of which some operations fail.
type flaky struct {
	disk.FS
	fault func() error
	open  int // files
}

func (d *flaky) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	if err := d.fault(); err != nil {
		return nil, err
	}
	f, err := d.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	d.open++
	return &flakyFile{f, d}, nil
}

func (d *flaky) do(f func() error) error {
	if err := d.fault(); err != nil {
		return err
	}
	return f()
}

func (d *flaky) Mkdir(name string, perm fs.FileMode) error {
	return d.do(func() error { return d.FS.Mkdir(name, perm) })
}

func (d *flaky) Rename(from, to string) error {
	return d.do(func() error { return d.FS.Rename(from, to) })
}

func (d *flaky) Link(from, to string) error {
	return d.do(func() error { return d.FS.Link(from, to) })
}

func (d *flaky) Remove(name string) error {
	return d.do(func() error { return d.FS.Remove(name) })
}

func (d *flaky) SyncDir(name string) error {
	return d.do(func() error { return d.FS.SyncDir(name) })
}

type flakyFile struct {
	disk.File
	d *flaky
}

func (f *flakyFile) Write(b []byte) (int, error) {
	if err := f.d.fault(); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

func (f *flakyFile) Sync() error { return f.d.do(f.File.Sync) }

func (f *flakyFile) Close() error {
	f.d.open--
	return f.File.Close()
}

// TestDays imports a little on each of many days, with one archive open all the
// time, on a disk of which each hundredth operation fails. What a day could not
// import the next one does. Nothing piles up: open files, leftovers, memory.
func TestDays(t *testing.T) {
	days := *importDays
	if testing.Short() {
		days = 60
	}
	r := rand.New(rand.NewPCG(11, 12))
	faults, failed, most := 0, 0, 0
	d := &flaky{}
	fault := func() error {
		if r.IntN(100) > 0 {
			return nil
		}
		faults++
		return []error{syscall.EIO, syscall.ENOSPC}[r.IntN(2)]
	}
	d.fault = fault
	a := openOver(filepath.Join(t.TempDir(), "archive"), Options{CacheBytes: 1 << 20}, func(under disk.FS) disk.FS {
		d.FS = under
		return d
	})
	defer a.Close()
	var imported []*visit
	var waiting [][]*visit
	var early uint64
	for day := range days {
		if day == days-1 {
			d.fault = func() error { return nil }
		}
		waiting = append(waiting, slices.Concat(story(0, day).parts...))
		for len(waiting) > 0 {
			var res task.ImportResult
			if err := putErr(a, waiting[0], &res); err != nil {
				if !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("day %d: %v", day, err)
				}
				failed++
				break
			}
			imported = append(imported, waiting[0]...)
			waiting = waiting[1:]
		}
		if d.open != 0 || openIndexes(a) > 40 {
			t.Fatalf("day %d: %d files and %d indexes are open", day, d.open, openIndexes(a))
		}
		left := 0
		if err := leftovers(a, func(string) { left++ }); err != nil {
			t.Fatal(err)
		}
		most = max(most, left)
		if day == days/4 {
			early = heapInUse()
		}
	}
	late := heapInUse()
	if got, want := readRows(t, a, record.MinTime, record.MaxTime), historyOf(imported); !equalRows(got, want) {
		t.Errorf("after %d days:\n%s", days, diffRows(got, want))
	}
	if faults == 0 || failed == 0 {
		t.Errorf("%d faults, %d imports failed: nothing was tried", faults, failed)
	}
	more := uint64(8 << 20)
	if inBuckets() {
		more += 32 << 20 // the blocks of objects that are in memory
	}
	if late > early+more {
		t.Errorf("the heap grew from %d to %d bytes", early, late)
	}
	// A failed import may leave its folder and what it published by half, and a
	// failed merge what it was to take out of force, until the next one.
	if most > 60 {
		t.Errorf("%d files were left over at a time", most)
	}
	t.Logf("%d days, %d faults, %d imports failed, %d files left over at most, heap %d and %d bytes", days, faults, failed, most, early, late)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// openIndexes counts the index files of an archive that this process has open. It
// returns 0 if the system does not list open files.
func openIndexes(a *Archive) (n int) {
	const folder = "/proc/self/fd"
	open, _ := os.ReadDir(folder)
	for _, f := range open {
		name, err := os.Readlink(filepath.Join(folder, f.Name()))
		if err == nil && strings.HasPrefix(name, a.Local()) && strings.HasSuffix(name, ".idx") {
			n++
		}
	}
	return n
}
