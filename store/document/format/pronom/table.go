package pronom

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"

	"infomall/store/packed"
)

// nearBytes limits the number of places at which a sequence may begin. If there
// are no more, its signature is checked for each body. Signatures of other
// sequences are found by a scan.
const nearBytes = 64

// weakBytes is the largest number of bytes of a weak signature. If all bytes of
// a signature are printable and it has no more, a text may begin with them by
// chance.
const weakBytes = 6

// sureBytes is a number of bytes at one place of a body. If a signature has as
// many there, they make it certain enough that the whole body is searched for
// the rest of the signature, such as the index of a film.
const sureBytes = 8

// Make returns the packed table of the two files, which are XML. Package format says how
// it is laid out.
func Make(signatures, containers []byte) ([]byte, error) {
	var s signatureFile
	if err := read(signatures, &s); err != nil {
		return nil, fmt.Errorf("signatures: %w", err)
	}
	var c containerFile
	if err := read(containers, &c); err != nil {
		return nil, fmt.Errorf("container signatures: %w", err)
	}
	m := maker{index: map[string]int{}}
	if err := m.formats(&s, &c); err != nil {
		return nil, err
	}
	if err := m.signatures(&s); err != nil {
		return nil, err
	}
	if err := m.containers(&c); err != nil {
		return nil, err
	}
	day, _, _ := strings.Cut(s.Created, "T")
	about := fmt.Sprintf("PRONOM signatures version %s of %s, container signatures version %s. "+
		"Source: The National Archives (UK), https://www.nationalarchives.gov.uk/PRONOM. Licence: Open Government Licence v3.0.",
		s.Version, day, c.Version)
	out := []byte("formats1")
	for _, section := range [][]byte{[]byte(about), m.formatAt, m.formatData, m.names.data, m.pieces.data, m.groups.data, m.signatureData, m.fixed(), m.near(), m.wide(), m.containerData} {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(section)))
		out = append(out, section...)
	}
	return out, nil
}

type maker struct {
	index         map[string]int // index of each format, by its identifier
	formatAt      []byte
	formatData    []byte
	names         pool // names, versions and media types of formats
	pieces        pool // patterns
	groups        pool // lists of alternative fragments
	signatureData []byte
	containerData []byte
	drivers       []driver
}

// pool stores distinct values, one after the other. The map has the offset of
// each value in data.
type pool struct {
	at   map[string]int
	data []byte
}

// add stores value in the pool, unless it is there already, and appends the
// offset of value in the pool to d.
func (p *pool) add(d, value []byte) []byte {
	at, ok := p.at[string(value)]
	if !ok {
		if p.at == nil {
			p.at = map[string]int{}
		}
		at = len(p.data)
		p.at[string(value)] = at
		p.data = append(p.data, value...)
	}
	return binary.AppendUvarint(d, uint64(at))
}

// driver is the first sequence of a signature, by which the signature is found
// in a body.
type driver struct {
	at int // offset of the signature in signatureData
	sequence
}

// plainText is the identifier of plain text, which has no signature.
const plainText = "x-fmt/111"

// formats writes the formats in the order of their identifiers. It leaves out
// formats without a signature, because no body can be recognised as one of
// them.
func (m *maker) formats(s *signatureFile, c *containerFile) error {
	type puid struct {
		kind byte
		n    int
	}
	contained := map[string]bool{plainText: true}
	for _, x := range c.Mappings {
		contained[x.PUID] = true
	}
	order := map[string]puid{}
	ids := map[string]string{}
	for _, f := range s.Formats {
		kind, n, err := puidOf(f.PUID)
		if err != nil {
			return err
		}
		order[f.PUID], ids[f.ID] = puid{kind, n}, f.PUID
	}
	s.Formats = slices.DeleteFunc(s.Formats, func(f xmlFileFormat) bool { return len(f.Signatures) == 0 && !contained[f.PUID] })
	slices.SortFunc(s.Formats, func(a, b xmlFileFormat) int {
		x, y := order[a.PUID], order[b.PUID]
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.n, y.n))
	})
	for i, f := range s.Formats {
		m.index[f.PUID] = i
	}
	for _, f := range s.Formats {
		m.formatAt = binary.LittleEndian.AppendUint32(m.formatAt, uint32(len(m.formatData)))
		d := append(m.formatData, order[f.PUID].kind)
		d = binary.AppendUvarint(d, uint64(order[f.PUID].n))
		for _, text := range []string{f.Name, f.Version, f.MIME} {
			d = m.names.add(d, packed.AppendSized(nil, strings.TrimSpace(text)))
		}
		var over []byte
		n := 0
		for _, id := range f.Over {
			if ids[id] == "" {
				return fmt.Errorf("%s has priority over the unknown format with the number %s", f.PUID, id)
			}
			if lower, ok := m.index[ids[id]]; ok {
				over = binary.AppendUvarint(over, uint64(lower))
				n++
			}
		}
		m.formatData = append(binary.AppendUvarint(d, uint64(n)), over...)
	}
	return nil
}

