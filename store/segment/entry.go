package segment

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
)

// ID identifies a body within the archive: the first half of its sha256. For a body
// that is not in the archive, StandInID makes an ID.
type ID [16]byte

// BodyForm says where an entry's body is stored.
type BodyForm uint8

// The values of BodyForm: the places where the body of an entry may be stored.
const (
	BodyNone      BodyForm = iota // not in the archive: a revisit whose original was not found
	BodyOwn                       // in this segment: the entry's recipe names its blocks
	BodyHeld                      // not with this entry, but with another entry of the same URL that has the same ID
	BodyElsewhere                 // not with this entry, but with an entry of the URL HolderKey that has the same ID
)

// Entry is one stored capture, as far as the index describes it.
//
// Previous, VersionTime, PreviousVersion and Change are hints: they are correct if
// the archive has only the captures that the segment's writer knew. A scan corrects
// them if another capture is now directly before this one.
type Entry struct {
	Key       string // SURT sort key of the canonical URL
	Time      record.Time
	Seq       int64 // order within a millisecond: the offset in the source
	Status    int32
	Kind      record.Kind
	Change    record.Change
	Via       record.Via
	Truncated bool
	Mime      string
	Bytes     int64 // size of the body; -1 if it is not known
	ID        ID
	// Content is a fingerprint of a page's leaves, whatever their order: equal for
	// two bodies with the same leaves. It is 0 for a body that is not divided into
	// leaves.
	Content         uint64
	Previous        record.Time
	VersionTime     record.Time
	PreviousVersion record.Time
	Sense           record.Sense // a hint, too: compares the version that begins here with the version at PreviousVersion
	Body            BodyForm
	Job             string
	Added           record.Time
}

// DividedMax is the size in bytes above which a body is stored undivided.
const DividedMax = 8 << 20

// Stored is one stored capture, complete: its Entry and the properties that only
// the db-file has.
type Stored struct {
	Entry
	Digest         record.Digest // sha256 of the body; zero for BodyNone
	Holder         Holder        // for BodyHeld and BodyElsewhere: where the entry with the body is
	HolderKey      string        // for BodyElsewhere: the key of the URL whose entry has the body
	Recipe         Recipe        // for BodyOwn: the blocks that make up the body
	Page           Page          // what was read from the body
	IP             string
	Origin         string
	AskedURL       string // "" if it is the canonical URL
	Location       string
	Source         string
	RecordID       string
	DeclaredDigest string
	RefersURL      string
	RefersTime     record.Time
	Head           []byte
	Framing        []byte
	Extra          []byte
	Request        []byte

	// Fold and Facts were computed from the body when it was imported. They are
	// written by Writer.Add and read back through Facts, not through Entries.
	// Either may be missing.
	//
	// Fold says how the blocks of the version that begins here relate to the blocks
	// of earlier versions of its URL. It is a hint, as Change is: it is correct if the
	// archive has only the captures that the segment's writer knew.
	Fold []byte
	// Facts, for BodyOwn, is what the body says beyond the facts of its blocks. It
	// depends only on the body and the head of its response.
	Facts []byte
}

// Refer makes e refer to owner, the entry that stores the body of e. The parameter at is the
// place of owner.
func (e *Stored) Refer(owner *Stored, at Holder) {
	e.Body, e.HolderKey, e.Holder = BodyHeld, "", at
	if owner.Key != e.Key {
		e.Body, e.HolderKey = BodyElsewhere, owner.Key
	}
}

// Holder is the place of the entry from which another entry has its body.
type Holder struct {
	Segment uint32 // 0 if both entries are in the same segment
	// Placed is set if Run and N are known. Run is the run of the entry that has the body, and
	// N is the number of that entry in the run.
	Placed bool
	Run, N uint32
}

// Page is what was read from a body when it was imported, such as its title. If a
// body does not have a property, because it is a picture for example, a number is
// -1 and a text "".
type Page struct {
	Title      string
	Lang       string
	Charset    string // the charset in which it was read
	Declared   string // the charset that the page or its header declares
	Source     string // how Charset was found
	Unread     string // why only the first ReadBytes of the body were read; "" if all were
	ReadBytes  int64  // 0 if all was read
	Reason     string // why the page seems to say that nothing is there (a soft 404)
	NoArchive  bool   // the page asks robots to keep no copy
	LinkCount  int64
	BlockCount int64 // number of leaves
}

// NoPage is the Page of a body that has none of the properties of a Page, such as a picture.
var NoPage = Page{LinkCount: -1, BlockCount: -1}

