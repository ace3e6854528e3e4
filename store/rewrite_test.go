package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"infomall/store/block/facts"
	"infomall/store/commit"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/record/task"
)

// secretPages are three months of a page that grows, and of others like it. What
// its first version alone says is in the month that the later ones are compressed
// with.
func secretPages(secret string) (visits []*visit) {
	for month := range 3 {
		for i := range 8 {
			body := fmt.Sprintf("<html><body><h1>page %d</h1>", i)
			for j := range 30 + 3*month {
				body += fmt.Sprintf("<p>paragraph %d of page %d, which says %x</p>", j, i, (j+7)*(i+13)*7919)
			}
			if i == 3 && month == 0 {
				body += "<p>" + secret + "</p>"
			}
			visits = append(visits, &visit{
				url: fmt.Sprintf("http://www.example.com/%d", i), time: day0 + record.Time(month)*32*dayMillis, status: 200, body: body + "</body></html>",
			})
		}
	}
	return visits
}

func seal(t *testing.T, a *Archive, pools ...string) []task.MergeResult {
	t.Helper()
	res, err := a.Merge(context.Background(), task.MergeOptions{Pools: pools, Seal: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestStaticRewritten deletes a capture of a static pool, whose runs others are
// compressed with, and seals the pool again: what the capture alone said is in no
// run of any file, and all else is as it was.
func TestStaticRewritten(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const secret = "the words that nobody may read any more, at some length"
	visits := secretPages(secret)
	for _, month := range slices.Collect(slices.Chunk(visits, 8)) {
		put(t, a, month)
	}
	seal(t, a)
	if !usesDictionary(t, a, "200807", "200806") {
		t.Fatal("July is not compressed with June: nothing is tried")
	}
	if _, err := deleteWhere(a, func(url string, at record.Time) bool { return url == visits[3].url && at == day0 }); err != nil {
		t.Fatal(err)
	}
	if !contains(t, a, secret) {
		t.Error("the file of a static pool lost what is hidden before the pool was written anew")
	}
	var static *task.StaticError
	if _, err := a.Merge(context.Background(), task.MergeOptions{Pools: []string{"200806"}}); !errors.As(err, &static) {
		t.Errorf("MERGE of a static pool gives %v, want a StaticError", err)
	}
	before := filesOf(t, a)
	if res := seal(t, a, "200806"); res[0].Into != 1 || !res[0].Static {
		t.Errorf("sealed again: %+v", res)
	}
	swept := mustSweep(t, a)
	if swept && contains(t, a, secret) {
		t.Error("what was deleted is in a run still")
	}
	for _, name := range filesOf(t, a) {
		if swept && strings.Contains(name, "200806") && slices.Contains(before, name) && strings.HasSuffix(name, ".raw") {
			t.Errorf("%s is there still", name)
		}
	}
	want := historyOf(slices.Delete(slices.Clone(visits), 3, 4))
	check := func(when string, a *Archive) {
		t.Helper()
		if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
			t.Errorf("%s:\n%s", when, diffRows(got, want))
		}
		if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
			t.Errorf("%s: VERIFY finds %+v", when, got)
		}
	}
	check("sealed again", a)
	if res := seal(t, a, "200806"); res[0].Into != 0 {
		t.Errorf("sealed once more with nothing to do: %+v", res)
	}
	dir := filepath.Join(t.TempDir(), "copy")
	copyTo(t, a, place(dir))
	b := openAt(dir, Options{})
	defer b.Close()
	check("in a copy", b)
	if swept { // otherwise files that are out of force would be taken for those in force
		remade(t, a)
		check("after the catalogue was lost", a)
	}
}

// TestStaticRewrittenCopied deletes from an archive that was copied before: the
// next copy has the new forms of all files that were written again.
func TestStaticRewrittenCopied(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	visits := secretPages("once")
	put(t, a, visits)
	seal(t, a)
	dir := filepath.Join(t.TempDir(), "copy")
	copyTo(t, a, place(dir))
	if _, err := deleteWhere(a, func(url string, at record.Time) bool { return url == visits[3].url && at == day0 }); err != nil {
		t.Fatal(err)
	}
	seal(t, a)
	if _, err := a.Copy(context.Background(), task.CopyOptions{Dir: place(dir), Pools: []string{"200806"}}); err != nil {
		t.Fatal(err)
	}
	b := openAt(dir, Options{})
	defer b.Close()
	want := historyOf(slices.Delete(slices.Clone(visits), 3, 4))
	if got := readRows(t, b, record.MinTime, record.MaxTime); !equalRows(got, want) {
		t.Errorf("the copy:\n%s", diffRows(got, want))
	}
	if contains(t, b, "<p>once</p>") {
		t.Error("the copy has what was deleted")
	}
}

// TestNeededBodyMoves deletes captures whose bodies those of a later month have,
// and merges their pool: the addresses are gone, the bodies stay with who has
// them, and a pool without captures is no obstacle.
func TestNeededBodyMoves(t *testing.T) {
	for _, static := range []bool{false, true} {
		t.Run(fmt.Sprint("static ", static), func(t *testing.T) {
			a := openAt(t.TempDir(), Options{})
			defer a.Close()
			june := pages(6, day0)
			secret := &visit{url: "http://www.example.com/secret-address", time: day0, status: 200, body: june[2].body}
			july := pages(6, day0+40*dayMillis)
			visit304 := &visit{url: june[1].url, time: day0 + 45*dayMillis, status: 200, body: june[1].body, as: "url", refers: june[1]}
			put(t, a, append(slices.Clone(june), secret))
			put(t, a, append(slices.Clone(july), visit304))
			if static {
				seal(t, a)
			}
			if _, err := deleteWhere(a, func(_ string, at record.Time) bool { return at == day0 }); err != nil {
				t.Fatal(err)
			}
			if static {
				seal(t, a, "200806")
			} else if _, err := a.Merge(context.Background(), task.MergeOptions{Pools: []string{"200806"}}); err != nil {
				t.Fatal(err)
			}
			swept := mustSweep(t, a)
			if swept && contains(t, a, "secret-address") {
				t.Error("the address of a deleted capture is in a file")
			}
			want := historyOf(append(july, visit304))
			if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
				t.Errorf("left is:\n%s", diffRows(got, want))
			}
			if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
				t.Errorf("VERIFY finds %+v", got)
			}
			if !swept {
				return // files that are out of force would be taken for those in force
			}
			remade(t, a)
			if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
				t.Errorf("left after the catalogue was lost:\n%s", diffRows(got, want))
			}
			if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
				t.Errorf("VERIFY finds after the catalogue was lost: %+v", got)
			}
		})
	}
}

