package segment

import (
	"fmt"
	"slices"

	"infomall/store/urlkey"
)

// Dictionary returns the runs that the content of run n of this segment builds on:
// they must be decompressed before it.
func (s *Reader) Dictionary(n uint32) ([]RunRef, error) {
	table, err := s.table()
	if err != nil {
		return nil, err
	}
	if _, _, err := span(table.ends, n); err != nil {
		return nil, Damage(s.Info.File, -1, err)
	}
	return table.behind[n], nil
}

// KnownDictionary returns what Dictionary returns, or nil if finding it out would mean
// reading a file.
func (s *Reader) KnownDictionary(n uint32) []RunRef {
	s.mu.Lock()
	defer s.mu.Unlock()
	if uint64(n) >= uint64(len(s.runs.behind)) {
		return nil
	}
	return s.runs.behind[n]
}

// record returns the record of run n. from is the offset in the db-file at which
// that record begins.
func (s *Reader) record(n uint32) (rec []byte, from int64, err error) { return s.recordIn(n, nil) }

// recordIn returns the record of run n, read into memory if that is large enough.
// from is the offset in the db-file at which that record begins.
func (s *Reader) recordIn(n uint32, memory []byte) (rec []byte, from int64, err error) {
	f, err := s.handle()
	if err != nil {
		return nil, 0, err
	}
	table, err := s.table()
	if err != nil {
		return nil, 0, err
	}
	from, end, err := span(table.ends, n)
	if err != nil {
		return nil, 0, Damage(s.Info.File, -1, err)
	}
	rec = room(memory, int(end-from))
	if err := readAt(f, rec, from); err != nil {
		return nil, 0, Damage(s.Info.File, from, err)
	}
	return rec, from, nil
}

// Repeat appends the next run of s to the segment that w writes. s is the earlier
// form of that segment; captures and blocks keep their places, so references to
// them stay valid. If entries is not nil, they replace the run's entries, with
// their Facts and Fold, and facts[i] replaces the facts of block i. If entries is
// nil and anew is not set, the record is copied unchanged. Otherwise the run is
// compressed again, with the dictionaries that w uses.
func (w *Writer) Repeat(s *Reader, entries []Stored, facts [][]byte, anew bool) error {
	n := uint32(len(w.table.ends))
	rec, _, err := s.record(n)
	if err != nil {
		return err
	}
	anew = anew || entries != nil
	r, err := openRun(rec, s.Info.ID, n, nil)
	if err == nil && anew {
		err = r.load(s.Others, true)
	}
	if err == nil && entries == nil {
		entries, err = withFacts(r, anew)
	}
	if err == nil && anew {
		err = w.refill(rec, r, entries, facts)
	}
	if err != nil {
		return Damage(s.Info.File, -1, fmt.Errorf("run %d: %w", n, err))
	}
	if w.run.states = r.head.kind == kindStates; w.run.states {
		w.useAll(entries)
	} else {
		w.countAll(entries)
	}
	if anew {
		return w.closeRun()
	}
	return w.same(rec, r, entries)
}

// withFacts returns the entries of the run r. If needed is set, they have their
// Fold and Facts.
func withFacts(r *Run, needed bool) ([]Stored, error) {
	entries, err := r.Meta.Entries()
	if err != nil || !needed {
		return entries, err
	}
	facts, err := r.Facts()
	if err != nil {
		return nil, err
	}
	return facts.Of(entries), nil
}

// Of returns a copy of entries, which are all entries of the run of f, with their
// Fold and Facts set.
func (f *Facts) Of(entries []Stored) []Stored {
	out := slices.Clone(entries)
	for i := range out {
		out[i].Fold, out[i].Facts = f.Fold(uint32(i)), f.Page(uint32(i))
	}
	return out
}

// countAll counts the entries of a run in the segment's Info, Bloom filter, census and sample, and
// records which other segments their bodies use.
func (w *Writer) countAll(entries []Stored) {
	for i := range entries {
		e := &entries[i]
		if w.last == nil || w.last.Key != e.Key {
			w.bloom.AddString(e.Key)
			w.info.URLs++
		}
		w.info.count(&e.Entry)
		w.census.add(&e.Entry)
		w.sample.add(&e.Entry)
		w.last = &Stored{Entry: e.Entry}
	}
	w.useAll(entries)
}

// useAll records which other segments have blocks that the bodies of entries use.
func (w *Writer) useAll(entries []Stored) {
	for i := range entries {
		for _, s := range entries[i].Recipe.Spans {
			if s.Segment != w.info.ID {
				w.uses[s.Segment] = true
			}
		}
	}
}

// same appends rec, the record of the run r with these entries, unchanged to the
// db-file, and adds its chunk to the index.
func (w *Writer) same(rec []byte, r *Run, entries []Stored) error {
	h, size, err := peekHead(rec)
	if err != nil {
		return err
	}
	for _, d := range h.behind {
		w.uses[d.Segment] = true
	}
	if n := len(entries); w.run.states {
		w.info.States++
	} else if n > 0 {
		key := chunkKey(&entries[n-1], h.run)
		if err := w.chunk(h.run, pair{key, appendChunk(w.starts.link(key), h.run, entries)}); err != nil {
			return err
		}
	}
	w.info.Blocks += int64(len(r.ends))
	begin := w.info.Bytes
	if err := w.write(rec); err != nil {
		return err
	}
	w.table.add(w.info.Bytes, begin+int64(size+h.metaLength()), h.behind)
	w.noteNeeds(h.behind, r.blockBytes())
	return nil
}

// refill makes r, which was decoded from the record rec, the current run of w, and
// replaces its entries. blocks are the new facts of its blocks; if nil, the blocks keep
// their facts.
func (w *Writer) refill(rec []byte, r *Run, entries []Stored, blocks [][]byte) error {
	h, _, err := peekHead(rec)
	if err != nil {
		return err
	}
	content, err := r.Content()
	if err != nil {
		return err
	}
	facts, err := r.Facts()
	if err != nil {
		return err
	}
	again := run{mem: w.run.mem, states: w.run.states, entries: entries, facts: blocks, bytes: len(content), packed: r.Meta.packed, pack: w.run.pack, short: w.run.short, weight: w.run.weight, key: urlkey.Key(h.url), time: h.date}
	for i := range entries {
		for _, s := range entries[i].Recipe.Spans {
			again.weight[RunRef{s.Segment, s.Run}] += int64(s.Count)
		}
	}
	if again.ids, err = r.BlockIDs(); err != nil {
		return err
	}
	for i := range again.ids {
		b, err := r.Block(uint32(i))
		if err != nil {
			return err
		}
		again.blocks = append(again.blocks, b)
		if blocks == nil {
			again.facts = append(again.facts, facts.Kept(uint32(i)))
		}
	}
	w.run = again
	return nil
}
