package segment

import (
	"encoding/binary"
	"strings"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
	"infomall/store/urlkey"
)

// Census counts the captures of a segment by host and by trait. A query that only
// counts then need not read each capture. The index has a census only if it is
// small compared to the captures.
type Census struct {
	Hosts  []HostCensus  // sorted by key; nil if there are too many
	Traits []TraitCensus // nil if there are too many
}

// HostCensus is the number of neighbouring captures whose URLs have the same host,
// with the first and last time among them.
type HostCensus struct {
	Host        string // in the form of urlkey.Host
	First, Last record.Time
	Captures    int64
}

// Trait is a combination of status, flags, media type and job that many captures of
// a segment share.
type Trait struct {
	Status int32
	Flags  Flags
	Mime   string
	Job    string
}

// TraitCensus is the number of captures with one trait, and the first and last time
// among them.
type TraitCensus struct {
	Trait
	First, Last record.Time
	Captures    int64
}

const (
	// censusShare is the least average number of captures for each host or trait.
	// With fewer captures, reading the chunks is as fast.
	censusShare = 8
	// censusMax is how many hosts or traits are counted at most. It bounds the
	// memory of a writer.
	censusMax = 1 << 14
)

// censusTaker counts entries, which must be added in order, and makes a Census of
// them.
type censusTaker struct {
	hosts    []HostCensus
	prefix   string // prefix that all keys of the last host have; "" if there is none
	traits   []TraitCensus
	place    map[Trait]int
	last     int // index of the trait of the previous entry
	captures int64
	tooMany  struct{ hosts, traits bool }
}

// add counts the entry e.
func (c *censusTaker) add(e *Entry) {
	c.captures++
	if !c.tooMany.hosts {
		c.addHost(e)
	}
	if !c.tooMany.traits {
		c.addTrait(e)
	}
}

func (c *censusTaker) addHost(e *Entry) {
	if c.prefix == "" || !strings.HasPrefix(e.Key, c.prefix) {
		c.prefix = strings.Clone(e.Key[:urlkey.HostPrefix(e.Key)])
		host := urlkey.Host(urlkey.URL(e.Key))
		if n := len(c.hosts); n == 0 || c.hosts[n-1].Host != host {
			if n == censusMax {
				c.tooMany.hosts, c.hosts = true, nil
				return
			}
			c.hosts = append(c.hosts, HostCensus{Host: strings.Clone(host), First: record.MaxTime, Last: record.MinTime})
		}
	}
	h := &c.hosts[len(c.hosts)-1]
	h.Captures++
	h.First, h.Last = min(h.First, e.Time), max(h.Last, e.Time)
}

func (c *censusTaker) addTrait(e *Entry) {
	t := Trait{Status: e.Status, Flags: Flags{Kind: e.Kind, Via: e.Via, Body: e.Body, Truncated: e.Truncated}, Mime: e.Mime, Job: e.Job}
	if len(c.traits) == 0 || c.traits[c.last].Trait != t {
		at, ok := c.place[t]
		if !ok {
			if at = len(c.traits); at == censusMax {
				c.tooMany.traits, c.traits, c.place = true, nil, nil
				return
			}
			if c.place == nil {
				c.place = make(map[Trait]int)
			}
			t.Mime, t.Job = strings.Clone(t.Mime), strings.Clone(t.Job)
			c.place[t] = at
			c.traits = append(c.traits, TraitCensus{Trait: t, First: record.MaxTime, Last: record.MinTime})
		}
		c.last = at
	}
	s := &c.traits[c.last]
	s.Captures++
	s.First, s.Last = min(s.First, e.Time), max(s.Last, e.Time)
}

// census returns the census of all entries that were added. Hosts or Traits of the
// census is nil if there are too many to be of use. census returns nil if both
// would be nil.
func (c *censusTaker) census() *Census {
	var made Census
	if n := len(c.hosts); n > 0 && int64(n)*censusShare <= c.captures {
		made.Hosts = c.hosts
	}
	if n := len(c.traits); n > 0 && int64(n)*censusShare <= c.captures {
		made.Traits = c.traits
	}
	if made.Hosts == nil && made.Traits == nil {
		return nil
	}
	return &made
}