// StandInID returns the ID of a body that is not in the archive. It is equal for
// two captures that declare the same digest. Without a digest, it is made from the
// URL that the capture refers to.
func StandInID(declared, refersURL string) ID {
	sum := sha256.Sum256([]byte("no body\x00" + declared + "\x00" + refersURL))
	if declared != "" {
		sum = sha256.Sum256([]byte("no body\x00" + declared))
	}
	return ID(sum[:16])
}

// Compare returns a negative number if e comes before o, 0 if they are equal, and a positive
// number if e comes after o. It compares key, time and sequence first. Two captures that agree
// in these differ in status or ID, which Compare compares last. So the order does not depend on
// which capture was imported first.
func (e *Entry) Compare(o *Entry) int {
	if c := strings.Compare(e.Key, o.Key); c != 0 {
		return c
	}
	if c := cmp.Compare(e.Time, o.Time); c != 0 {
		return c
	}
	if c := cmp.Compare(e.Seq, o.Seq); c != 0 {
		return c
	}
	if c := cmp.Compare(e.Status, o.Status); c != 0 {
		return c
	}
	return bytes.Compare(e.ID[:], o.ID[:])
}

// Less reports whether the entry e comes before the entry o in the order of
// Compare.
func (e *Entry) Less(o *Entry) bool { return e.Compare(o) < 0 }

// Same reports whether e and o, two captures of one URL, are the same capture,
// imported twice. A revisit (a capture without a body of its own) is recognized by
// its place in the source, because one import may have found its body and the other
// not.
func (e *Entry) Same(o *Entry) bool {
	if e.Time != o.Time || e.Via != o.Via {
		return false
	}
	if e.revisit() && e.Seq == o.Seq {
		return true
	}
	return e.Status == o.Status && e.ID == o.ID
}

func (e *Entry) revisit() bool {
	return e.Via == record.ViaRevisit || e.Via == record.ViaNotModified
}

// The positions of bits in a value of the flags column, which has one value for
// each entry. Bit 0 is the lowest.
const (
	flagKind      = 0  // 3 bits
	flagChange    = 3  // 3 bits
	flagVia       = 6  // 2 bits
	flagBody      = 8  // 2 bits
	flagTruncated = 10 // 1 bit
	// flagChained: the entry before in this run is the previous capture of the same
	// URL, so the hints follow from it.
	flagChained = 11
	// flagSameID: the entry before in this run has the same URL, ID, Content, Bytes
	// and Page. These are not stored again.
	flagSameID = 12
	// flagHinted: the entry is not chained, but there was a previous capture. Its
	// hints are stored.
	flagHinted = 13
	// flagContent: the body has blocks, and Content is stored with the ID.
	flagContent = 14
	// flagNoArchive: robots are asked to keep no copy.
	flagNoArchive = 15
	flagSense     = 16 // 2 bits
	flagBits      = 18
)

// front holds the decoded front columns of a run: the columns that both the index
// and the db-file have.
type front struct {
	n      int          // number of entries
	keys   []string     // one for each URL
	ends   column.Texts // the endings of the keys, which are stored apart; used only while the keys are decoded
	counts []int64      // number of entries of each key
	time   []int64
	seq    []int64
	status []int64
	flags  []int64
	mime   []string
	bytes  []int64
	hints  [3][]int64 // previous, version time and previous version of the hinted entries
	job    []string
	added  []int64
}

// The front columns, in the order in which they are stored. They are the columns
// that both the index and the db-file have.
const (
	colKeys = iota
	colCounts
	colTime
	colSeq
	colStatus
	colFlags
	colMime
	colBytes
	colHint0
	colHint1
	colHint2
	colJob
	colAdded
	frontCols
)

// frontWriter encodes the front columns of one run after another, in the same
// memory. Only one goroutine may use it.
type frontWriter struct {
	keys        []string
	counts      []int64
	ints        [frontCols][]int64 // the columns that have one value for each entry
	hints       [3][]int64
	mimes, jobs []string
	room        []string
	own         []int64 // body sizes of the entries without flagSameID
	column      []byte
}

