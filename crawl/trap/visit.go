package trap

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"
)

// Some servers write a name of the visit, such as a session id, into each link
// of a page: as an argument, after a semicolon in the path, or as a folder.
// Each visit then has URLs of its own for the same pages. Which slot names
// visits is found by comparison: if pages whose URLs differ in one value only
// are the same, the value names a visit.

// slot is a place in the URLs of a site that has a value: the argument with
// one name, or the folder at one place. The value may name a visit, such as
// a session id.
type slot struct {
	state  int // one of slotOpen, slotVisit, slotContent
	same   int // number of pages that were the same under another value
	differ int // number of pages that differed under another value
	// first has the first page that was fetched for each URL without the slot, by the hash of
	// that URL. Once the slot is known to name visits, first does not change any more.
	first map[uint64]firstPage
}

// The states of a slot: what its value means, as far as it is known.
const (
	slotOpen    = iota // not decided
	slotVisit          // the value names visits
	slotContent        // the value identifies a page
)

// firstPage describes the first page that was fetched for a URL from which a slot was removed. It
// holds three hashes: of the value of the slot, of the whole text of the page, and of the words
// in that text.
type firstPage struct {
	value, same, words uint64
	counted            bool // whether the page counts in slot.same already
}

// Bounds on the memory that slots take.
const (
	slotsMax  = 64   // slots of a site
	firstsMax = 4096 // pages that an open slot remembers
)

// How many pages must be the same under two values of a slot before the slot
// counts as naming visits. sameMadeUp is for a value that looks made up by a
// program; one page alone could be an error page. sameOther is for any other
// value, because the first pages of a site may be the same in two languages.
const (
	sameMadeUp = 2
	sameOther  = 8
	differMax  = 6 // after so many pages that differ, the slot is taken to identify pages; a few may differ because pages change at each visit
)

// part is the value of one slot (an argument or a folder) in one URL.
type part struct {
	name  string // name of the slot, such as "?sid"
	value string
	rest  string // the URL without the slot
}

// partsMax is how many arguments and how many folders of a URL are compared. A hostile URL could have
// hundreds, and each comparison copies the URL.
const partsMax = 16

// partsOf returns the values in the URL u that may name a visit (a session):
// the values of its arguments, of parameters after a semicolon in the path,
// and folders that look made up by a program. It returns at most partsMax
// values of each kind.
func partsOf(u string) (parts []part) {
	base, query, asks := strings.Cut(u, "?")
	if asks {
		args := strings.Split(query, "&")
		for i, a := range args[:min(len(args), partsMax)] {
			name, value, ok := strings.Cut(a, "=")
			if !ok || value == "" {
				continue
			}
			others := strings.Join(slices.Delete(slices.Clone(args), i, i+1), "&")
			rest := base
			if others != "" {
				rest += "?" + others
			}
			parts = append(parts, part{"?" + strings.ToLower(name), value, rest})
		}
	}
	tail := u[len(base):]
	start := strings.Index(base, "://") + 3
	if slash := strings.IndexByte(base[start:], '/'); slash >= 0 {
		start += slash
	} else {
		return parts
	}
	most := len(parts) + partsMax
	for i := start; i < len(base) && len(parts) < most; {
		end := i + 1
		for end < len(base) && base[end] != '/' {
			end++
		}
		folder := base[i+1 : end]
		if semi := strings.IndexByte(folder, ';'); semi >= 0 {
			if name, value, ok := strings.Cut(folder[semi+1:], "="); ok && value != "" {
				parts = append(parts, part{";" + strings.ToLower(name), value, base[:i+1+semi] + base[end:] + tail})
			}
		} else if isMadeUp(folder) && !strings.ContainsAny(folder, ".-_%") {
			var name strings.Builder
			writeShape(&name, base[start:i])
			rest := base[:i] + base[end:]
			if end == len(base) {
				rest += "/"
			}
			parts = append(parts, part{name.String() + "/", folder, rest + tail})
		}
		i = end
	}
	return parts
}

// isMadeUp reports whether v looks as if a program has made it up: letters
// and digits mixed, at least idLength of them, or a number of at least ten
// digits.
func isMadeUp(v string) bool {
	letters, digits := 0, 0
	for i := range len(v) {
		switch class[v[i]] {
		case letter:
			letters++
		case digit:
			digits++
		}
	}
	return digits > 0 && letters > 0 && digits+letters >= idLength || letters == 0 && digits >= 10 && digits == len(v)
}

// hashText returns a 64-bit hash of s.
func hashText(s string) uint64 {
	h := uint64(fnvOffset64)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime64
	}
	return mix(h)
}

