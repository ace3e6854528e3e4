//go:build unix

package segment

import (
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	bolt "go.etcd.io/bbolt"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
	"infomall/store/urlkey"
)

// The entries that the benchmarks index: a capture each of a million URLs on 500
// hosts, over a month.
const (
	millionEntries = 1_000_000
	millionHosts   = 500
)

func millionKey(i int) string {
	return urlkey.Key(fmt.Sprintf("http://www.h%d.example/d%d/page-%d.txt", i%millionHosts, i/millionHosts%37, i))
}

// million gives them in an order that has nothing to do with their keys.
func million(b *testing.B) []Stored {
	b.Helper()
	entries := make([]Stored, millionEntries)
	for i, n := range rand.New(rand.NewPCG(1, 2)).Perm(millionEntries) {
		e := &entries[i]
		e.Key = millionKey(n)
		e.Time = record.Time(1_214_870_400_000 + int64(n)*2000)
		e.Seq, e.Status, e.Mime, e.Job, e.Added = int64(n)*480, 200, "text/plain", "import", 1_700_000_000_000
		e.Digest = sha256.Sum256([]byte(e.Key))
		copy(e.ID[:], e.Digest[:])
		e.Bytes, e.Body, e.Page = 300, BodyOwn, NoPage
		e.Previous, e.PreviousVersion, e.VersionTime, e.Change = record.NoTime, record.NoTime, e.Time, record.ChangeFirst
	}
	return entries
}

// cpuTime is the CPU time that the process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// stageEntries is how many entries a run is sorted of: as many as an import of
// small captures holds.
const stageEntries = 32 << 10

// BenchmarkIndex makes an index of unsorted entries, as imports and merges do: it sorts
// the entries in parts and then merges the parts. For comparison, the benchmark also
// writes the entries to bbolt, one key for each entry, sorted 10,000 at a time.
func BenchmarkIndex(b *testing.B) {
	unsorted := million(b)
	b.Run("infomall", func(b *testing.B) {
		var size int64
		var spent time.Duration
		for b.Loop() {
			entries := slices.Clone(unsorted)
			began := cpuTime(b)
			size = stageAndMerge(b, entries)
			spent += cpuTime(b) - began
		}
		b.ReportMetric(float64(b.N)*millionEntries/spent.Seconds(), "entries/cpu-s")
		b.ReportMetric(float64(size)/millionEntries, "index-bytes/entry")
	})
	b.Run("bbolt", func(b *testing.B) {
		some := unsorted[:millionEntries/5]
		var spent time.Duration
		for b.Loop() {
			began := cpuTime(b)
			plainIndex(b, slices.Clone(some), 0.5).Close()
			spent += cpuTime(b) - began
		}
		b.ReportMetric(float64(b.N*len(some))/spent.Seconds(), "entries/cpu-s")
	})
}

