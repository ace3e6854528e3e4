package ooxml

import (
	"path"
	"strings"

	"infomall/store/document"
	"infomall/store/document/xmlpull"
	"infomall/store/document/zipped"
)

// parts are the parts of a file.
type parts struct {
	zip      *zipped.File
	nesting  int
	override map[string]string // content type by the name of a part, in lower case
	byExt    map[string]string // content type by the end of a name, in lower case
	order    []string          // the parts of override
	fault    error             // why a part could be read to its middle only; nil if none
}

// relation is a relationship from one part to another, or to an address.
type relation struct {
	id, kind string // kind is the last element of the type, such as "hyperlink"
	target   string // name of the part, or the address as written
	external bool
}

// partsMax bounds how many content types and relationships are kept.
const partsMax = 100_000

// open opens a file and reads its content types.
func open(body []byte, l document.Limits) (*parts, error) {
	z, err := zipped.Open(body, l)
	if err != nil {
		return nil, err
	}
	p := &parts{zip: z, nesting: l.Nesting, override: map[string]string{}, byExt: map[string]string{}}
	s, err := p.scan("[Content_Types].xml")
	if err != nil {
		return nil, err
	}
	for s.Next() {
		if s.Kind != xmlpull.Start || len(p.override) > partsMax {
			continue
		}
		switch s.Name {
		case "ct:Override":
			name := strings.ToLower(strings.TrimPrefix(s.Attr("PartName"), "/"))
			p.override[name] = s.Attr("ContentType")
			p.order = append(p.order, name)
		case "ct:Default":
			p.byExt[strings.ToLower(s.Attr("Extension"))] = s.Attr("ContentType")
		}
	}
	return p, nil
}

// scan returns a scanner of a part. If the part is damaged, the scanner reads what is
// before the damage.
func (p *parts) scan(name string) (*xmlpull.Scanner, error) {
	content, err := p.zip.Read(name)
	if len(content) == 0 && err != nil {
		return nil, err
	}
	if p.fault == nil {
		p.fault = err
	}
	return xmlpull.New(content, namespaces, p.nesting), nil
}

// contentType returns the content type of a part.
func (p *parts) contentType(name string) string {
	name = strings.ToLower(name)
	if t, ok := p.override[name]; ok {
		return t
	}
	return p.byExt[strings.TrimPrefix(path.Ext(name), ".")]
}

// main returns the main part and what it is. The name is "" if there is none.
func (p *parts) main() (name string, f family) {
	for _, r := range p.relations("") {
		if r.kind == "officeDocument" && !r.external && p.zip.Has(r.target) {
			if f := familyOf(p.contentType(r.target)); f != unknown {
				return r.target, f
			}
		}
	}
	for _, name := range p.order {
		if f := familyOf(p.override[name]); f != unknown && p.zip.Has(name) {
			return name, f
		}
	}
	return "", unknown
}

// relations returns the relationships of a part, in the order of the file. The part "" means the
// file as a whole. The result is empty if the relationships are damaged.
func (p *parts) relations(part string) []relation {
	folder, file := path.Split(part)
	s, err := p.scan(folder + "_rels/" + file + ".rels")
	if err != nil {
		return nil
	}
	var out []relation
	for s.Next() && len(out) < partsMax {
		if s.Kind != xmlpull.Start || s.Name != "rel:Relationship" {
			continue
		}
		r := relation{id: s.Attr("Id"), kind: path.Base(s.Attr("Type")), target: s.Attr("Target"), external: s.Attr("TargetMode") == "External"}
		if !r.external {
			r.target = within(folder, r.target)
		}
		out = append(out, r)
	}
	return out
}

// within returns the name of the part that a relationship in a folder names.
func within(folder, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(path.Clean(target), "/")
	}
	return strings.TrimPrefix(path.Join("/", folder, target), "/")
}

// byID returns relationships by their ID.
func byID(list []relation) map[string]relation {
	out := make(map[string]relation, len(list))
	for _, r := range list {
		out[r.id] = r
	}
	return out
}

// ofKind returns the part that the first relationship of a kind names, or "".
func ofKind(list []relation, kind string) string {
	for _, r := range list {
		if r.kind == kind && !r.external {
			return r.target
		}
	}
	return ""
}
