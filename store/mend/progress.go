package mend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// fileVerify is the name of the file that records how far verifications have come.
// The file only saves work: if it is lost or damaged, verifications begin again.
const fileVerify = "verify"

// kindVerify is the word in the first line of the file fileVerify that says which kind
// of file it is.
const kindVerify = "verify"

// noteEvery is how often a running verification writes its progress.
const noteEvery = 10 * time.Second

// progress is the content of the file fileVerify: how far verifications have come.
// In its lines, ⇥ stands for a tab:
//
//	infomall verify ⇥ draft 1
//	next ⇥ n ⇥ part        for VERIFY SAMPLE in n parts: which part is next, from 0
//	clean ⇥ pool ⇥ n ⇥ numbers of db-files by blanks      of a verification that has not come to its end
//	crc32c ⇥ eight hex digits of everything before this line
type progress struct {
	next  map[int]int // by number of parts: the number of the next part
	going bool        // the fields below describe a verification that has not come to its end
	pool  string      // the pool that it verifies; "" for all
	of    int         // into how many parts it divides the archive; 0 or 1 for none
	clean []uint32    // numbers of the db-files that it has found undamaged
}

func (s *progress) encode() []byte {
	b := lines.New(kindVerify)
	var sizes []int
	for n := range s.next {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	for _, n := range sizes {
		b = lines.Append(b, "next", n, s.next[n])
	}
	if s.going {
		b = lines.Append(b, "clean", s.pool, s.of, s.clean)
	}
	return lines.Seal(b)
}

var errProgress = errors.New("it is damaged: its notes about unfinished verifications are ignored; the next VERIFY SAMPLE writes it again")

func decodeProgress(b []byte) (*progress, error) {
	r, err := lines.Open(b, kindVerify, errProgress)
	if other := new(disk.FormatError); errors.As(err, &other) {
		other.Remedy = "the next VERIFY SAMPLE writes it again"
	}
	if err != nil {
		return nil, err
	}
	s := &progress{next: make(map[int]int)}
	for r.Next() {
		switch r.Text() {
		case "next":
			n := int(r.Int())
			s.next[n] = int(r.Int())
		case "clean":
			s.going, s.pool, s.of, s.clean = true, r.Text(), int(r.Int()), r.IDs()
		default:
			r.Fail()
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// readProgress reads the file that records how far verifications have come. It
// returns an empty progress if there is no such file.
func (m *Maintenance) readProgress() (*progress, error) {
	b, err := disk.ReadFile(m.folder.Files(), fileVerify)
	if errors.Is(err, os.ErrNotExist) {
		return &progress{next: make(map[int]int)}, nil
	}
	if err != nil {
		return nil, err
	}
	return decodeProgress(b)
}

// recall reads the stored progress. It sets y.part to the part of a sample that is next, and
// y.clean to the db-files that an unfinished verification of the same kind has found undamaged. If
// the progress cannot be read, recall reports that as a fault, and the verification begins from the
// start.
func (y *verifier) recall() error {
	y.noted = y.m.now()
	s, err := y.m.readProgress()
	if err != nil {
		return y.report(task.Finding{File: fileVerify, Offset: -1, What: err.Error(), Time: record.NoTime})
	}
	if y.o.Sample > 1 {
		y.part = s.next[y.o.Sample] % y.o.Sample
	}
	if s.going && s.pool == y.o.Pool && s.of == y.o.Sample {
		y.clean = s.clean
	}
	return nil
}

// isClean reports whether the db-file of segment s was already found undamaged, by this
// verification or by the unfinished one that it continues.
func (y *verifier) isClean(s *segment.Info) bool { return slices.Contains(y.clean, s.Number()) }

// noteNow stores the progress if at least noteEvery has passed since it was stored last.
func (y *verifier) noteNow() error {
	if y.m.now().Sub(y.noted) < noteEvery {
		return nil
	}
	return y.note()
}

// note stores how far the verification has come. It does nothing in a dry run, or in a
// session that may not write. It ignores an error of the write, except at the end of a
// part of a sample, because the next VERIFY SAMPLE could then not know which part is
// next.
func (y *verifier) note() error {
	if y.o.Stateless || y.o.Dry || y.v.Pin.Generation == 0 {
		return nil
	}
	m := y.m
	y.noted = m.now()
	s, err := m.readProgress()
	if err != nil {
		s = &progress{next: make(map[int]int)}
	}
	before := s.encode()
	mine := s.going && s.pool == y.o.Pool && s.of == y.o.Sample
	switch {
	case y.whole && y.o.Sample > 1:
		s.next[y.o.Sample] = (y.part + 1) % y.o.Sample
		fallthrough
	case y.whole:
		if mine || err != nil {
			s.going, s.clean = false, nil
		}
	case len(y.clean) > 0:
		s.going, s.pool, s.of, s.clean = true, y.o.Pool, y.o.Sample, y.clean
	}
	after := s.encode()
	if err == nil && bytes.Equal(before, after) {
		return nil
	}
	// The lock keeps a process that sweeps from removing the half-written file. The progress is
	// stored even if the statement was cancelled.
	err = m.folder.Locked(context.Background(), func(disk.File) error {
		if len(s.next) == 0 && !s.going {
			return m.folder.Files().Remove(fileVerify)
		}
		return disk.WriteFile(m.folder.Files(), fileVerify, after)
	})
	if err != nil && y.o.Sample > 1 && y.whole {
		return fmt.Errorf("store which part of the sample is next: %w", err)
	}
	return nil
}
