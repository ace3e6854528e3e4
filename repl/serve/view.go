package serve

import (
	"context"
	"fmt"
	"net/http"
	"sort"
	"strings"

	"infomall/exec/draw"
	"infomall/exec/relation"
	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/page/markup"
	"infomall/store/record"
)

// viewed is what a view (of blocks or of changes) shows of a capture.
type viewed struct {
	revision *life.Revision
	old      *lookup.Capture // that the capture is compared with; nil if there is none
}

// view divides the capture c with the response p into blocks, and compares it with
// the older version that the view v asks for. It returns nil if the capture has no
// blocks, because it is no page. f is the look-up that has found c.
func (s *server) view(ctx context.Context, snap relation.Snapshot, f *lookup.Found, c *lookup.Capture, p *record.Payload, v replay.View) (*viewed, error) {
	body, ok := s.divided(c, p)
	if !ok {
		return nil, nil
	}
	var h life.History
	var out viewed
	if v.Name == replay.Changes {
		old, oldPayload, err := s.older(ctx, snap, f, c, v.Since)
		if err != nil {
			return nil, err
		}
		if old != nil {
			out.old = old
			version := life.Version{Time: old.Time, Kind: old.Kind, Size: oldPayload.Size}
			if version.Body, ok = s.divided(old, oldPayload); ok {
				version.Size = int64(len(version.Body.Page.Body))
			}
			h.Add(version)
		}
	}
	out.revision = h.Add(life.Version{Time: c.Time, Kind: c.Kind, Size: int64(len(body.Page.Body)), Body: body})
	return &out, nil
}

// divided returns the body of the capture c divided into blocks. ok is false if the capture is
// no page, or if its body cannot be divided as a whole, for example because it is too large.
func (s *server) divided(c *lookup.Capture, p *record.Payload) (body *divide.Body, ok bool) {
	if c.Kind != record.KindPage || p.Large != nil && p.Document == nil {
		return nil, false
	}
	body, ok = divide.OpenStored(p, p.Body, s.o.Session().Settings().Division())
	if !ok || body.Plain || body.Unread != "" {
		return nil, false
	}
	return body, true
}

// older returns the version with which the capture c is compared: the version nearest to the
// time that the digits in since name, or the version before c if since is "". It returns nil if
// there is none with a body.
func (s *server) older(ctx context.Context, snap relation.Snapshot, f *lookup.Found, c *lookup.Capture, since string) (*lookup.Capture, *record.Payload, error) {
	var found *lookup.Found
	if since != "" {
		at, ok := lookup.Time(since, s.o.Now())
		if !ok {
			return nil, nil, failf(http.StatusNotFound, "%q is no time; write it like changes-20080710, up to 14 digits", since)
		}
		var err error
		if found, err = lookup.Nearest(ctx, snap, f.URL, at); err != nil {
			return nil, nil, err
		}
	} else {
		n, err := lookup.Neighbours(ctx, snap, f.URL, c, true)
		if err != nil {
			return nil, nil, err
		}
		if n.Prev.URL == "" {
			return nil, nil, nil
		}
		found = &lookup.Found{URL: f.URL, Nearest: []lookup.Capture{n.Prev}}
	}
	return choose(ctx, snap, found)
}

// marks returns the marks that the view puts into the page, with texts in the language lang.
func (x *viewed) marks(v replay.View, lang string) []replay.Mark {
	r := x.revision
	if r.Whole || r.Hidden() {
		return nil
	}
	var list []replay.Mark
	if v.Name == replay.Blocks {
		labels := draw.Labels(r)
		for _, n := range r.Tree.Cut(0) {
			label := r.Tree.Blocks[n].Path + " " + labels[n].String()
			if topic := draw.Topic(r, n); topic != "" {
				label += ": " + topic
			}
			list = appendMarks(list, r, n, replay.Mark{Kind: "block", Label: label})
		}
		return list
	}
	for _, m := range r.Leaves() {
		if m.New < 0 || m.Op == life.Same {
			continue
		}
		mark := replay.Mark{Kind: m.Op.String(), Label: word(lang, "op_"+m.Op.String())}
		if m.Op == life.Edited {
			if old := strings.TrimSpace(r.Before.Text(m.Old)); old != strings.TrimSpace(r.Text(m.New)) {
				mark.Old = old
			}
		}
		list = appendMarks(list, r, m.New, mark)
	}
	return list
}