// stageAndMerge indexes entries and tells how many bytes that takes.
func stageAndMerge(b *testing.B, entries []Stored) (size int64) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "index")
	x, err := indexfile.NewBuilder(disk.OS, path+".staged")
	if err != nil {
		b.Fatal(err)
	}
	var infos []*Info
	for part := range slices.Chunk(entries, stageEntries) {
		order := make([]*Entry, len(part))
		for i := range part {
			order[i] = &part[i].Entry
		}
		slices.SortFunc(order, (*Entry).Compare)
		info := &Info{ID: uint32(len(infos) + 1)}
		infos = append(infos, info)
		_, err := x.Add(info.Bucket(), func(put func(k, v []byte) error) error {
			w := chunkWriter{put: put, segment: info.ID}
			for _, e := range order {
				if err := w.add(e); err != nil {
					return err
				}
			}
			return w.finish()
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Finish(); err != nil {
		b.Fatal(err)
	}
	staged, err := indexfile.Open(path + ".staged")
	if err != nil {
		b.Fatal(err)
	}
	defer staged.Close()
	if x, err = indexfile.NewBuilder(disk.OS, path); err != nil {
		b.Fatal(err)
	}
	size, err = x.Add([]byte("000000"), func(put func(k, v []byte) error) error {
		w := chunkWriter{put: put}
		if err := mergeStaged(staged, infos, w.add); err != nil {
			return err
		}
		return w.finish()
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := x.Finish(); err != nil {
		b.Fatal(err)
	}
	return size
}

// chunkWriter puts entries into a bucket.
type chunkWriter struct {
	put     func(k, v []byte) error
	segment uint32
	entries []Stored
	number  uint32
	front   frontWriter
	starts  startsWriter
	last    pair
}

func (w *chunkWriter) add(e *Entry) error {
	w.entries = append(w.entries, Stored{Entry: *e})
	if len(w.entries) < runEntries {
		return nil
	}
	return w.flush()
}

func (w *chunkWriter) flush() error {
	if len(w.entries) == 0 {
		return nil
	}
	if w.last.key != nil {
		w.last.seal(w.segment)
		if err := w.put(w.last.key, w.last.value); err != nil {
			return err
		}
	}
	front, flags := w.front.append(nil, w.entries)
	key := chunkKey(&w.entries[len(w.entries)-1], w.number)
	w.last = pair{key, appendChunkOf(w.starts.link(key), w.number, w.entries, front, flags)}
	w.starts.add(w.number, key)
	w.entries = w.entries[:0]
	w.number++
	return nil
}

// finish puts what is left.
func (w *chunkWriter) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	w.last.seal(w.segment, linkLast)
	return w.put(w.last.key, w.last.value)
}

// stagedRun is what is left of one that is merged.
type stagedRun struct {
	c       *ChunkCursor
	entries []Entry
	next    int
}

type stagedRuns []*stagedRun

func (r stagedRuns) Len() int { return len(r) }
func (r stagedRuns) Less(i, j int) bool {
	return r[i].entries[r[i].next].Less(&r[j].entries[r[j].next])
}
func (r stagedRuns) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *stagedRuns) Push(x any)   { *r = append(*r, x.(*stagedRun)) }
func (r *stagedRuns) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// mergeStaged hands on the entries of all staged runs, in order.
func mergeStaged(x *indexfile.File, infos []*Info, add func(*Entry) error) error {
	var runs stagedRuns
	for _, info := range infos {
		r := &stagedRun{c: NewReader(disk.OS, info, x, nil).Chunks(WantAll)}
		defer r.c.Close()
		chunk, err := r.c.Seek("")
		if err != nil {
			return err
		}
		r.entries = chunk.AppendEntries(nil)
		runs = append(runs, r)
	}
	heap.Init(&runs)
	for len(runs) > 0 {
		r := runs[0]
		if err := add(&r.entries[r.next]); err != nil {
			return err
		}
		if r.next++; r.next == len(r.entries) {
			chunk, err := r.c.Next()
			if err != nil {
				return err
			}
			if chunk == nil {
				heap.Pop(&runs)
				continue
			}
			r.entries, r.next = chunk.AppendEntries(r.entries[:0]), 0
		}
		heap.Fix(&runs, 0)
	}
	return nil
}

// plainIndex has an entry a key in a bbolt database: the key of the URL and the
// time, and what else the entry has in some 60 bytes.
func plainIndex(b *testing.B, entries []Stored, fill float64) *bolt.DB {
	b.Helper()
	db, err := bolt.Open(filepath.Join(b.TempDir(), "plain.bolt"), 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	for part := range slices.Chunk(entries, 10_000) {
		slices.SortFunc(part, func(a, b Stored) int { return a.Compare(&b.Entry) })
		err := db.Update(func(tx *bolt.Tx) error {
			k, err := tx.CreateBucketIfNotExists(plainBucket)
			if err != nil {
				return err
			}
			k.FillPercent = fill
			for i := range part {
				if err := k.Put(chunkKey(&part[i], 0), append(part[i].Digest[:], make([]byte, 28)...)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return db
}

var plainBucket = []byte("captures")

// BenchmarkEntry finds one capture's entry among a million, the index warm, and
// beside it a key of bbolt.
func BenchmarkEntry(b *testing.B) {
	entries := million(b)
	slices.SortFunc(entries, func(a, b Stored) int { return a.Compare(&b.Entry) })
	dir := b.TempDir()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	f, err := disk.Create(disk.OS, filepath.Join(dir, "7.raw"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	blocks := NewBlocks(BlocksMax)
	blocks.Valid(map[uint32]string{7: "200807"})
	w := NewWriter(f, enc, "200807", 7, len(entries), blocks)
	body := make([]byte, 300)
	for i := range entries {
		binary.LittleEndian.PutUint64(body, uint64(i))
		if _, err := w.Add(entries[i], Content{Body: slices.Clone(body)}); err != nil {
			b.Fatal(err)
		}
	}
	info, err := w.Finish()
	if err != nil {
		b.Fatal(err)
	}
	info.File, info.Index = "7.raw", "7.idx"
	if err := writeIndex(filepath.Join(dir, info.Index), &info, w); err != nil {
		b.Fatal(err)
	}
	b.Run("infomall", func(b *testing.B) {
		x, err := indexfile.Open(filepath.Join(dir, info.Index))
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		s := NewReader(disk.Inside(disk.OS, dir), &info, x, nil)
		defer s.Close()
		n := 0
		var found []Entry
		for b.Loop() {
			n = (n*7919 + 1) % len(entries)
			if !s.MayHave(entries[n].Key) {
				b.Fatal(entries[n].Key)
			}
			c := s.Only(entries[n].Key, WantAll)
			chunk, err := c.Seek(entries[n].Key)
			if err != nil || chunk == nil {
				b.Fatal(entries[n].Key, err)
			}
			if found = chunk.AppendEntries(found[:0]); found[0].ID != entries[n].ID {
				b.Fatal(entries[n].Key)
			}
			c.Close()
		}
		b.ReportMetric(float64(info.IndexBytes)/float64(len(entries)), "index-bytes/entry")
	})
	b.Run("bbolt", func(b *testing.B) {
		db := plainIndex(b, entries, 1)
		defer db.Close()
		n := 0
		for b.Loop() {
			n = (n*7919 + 1) % len(entries)
			err := db.View(func(tx *bolt.Tx) error {
				if tx.Bucket(plainBucket).Get(chunkKey(&entries[n], 0)) == nil {
					b.Fatal(entries[n].Key)
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
