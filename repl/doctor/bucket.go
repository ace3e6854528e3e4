package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"infomall/store/disk/s3"
)

const (
	// rounds is how often two writers race for an object.
	rounds = 20
	// skewMax is the difference between two clocks above which a store refuses signatures. The
	// doctor mentions a difference from skewNote on.
	skewMax  = 15 * time.Minute
	skewNote = 5 * time.Second
	// largeBytes is the size of an object that is too large for one request of the client, so
	// that it is sent in parts.
	largeBytes = 17 << 20
	// smallReads is how many small reads are timed.
	smallReads = 20
	// cleanup bounds the time for removing what the checks have made.
	cleanup = time.Minute
)

// bucketCheck has what all checks of one bucket use.
type bucketCheck struct {
	*report
	ctx    context.Context
	client *s3.Client
	prefix string // of all names of the checks, with a / at its end
}

// checkBucket checks the object store with which c is connected, and writes the results to r.
func checkBucket(ctx context.Context, r *report, c *s3.Client) {
	fmt.Fprintf(r.w, "%s at %s\n", c.URL(), c.Endpoint())
	b := &bucketCheck{r, ctx, c, ".doctor-" + strings.ToLower(rand.Text()[:10]) + "/"}
	if !b.check("list", "nothing can be done there", b.reach) {
		return
	}
	defer b.clean()
	if !b.check("write and read", "no archive and no data set can be there", b.writeRead) {
		return
	}
	b.check("ranges", "each question would read whole files", b.ranges)
	b.check("ETag", "infomall could not see whether another process has changed the catalogue", b.etag)
	b.check("If-None-Match: *", "two writers could write the same file, and one would be lost", b.ifAbsent)
	b.check("If-Match", "two writers could publish at once, and the captures of one would be lost; only one process may write, and EXPORT to this bucket works", b.ifMatch)
	b.check("If-Match, in a race", "the store checks the condition, but not at the moment of writing: two writers could publish at once", func() (string, error) { return b.race(true) })
	b.check("If-None-Match, in a race", "the store checks the condition, but not at the moment of writing: two writers could write the same file", func() (string, error) { return b.race(false) })
	b.check("parts", "files above 16 MB cannot be written", b.parts)
	b.list()
	b.check("delete", "deleted captures would stay in the bucket", b.remove)
	b.clock()
	b.speed()
}

// name returns the full name of the object that the checks call s: the prefix of the checks, and
// then s.
func (b *bucketCheck) name(s string) string { return b.prefix + s }

// put writes a small object.
func (b *bucketCheck) put(name, content string, when s3.Condition) (s3.Info, error) {
	return b.client.PutBytes(b.ctx, b.name(name), []byte(content), when)
}

// reads reads an object, and returns an error if its content is not the text want.
func (b *bucketCheck) reads(name, want string) error {
	got, _, err := b.client.Get(b.ctx, b.name(name), 0, -1, "")
	if err == nil && string(got) != want {
		err = fmt.Errorf("a read gives %d bytes that are not those that were written last", len(got))
	}
	return err
}

func (b *bucketCheck) reach() (string, error) {
	for _, err := range b.client.List(b.ctx, "", false) {
		if err != nil {
			return "", err
		}
		break
	}
	return "the bucket is there, and the credentials may list it", nil
}

func (b *bucketCheck) writeRead() (string, error) {
	for i := range 5 {
		content := fmt.Sprint("version ", i)
		if _, err := b.put("a", content, s3.Always); err != nil {
			return "", err
		}
		if err := b.reads("a", content); err != nil {
			return "", err
		}
	}
	return "each of 5 reads gives what was written just before", nil
}

func (b *bucketCheck) ranges() (string, error) {
	content := strings.Repeat("0123456789", 1000)
	if _, err := b.put("ranges", content, s3.Always); err != nil {
		return "", err
	}
	before := b.client.Stats().In
	for _, c := range [][2]int{{0, 1}, {4321, 1234}, {9990, 100}, {9999, 1}} {
		got, info, err := b.client.Get(b.ctx, b.name("ranges"), int64(c[0]), int64(c[1]), "")
		if err != nil {
			return "", err
		}
		if want := content[c[0]:min(c[0]+c[1], len(content))]; string(got) != want || info.Size != int64(len(content)) {
			return "", fmt.Errorf("bytes %d to %d of %d: got %d bytes of %d", c[0], c[0]+c[1]-1, len(content), len(got), info.Size)
		}
	}
	if in := b.client.Stats().In - before; in > int64(len(content)) {
		return "", fmt.Errorf("the store sends whole objects: %d bytes for four small parts of %d", in, len(content))
	}
	return "a read of a part gives that part, and the size of the whole", nil
}