// appendMarks appends mark for the block n of r: around the block if it has only text
// and inline elements, and otherwise for each of its elements, the first of which has
// the label.
func appendMarks(list []replay.Mark, r *life.Revision, n int, mark replay.Mark) []replay.Mark {
	nodes, block := r.Tree.Page.Nodes, &r.Tree.Blocks[n]
	first := sort.Search(len(nodes), func(i int) bool { return int(nodes[i].Start) >= block.Start })
	begun := len(list)
	inline := true
	start, end := -1, -1
	for i := first; i < len(nodes) && int(nodes[i].Start) < block.End; {
		node := &nodes[i]
		switch {
		case int(node.End) > block.End:
			i++ // only a part of it is in the block
			inline = false
			continue
		case node.Kind == markup.Element && node.Tag != markup.TagBr && !node.Tag.Hidden():
			list = append(list, replay.Mark{Start: int(node.Start), End: int(node.End), Kind: mark.Kind, Old: mark.Old})
			inline = inline && !node.Tag.Block()
		case node.Kind != markup.Text || strings.TrimSpace(string(r.Tree.Page.Body[node.Start:node.End])) == "":
			i = int(node.Next)
			continue
		}
		if start < 0 {
			start = int(node.Start)
		}
		end = int(node.End)
		i = int(node.Next)
	}
	switch {
	case start < 0:
		return list
	case inline && (len(list) != begun+1 || list[begun].Start != start || list[begun].End != end):
		mark.Start, mark.End, mark.Around = start, end, true
		return append(list[:begun], mark)
	case len(list) > begun:
		list[begun].Label = mark.Label
	}
	return list
}

// changeNote is a changed block in the list of changes.
type changeNote struct {
	Op       string // added, edited, moved or removed
	Frame    string // URL of the frame that has the block; "" for the page itself
	Path     string
	Old, New string // cut
}

// changeNotesMax and changeTextMax bound the list of changes, and the characters of a
// text in it.
const (
	changeNotesMax = 100
	changeTextMax  = 200
)

// changeNotes are the changed blocks of a page and of its frames.
type changeNotes struct {
	List   []changeNote // at most changeNotesMax
	counts [life.Removed + 1]int
}

// add adds the changed blocks of x to c. x is the frame with the URL frame, or the page itself
// if frame is "".
func (c *changeNotes) add(x *viewed, frame string) {
	r := x.revision
	for _, m := range r.Leaves() {
		if m.Op == life.Same {
			continue
		}
		c.counts[m.Op]++
		if len(c.List) == changeNotesMax {
			continue
		}
		n := changeNote{Op: m.Op.String(), Frame: frame}
		if m.Old >= 0 {
			n.Path, n.Old = r.Before.Tree.Blocks[m.Old].Path, shortText(r.Before.Text(m.Old))
		}
		if m.New >= 0 {
			n.Path, n.New = r.Tree.Blocks[m.New].Path, shortText(r.Text(m.New))
		}
		if n.Old == n.New {
			n.Old = "" // only its markup differs, or it has moved
		}
		c.List = append(c.List, n)
	}
}

// summary returns how many blocks have changed in each way, such as "3 added, 1 edited", in the
// language lang.
func (c *changeNotes) summary(lang string) string {
	var parts []string
	for _, op := range []life.Op{life.Added, life.Edited, life.Moved, life.Removed} {
		if c.counts[op] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.counts[op], word(lang, "op_"+op.String())))
		}
	}
	return strings.Join(parts, ", ")
}

// shortText returns text in one line, cut to changeTextMax characters.
func shortText(text string) string {
	chars := []rune(strings.Join(strings.Fields(text), " "))
	if len(chars) > changeTextMax {
		return string(chars[:changeTextMax]) + "…"
	}
	return string(chars)
}
