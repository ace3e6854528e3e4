package indexfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"infomall/store/disk"
)

// TestTree reads databases as bbolt does: small and large ones, with inline buckets, long
// values and removed pairs.
func TestTree(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for _, n := range []int{0, 1, 3, 40, 1500} {
		name := filepath.Join(t.TempDir(), "x.idx")
		db, err := bolt.Open(name, 0o644, &bolt.Options{NoSync: true, NoFreelistSync: n%2 == 0, PageSize: indexPage})
		if err != nil {
			t.Fatal(err)
		}
		key := func() []byte { return fmt.Appendf(nil, "k%0*d", 1+rnd.IntN(40), rnd.IntN(2*n+2)) }
		for round := range 3 {
			if err := db.Update(func(tx *bolt.Tx) error {
				for i := range 1 + n/20 {
					b, err := tx.CreateBucketIfNotExists(fmt.Appendf(nil, "b%d", i%7))
					if err != nil {
						return err
					}
					for range min(n, 60) {
						v := make([]byte, rnd.IntN(200))
						if rnd.IntN(50) == 0 {
							v = make([]byte, rnd.IntN(9000))
						}
						for i := range v {
							v[i] = byte(rnd.Uint32())
						}
						if err := b.Put(key(), v); err != nil {
							return err
						}
					}
					for range round * 10 {
						if err := b.Delete(key()); err != nil {
							return err
						}
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := openMapped(content)
		if mapped := rnd.IntN(2) == 0; !mapped {
			tr, err = openRanges(bytes.NewReader(content), int64(len(content)))
		}
		if err != nil {
			t.Fatal(err)
		}
		pairs := 0
		if err := db.View(func(tx *bolt.Tx) error {
			if c, err := tr.bucket([]byte("none")); c != nil || err != nil {
				t.Errorf("a bucket that does not exist: %v, %v", c, err)
			}
			return tx.ForEach(func(bucket []byte, b *bolt.Bucket) error {
				c, err := tr.bucket(bucket)
				if err != nil || c == nil {
					return fmt.Errorf("bucket %s: %v, %v", bucket, c, err)
				}
				want := b.Cursor()
				same := func(what string, k, v, wk, wv []byte, err error) {
					if err != nil || !bytes.Equal(k, wk) || !bytes.Equal(v, wv) || (k == nil) != (wk == nil) {
						t.Fatalf("%d pairs, bucket %s, %s: got %q (%d bytes), %v; want %q (%d bytes)", n, bucket, what, k, len(v), err, wk, len(wv))
					}
				}
				k, v, err := c.seek(nil)
				wk, wv := want.First()
				same("first", k, v, wk, wv, err)
				for wk != nil {
					pairs++
					wk, wv = want.Next()
					k, v, err = c.next()
					same("next", k, v, wk, wv, err)
				}
				for range 50 {
					at := key()
					k, v, err := c.seek(at)
					wk, wv := want.Seek(at)
					same("seek", k, v, wk, wv, err)
					v, err = c.get(at)
					same("get", at, v, at, b.Get(at), err)
					if wk != nil {
						bk, err := c.before(k)
						pk, _ := want.Prev()
						same("before", bk, nil, pk, nil, err)
						want.Seek(wk)
						wk, wv = want.Next()
						k, v, err = c.next()
						same("next after before", k, v, wk, wv, err)
					}
				}
				return nil
			})
		}); err != nil {
			t.Fatal(err)
		}
		if n >= 40 && pairs < 40 {
			t.Errorf("only %d pairs were compared", pairs)
		}
		// A damaged file gives an error or other pairs, and ends.
		for range 60 {
			bad := bytes.Clone(content)
			for range 1 + rnd.IntN(4) {
				bad[rnd.IntN(len(bad))] ^= byte(1 + rnd.IntN(255))
			}
			if rnd.IntN(4) == 0 {
				bad = bad[:rnd.IntN(len(bad))]
			}
			tr, err := openMapped(bad)
			if mapped := rnd.IntN(2) == 0; !mapped {
				tr, err = openRanges(bytes.NewReader(bad), int64(len(bad)))
			}
			if err != nil {
				continue
			}
			c, err := tr.bucket([]byte("b0"))
			if c == nil || err != nil {
				continue
			}
			k, _, err := c.seek(nil)
			for steps := 0; k != nil && err == nil && steps < 300; steps++ {
				if _, err = c.before(k); err == nil {
					k, _, err = c.next()
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCircle reads a file whose branch pages are their own children.
func TestCircle(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.idx")
	b, err := NewBuilder(disk.OS, name)
	if err != nil {
		t.Fatal(err)
	}
	bucket := []byte("000001")
	if _, err := b.Add(bucket, func(put func(k, v []byte) error) error {
		for i := range 2000 {
			if err := put(fmt.Appendf(nil, "%06d", i), make([]byte, 40)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for at := 2 * indexPage; at < len(content); at += indexPage {
		page := content[at:]
		if id := binary.LittleEndian.Uint64(page); id != uint64(at/indexPage) || binary.LittleEndian.Uint16(page[8:]) != flagBranch {
			continue
		}
		for i := range int(binary.LittleEndian.Uint16(page[10:])) {
			binary.LittleEndian.PutUint64(page[pageHead+i*elemBytes+8:], uint64(at/indexPage))
		}
		changed++
	}
	if changed == 0 {
		t.Fatal("the index has no branch page")
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	x, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	c, err := x.Cursor(bucket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if k, _, err := c.Seek([]byte("001000")); !errors.Is(err, ErrDamaged) {
		t.Errorf("got the pair %q and the error %v", k, err)
	}
}