// encode returns the census in the form in which the index stores it. decodeCensus
// decodes that form.
func (c *Census) encode() []byte {
	w := censusWriter{[]byte{disk.FormatByte}}
	w.b = binary.AppendUvarint(w.b, uint64(len(c.Hosts)))
	w.texts(each(c.Hosts, func(h *HostCensus) string { return h.Host }))
	w.ints(each(c.Hosts, func(h *HostCensus) int64 { return int64(h.First) }))
	w.ints(each(c.Hosts, func(h *HostCensus) int64 { return int64(h.Last - h.First) }))
	w.ints(each(c.Hosts, func(h *HostCensus) int64 { return h.Captures }))
	w.b = binary.AppendUvarint(w.b, uint64(len(c.Traits)))
	w.ints(each(c.Traits, func(t *TraitCensus) int64 { return int64(t.Status) }))
	w.ints(each(c.Traits, func(t *TraitCensus) int64 { return t.Flags.bits() }))
	w.texts(each(c.Traits, func(t *TraitCensus) string { return t.Mime }))
	w.texts(each(c.Traits, func(t *TraitCensus) string { return t.Job }))
	w.ints(each(c.Traits, func(t *TraitCensus) int64 { return int64(t.First) }))
	w.ints(each(c.Traits, func(t *TraitCensus) int64 { return int64(t.Last - t.First) }))
	w.ints(each(c.Traits, func(t *TraitCensus) int64 { return t.Captures }))
	return w.b
}

// counts reports whether the hosts of c, and also its traits, add up to the given
// number of captures. Hosts or Traits that are nil are not compared. If c is nil,
// counts reports true.
func (c *Census) counts(captures int64) bool {
	if c == nil {
		return true
	}
	hosts, traits := int64(0), int64(0)
	for i := range c.Hosts {
		hosts += c.Hosts[i].Captures
	}
	for i := range c.Traits {
		traits += c.Traits[i].Captures
	}
	return (c.Hosts == nil || hosts == captures) && (c.Traits == nil || traits == captures)
}

// each returns the results of f for the elements of list, in order.
func each[T, V any](list []T, f func(*T) V) []V {
	out := make([]V, len(list))
	for i := range list {
		out[i] = f(&list[i])
	}
	return out
}

// censusWriter appends columns to b, each after its length in bytes.
type censusWriter struct{ b []byte }

func (w *censusWriter) ints(v []int64)   { w.b = packed.AppendSized(w.b, column.AppendInts(nil, v)) }
func (w *censusWriter) texts(v []string) { w.b = packed.AppendSized(w.b, column.AppendTexts(nil, v)) }

// decodeCensus decodes b, the result of Census.encode. It does not keep b.
func decodeCensus(b []byte) (*Census, error) {
	r := censusReader{Reader: packed.Reader{B: b}}
	if err := disk.CheckByte(r.Byte(), "census"); err != nil {
		return nil, err
	}
	var c Census
	hosts := r.count()
	host, first, span, captures := r.texts(hosts), r.ints(hosts), r.ints(hosts), r.ints(hosts)
	if hosts > 0 {
		c.Hosts = make([]HostCensus, 0, hosts)
	}
	for i := range host {
		c.Hosts = append(c.Hosts, HostCensus{host[i], record.Time(first[i]), record.Time(first[i] + span[i]), captures[i]})
	}
	traits := r.count()
	status, flags, mime, job := r.ints(traits), r.ints(traits), r.texts(traits), r.texts(traits)
	first, span, captures = r.ints(traits), r.ints(traits), r.ints(traits)
	for i := range status {
		if !validFlags(flags[i]) {
			return nil, column.ErrDamaged
		}
		t := Trait{int32(status[i]), flagsOf(flags[i]), mime[i], job[i]}
		c.Traits = append(c.Traits, TraitCensus{t, record.Time(first[i]), record.Time(first[i] + span[i]), captures[i]})
	}
	if r.bad || r.Bad || len(r.B) != 0 {
		return nil, column.ErrDamaged
	}
	return &c, nil
}

// censusReader reads the columns that censusWriter appended. After the first
// missing value, bad is set and all further values are zero.
type censusReader struct {
	packed.Reader
	bad bool
}

// count reads and returns the number of hosts or traits. If that is more than
// censusMax, count sets bad and returns 0.
func (r *censusReader) count() int {
	n := r.Number()
	if n > censusMax {
		r.bad = true
		return 0
	}
	return n
}

func (r *censusReader) ints(n int) []int64 {
	v, err := column.DecodeInts(nil, r.Sized(), n)
	if err != nil {
		r.bad = true
		return make([]int64, n)
	}
	return v
}

func (r *censusReader) texts(n int) []string {
	v, err := column.DecodeTexts(nil, r.Sized(), n)
	if err != nil {
		r.bad = true
		return make([]string, n)
	}
	return v
}
