package cost

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"infomall/store/crc32c"
)

// ratesMax is how many corrections a Rates keeps. When there are more, the corrections whose
// last measurement is the oldest are dropped. A file of 2,000 corrections has about 70 KB.
const ratesMax = 2000

// correctionMost bounds a correction: from 1/correctionMost to correctionMost. One
// wrong measurement then cannot spoil an estimate for ever.
const correctionMost = 1e6

// Rates has the corrections (factors for guesses) that were measured for one archive on this
// machine. The zero value has none and is ready to use. Several goroutines may use it. A nil
// Rates has none and learns nothing.
type Rates struct {
	// Load, if not nil, returns the text of the corrections that an earlier Encode returned.
	// It is called once, when a correction is first needed.
	Load func() []byte

	mu      sync.Mutex
	loaded  bool
	list    map[string]correction
	clock   uint32        // counts measurements
	changed bool          // since they were loaded, or since Encode
	took    time.Duration // how long the last estimate took
}

// correction is the factor by which a guess is multiplied, as its natural logarithm.
type correction struct {
	log  float32
	seen uint32 // how many times it was measured, up to seenMost
	last uint32 // the clock at the last time
}

// seenMost bounds how many measurements a correction remembers. A new measurement
// counts for at least 1/seenMost, so corrections follow an archive that grows.
const seenMost = 4

// names are the two names of a correction: the name for exactly the same node, and the name
// for nodes of the same shape (the same except for constants).
type names struct{ same, shape string }

// nameOf returns the names of a correction of this kind, such as "rows". same and shape are
// the texts that identify the node and its shape. If shape is "", the correction is not used
// for other nodes.
func nameOf(kind, same, shape string) names {
	hash := func(text string) string {
		h := fnv.New64a()
		h.Write([]byte(text))
		return kind + "-" + strconv.FormatUint(h.Sum64(), 36)
	}
	if shape == "" {
		return names{same: hash(same)}
	}
	return names{hash(same), hash("shape " + shape)}
}

// index returns the names of the correction for bytes of the index. n are the names of the
// correction for bytes of db-files.
func (n names) index() names { return names{"i" + n.same, "i" + n.shape} }

// factor returns the correction with the names n, or 1 if none was measured.
func (r *Rates) factor(n names) float64 {
	if r == nil {
		return 1
	}
	defer r.lock()()
	c, ok := r.list[n.same]
	if !ok && n.shape != "" {
		// The fewer nodes of this shape were measured, the less is known of another.
		c = r.list[n.shape]
		c.log *= float32(c.seen) / float32(c.seen+1)
	}
	return math.Exp(float64(c.log))
}

// seen returns how many times the correction with this name was measured, up to seenMost.
func (r *Rates) seen(name string) int {
	defer r.lock()()
	return int(r.list[name].seen)
}

// measured notes a measurement: the factor f was the right one for the guess with the names
// n.
func (r *Rates) measured(n names, f float64) {
	if !(f > 0) || math.IsInf(f, 0) {
		return
	}
	bound := math.Log(correctionMost)
	x := max(-bound, min(bound, math.Log(f)))
	defer r.lock()()
	if r.list == nil {
		r.list = make(map[string]correction)
	}
	r.clock++
	for _, name := range []string{n.same, n.shape} {
		if name == "" {
			continue
		}
		c := r.list[name]
		c.seen = min(c.seen+1, seenMost)
		c.log += (float32(x) - c.log) / float32(c.seen)
		c.last = r.clock
		r.list[name] = c
	}
	r.changed = true
	if len(r.list) > ratesMax*5/4 {
		r.forget()
	}
}

// forget drops the corrections whose last measurement is the oldest, until ratesMax are
// left. The caller holds r.mu.
func (r *Rates) forget() {
	names := slices.SortedFunc(maps.Keys(r.list), func(a, b string) int { return cmp.Compare(r.list[b].last, r.list[a].last) })
	for _, name := range names[min(len(names), ratesMax):] {
		delete(r.list, name)
	}
}

// Changed reports whether a measurement was noted since the corrections were loaded, or
// since the last Encode.
func (r *Rates) Changed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// ratesHead is the first line of the file of rates. Its number changes with the format of
// the file, and when the guesses change, because corrections of other guesses are useless.
const ratesHead = "infomall rates 3"

// Encode returns r as the text of a file: a line for each correction, and a checksum.
func (r *Rates) Encode() []byte {
	defer r.lock()()
	r.forget()
	r.changed = false
	var b strings.Builder
	fmt.Fprintln(&b, ratesHead)
	byAge := func(x, y string) int {
		return cmp.Or(cmp.Compare(r.list[x].last, r.list[y].last), strings.Compare(x, y))
	}
	for _, name := range slices.SortedFunc(maps.Keys(r.list), byAge) {
		c := r.list[name]
		fmt.Fprintf(&b, "%s %.4f %d\n", name, c.log, c.seen)
	}
	return fmt.Appendf([]byte(b.String()), "crc32c %08x\n", crc32c.Sum([]byte(b.String())))
}

// lock locks r.mu, and loads the corrections if they are needed for the first time. It
// returns the function that unlocks r.mu.
func (r *Rates) lock() (unlock func()) {
	r.mu.Lock()
	if !r.loaded && r.Load != nil {
		r.decode(r.Load())
	}
	r.loaded = true
	return r.mu.Unlock
}

// decode replaces the corrections of r by those in text, which Encode has returned. If
// text is damaged or of another form, r is empty afterwards, and decode reports false.
// The caller holds r.mu.
func (r *Rates) decode(text []byte) bool {
	r.list, r.clock, r.changed = make(map[string]correction), 0, false
	body, ok := strings.CutPrefix(string(text), ratesHead+"\n")
	at := strings.LastIndex(body, "crc32c ")
	if !ok || at < 0 || body[at:] != fmt.Sprintf("crc32c %08x\n", crc32c.Sum(text[:len(text)-len(body)+at])) {
		return false
	}
	for line := range strings.Lines(body[:at]) {
		f := strings.Fields(line)
		if len(f) != 3 || len(r.list) >= 2*ratesMax {
			r.list = make(map[string]correction)
			return false
		}
		log, err := strconv.ParseFloat(f[1], 32)
		seen, err2 := strconv.ParseUint(f[2], 10, 8)
		if err != nil || err2 != nil || math.IsNaN(log) || math.Abs(log) > math.Log(correctionMost) {
			r.list = make(map[string]correction)
			return false
		}
		r.clock++
		r.list[f[0]] = correction{float32(log), min(uint32(seen), seenMost), r.clock}
	}
	return true
}
