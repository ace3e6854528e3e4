package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/commit"
	"infomall/store/record"
)

// TestSkipDamage flips bits of a db-file, with its index and without. With the index
// every capture is answered, without its digest if that cannot be read. Without the
// index the captures of the other runs are answered. What is not answered is reported.
func TestSkipDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(dir, Options{})
	r := rand.New(rand.NewPCG(1, 2))
	var visits []*visit
	for i := range 120 {
		var body strings.Builder
		for range 20000 {
			body.WriteByte(byte('!' + r.IntN(90)))
		}
		visits = append(visits, &visit{url: fmt.Sprintf("http://a.example/%03d", i), time: day0, status: 200, body: body.String()})
	}
	put(t, a, visits)
	want, _, err := skipping(a)
	if err != nil || len(want) != len(visits) {
		t.Fatalf("%d rows of a whole archive, error %v", len(want), err)
	}
	a.Close()
	files, err := glob(filepath.Join(dir, commit.DirPools, "*", "*.raw"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	name, err := filepath.Rel(dir, files[0])
	if err != nil {
		t.Fatal(err)
	}
	whole, err := readFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	indexes, err := glob(filepath.Join(dir, commit.DirIndex, "*"))
	if err != nil || len(indexes) != 1 {
		t.Fatal(indexes, err)
	}
	check := func(at int, indexed bool) (lost, digests int) {
		t.Helper()
		b := append([]byte(nil), whole...)
		b[at] ^= 1 << r.IntN(8)
		if err := writeFile(files[0], b); err != nil {
			t.Fatal(err)
		}
		a := openAt(dir, Options{})
		defer a.Close()
		got, bodies, damage := skipping(a)
		for url, digest := range got {
			switch {
			case digest == (record.Digest{}):
				digests++
			case digest != want[url]:
				t.Fatalf("flip at %d: %s has another digest", at, url)
			}
		}
		lost = len(want) - len(got)
		if damage == nil && (lost > 0 || digests > 0 || bodies < len(want)) {
			t.Errorf("flip at %d, index %v: %d captures, %d digests and %d bodies are lost, and nothing is reported", at, indexed, lost, digests, len(want)-bodies)
		}
		if damage != nil && !strings.Contains(damage.Error(), name) {
			t.Errorf("flip at %d: %q does not name %s", at, damage, name)
		}
		if indexed && (lost > 0 || damage != nil && bodies == 0) {
			t.Errorf("flip at %d: %d captures are lost, though the index has them, and %d bodies are left", at, lost, bodies)
		}
		return lost, digests
	}
	anyDigest := 0
	for range 30 {
		_, digests := check(r.IntN(len(whole)), true)
		anyDigest += digests
	}
	if _, digests := check(strings.Index(string(whole), "\n\n")+20, true); anyDigest+digests == 0 {
		t.Error("no flip cost a digest: the test shows nothing")
	}
	if err := removeFile(indexes[0]); err != nil {
		t.Fatal(err)
	}
	if lost, _ := check(strings.Index(string(whole), "\n\n")+20, false); lost == 0 || lost == len(want) {
		t.Errorf("of a flip in the first run %d of %d captures are lost", lost, len(want))
	}
	for range 10 {
		check(r.IntN(len(whole)), false)
	}
}

// skipping reads all captures of an archive, over damage: their digests by URL, how
// many bodies can be read, and the damage.
func skipping(a *Archive) (digests map[string]record.Digest, bodies int, damage error) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer v.Close()
	v.SkipDamage()
	digests = make(map[string]record.Digest)
	for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColDigest}) {
		if err != nil {
			return digests, bodies, err
		}
		for i := range b.N {
			digests[b.URLs()[i]] = b.Digest[i]
			p, err := v.Payload(ctx, b.Ref[i])
			if err != nil {
				return digests, bodies, err
			}
			if p.NoBody == "" {
				bodies++
			}
		}
	}
	return digests, bodies, v.Damage()
}

// TestChangeOverDamage reads the changes of a URL whose second capture is in a damaged run. The
// first capture came in last, so the scan compares captures. It must not compare the third with
// the first, because what is known of the third is how it differs from the lost one.
func TestChangeOverDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(dir, Options{})
	url := "http://a.example/"
	lost := &visit{url: url, time: day0, status: 200, body: "<p>the text of the second and the third capture</p>"}
	third := &visit{url: url, time: day0 + 40*dayMillis, status: 200, body: lost.body}
	first := &visit{url: url, time: day0 - 40*dayMillis, status: 200, body: "<p>another text</p>"}
	for _, v := range []*visit{lost, third, first} {
		// A scan does not compare columns of the last URL of a chunk.
		put(t, a, []*visit{v, {url: "http://b.example/", time: v.time, status: 200, body: v.body}})
	}
	a.Close()
	files, err := glob(filepath.Join(dir, commit.DirPools, lost.time.Pool(), "*.raw"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := readFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := strings.Index(string(b), "\n\n") + 2; i < len(b); i++ {
		b[i] ^= 0x55
	}
	indexes, err := glob(filepath.Join(dir, commit.DirIndex, "*"))
	if err != nil || len(indexes) == 0 {
		t.Fatal(indexes, err)
	}
	for _, name := range indexes {
		if err := removeFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeFile(files[0], b); err != nil {
		t.Fatal(err)
	}
	a = openAt(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	v.SkipDamage()
	changes := func(columns record.Columns) (out []string) {
		for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime, Columns: columns}) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				if b.URLs()[i] == url {
					out = append(out, fmt.Sprint(b.Time[i].Pool(), " ", b.Change[i]))
				}
			}
		}
		return out
	}
	want := []string{first.time.Pool() + " " + fmt.Sprint(record.ChangeFirst), third.time.Pool() + " " + fmt.Sprint(record.ChangeSame)}
	for _, columns := range []record.Columns{record.ColChange, record.ColChange | record.ColSense} {
		if got := changes(columns); !slices.Equal(got, want) {
			t.Errorf("changes with columns %b: %q, want %q", columns, got, want)
		}
	}
}