// noteVisit compares the page with URL u and print p with earlier pages
// whose URLs differ from u in one value only. found reports whether this
// comparison has just shown that the value names a visit (a session). The
// Site must then be stored.
func (s *Site) noteVisit(u string, p *Print) (found bool) {
	if p.page && len(p.units) == 0 {
		return false
	}
	for _, x := range partsOf(s.Normal(u)) {
		l := s.slot(x)
		if l == nil || l.state != slotOpen {
			continue
		}
		now := firstPage{value: hashText(x.value), same: p.same, words: p.words}
		key := hashText(x.rest)
		was, ok := l.first[key]
		switch {
		case !ok:
			if len(l.first) < firstsMax {
				l.first[key] = now
			}
			continue
		case was.value == now.value:
			continue
		case was.same == now.same, isMadeUp(x.value) && p.page && was.words == now.words:
			if !was.counted {
				was.counted = true
				l.first[key] = was
				l.same++
			}
		case was.words != now.words:
			l.differ++
		}
		switch {
		case isMadeUp(x.value) && l.same >= sameMadeUp && 2*l.differ <= l.same, l.same >= sameOther && l.differ == 0:
			l.state = slotVisit
			return true
		case l.differ >= differMax && l.differ > 2*l.same:
			l.state, l.first = slotContent, nil
		}
	}
	return false
}

// slot returns the slot to which the value x belongs, and creates the slot
// if it is new. It returns nil if the site has too many slots, or if the
// setting sessions says that x identifies a page.
func (s *Site) slot(x part) *slot {
	if s.namesPage(x) {
		return nil
	}
	l := s.slots[x.name]
	if l == nil && len(s.slots) < slotsMax {
		l = &slot{first: make(map[uint64]firstPage)}
		if s.slots == nil {
			s.slots = make(map[string]*slot)
		}
		s.slots[x.name] = l
	}
	return l
}

// namesPage reports whether the setting sessions says that the value x identifies a page.
func (s *Site) namesPage(x part) bool {
	if strings.HasSuffix(x.name, "/") {
		return NamesFolder(s.pages, x.value)
	}
	return slices.Contains(s.pages, strings.TrimLeft(x.name, "?;"))
}

// NamesFolder reports whether a pattern in names matches folder in lower
// case. Patterns are those names that begin with a slash, such as /(s(*));
// the rest of a pattern is as in [path.Match]. The other names are names of
// arguments, and are ignored.
func NamesFolder(names []string, folder string) bool {
	return folder != "" && slices.ContainsFunc(names, func(name string) bool {
		pattern, ok := strings.CutPrefix(name, "/")
		if !ok {
			return false
		}
		matches, err := path.Match(pattern, strings.ToLower(folder))
		return matches && err == nil
	})
}

// NamesVisits reports whether the URLs of the site are known to name visits, such
// as by a session id.
func (s *Site) NamesVisits() bool {
	for _, l := range s.slots {
		if l.state == slotVisit {
			return true
		}
	}
	return false
}

// Normal returns the URL u without the parts that name visits, such as
// session ids, but removes at most partsMax of them. Two URLs with the same
// result lead to the same page. The server need not have a page at the result
// itself.
func (s *Site) Normal(u string) string {
	again := true
	for n := 0; again && n < partsMax; n++ {
		again = false
		if !s.NamesVisits() {
			return u
		}
		for _, x := range partsOf(u) {
			if l := s.slots[x.name]; l != nil && l.state == slotVisit {
				u, again = x.rest, true
				break
			}
		}
	}
	return u
}

// Fetched reports whether a page was fetched early: before the Site had found out which parts of
// its URL name a visit, such as a session ID. The parameter normal is the URL without these parts,
// as Normal returns it.
func (s *Site) Fetched(normal string) bool {
	key := hashText(normal)
	for _, l := range s.slots {
		if l.state == slotVisit {
			if _, ok := l.first[key]; ok {
				return true
			}
		}
	}
	return false
}

// storedSlot is the JSON form of a slot of which it is known whether it names visits. A slot of
// which this is not known yet is not stored: after a restart, the comparison of its pages begins
// again.
type storedSlot struct {
	Visit   bool
	Fetched []byte `json:",omitempty"` // keys of slot.first, 8 bytes each
}

// storedSlots returns the decided slots of s in their JSON form, by name.
func (s *Site) storedSlots() map[string]storedSlot {
	m := make(map[string]storedSlot)
	for name, l := range s.slots {
		if l.state == slotOpen {
			continue
		}
		x := storedSlot{Visit: l.state == slotVisit}
		for key := range l.first {
			x.Fetched = binary.LittleEndian.AppendUint64(x.Fetched, key)
		}
		m[name] = x
	}
	return m
}

// readSlots sets the slots of s from their JSON form.
func (s *Site) readSlots(m map[string]storedSlot) {
	for name, x := range m {
		l := &slot{state: slotContent}
		if x.Visit {
			l.state, l.first = slotVisit, make(map[uint64]firstPage)
			for b := x.Fetched; len(b) >= 8; b = b[8:] {
				l.first[binary.LittleEndian.Uint64(b)] = firstPage{}
			}
		}
		if s.slots == nil {
			s.slots = make(map[string]*slot)
		}
		s.slots[name] = l
	}
}
