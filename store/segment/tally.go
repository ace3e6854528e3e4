package segment

import (
	"bytes"
	"slices"
	"strings"

	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
	"infomall/store/urlkey"
)

// Tally is a chunk (the index's part for one run) in a form that is fast to count.
// Columns with few distinct values are Codes: a list of values, and for each entry
// the position of its value in the list. Hosts are ranges of entries. Only the
// columns that the cursor wants are set. The next chunk overwrites them.
type Tally struct {
	Run uint32
	N   int // number of entries

	Status Codes // for each entry, the position of its status in Statuses
	Flags  Codes // for each entry, the position of its flags in FlagSets
	Mime   Codes // for each entry, the position of its media type in Mimes
	Job    Codes // for each entry, the position of its job in Jobs

	Statuses    []int64
	FlagSets    []Flags
	Changes     []record.Change // one for each of FlagSets
	Mimes, Jobs []string

	Hosts  []HostRun
	Keys   []string // one for each URL
	Counts []int64  // number of entries of each URL
	Times  []int64  // time of each entry, as record.Time
	Bytes  []int64
	Added  []int64 // when each entry was added, as record.Time

	flags []int64 // FlagSets as they are stored
	each  []int64 // the stored flags of each entry
	ends  column.Texts
	key   []byte
	hosts map[string]string // the host of each beginning of keys that the method host has met

	stored []byte // the encoded column of keys, for LoadKeys
	urls   int    // number of keys in stored
}

// Flags holds the properties of an entry that the flags column stores, a few bits for each.
type Flags struct {
	Kind      record.Kind
	Via       record.Via
	Body      BodyForm
	Truncated bool
}

// flagsOf extracts the Flags of an entry from x, its value in the flags column.
func flagsOf(x int64) Flags {
	return Flags{
		Kind: record.Kind(x >> flagKind & 7), Via: record.Via(x >> flagVia & 3),
		Body: BodyForm(x >> flagBody & 3), Truncated: x>>flagTruncated&1 != 0,
	}
}

// bits returns f as bits of a value in the flags column. flagsOf reverses it.
func (f Flags) bits() int64 {
	x := int64(f.Kind)<<flagKind | int64(f.Via)<<flagVia | int64(f.Body)<<flagBody
	if f.Truncated {
		x |= 1 << flagTruncated
	}
	return x
}

// HostRun is a range of N neighbouring entries whose URLs have the same host.
type HostRun struct {
	Host string // in the form of urlkey.Host
	N    int
}

// Codes is a column, stored as positions in a list of the column's values. The list
// itself is beside the Codes, as Tally.Statuses is beside Tally.Status. A list of
// strings may have a value several times.
type Codes struct {
	Values int // number of values in the list
	// At has the position for each entry; nil means that all are 0.
	At  []int64
	mem []int64
}

// decode decodes the columns in want of the chunk o into t. It keeps no reference to the
// memory of o.
func (t *Tally) decode(o openedChunk, want Want) error {
	t.Run = o.run
	p, err := cutFront(&o.rest)
	if err != nil {
		return err
	}
	t.N = p.n
	t.Hosts, t.Keys = t.Hosts[:0], t.Keys[:0]
	if p.n == 0 {
		return nil
	}
	t.FlagSets, t.Changes = t.FlagSets[:0], t.Changes[:0]
	if want&(WantFlags|WantLostKeys) != 0 {
		if err := t.decodeFlags(p.cols[colFlags]); err != nil {
			return err
		}
	}
	if want&WantLostKeys != 0 && slices.ContainsFunc(t.FlagSets, func(f Flags) bool { return f.Body == BodyNone }) {
		want |= WantKeys
	}
	if want&WantKeysLater != 0 {
		t.stored, t.urls = append(t.stored[:0], p.cols[colKeys]...), p.k
	}
	if want&(WantKeys|WantHosts|WantKeysLater) != 0 {
		if t.Counts, err = decodeCounts(t.Counts, p.cols[colCounts], p.n, p.k); err != nil {
			return err
		}
	}
	if want&WantKeys != 0 {
		if t.Keys, err = p.keys(t.Keys, &t.ends); err != nil {
			return err
		}
	}
	if want&WantHosts != 0 {
		if err := t.decodeHosts(&p); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		want Want
		col  int
		dst  *[]int64
	}{{WantTime, colTime, &t.Times}, {WantAdded, colAdded, &t.Added}} {
		if want&c.want == 0 {
			continue
		}
		if *c.dst, err = column.DecodeInts(*c.dst, p.cols[c.col], p.n); err != nil {
			return err
		}
	}
	if want&WantBytes != 0 {
		if err := t.decodeBytes(&p); err != nil {
			return err
		}
	}
	if want&WantStatus != 0 {
		if t.Statuses, err = t.Status.decodeInts(t.Statuses, p.cols[colStatus], p.n); err != nil {
			return err
		}
	}
	if want&WantMime != 0 {
		if t.Mimes, err = t.Mime.decodeTexts(p.cols[colMime], p.n); err != nil {
			return err
		}
	}
	if want&WantJob != 0 {
		if t.Jobs, err = t.Job.decodeTexts(p.cols[colJob], p.n); err != nil {
			return err
		}
	}
	return nil
}