func (m *maker) signatures(s *signatureFile) error {
	owner := map[string]int{}
	for _, f := range s.Formats {
		for _, id := range f.Signatures {
			if _, ok := owner[id]; ok {
				return fmt.Errorf("signature %s belongs to two formats", id)
			}
			owner[id] = m.index[f.PUID]
		}
	}
	for _, x := range s.Signatures {
		format, ok := owner[x.ID]
		if !ok {
			continue // of a format that was withdrawn
		}
		list, err := m.compile(x)
		if err != nil {
			return fmt.Errorf("signature %s: %w", x.ID, err)
		}
		slices.SortStableFunc(list, func(a, b sequence) int { return cmp.Compare(driving(a), driving(b)) })
		strength, printable := weigh(list)
		var flags byte
		if printable && strength <= weakBytes {
			flags |= 1
		}
		first := list[0].subs[0]
		if strings.HasPrefix(text(first.main), "%PDF-") {
			flags |= 2
		}
		if driving(list[0]) == byFixed {
			flags |= 4
			if n, _ := weigh([]sequence{{subs: []sub{first}}}); n >= sureBytes {
				flags |= 2
			}
		}
		m.drivers = append(m.drivers, driver{len(m.signatureData), list[0]})
		d := binary.AppendUvarint(m.signatureData, uint64(format))
		d = binary.AppendUvarint(append(d, flags), uint64(strength))
		m.signatureData = m.sequences(d, list)
	}
	return nil
}

func (m *maker) compile(x xmlSignature) ([]sequence, error) {
	var list []sequence
	for _, b := range x.Sequences {
		s, err := compile(b)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("it has no sequence")
	}
	return list, nil
}

// containers writes the container signatures to the table.
func (m *maker) containers(c *containerFile) error {
	formats := map[string][]int{}
	for _, x := range c.Mappings {
		i, ok := m.index[x.PUID]
		if !ok {
			return fmt.Errorf("container signature %s has the unknown format %s", x.ID, x.PUID)
		}
		formats[x.ID] = append(formats[x.ID], i)
	}
	for _, x := range c.Containers {
		for _, format := range formats[x.ID] {
			var d []byte
			switch x.Type {
			case "OLE2":
				d = append(d, 0)
			case "ZIP":
				d = append(d, 1)
			default:
				return fmt.Errorf("container signature %s has the unknown type %s", x.ID, x.Type)
			}
			d = binary.AppendUvarint(d, uint64(format))
			d = binary.AppendUvarint(d, uint64(len(x.Files)))
			for _, f := range x.Files {
				d = packed.AppendSized(d, strings.TrimSpace(f.Path))
				var all []sequence
				for _, s := range f.Signatures {
					list, err := m.compile(s)
					if err != nil {
						return fmt.Errorf("container signature %s: %w", x.ID, err)
					}
					all = append(all, list...)
				}
				d = m.sequences(d, all)
			}
			m.containerData = packed.AppendSized(m.containerData, d)
		}
	}
	return nil
}

// sequences appends the encoded sequences of list to d.
func (m *maker) sequences(d []byte, list []sequence) []byte {
	d = binary.AppendUvarint(d, uint64(len(list)))
	for _, s := range list {
		d = binary.AppendUvarint(append(d, byte(s.anchor)), uint64(len(s.subs)))
		for _, x := range s.subs {
			d = binary.AppendUvarint(d, uint64(x.min))
			d = binary.AppendUvarint(d, uint64(x.max+1))
			d = m.piece(d, x.main)
			for _, side := range [][][]fragment{x.left, x.right} {
				d = binary.AppendUvarint(d, uint64(len(side)))
				if len(side) == 0 {
					continue
				}
				least, most := extent(side)
				d = binary.AppendUvarint(d, uint64(least))
				d = binary.AppendUvarint(d, uint64(most))
				for _, alternatives := range side {
					g := binary.AppendUvarint(nil, uint64(len(alternatives)))
					for _, f := range alternatives {
						g = binary.AppendUvarint(g, uint64(f.min))
						g = binary.AppendUvarint(g, uint64(f.max))
						g = m.piece(g, f.pattern)
					}
					d = m.groups.add(d, g)
				}
			}
		}
	}
	return d
}

// piece stores the pattern p in the pool of patterns, and appends its offset
// there to d.
func (m *maker) piece(d []byte, p pattern) []byte {
	var value []byte
	if p.literal() {
		value = append(binary.AppendUvarint(nil, uint64(len(p))<<1), text(p)...)
	} else {
		value = binary.AppendUvarint(nil, uint64(len(p))<<1|1)
		for _, e := range p {
			value = append(value, e.op, e.a, e.b)
		}
	}
	return m.pieces.add(d, value)
}

