package reports

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infomall/exec/dedup"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/record/task"
)

// errRow is returned for a row that Rows did not make.
var errRow = errors.New("a stored text of the sets of near-copies is damaged")

// Rows yields the texts as rows to store, sorted by key, with what the next update needs to
// know of them. The key is the ID. Call it after Update. A row is valid until the next one.
func (s *State) Rows() iter.Seq[task.ResultRow] {
	return func(yield func(task.ResultRow) bool) {
		order := make([]uint32, len(s.texts))
		for i := range order {
			order[i] = uint32(i)
		}
		slices.SortFunc(order, func(a, b uint32) int {
			if s.texts[a].ID < s.texts[b].ID {
				return -1
			}
			return 1
		})
		var key, val []byte
		for _, n := range order {
			t := &s.texts[n]
			key = binary.BigEndian.AppendUint64(key[:0], t.ID)
			val = t.append(val[:0])
			val = binary.LittleEndian.AppendUint64(val, s.texts[t.cluster].ID)
			val = binary.LittleEndian.AppendUint64(val, s.texts[t.leader].ID)
			val = binary.AppendUvarint(val, uint64(t.made))
			if !yield(task.ResultRow{Key: key, Value: val}) {
				return
			}
		}
	}
}

// append appends the text to dst, without its ID.
func (t *Text) append(dst []byte) []byte {
	for _, at := range [...]record.Time{t.Published, t.Seen} {
		dst = binary.AppendVarint(dst, int64(at))
	}
	dst = packed.AppendSized(dst, t.URL)
	dst = packed.AppendSized(dst, t.Host)
	return append(dst, t.Print[:]...)
}

// Load returns the State whose rows in yields. An error says which row is damaged.
func Load(in iter.Seq2[task.ResultRow, error]) (*State, error) {
	s := &State{}
	var refs [][2]uint64 // the IDs of the cluster and the leader of each text
	for row, err := range in {
		if err != nil {
			return nil, err
		}
		r := packed.Reader{B: row.Value}
		t := text{Text: Text{Published: record.Time(r.Varint()), Seen: record.Time(r.Varint()), URL: r.Text(), Host: r.Text()}}
		copy(t.Print[:], r.Take(len(dedup.Print{})))
		ids := r.Take(16)
		made := r.Uvarint()
		if r.Bad || len(r.B) > 0 || len(row.Key) != 8 || made > 1<<31 {
			return nil, fmt.Errorf("row %d: %w", len(refs)+1, errRow)
		}
		t.made = uint32(made)
		t.ID = binary.BigEndian.Uint64(row.Key)
		if !s.add(t) {
			return nil, fmt.Errorf("row %d: %w", len(refs)+1, errRow)
		}
		refs = append(refs, [2]uint64{binary.LittleEndian.Uint64(ids), binary.LittleEndian.Uint64(ids[8:])})
		s.updates = max(s.updates, t.made)
	}
	for i := range s.texts {
		t := &s.texts[i]
		cluster, ok := s.of[refs[i][0]]
		leader, found := s.of[refs[i][1]]
		if !ok || !found {
			return nil, fmt.Errorf("row %d: %w", i+1, errRow)
		}
		t.cluster, t.leader = cluster, leader
	}
	s.grouped = len(s.texts)
	return s, s.check()
}

// check returns an error if the texts of some set have no owner, or a leader that is not its
// own.
func (s *State) check() error {
	owned := make(map[uint32]bool)
	for i := range s.texts {
		if t := &s.texts[i]; t.made != 0 {
			owned[t.leader] = true
		}
	}
	for i := range s.texts {
		if l := s.texts[i].leader; !owned[l] || s.texts[l].leader != l {
			return fmt.Errorf("the set of %s: %w", strings.ToValidUTF8(s.texts[i].URL, "?"), errRow)
		}
	}
	return nil
}