// decodeBytes decodes the column of body sizes into t.Bytes. It also decodes the
// flags column, which says which entries have a size of their own.
func (t *Tally) decodeBytes(p *frontParts) (err error) {
	if t.each, err = column.DecodeInts(t.each, p.cols[colFlags], p.n); err != nil {
		return err
	}
	if t.Bytes, err = column.DecodeInts(t.Bytes, p.cols[colBytes], p.ownBytes(t.each)); err != nil {
		return err
	}
	t.Bytes = p.spread(t.Bytes, t.each)
	return nil
}

func (t *Tally) decodeFlags(src []byte) (err error) {
	if t.flags, err = t.Flags.decodeInts(t.flags, src, t.N); err != nil {
		return err
	}
	for _, x := range t.flags {
		if !validFlags(x) {
			return column.ErrDamaged
		}
		t.FlagSets = append(t.FlagSets, flagsOf(x))
		t.Changes = append(t.Changes, record.Change(x>>flagChange&7))
	}
	return nil
}

// decodeHosts sets t.Hosts to the ranges of entries with the same host. It needs
// t.Counts. For most keys it only reads how many bytes a key shares with the key
// before: that already shows that the host is the same.
func (t *Tally) decodeHosts(p *frontParts) error {
	stems, err := column.CutEndings(&t.ends, p.cols[colKeys], p.k)
	if err != nil {
		return err
	}
	r := packed.Reader{B: stems}
	// Of the key before, only the part that decides the host is kept.
	key, length, end := t.key[:0], uint64(0), 0
	for i, n := range t.Counts {
		shared, rest := r.Uvarint(), r.Uvarint()
		if r.Bad || shared > length || rest > uint64(len(r.B)) || length > column.KeyBytesMax {
			return column.ErrDamaged
		}
		added := r.B[:rest]
		r.B = r.B[rest:]
		length = shared + rest
		if end > 0 && shared >= uint64(end) {
			t.Hosts[len(t.Hosts)-1].N += int(n)
			continue
		}
		key = append(key[:shared], added...)
		var host string
		host, end = t.host(key, i)
		if last := len(t.Hosts) - 1; last >= 0 && t.Hosts[last].Host == host {
			t.Hosts[last].N += int(n)
			continue
		}
		t.Hosts = append(t.Hosts, HostRun{host, int(n)})
	}
	t.key = key
	if len(r.B) != 0 {
		return column.ErrDamaged
	}
	return nil
}

// hostsMax is how many beginnings of keys a Tally remembers at most.
const hostsMax = 1 << 12

// host returns the host of URL number i of the chunk, and the length of the beginning of its key
// that decides the host, see urlkey.HostPrefix. stem is the key without its ending.
//
// The next segment mostly has the same hosts, so t remembers them: a count of 600,000 captures by 400
// hosts in 159 segments takes a tenth less CPU time.
func (t *Tally) host(stem []byte, i int) (host string, end int) {
	if end = bytes.IndexByte(stem, ')') + 1; end > 0 {
		if host, ok := t.hosts[string(stem[:end])]; ok {
			return host, end
		}
	}
	key := string(stem) + t.ends.Of(i)
	host, end = urlkey.Host(urlkey.URL(key)), urlkey.HostPrefix(key)
	if end > 0 && len(t.hosts) < hostsMax {
		if t.hosts == nil {
			t.hosts = make(map[string]string)
		}
		t.hosts[strings.Clone(key[:end])] = strings.Clone(host)
	}
	return host, end
}