// append appends the encoded front columns of entries, which must be sorted, to
// dst. It returns the longer slice and the flags of the entries, which are valid
// until the next call. Without entries it appends a single zero.
func (w *frontWriter) append(dst []byte, entries []Stored) ([]byte, []int64) {
	n := len(entries)
	if n == 0 {
		return append(dst, 0), nil
	}
	w.keys, w.counts, w.own = w.keys[:0], w.counts[:0], w.own[:0]
	for _, c := range []int{colTime, colSeq, colStatus, colFlags, colAdded} {
		w.ints[c] = column.Sized(w.ints[c], n)
	}
	for i := range w.hints {
		w.hints[i] = w.hints[i][:0]
	}
	w.mimes, w.jobs = column.Sized(w.mimes, n), column.Sized(w.jobs, n)
	for i := range entries {
		w.take(entries, i)
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = binary.AppendUvarint(dst, uint64(len(w.keys)))
	w.room = column.Sized(w.room, len(w.keys))
	w.column = column.AppendTightKeys(w.column[:0], w.keys, w.room)
	dst = packed.AppendSized(dst, w.column)
	dst = w.appendInts(dst, w.counts)
	for _, c := range []int{colTime, colSeq, colStatus, colFlags} {
		dst = w.appendInts(dst, w.ints[c])
	}
	dst = w.appendTexts(dst, w.mimes)
	dst = w.appendInts(dst, w.own)
	for _, h := range w.hints {
		dst = w.appendInts(dst, h)
	}
	dst = w.appendTexts(dst, w.jobs)
	dst = w.appendInts(dst, w.ints[colAdded])
	return dst, w.ints[colFlags]
}

// take adds the values of entries[i] to the columns.
func (w *frontWriter) take(entries []Stored, i int) {
	e := &entries[i].Entry
	var before *Entry
	if i > 0 && entries[i-1].Key == e.Key {
		before = &entries[i-1].Entry
		w.counts[len(w.counts)-1]++
	} else {
		w.keys = append(w.keys, e.Key)
		w.counts = append(w.counts, 1)
	}
	f := int64(e.Kind)<<flagKind | int64(e.Change)<<flagChange | int64(e.Via)<<flagVia | int64(e.Body)<<flagBody | int64(e.Sense)<<flagSense
	if e.Truncated {
		f |= 1 << flagTruncated
	}
	// Even if two bodies are equal, their Pages may differ: the body of an error
	// page is read in another way than that of a page.
	if before != nil && before.ID == e.ID && before.Content == e.Content && before.Bytes == e.Bytes && entries[i-1].Page == entries[i].Page {
		f |= 1 << flagSameID
	} else {
		w.own = append(w.own, e.Bytes)
	}
	if e.Content != 0 {
		f |= 1 << flagContent
	}
	if entries[i].Page.NoArchive {
		f |= 1 << flagNoArchive
	}
	switch {
	case before != nil && chained(before, e):
		f |= 1 << flagChained
	case e.Previous != record.NoTime:
		f |= 1 << flagHinted
		w.hints[0] = append(w.hints[0], int64(e.Time-e.Previous))
		w.hints[1] = append(w.hints[1], int64(e.Time-e.VersionTime))
		version := int64(-1) // there is no earlier version
		if e.PreviousVersion != record.NoTime {
			version = int64(e.Time - e.PreviousVersion)
		}
		w.hints[2] = append(w.hints[2], version)
	}
	w.ints[colTime][i], w.ints[colSeq][i], w.ints[colStatus][i], w.ints[colFlags][i] = int64(e.Time), e.Seq, int64(e.Status), f
	w.ints[colAdded][i] = int64(e.Added)
	w.mimes[i], w.jobs[i] = e.Mime, e.Job
}

func (w *frontWriter) appendInts(dst []byte, v []int64) []byte {
	w.column = column.AppendInts(w.column[:0], v)
	return packed.AppendSized(dst, w.column)
}

func (w *frontWriter) appendTexts(dst []byte, v []string) []byte {
	w.column = column.AppendTexts(w.column[:0], v)
	return packed.AppendSized(dst, w.column)
}

// chained reports whether the hints of the entry e follow from before, the previous
// entry of the same URL, so that they need not be stored.
func chained(before, e *Entry) bool {
	if e.Previous != before.Time {
		return false
	}
	if e.Change == record.ChangeSame {
		return e.VersionTime == before.VersionTime && e.PreviousVersion == before.PreviousVersion
	}
	return e.VersionTime == e.Time && e.PreviousVersion == before.VersionTime
}

// entriesMax bounds the number of entries in a run. A file that claims more is
// damaged.
const entriesMax = 1 << 16

// frontParts holds the front columns of a run (those that the index has too), cut
// apart but still encoded.
type frontParts struct {
	n, k int // number of entries and number of URLs; if n is 0, there are no columns
	cols [frontCols][]byte
}

// cutFront cuts the encoded front columns off the beginning of r and returns them.
// They share r's memory. If the run has no entries, p is zero.
func cutFront(r *packed.Reader) (p frontParts, err error) {
	n := r.Uvarint()
	if n == 0 && !r.Bad {
		return p, nil
	}
	k := r.Uvarint()
	if r.Bad || n > entriesMax || k == 0 || k > n {
		return p, column.ErrDamaged
	}
	for i := range p.cols {
		p.cols[i] = r.Sized()
	}
	if r.Bad {
		return p, column.ErrDamaged
	}
	p.n, p.k = int(n), int(k)
	return p, nil
}

// keys decodes the keys of the run's URLs, and fills ends with their endings, which
// are stored apart. It reuses dst if that is large enough.
func (p *frontParts) keys(dst []string, ends *column.Texts) ([]string, error) {
	stems, err := column.CutEndings(ends, p.cols[colKeys], p.k)
	if err != nil {
		return nil, err
	}
	return column.DecodeKeys(dst, stems, p.k, ends)
}

// flags decodes the flags of all entries. It reuses dst if that is large enough.
func (p *frontParts) flags(dst []int64) ([]int64, error) {
	flags, err := column.DecodeInts(dst, p.cols[colFlags], p.n)
	if err != nil {
		return nil, err
	}
	for _, x := range flags {
		if !validFlags(x) {
			return nil, column.ErrDamaged
		}
	}
	return flags, nil
}

// ownBytes returns how many of the entries with these flags have a value of their
// own in the column of body sizes: those without flagSameID. The flags must begin
// with those of the first entry of a run, or of a URL; that entry always counts.
func (p *frontParts) ownBytes(flags []int64) int {
	own := 0
	for i, x := range flags {
		if x>>flagSameID&1 == 0 || i == 0 {
			own++
		}
	}
	return own
}

// spread expands own, the body sizes of the entries that have one of their own, to
// one size for each entry. An entry with flagSameID gets the size of the entry
// before. The result uses the memory of own if that is large enough.
func (p *frontParts) spread(own, flags []int64) []int64 {
	next := len(own)
	if next == len(flags) {
		return own
	}
	all := slices.Grow(own, len(flags)-next)[:len(flags)]
	for i := len(flags) - 1; i >= 0; i-- {
		all[i] = all[next-1]
		if flags[i]>>flagSameID&1 == 0 {
			next--
		}
	}
	return all
}

// decode cuts the front columns off the beginning of r. It decodes keys, counts,
// flags, and the columns whose bits are set in want. It reuses the memory of f,
// which must have been decoded with the same want.
func (f *front) decode(r *packed.Reader, want uint) error {
	p, err := cutFront(r)
	if err != nil {
		*f = front{}
		return err
	}
	return f.decodeParts(&p, want)
}

// decodeParts does what decode does, for front columns that cutFront has cut apart already.
func (f *front) decodeParts(p *frontParts, want uint) (err error) {
	if p.n == 0 {
		*f = front{}
		return nil
	}
	n, k, cols := p.n, p.k, &p.cols
	f.n = n
	if f.keys, err = p.keys(f.keys, &f.ends); err != nil {
		return err
	}
	if f.counts, err = decodeCounts(f.counts, cols[colCounts], n, k); err != nil {
		return err
	}
	if f.flags, err = p.flags(f.flags); err != nil {
		return err
	}
	hinted := 0
	for _, x := range f.flags {
		hinted += int(x >> flagHinted & 1)
	}
	for _, c := range []struct {
		col int
		dst *[]int64
		n   int
	}{
		{colTime, &f.time, f.n}, {colSeq, &f.seq, f.n}, {colStatus, &f.status, f.n}, {colBytes, &f.bytes, p.ownBytes(f.flags)},
		{colHint0, &f.hints[0], hinted}, {colHint1, &f.hints[1], hinted}, {colHint2, &f.hints[2], hinted},
		{colAdded, &f.added, f.n},
	} {
		if want>>c.col&1 == 0 {
			continue
		}
		if *c.dst, err = column.DecodeInts(*c.dst, cols[c.col], c.n); err != nil {
			return err
		}
	}
	if want>>colBytes&1 != 0 {
		f.bytes = p.spread(f.bytes, f.flags)
	}
	if want>>colMime&1 != 0 {
		if f.mime, err = column.DecodeTexts(f.mime, cols[colMime], f.n); err != nil {
			return err
		}
	}
	if want>>colJob&1 != 0 {
		if f.job, err = column.DecodeTexts(f.job, cols[colJob], f.n); err != nil {
			return err
		}
	}
	return nil
}

// decodeCounts decodes how many of the n entries each of the k URLs has. It reuses
// dst if that is large enough.
func decodeCounts(dst []int64, src []byte, n, k int) ([]int64, error) {
	counts, err := column.DecodeInts(dst, src, k)
	if err != nil {
		return nil, err
	}
	sum := int64(0)
	for _, c := range counts {
		if c <= 0 || c > int64(n) {
			return nil, column.ErrDamaged
		}
		sum += c
	}
	if sum != int64(n) {
		return nil, column.ErrDamaged
	}
	return counts, nil
}

// validFlags reports whether x is a value that a writer can have put into the flags
// column.
func validFlags(x int64) bool {
	return x>>flagKind&7 <= int64(record.KindError) && x>>flagChange&7 <= int64(record.ChangeSame) &&
		record.Sense(x>>flagSense&3).Valid() && x>>flagBits == 0
}

// These are sets of front columns, with one bit for each column: wantAll has all columns, and wantPages
// has the columns that AppendPages reads. Keys and flags are in no set, because they are always decoded.
const (
	wantAll   = 1<<frontCols - 1
	wantPages = 1<<colMime | 1<<colBytes
)

// appendEntries makes the entries from the front columns and appends them to dst. The
// fields of columns that were not decoded are zero. The IDs are zero too, because they
// are stored after the front columns.
func (f *front) appendEntries(dst []Entry) []Entry {
	dst = slices.Grow(dst, f.n)
	out := dst[len(dst) : len(dst)+f.n]
	clear(out)
	f.fillAll(func(i int) *Entry { return &out[i] })
	return dst[:len(dst)+f.n]
}

// fillAll sets the fields of all entries, which must be zero. The function at returns the address
// of entry i.
func (f *front) fillAll(at func(i int) *Entry) {
	i, hinted := 0, 0
	for k, key := range f.keys {
		var before *Entry
		for range f.counts[k] {
			e := at(i)
			e.Key = key
			f.fill(e, i)
			hinted += f.hint(e, before, i, hinted)
			before = e
			i++
		}
	}
}

// fill sets the fields of e to the values of entry i, except for key, ID, Content
// and hints. Fields of columns that were not decoded keep their values.
func (f *front) fill(e *Entry, i int) {
	fl := f.flags[i]
	e.Kind = record.Kind(fl >> flagKind & 7)
	e.Change = record.Change(fl >> flagChange & 7)
	e.Via = record.Via(fl >> flagVia & 3)
	e.Sense = record.Sense(fl >> flagSense & 3)
	e.Body = BodyForm(fl >> flagBody & 3)
	e.Truncated = fl>>flagTruncated&1 != 0
	if f.time != nil {
		e.Time = record.Time(f.time[i])
	}
	if f.seq != nil {
		e.Seq = f.seq[i]
	}
	if f.status != nil {
		e.Status = int32(f.status[i])
	}
	if f.mime != nil {
		e.Mime = f.mime[i]
	}
	if f.bytes != nil {
		e.Bytes = f.bytes[i]
	}
	if f.job != nil {
		e.Job = f.job[i]
	}
	if f.added != nil {
		e.Added = record.Time(f.added[i])
	}
}

// hint sets the hints of e, which is entry i: the times of the captures and
// versions before it. before is the previous entry in this run if it has the same
// URL, otherwise nil. hinted is the number of entries before e with stored hints.
// hint returns how many e adds to that number: 0 or 1.
func (f *front) hint(e, before *Entry, i, hinted int) int {
	e.Previous, e.PreviousVersion, e.VersionTime = record.NoTime, record.NoTime, e.Time
	fl := f.flags[i]
	switch {
	case f.time == nil:
		e.Previous, e.PreviousVersion, e.VersionTime = 0, 0, 0
	case fl>>flagChained&1 != 0 && before != nil:
		e.Previous = before.Time
		if e.Change == record.ChangeSame {
			e.VersionTime, e.PreviousVersion = before.VersionTime, before.PreviousVersion
		} else {
			e.PreviousVersion = before.VersionTime
		}
	case fl>>flagHinted&1 != 0 && f.hints[0] != nil:
		e.Previous = e.Time - record.Time(f.hints[0][hinted])
		e.VersionTime = e.Time - record.Time(f.hints[1][hinted])
		if v := f.hints[2][hinted]; v >= 0 {
			e.PreviousVersion = e.Time - record.Time(v)
		}
	}
	return int(fl >> flagHinted & 1)
}
