package trap

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"
)

// A server may write the name of a visit into each link of a page: as an argument,
// after a semicolon in the path, or as a folder. Each visit then has URLs of its
// own for the same pages. What names a visit is found by comparison: pages whose
// URLs differ only in one value are the same pages.

// slot is a place in the URLs of a site whose value may name visits: an argument of
// one name, or a folder at one place.
type slot struct {
	state  int
	same   int // pages that came back the same under another value
	differ int // pages that were others under another value
	// first is what was fetched, by the hash of the URL without the slot. Of a slot
	// that names visits it stays as it was when this was found.
	first map[uint64]first
}

// The states of a slot.
const (
	slotOpen = iota
	slotVisit
	slotContent // its value names a page
)

// first is the first page of a URL without a slot.
type first struct {
	value, same, words uint64
	counted            bool
}

// Bounds of slots.
const (
	slotsMax  = 64   // of a site
	firstsMax = 4096 // of an open slot
)

// A slot names visits if so many pages came back the same under two values of it. A
// value that looks made up needs two, because one may be an error page. Another value
// needs more, because the first pages of a site in two languages may be the same.
const (
	sameMadeUp = 2
	sameOther  = 8
	differMax  = 6 // pages that differ, from which on a slot names pages; some are others at each visit
)

// part is the value of a slot in one URL.
type part struct {
	name  string // of the slot
	value string
	rest  string // the URL without it
}

// partsOf gives the values of a URL that may name visits.
func partsOf(u string) (parts []part) {
	base, query, asks := strings.Cut(u, "?")
	if asks {
		args := strings.Split(query, "&")
		for i, a := range args[:min(len(args), 16)] {
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
	for i := start; i < len(base); {
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

// isMadeUp reports whether a value looks as if a program made it up: letters with
// digits among them, or a long number.
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

func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

// noteVisit compares a page with the page of the same URL but for one value. It
// reports whether something is found out by it that must be stored.
func (s *Site) noteVisit(u string, p *Print) (found bool) {
	if p.page && len(p.units) == 0 {
		return false
	}
	for _, x := range partsOf(s.Normal(u)) {
		l := s.slot(x)
		if l == nil || l.state != slotOpen {
			continue
		}
		now := first{value: hashText(x.value), same: p.same, words: p.words}
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

// slot returns the slot that x is a value of. It is nil if the site has too many
// slots, or if the setting sessions says that x names a page.
func (s *Site) slot(x part) *slot {
	if s.namesPage(x) {
		return nil
	}
	l := s.slots[x.name]
	if l == nil && len(s.slots) < slotsMax {
		l = &slot{first: make(map[uint64]first)}
		if s.slots == nil {
			s.slots = make(map[string]*slot)
		}
		s.slots[x.name] = l
	}
	return l
}

// namesPage reports whether the setting sessions says that x names a page.
func (s *Site) namesPage(x part) bool {
	if strings.HasSuffix(x.name, "/") {
		return NamesFolder(s.pages, x.value)
	}
	return slices.Contains(s.pages, strings.TrimLeft(x.name, "?;"))
}

// NamesFolder reports whether one of names is a slash with a pattern, as in
// [path.Match], that the folder matches in lower case. Names of arguments have no
// slash.
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

// Names reports whether URLs of the site name visits.
func (s *Site) Names() bool {
	for _, l := range s.slots {
		if l.state == slotVisit {
			return true
		}
	}
	return false
}

// Normal returns a URL without what names a visit. It tells pages apart, and need
// not be one that the server answers.
func (s *Site) Normal(u string) string {
	for again := true; again; {
		again = false
		if !s.Names() {
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

// Fetched reports whether the page with that Normal was fetched before it was
// found out what names visits.
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

// storedSlot is a slot that names visits, or pages, as it is stored. Open ones are
// not: what they compare is fetched again.
type storedSlot struct {
	Visit   bool
	Fetched []byte `json:",omitempty"` // hashes of 8 bytes
}

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

func (s *Site) readSlots(m map[string]storedSlot) {
	for name, x := range m {
		l := &slot{state: slotContent}
		if x.Visit {
			l.state, l.first = slotVisit, make(map[uint64]first)
			for b := x.Fetched; len(b) >= 8; b = b[8:] {
				l.first[binary.LittleEndian.Uint64(b)] = first{}
			}
		}
		if s.slots == nil {
			s.slots = make(map[string]*slot)
		}
		s.slots[name] = l
	}
}