// TestRecoverSealed recovers one db-file of a sealed archive: with the others
// beside it, all that it has; alone, what its runs have by themselves, and of each
// other capture why not.
func TestRecoverSealed(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	visits := secretPages("not so secret")
	for _, month := range slices.Collect(slices.Chunk(visits, 8)) {
		put(t, a, month)
	}
	seal(t, a)
	if _, err := deleteWhere(a, func(url string, at record.Time) bool { return url == visits[5].url && at == day0 }); err != nil {
		t.Fatal(err)
	}
	seal(t, a, "200806") // what names its blocks finds them by names
	if !usesDictionary(t, a, "200808", "200807") {
		t.Fatal("August is not compressed with July: nothing is tried")
	}
	c, err := a.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(a.Local(), c.PoolSegments("200808")[0].File)
	whole, lost := salvagedFrom(t, place(name))
	if whole != 8 || len(lost) > 0 {
		t.Errorf("with the archive beside it %d captures come back, and not %q; want 8", whole, lost)
	}
	alone := filepath.Join(t.TempDir(), "alone.raw")
	b, err := readFile(name)
	if err == nil {
		err = writeFile(alone, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, lost = salvagedFrom(t, alone)
	if whole+len(lost) != 8 || len(lost) == 0 {
		t.Errorf("alone %d captures come back, and %d are told of; want 8 together, some of them lost", whole, len(lost))
	}
	for _, why := range lost {
		if !strings.Contains(why, "segment") {
			t.Errorf("it is not said which segment is missing: %q", why)
		}
	}
}

// salvagedFrom recovers a file, and tells how many captures are whole and why the
// others are not.
func salvagedFrom(t *testing.T, name string) (whole int, lost []string) {
	t.Helper()
	a := openAt(filepath.Join(t.TempDir(), "none"), Options{})
	defer a.Close()
	for r, err := range a.Recover(context.Background(), task.RecoverOptions{File: name}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case r.State == task.RecoverDamaged:
			lost = append(lost, r.What)
		default:
			whole += int(r.Records)
		}
	}
	return whole, lost
}

// TestLockGivenUp waits for the archive's lock, which another has, until it is
// told not to.
func TestLockGivenUp(t *testing.T) {
	needsFolder(t, "there is no lock")
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := a.folder.Locked(context.Background(), func(disk.File) error {
		b := openAt(a.Local(), Options{})
		defer b.Close()
		return b.folder.Locked(ctx, func(disk.File) error {
			return errors.New("two have the lock")
		})
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that its time is over", err)
	}
}

// TestDerived takes an archive whose facts and folds have the number of another
// extractor, some in a sealed pool. REINDEX DERIVED makes them again, once, and the
// answers do not change.
func TestDerived(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	a := openAt(dir, Options{})
	defer func() { a.Close() }()
	put(t, a, secretPages("a secret"))
	want := readRows(t, a, record.MinTime, record.MaxTime)
	setExtractor(t, dir, facts.Extractor+100)
	a.Close()
	a = openAt(dir, Options{}) // a bucket's files do not change their lengths while they are read
	remade(t, a)
	seal(t, a, "200806")
	plan, err := a.Reindex(ctx, task.ReindexOptions{Derived: true, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	done, err := a.Reindex(ctx, task.ReindexOptions{Derived: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan) == 0 || len(done) != len(plan) {
		t.Fatalf("it would make %d pools anew, and made %d", len(plan), len(done))
	}
	if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
		t.Errorf("the answers changed:\n%s", diffRows(got, want))
	}
	if got := verify(t, dir, task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("VERIFY finds %+v", got)
	}
	again, err := a.Reindex(ctx, task.ReindexOptions{Derived: true})
	if err != nil || len(again) > 0 {
		t.Errorf("once more it makes %+v anew, with error %v", again, err)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	folds := 0
	for _, s := range v.Pin.Segments {
		r := v.Runs.Reader(s)
		for n := range uint32(s.Runs) {
			facts, err := v.Runs.Facts(r, n)
			if err != nil {
				t.Fatal(err)
			}
			meta, err := v.Runs.Meta(r, n)
			if err != nil {
				t.Fatal(err)
			}
			for i := range meta.Len() {
				if facts.Fold(uint32(i)) != nil {
					folds++
				}
			}
			if facts.Empty() {
				t.Errorf("run %d of %s has no facts", n, s.File)
			}
		}
	}
	if folds == 0 {
		t.Error("no fold was made")
	}
}

// setExtractor changes the number of the extractor in all facts and folds of the
// db-files of dir, which has no sealed pool.
func setExtractor(t *testing.T, dir string, extractor byte) {
	t.Helper()
	names, err := glob(filepath.Join(dir, commit.DirPools, "*", "*.raw"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	changed := 0
	for _, name := range names {
		b, err := readFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		for len(b) > 0 {
			rec, n := recordWithExtractor(t, &b, extractor)
			out, changed = append(out, rec...), changed+n
		}
		if err := writeFile(name, out); err != nil {
			t.Fatal(err)
		}
	}
	if changed == 0 {
		t.Fatal("no file has facts")
	}
}

// recordWithExtractor takes the first record of a db-file off b and returns it with
// another number in its facts, and how many facts have it.
func recordWithExtractor(t *testing.T, b *[]byte, extractor byte) (rec []byte, changed int) {
	t.Helper()
	head, rest, ok := bytes.Cut(*b, []byte("\n\n"))
	fields := make(map[string]int)
	var list []string
	for line := range strings.Lines(string(head) + "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for i, word := range strings.Fields(value) {
			if n, err := strconv.Atoi(word); err == nil && i < 6 {
				fields[name] += n // meta-length has six, and a checksum
			}
		}
		if name != "crc32c" && name != "length" { // length is the last line
			list = append(list, line)
		}
	}
	if !ok || fields["length"] >= len(rest) {
		t.Fatalf("no record begins with %q", head)
	}
	data := rest[:fields["length"]]
	*b = rest[len(data)+1:]
	if n := fields["facts-length"]; n > 0 {
		frame := data[fields["meta-length"]:]
		dec, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer dec.Close()
		content, err := dec.DecodeAll(frame, nil)
		if err != nil {
			t.Fatal(err)
		}
		changed = setFacts(content[len(content)-n:], extractor)
		enc, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer enc.Close()
		data = enc.EncodeAll(content, bytes.Clone(data[:fields["meta-length"]]))
	}
	list = append(list, fmt.Sprintf("length: %d\n", len(data)))
	crc := crc32c.Sum([]byte(strings.Join(list, "")))
	crc = crc32c.Add(crc, data)
	list = slices.Insert(list, len(list)-2, fmt.Sprintf("crc32c: %08x\n", crc))
	rec = append([]byte(strings.Join(list, "")+"\n"), data...)
	return append(rec, '\n'), changed
}

// setFacts writes a number into the first byte of all facts of a run, and returns
// how many there are. Short facts have no number.
func setFacts(encoded []byte, extractor byte) (changed int) {
	r := packed.Reader{B: encoded[1:]}
	for len(r.B) > 0 && !r.Bad {
		lens := make([]int, r.Uvarint())
		for i := range lens {
			lens[i] = int(r.Uvarint())
		}
		for _, n := range lens {
			if n > 0 && r.B[0] == facts.Extractor {
				r.B[0] = extractor
				changed++
			}
			r.B = r.B[n:]
		}
	}
	return changed
}

// remade deletes an archive's catalogue, and lets REINDEX make it again.
func remade(t *testing.T, a *Archive) {
	t.Helper()
	loseCatalogue(t, a.Local())
	if _, err := a.Reindex(context.Background(), task.ReindexOptions{}); err != nil {
		t.Fatal(err)
	}
}

// usesDictionary reports whether a run of a pool is compressed with one of
// another.
func usesDictionary(t *testing.T, a *Archive, pool, of string) bool {
	t.Helper()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, info := range v.Pin.PoolSegments(pool) {
		for n := range uint32(info.Runs) {
			refs, err := v.Runs.Reader(info).Dictionary(n)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range refs {
				if s := v.Runs.Segment(r.Segment); s != nil && s.Info.Pool == of {
					return true
				}
			}
		}
	}
	return false
}

func filesOf(t *testing.T, a *Archive) (names []string) {
	t.Helper()
	c, err := a.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	return c.Files()
}