// text returns the bytes of a literal, and "" for other patterns.
func text(p pattern) string {
	if !p.literal() {
		return ""
	}
	b := make([]byte, len(p))
	for i, e := range p {
		b[i] = e.a
	}
	return string(b)
}

// weigh returns the least number of bytes that the sequences compare. printable
// reports whether all of these bytes are characters that a text may have.
func weigh(list []sequence) (n int, printable bool) {
	printable = true
	add := func(alternatives []fragment) {
		least := len(alternatives[0].pattern)
		for _, f := range alternatives {
			least = min(least, len(f.pattern))
			for _, e := range f.pattern {
				printable = printable && (e.a >= ' ' && max(e.a, e.b) < 0x7f || e.a == '\n' || e.a == '\r' || e.a == '\t')
			}
		}
		n += least
	}
	for _, s := range list {
		for _, x := range s.subs {
			add([]fragment{{pattern: x.main}})
			for _, side := range [][][]fragment{x.left, x.right} {
				for _, alternatives := range side {
					add(alternatives)
				}
			}
		}
	}
	return n, printable
}

// extent returns the least and the greatest number of bytes that the fragments on one side of a
// main pattern take.
func extent(side [][]fragment) (least, most int) {
	for _, alternatives := range side {
		low, high := 1<<30, 0
		for _, f := range alternatives {
			low, high = min(low, f.min+len(f.pattern)), max(high, f.max+len(f.pattern))
		}
		least, most = least+low, most+high
	}
	return least, most
}

// The ways to find a signature in a body, the fastest first.
const (
	byFixed = iota // its main pattern can only be at one place
	byNear         // the main pattern can be at few places, or is short
	byWide
)

// driving returns the fastest way to find a signature by its sequence s.
func driving(s sequence) int {
	first := s.subs[0]
	least, most := extent(first.left)
	switch {
	case s.anchor == fromEnd:
		return byNear
	case first.max == unbounded:
	case first.max-first.min+most-least == 0 && first.main.literal():
		return byFixed
	case first.max-first.min+most-least <= nearBytes:
		return byNear
	}
	if !first.main.literal() || len(first.main) < 4 {
		return byNear
	}
	return byWide
}

// fixed returns the section fixed: the signatures whose main pattern is at one
// place, ordered by this place and the first byte.
func (m *maker) fixed() []byte {
	type entry struct {
		place int
		first byte
		at    int
	}
	var list []entry
	for _, d := range m.drivers {
		if driving(d.sequence) == byFixed {
			least, _ := extent(d.subs[0].left)
			list = append(list, entry{d.subs[0].min + least, d.subs[0].main[0].a, d.at})
		}
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.first, b.first), cmp.Compare(a.at, b.at))
	})
	var out []byte
	for i := 0; i < len(list); {
		n := sort.Search(len(list)-i, func(j int) bool { return list[i+j].place > list[i].place })
		out = binary.LittleEndian.AppendUint32(out, uint32(list[i].place))
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
		for _, e := range list[i : i+n] {
			out = binary.LittleEndian.AppendUint32(out, uint32(e.first)<<24|uint32(e.at))
		}
		i += n
	}
	return out
}

// near returns the section near: the signatures that are checked for each body.
func (m *maker) near() (out []byte) {
	for _, d := range m.drivers {
		if driving(d.sequence) == byNear {
			out = binary.LittleEndian.AppendUint32(out, uint32(d.at))
		}
	}
	return out
}

// wide returns the section wide: for each signature that a scan finds, four
// bytes of its pattern, and its offset.
func (m *maker) wide() (out []byte) {
	type entry struct {
		key uint32
		at  int
	}
	var list []entry
	for _, d := range m.drivers {
		if driving(d.sequence) == byWide {
			list = append(list, entry{rarest(text(d.subs[0].main)), d.at})
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	for _, e := range list {
		out = binary.LittleEndian.AppendUint32(out, e.key)
	}
	for _, e := range list {
		out = binary.LittleEndian.AppendUint32(out, uint32(e.at))
	}
	return out
}

// common are bytes that are frequent in many bodies, the most frequent first.
const common = "\x00 etaoinshrdlucmfpgwyb\"=/<>\n\r-.:;\xff\x01"

// rarest returns the four neighbouring bytes of s that are probably the rarest
// in bodies, judged by common.
func rarest(s string) uint32 {
	best, least := 0, 1<<30
	for i := 0; i+4 <= len(s); i++ {
		n := 0
		for _, b := range []byte(s[i : i+4]) {
			if at := bytes.IndexByte([]byte(common), b); at >= 0 {
				n += len(common) - at
			}
		}
		if n < least {
			best, least = i, n
		}
	}
	return binary.LittleEndian.Uint32([]byte(s[best : best+4]))
}