// decodeInts decodes src, a column of n integers, into c, and returns the list of
// its values. It uses the memory of list if possible.
func (c *Codes) decodeInts(list []int64, src []byte, n int) ([]int64, error) {
	if len(src) > 0 && src[0] == column.IntsDict {
		r := packed.Reader{B: src[1:]}
		k := r.Uvarint()
		if r.Bad || k == 0 || k > column.DictMax {
			return nil, column.ErrDamaged
		}
		list = list[:0]
		for range k {
			list = append(list, r.Varint())
		}
		return list, c.unpack(&r, int(k), n)
	}
	at, err := column.DecodeInts(c.mem, src, n)
	if err != nil {
		return nil, err
	}
	c.mem, c.At = at, at
	list = list[:0]
	place := make(map[int64]int64)
	for i, x := range at {
		if i > 0 && x == list[at[i-1]] {
			at[i] = at[i-1]
			continue
		}
		p, ok := place[x]
		if !ok {
			p = int64(len(list))
			place[x] = p
			list = append(list, x)
		}
		at[i] = p
	}
	if c.Values = len(list); c.Values == 1 {
		c.At = nil
	}
	return list, nil
}

// unpack decodes n positions in a list of k values into c.At. The positions must
// fill the rest of r.
func (c *Codes) unpack(r *packed.Reader, k, n int) error {
	width := column.PackWidth(uint64(k - 1))
	if r.Bad || column.PackedLen(n, width) != len(r.B) {
		return column.ErrDamaged
	}
	c.Values, c.mem = k, column.Sized(c.mem, n)
	c.At = c.mem
	column.Unpack(c.At, r.B, width, 0)
	return c.check()
}

// check returns an error if a position in c.At is outside the list of values.
func (c *Codes) check() error {
	most := uint64(0)
	for _, x := range c.At {
		most = max(most, uint64(x))
	}
	if most >= uint64(c.Values) {
		return column.ErrDamaged
	}
	return nil
}

// decodeTexts decodes src, a column of n strings, into c, and returns the list of
// its values. If the column is stored without such a list, the result has the
// string of each entry.
func (c *Codes) decodeTexts(src []byte, n int) ([]string, error) {
	if len(src) == 0 {
		return nil, column.ErrDamaged
	}
	switch src[0] {
	case column.TextsConst:
		c.Values, c.At = 1, nil
		return []string{string(src[1:])}, nil
	case column.TextsDict:
		dict, at, err := column.CutDict(src[1:], n)
		if err != nil {
			return nil, err
		}
		if c.mem, err = column.DecodeInts(c.mem, at, n); err != nil {
			return nil, err
		}
		c.Values, c.At = len(dict), c.mem
		return dict, c.check()
	}
	all, err := column.DecodeTexts(nil, src, n)
	if err != nil {
		return nil, err
	}
	c.Values, c.mem = n, column.Sized(c.mem, n)
	for i := range c.mem {
		c.mem[i] = int64(i)
	}
	c.At = c.mem
	return all, nil
}

// WantKeysLater makes a Tally keep the keys of a chunk encoded, so that LoadKeys can decode
// them later.
const WantKeysLater Want = 1 << (frontCols + 2)

// LoadKeys decodes the keys of the chunk into t.Keys. The cursor must have WantKeysLater among
// its columns. It saves time for a caller that needs the keys of few chunks: decoding the keys
// takes most of the time of a chunk.
func (t *Tally) LoadKeys() (err error) {
	stems, err := column.CutEndings(&t.ends, t.stored, t.urls)
	if err == nil {
		t.Keys, err = column.DecodeKeys(t.Keys, stems, t.urls, &t.ends)
	}
	return err
}

// PickKeys appends the keys of the URLs with these numbers, which are ascending, to dst. It takes
// less time and memory than LoadKeys if they are few. The cursor must have WantKeysLater among its
// columns.
func (t *Tally) PickKeys(dst []string, urls []int) ([]string, error) {
	if len(urls) == 0 {
		return dst, nil
	}
	stems, err := column.CutEndings(&t.ends, t.stored, t.urls)
	if err != nil {
		return nil, err
	}
	return column.PickKeys(dst, stems, &t.ends, urls)
}

// Titles returns a list that has the titles of all pages of the run; TitleAt gives the place of
// each entry's title in it. Mostly a title is in the list once, however many entries have it.
func (p *Pages) Titles() []string { return p.text[0].List }

// TitleAt returns the index in Titles of the title of entry i, or -1 if the entry has no
// body.
func (p *Pages) TitleAt(i int) int {
	t, n := &p.text[0], int(p.at[i])
	switch {
	case n < 0 || len(t.List) == 1:
		return min(n, 0)
	case t.At != nil:
		return int(t.At[n])
	}
	return n
}