func (b *bucketCheck) etag() (string, error) {
	one, err := b.put("etag", "one", s3.Always)
	if err != nil {
		return "", err
	}
	_, read, err := b.client.Get(b.ctx, b.name("etag"), 0, -1, "")
	if err != nil {
		return "", err
	}
	looked, err := b.client.Head(b.ctx, b.name("etag"))
	if err != nil {
		return "", err
	}
	two, err := b.put("etag", "two", s3.Always)
	switch {
	case err != nil:
		return "", err
	case one.ETag == "" || one.ETag != read.ETag || one.ETag != looked.ETag:
		return "", fmt.Errorf("the ETags of PUT, GET and HEAD are %q, %q and %q", one.ETag, read.ETag, looked.ETag)
	case one.ETag == two.ETag:
		return "", fmt.Errorf("two contents have the same ETag %q", one.ETag)
	}
	return "PUT, GET and HEAD give the same, and another one after a change", nil
}

func (b *bucketCheck) ifAbsent() (string, error) {
	return "a PUT creates an object and does not replace one", s3.ProbeAbsent(b.ctx, b.client, b.name("absent"))
}

func (b *bucketCheck) ifMatch() (string, error) {
	return "a PUT replaces an object only if its ETag is the one given", s3.ProbeMatch(b.ctx, b.client, b.name("match"))
}

// race lets two writers write the same object at once, under a condition that only one of them
// can meet. It fails unless exactly one succeeds.
func (b *bucketCheck) race(match bool) (string, error) {
	for i := range rounds {
		name, when := fmt.Sprint("race-", i), s3.IfAbsent
		if match {
			name = "race"
			start, err := b.put(name, fmt.Sprint("start of round ", i), s3.Always)
			if err != nil {
				return "", err
			}
			when = s3.IfUnchanged(start.ETag)
		}
		var errs [2]error
		var both sync.WaitGroup
		for w := range errs {
			both.Go(func() { _, errs[w] = b.put(name, fmt.Sprintf("writer %d in round %d", w, i), when) })
		}
		both.Wait()
		won := -1
		for w, err := range errs {
			switch {
			case err == nil && won >= 0:
				return "", fmt.Errorf("in round %d of %d both writers won", i+1, rounds)
			case err == nil:
				won = w
			case !errors.Is(err, s3.ErrCondition):
				return "", err
			}
		}
		if won < 0 {
			return "", fmt.Errorf("in round %d of %d no writer won", i+1, rounds)
		}
		if err := b.reads(name, fmt.Sprintf("writer %d in round %d", won, i)); err != nil {
			return "", fmt.Errorf("in round %d of %d: %w", i+1, rounds, err)
		}
	}
	return fmt.Sprintf("exactly one of two writers wins, in %d rounds", rounds), nil
}

// parts writes and reads an object that goes in parts, and notes how fast that was.
func (b *bucketCheck) parts() (string, error) {
	content := make([]byte, largeBytes)
	rand.Read(content)
	var up, down times
	if err := up.took(func() error {
		_, err := b.client.Put(b.ctx, b.name("parts"), bytes.NewReader(content), largeBytes, s3.IfAbsent)
		return err
	}); err != nil {
		return "", err
	}
	var got []byte
	if err := down.took(func() (err error) {
		got, _, err = b.client.Get(b.ctx, b.name("parts"), 0, -1, "")
		return err
	}); err != nil {
		return "", err
	}
	if !bytes.Equal(got, content) {
		return "", errors.New("the object is not what was sent")
	}
	_, err := b.client.Put(b.ctx, b.name("parts"), bytes.NewReader(content), largeBytes, s3.IfAbsent)
	if err := s3.Refused(err); err != nil {
		return "", fmt.Errorf("If-None-Match: * for an object in parts: %w", err)
	}
	rate := func(d time.Duration) float64 { return largeBytes / 1e6 / d.Seconds() }
	return fmt.Sprintf("an object of 17 MB is written in parts, with If-None-Match; %.0f MB/s there, %.0f MB/s back", rate(up[0]), rate(down[0])), nil
}

