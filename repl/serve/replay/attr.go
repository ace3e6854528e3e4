package replay

import (
	"bytes"
	"strings"

	"infomall/store/page/markup"
)

// attr is an attribute of the current tag. It also says what the name of the attribute means.
type attr struct {
	markup.AttrPlace
	use attrUse
}

// attrUse says what an attribute is for.
type attrUse uint8

const (
	useNothing  attrUse = iota
	useHref             // an address; the element says of what
	useSrc              // an address of a requisite or a frame
	usePage             // the address of a page
	useImage            // the address of an image
	useData             // the address of an object
	useSet              // a srcset
	useStyle            // a style sheet's declarations, or a value with url()
	useSource           // a document
	useTarget           // the name of a window
	useRemoved          // an attribute that a replayed page must not have
	useRel              // the relations of a link element
	useType             // the type of a script
	useEquiv            // what a meta element is
	useContent          // the content of a meta element
	useName             // the name of a param element
	useValue            // the value of a param element
	useManifest         // an application cache, which browsers no longer have
)

// attrUses are the attributes that are rewritten, at most 64.
var attrUses = []struct {
	name string
	use  attrUse
}{
	{"href", useHref}, {"src", useSrc}, {"action", usePage}, {"formaction", usePage}, {"cite", usePage}, {"longdesc", usePage},
	{"background", useImage}, {"poster", useImage}, {"lowsrc", useImage}, {"dynsrc", useImage}, {"data", useData}, {"codebase", useData},
	{"srcset", useSet}, {"imagesrcset", useSet}, {"style", useStyle}, {"srcdoc", useSource}, {"target", useTarget}, {"formtarget", useTarget},
	{"integrity", useRemoved}, {"ping", useRemoved}, {"attributionsrc", useRemoved}, {"manifest", useManifest},
	{"rel", useRel}, {"type", useType}, {"http-equiv", useEquiv}, {"content", useContent}, {"name", useName}, {"value", useValue},
	{"fill", useStyle}, {"stroke", useStyle}, {"filter", useStyle}, {"mask", useStyle}, {"clip-path", useStyle}, {"cursor", useStyle},
	{"marker-start", useStyle}, {"marker-mid", useStyle}, {"marker-end", useStyle},
}

// attrSlots[n] has the indexes in attrUses of the attributes whose slot is n. attrSlot computes
// the slot of an attribute from the first letter and the length of its name.
var attrSlots = func() (slots [512][]uint8) {
	for i, a := range attrUses {
		slot := attrSlot(a.name[0], len(a.name))
		slots[slot] = append(slots[slot], uint8(i))
	}
	return slots
}()

func attrSlot(first byte, size int) int { return min(size, 15)<<5 | int(first&31) }

// attrsSeen says which attributes of attrUses a tag has had so far: bit i stands for attrUses[i].
// Browsers ignore all but the first attribute of a name.
type attrsSeen struct{ plain, prefixed uint64 }

// add returns what the attribute with this name is for, and useNothing if the tag
// had it before. In XML the name may have a prefix.
func (s *attrsSeen) add(name []byte) attrUse {
	seen := &s.plain
	if len(name) > len("xlink:") {
		if at := bytes.IndexByte(name, ':'); at > 0 {
			name, seen = name[at+1:], &s.prefixed
		}
	}
	if len(name) == 0 {
		return useNothing
	}
	for _, i := range attrSlots[attrSlot(name[0], len(name))] {
		if markup.EqualFold(name, attrUses[i].name) {
			if *seen&(1<<i) != 0 {
				return useNothing
			}
			*seen |= 1 << i
			return attrUses[i].use
		}
	}
	return useNothing
}

// value returns the value of a as text: UTF-8 without character references. It is
// valid until the next call.
func (r *rewriter) value(a attr) []byte {
	b := r.text(a.Value, a.ValueEnd)
	amp := bytes.IndexByte(b, '&')
	if amp < 0 {
		return b
	}
	r.decoded = r.decoded[:0]
	rest := b
	for ; amp >= 0 && bytes.HasPrefix(rest[amp:], []byte("&amp;")); amp = bytes.IndexByte(rest, '&') {
		r.decoded = append(r.decoded, rest[:amp+1]...)
		rest = rest[amp+len("&amp;"):]
	}
	if amp >= 0 {
		return []byte(markup.Unescape(string(b)))
	}
	r.decoded = append(r.decoded, rest...)
	return r.decoded
}

// find returns the first attribute of the current tag with this use.
func (r *rewriter) find(use attrUse) (a attr, ok bool) {
	for _, a := range r.attrs {
		if a.use == use {
			return a, true
		}
	}
	return attr{}, false
}

// word returns the value of the first attribute with this use in the current tag, in lower case
// and without blanks around it.
func (r *rewriter) word(use attrUse) string {
	a, ok := r.find(use)
	if !ok {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(string(r.value(a))))
}

// setValue gives a the value text, which is UTF-8.
func (r *rewriter) setValue(a attr, text []byte) {
	r.encoded = appendValue(r.encoded[:0], text)
	r.replace(a.Value, a.ValueEnd, r.encoded)
}

// relink rewrites the address in the value of a. m says what the address is for.
func (r *rewriter) relink(a attr, m Modifier) {
	ref := r.value(a)
	if linked := r.link(ref, m); !bytes.Equal(linked, ref) {
		r.setValue(a, linked)
	}
}

// relinkSet rewrites a, a srcset.
func (r *rewriter) relinkSet(a attr) {
	set := string(r.value(a))
	var out []byte
	done := 0
	for start, end := range markup.SourcePlaces(set) {
		ref := []byte(set[start:end])
		if linked := r.link(ref, Image); !bytes.Equal(linked, ref) {
			out = append(append(out, set[done:start]...), linked...)
			done = end
		}
	}
	if done > 0 {
		r.setValue(a, append(out, set[done:]...))
	}
}

// relinkStyle rewrites a, the declarations of a style sheet.
func (r *rewriter) relinkStyle(a attr) {
	if markup.MayHaveAddress(r.view[a.Value:a.ValueEnd]) && bytes.IndexByte(r.view[a.Value:a.ValueEnd], '&') < 0 {
		r.styles(a.Value, a.ValueEnd, appendValue)
		return
	}
	css := r.value(a)
	if !markup.MayHaveAddress(css) {
		return
	}
	var out []byte
	done := 0
	for p := range markup.SheetPlaces(string(css)) {
		if text, ok := r.sheetAddress(css[p.Start:p.End], p); ok {
			out = append(append(out, css[done:p.Start]...), text...)
			done = p.End
		}
	}
	if done > 0 {
		r.setValue(a, append(out, css[done:]...))
	}
}

// remove removes a and the blanks before it.
func (r *rewriter) remove(a attr) {
	start := a.Name
	for start > 0 && strings.IndexByte(" \t\n\f\r", r.view[start-1]) >= 0 {
		start--
	}
	end := a.NameEnd
	if a.ValueEnd > 0 {
		if end = a.ValueEnd; end < len(r.view) && (r.view[end] == '"' || r.view[end] == '\'') && r.view[a.Value-1] == r.view[end] {
			end++
		}
	}
	r.replace(start, end, nil)
}
