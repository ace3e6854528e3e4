package store

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
	"infomall/store/record/task"
)

var (
	bucketKills = flag.Int("faults.bucket", 4, "points at which writers to a bucket are killed; 0 means before and after each request")
	bucketPart  = flag.String("faults.bucketpart", "1/1", "part k of n of these points, such as 2/8: a point takes half a second of CPU time")
)

// machine opens the archive of a test's bucket as another machine would: with a working
// folder of its own.
func machine(t testing.TB, server *s3test.Server, place s3.Server) *Archive {
	t.Helper()
	c, err := place.Open(s3.Scheme + s3test.Bucket + "/archive")
	if err != nil {
		t.Fatal(err)
	}
	a, err := OpenBucket(c, BucketOptions{Folder: t.TempDir(), CacheBytes: 64 << 20}, Options{Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tellBucket tells what is wrong with an archive in a bucket in which at least acked parts must
// be, and at most begun may be.
func (im imports) tellBucket(t testing.TB, server *s3test.Server, acked, begun int) error {
	a := machine(t, server, server.Place())
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

// verified tells what VERIFY finds in an archive.
func verified(a *Archive) error {
	for f, err := range a.Verify(context.Background(), task.VerifyOptions{}) {
		if err != nil {
			return err
		}
		return fmt.Errorf("%s: %s", f.File, f.What)
	}
	return nil
}

// TestBucket imports, merges, seals, deletes, reindexes and verifies an archive in a bucket, from two
// machines, with lists that are old.
func TestBucket(t *testing.T) {
	ctx := t.Context()
	server := s3test.Start(t)
	server.StaleLists = 3
	now := time.Now()
	server.Now = func() time.Time { return now }
	im := newImports(3)
	machines := []*Archive{machine(t, server, server.Place()), machine(t, server, server.Place())}
	defer machines[0].Close()
	defer machines[1].Close()
	for n := range im.parts {
		if err := im.step(machines[n%2], n); err != nil {
			t.Fatal(err)
		}
		for i, a := range machines {
			if got, err := tellRows(a, record.MinTime, record.MaxTime); err != nil || !equalRows(got, im.want[n+1]) {
				t.Fatalf("machine %d after part %d: %v\n%s", i, n, err, diffRows(got, im.want[n+1]))
			}
		}
	}
	for _, a := range machines {
		if err := verified(a); err != nil {
			t.Error(err)
		}
	}
	if _, err := machines[1].Reindex(ctx, task.ReindexOptions{}); err != nil {
		t.Error(err)
	}
	last := im.want[len(im.parts)]
	for _, damage := range []func([]byte) []byte{func([]byte) []byte { return nil }, func([]byte) []byte { return []byte("garbage") }} {
		server.Change("archive/CURRENT", damage)
		if _, err := machines[0].Snapshot(ctx); err == nil {
			t.Error("a snapshot without CURRENT")
		}
		if _, err := machines[0].Reindex(ctx, task.ReindexOptions{}); err != nil {
			t.Fatal(err)
		}
		if got, err := tellRows(machines[1], record.MinTime, record.MaxTime); err != nil || !equalRows(got, last) {
			t.Fatalf("after CURRENT was lost: %v\n%s", err, diffRows(got, last))
		}
	}
	v, err := machines[0].Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	before := len(server.Objects())
	for pools := poolNames(t, machines[1]); len(pools) > 0; {
		i := slices.IndexFunc(pools, func(pool string) bool {
			_, err := machines[1].Drop(ctx, task.DropOptions{Pool: pool})
			return err == nil
		})
		if i < 0 {
			t.Fatalf("none of the pools %q can be dropped", pools)
		}
		pools = slices.Delete(pools, i, i+1)
	}
	// The snapshot reads on, with files that are out of force.
	if got, err := rowsIn(v, record.MinTime, record.MaxTime); err != nil || !equalRows(got, last) {
		t.Errorf("a snapshot beside DROP: %v\n%s", err, diffRows(got, last))
	}
	v.Close()
	if got, err := tellRows(machines[0], record.MinTime, record.MaxTime); err != nil || len(got) != 0 {
		t.Errorf("after DROP: %d rows, %v", len(got), err)
	}
	server.StaleLists = 0
	now = now.Add(25 * time.Hour)
	if err := machines[0].folder.Sweep(ctx); err != nil {
		t.Error(err)
	}
	for _, name := range server.Objects() {
		if strings.Contains(name, "/pools/") || strings.Contains(name, "/index/") {
			t.Errorf("%s stays after the grace period (there were %d objects)", name, before)
		}
	}
}

// TestBucketFaults works with a store of which each third request fails in one of all ways.
func TestBucketFaults(t *testing.T) {
	server := s3test.Start(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	server.SetFault(func(*http.Request, int) s3test.Fault {
		if r.IntN(3) > 0 {
			return s3test.Works
		}
		return s3test.Faults[r.IntN(len(s3test.Faults))]
	})
	place := server.Place()
	place.Attempts = 40
	im := newImports(5)
	a := machine(t, server, place)
	defer a.Close()
	for n := range im.parts {
		if err := im.step(a, n); err != nil {
			t.Fatal(err)
		}
	}
	server.SetFault(nil)
	if err := im.tellBucket(t, server, len(im.parts), len(im.parts)); err != nil {
		t.Error(err)
	}
}

// TestBucketKills kills a writer at a request, before or after the store has carried it out. What was
// acknowledged is there; of what was not, all or nothing. The next writer takes up the work, and
// removes what the killed one left.
func TestBucketKills(t *testing.T) {
	im := newImports(3)
	scenario := func(server *s3test.Server) (acked int) {
		place := server.Place()
		place.Attempts = 1
		a := machine(t, server, place)
		a.opts.Warn = nil // a process that is killed has no say
		defer a.Close()
		for n := range im.parts {
			if im.step(a, n) != nil {
				return n
			}
		}
		return len(im.parts)
	}
	whole := s3test.Start(t)
	if acked := scenario(whole); acked != len(im.parts) {
		t.Fatalf("without a fault, %d parts were imported", acked)
	}
	requests := whole.Requests()
	var points []int
	for n := range 2 * requests {
		points = append(points, n)
	}
	if *bucketKills > 0 {
		rand.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		points = points[:min(*bucketKills, len(points))]
	}
	var part, parts int
	if _, err := fmt.Sscanf(*bucketPart, "%d/%d", &part, &parts); err != nil || part < 1 || part > parts {
		t.Fatalf("-faults.bucketpart is %q; want a part such as 2/8", *bucketPart)
	}
	points = points[(part-1)*len(points)/parts : part*len(points)/parts]
	for _, point := range points {
		at, kill := point/2+1, []s3test.Fault{s3test.DropBefore, s3test.DropAfter}[point%2]
		server := s3test.New()
		var clock sync.Mutex
		now := time.Now()
		server.Now = func() time.Time {
			clock.Lock()
			defer clock.Unlock()
			return now
		}
		server.SetFault(func(_ *http.Request, n int) s3test.Fault {
			switch {
			case n == at:
				return kill
			case n > at:
				return s3test.DropBefore
			}
			return s3test.Works
		})
		acked := scenario(server)
		server.SetFault(nil)
		if err := im.tellBucket(t, server, acked, min(acked+1, len(im.parts))); err != nil {
			t.Fatalf("killed at request %d of %d (fault %d): %v", at, requests, kill, err)
		}
		clock.Lock()
		now = now.Add(time.Hour)
		clock.Unlock()
		a := machine(t, server, server.Place())
		for n := range im.parts {
			if err := im.step(a, n); err != nil {
				t.Fatalf("killed at request %d of %d: the next writer: %v", at, requests, err)
			}
		}
		if err := im.tellBucket(t, server, len(im.parts), len(im.parts)); err != nil {
			t.Fatalf("killed at request %d of %d, and continued: %v", at, requests, err)
		}
		clock.Lock()
		now = now.Add(25 * time.Hour)
		clock.Unlock()
		put(t, a, nil) // a writer that sweeps
		if err := bucketLeftovers(a, server); err != nil {
			t.Fatalf("killed at request %d of %d: %v", at, requests, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		server.Close()
	}
}

// bucketLeftovers tells of objects that the catalogue in force does not know.
func bucketLeftovers(a *Archive, server *s3test.Server) error {
	c, err := a.folder.InForce()
	if err != nil {
		return err
	}
	// A sweep removes some files, and makes a generation. If there is nothing to remove, it makes none.
	for swept := uint64(0); swept != c.Generation; {
		swept = c.Generation
		if err := a.folder.Sweep(context.Background()); err != nil {
			return err
		}
		if c, err = a.folder.InForce(); err != nil {
			return err
		}
	}
	known := append(c.Files(), a.folder.CatalogFile(c.Generation), commit.FileCurrent, commit.FileFormat, "NUMBER")
	for _, g := range c.Gone {
		known = append(known, g.Name)
	}
	numbers := make(map[uint32]bool)
	for _, s := range c.Segments {
		numbers[s.Number()] = true
	}
	for _, name := range server.Objects() {
		name = strings.TrimPrefix(name, "archive/")
		if !slices.Contains(known, name) && !commit.DerivedOf(name, numbers) {
			return fmt.Errorf("left over: %s", name)
		}
	}
	return nil
}

// TestBucketExpelled stops a writer for longer than its lease. Another writer takes its right away and
// removes its files. The first one's publication then fails by name, and changes nothing. In one of the
// cases the writer is stopped during the upload of a db-file: the store wrote the file, but its answer
// was lost.
func TestBucketExpelled(t *testing.T) {
	for _, uploading := range []bool{false, true} {
		t.Run(fmt.Sprintf("uploading=%t", uploading), func(t *testing.T) {
			ctx := t.Context()
			server := s3test.Start(t)
			var clock sync.Mutex
			now := time.Now()
			server.Now = func() time.Time {
				clock.Lock()
				defer clock.Unlock()
				return now
			}
			im := newImports(3)
			slow, other := machine(t, server, server.Place()), machine(t, server, server.Place())
			defer slow.Close()
			defer other.Close()
			g, err := slow.intake.NewImporter(ctx, "slow")
			if err != nil {
				t.Fatal(err)
			}
			var res task.ImportResult
			for _, v := range im.parts[1] {
				if err := g.Add(ctx, v.capture(), &res); err != nil {
					t.Fatal(err)
				}
			}
			// Within its lease, another writer leaves it alone.
			put(t, other, im.parts[0])
			clock.Lock()
			now = now.Add(time.Hour)
			clock.Unlock()
			put(t, other, nil)
			removed := 0
			if uploading {
				server.SetFault(func(r *http.Request, _ int) s3test.Fault {
					_, key, _ := strings.Cut(r.URL.Path, "/"+s3test.Bucket+"/")
					switch {
					case !strings.HasSuffix(key, ".raw"):
					case r.Method == http.MethodPut && !slices.Contains(server.Objects(), key):
						return s3test.DropAfter
					case r.Method == http.MethodGet: // the writer asks what became of its upload
						server.Change(key, func([]byte) []byte { return nil })
						removed++
					}
					return s3test.Works
				})
			}
			err = g.Flush(ctx)
			server.SetFault(nil)
			if !errors.Is(err, commit.ErrExpelled) {
				t.Errorf("the publication of a writer that was expelled: %v, want ErrExpelled", err)
			}
			if uploading != (removed > 0) {
				t.Errorf("%d files were removed while they were uploaded", removed)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			if err := im.tellBucket(t, server, 1, 1); err != nil {
				t.Error(err)
			}
			put(t, slow, im.parts[1]) // as a new writer
			if err := im.tellBucket(t, server, 2, 2); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBucketUnreadCurrent publishes a catalogue while the store does not answer the request for
// CURRENT. The publication must fail: it does not know the writers and the files out of force that
// the next catalogue must list.
func TestBucketUnreadCurrent(t *testing.T) {
	ctx := t.Context()
	server := s3test.Start(t)
	a := machine(t, server, server.Place())
	defer a.Close()
	put(t, a, newImports(1).parts[0])
	g, err := a.intake.NewImporter(ctx, "another")
	if err != nil {
		t.Fatal(err)
	}
	place := server.Place()
	place.Attempts = 1
	b := machine(t, server, place)
	defer b.Close()
	was, err := b.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	server.SetFault(func(r *http.Request, _ int) s3test.Fault {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/"+commit.FileCurrent) {
			if asked++; asked == 1 {
				return s3test.SlowDown
			}
		}
		return s3test.Works
	})
	next := *was
	next.Generation++
	err = b.folder.Locked(ctx, func(disk.File) error { return b.folder.Put(&next) })
	server.SetFault(nil)
	if err == nil || asked == 0 {
		t.Errorf("the catalogue was published, after %d requests for CURRENT", asked)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	now, err := a.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	if len(now.Gone) < len(was.Gone) {
		t.Errorf("%d files out of force are listed, want at least %d", len(now.Gone), len(was.Gone))
	}
}

// The variables that tell a process of TestBucketProcesses its working folder and the lease.
const (
	sharedFolder = "INFOMALL_TEST_FOLDER"
	sharedLease  = "INFOMALL_TEST_LEASE"
)

// openShared opens an archive in a bucket of a store that fails often.
func openShared(url string) (*Archive, error) {
	lease, err := time.ParseDuration(os.Getenv(sharedLease))
	if err != nil {
		return nil, err
	}
	place := s3.FromEnvironment()
	place.Backoff, place.Attempts = time.Millisecond, 40
	c, err := place.Open(url)
	if err != nil {
		return nil, err
	}
	return OpenBucket(c, BucketOptions{Folder: os.Getenv(sharedFolder), CacheBytes: 64 << 20, Lease: lease}, Options{})
}

// writer does what importer does. If a part is not acknowledged, because the process lost its
// right to write or others were always faster, the process reads the archive and continues
// with the first part that is missing.
func writer(a *Archive, number int) error {
	stop := told()
	for {
		_, done, err := partsOf(a, number)
		if err != nil {
			return err
		}
		for err == nil {
			im := story(number, done/storyParts)
			select {
			case <-stop:
				return a.Close()
			default:
			}
			tell("begun %d", done+1)
			var res task.ImportResult
			if err = putErr(a, im.parts[done%storyParts], &res); err == nil {
				done++
				tell("acked %d", done)
			}
		}
		switch {
		case errors.Is(err, commit.ErrExpelled):
			tell("expelled")
		case errors.Is(err, catalog.ErrStale): // others were faster 20 times
			tell("beaten")
		default:
			return err
		}
	}
}

// TestBucketRace imports from four machines at once. Each import is there, once.
func TestBucketRace(t *testing.T) {
	server := s3test.Start(t)
	im := newImports(7)
	var all []*visit
	for _, part := range im.parts {
		all = append(all, part...)
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		var own []*visit
		for _, v := range all {
			if len(v.url)%len(errs) == i { // all captures of a URL come from one machine
				own = append(own, v)
			}
		}
		a := machine(t, server, server.Place())
		defer a.Close()
		wg.Go(func() {
			for from := 0; from < len(own) && errs[i] == nil; from += max(1, len(own)/3) {
				var res task.ImportResult
				errs[i] = putErr(a, own[from:min(len(own), from+max(1, len(own)/3))], &res)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if err := im.tellBucket(t, server, len(im.parts), len(im.parts)); err != nil {
		t.Error(err)
	}
}

// TestBucketDefines keeps definitions, and the order in which two machines make them, in an archive
// without captures.
func TestBucketDefines(t *testing.T) {
	ctx := t.Context()
	server := s3test.Start(t)
	one, two := machine(t, server, server.Place()), machine(t, server, server.Place())
	defer one.Close()
	defer two.Close()
	if one.Exists() {
		t.Error("an empty bucket has an archive")
	}
	for i, a := range []*Archive{one, two, one} {
		if err := a.Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
			return append(list, task.Definition{Kind: task.KindView, Name: fmt.Sprint("v", i), Text: "CREATE VIEW …"}), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := two.Definitions(ctx)
	if err != nil || len(list) != 3 || list[2].Name != "v2" || !two.Exists() {
		t.Errorf("definitions: %+v, %v", list, err)
	}
}

// TestBucketNeedsConditions refuses to write to a store that ignores the conditions of writes.
func TestBucketNeedsConditions(t *testing.T) {
	server := s3test.Start(t)
	server.IgnoreConditions = true
	a := machine(t, server, server.Place())
	defer a.Close()
	var res task.ImportResult
	err := putErr(a, newImports(1).parts[0], &res)
	if err == nil || !strings.Contains(err.Error(), "honours If-Match") {
		t.Errorf("import: %v", err)
	}
	for _, name := range server.Objects() {
		t.Errorf("it has written %s", name)
	}
}