// list says whether a list has what was written just before. Infomall makes no decision by a
// list alone, so the report only mentions a late list.
func (b *bucketCheck) list() {
	late := 0
	for i := range 5 {
		name := fmt.Sprint("list/", i)
		if _, err := b.put(name, "x", s3.Always); err != nil {
			b.line(failed, "list after write", "%v", err)
			return
		}
		found := false
		for o, err := range b.client.List(b.ctx, b.name("list/"), true) {
			if err != nil {
				b.line(failed, "list after write", "%v", err)
				return
			}
			found = found || o.Name == b.name(name)
		}
		if !found {
			late++
		}
	}
	if late > 0 {
		b.line(note, "list after write", "%d of 5 lists lack the object that was written before: VERIFY and clearing up may see a file later", late)
		return
	}
	b.line(ok, "list after write", "each of 5 lists has the object that was written before")
}

func (b *bucketCheck) remove() (string, error) {
	if err := b.client.Remove(b.ctx, b.name("a")); err != nil {
		return "", err
	}
	_, _, err := b.client.Get(b.ctx, b.name("a"), 0, -1, "")
	if err == nil {
		return "", errors.New("an object can be read after its removal")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return "a removed object is gone at once", nil
}

// clock compares the clock of the store with the one of this machine.
func (b *bucketCheck) clock() {
	before := time.Now()
	info, err := b.put("clock", "x", s3.Always)
	after := time.Now()
	if err != nil || info.Date.IsZero() {
		b.line(note, "clock", "the answers of the store have no Date")
		return
	}
	// Date has whole seconds, and is from some moment between before and after.
	skew := max(info.Date.Sub(after), before.Truncate(time.Second).Sub(info.Date), 0)
	switch {
	case skew > skewMax:
		b.line(failed, "clock", "the clocks are %s apart: stores refuse signatures above 15 min; set the clock of this machine", skew.Round(time.Second))
	case skew > skewNote:
		b.line(note, "clock", "the clocks are %s apart; leases use the clock of the store", skew.Round(time.Second))
	default:
		b.line(ok, "clock", "less than %s from this machine", skewNote)
	}
}

// speed measures small requests, one after the other and eight at a time.
func (b *bucketCheck) speed() {
	var reads, writes times
	for range smallReads {
		err := writes.took(func() error { _, err := b.put("speed", strings.Repeat("x", 4096), s3.Always); return err })
		if err == nil {
			err = reads.took(func() error { _, _, err := b.client.Get(b.ctx, b.name("speed"), 0, 4096, ""); return err })
		}
		if err != nil {
			b.line(failed, "speed", "%v", err)
			return
		}
	}
	const lanes = 8
	errs := make([]error, lanes)
	var all sync.WaitGroup
	start := time.Now()
	for lane := range lanes {
		all.Go(func() {
			for range smallReads {
				if _, _, err := b.client.Get(b.ctx, b.name("speed"), 0, 4096, ""); err != nil {
					errs[lane] = err
					return
				}
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		b.line(failed, "speed", "%v", err)
		return
	}
	rate := lanes * smallReads / time.Since(start).Seconds()
	b.line(ok, "speed", "a read of 4 KB takes %s, a write %s (median); %.0f reads a second by %d at once", reads.median(), writes.median(), rate, lanes)
}

// median returns the median, rounded for people.
func (t times) median() time.Duration {
	slices.Sort(t)
	return t[len(t)/2].Round(10 * time.Microsecond)
}

// clean removes all objects of the checks, also after the checks were cancelled.
func (b *bucketCheck) clean() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), cleanup)
	defer cancel()
	var names []string
	for o, err := range b.client.List(ctx, b.prefix, true) {
		if err != nil {
			b.line(note, "clean up", "%v; remove %s/%s yourself", err, b.client.URL(), b.prefix)
			return
		}
		names = append(names, o.Name)
	}
	for _, name := range names {
		if err := b.client.Remove(ctx, name); err != nil {
			b.line(note, "clean up", "%v; remove %s/%s yourself", err, b.client.URL(), b.prefix)
			return
		}
	}
}
