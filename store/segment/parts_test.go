package segment

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// BenchmarkParts reads the db-files of the archive that INFOMALL_ARCHIVE names, and logs what
// takes how many of their bytes. FORMAT.md 15.2 has results. A frame with several columns, or
// with several kinds of blocks or facts, is divided as their sizes are if each is compressed by
// itself.
func BenchmarkParts(b *testing.B) {
	dir := os.Getenv("INFOMALL_ARCHIVE")
	if dir == "" {
		b.Skip("INFOMALL_ARCHIVE names no archive")
	}
	var p parts
	for b.Loop() {
		p = parts{stored: make(map[string]float64), plain: make(map[string]int), pack: new(Packer)}
		if err := p.read(dir); err != nil {
			b.Fatal(err)
		}
	}
	names := slices.SortedFunc(maps.Keys(p.stored), func(x, y string) int { return cmp.Compare(p.stored[y], p.stored[x]) })
	var log []byte
	sum := 0.0
	for _, name := range names {
		log = fmt.Appendf(log, "%-34s %10.0f of %10d\n", name, p.stored[name], p.plain[name])
		sum += p.stored[name]
	}
	fmt.Printf("%s%-34s %10.0f\n", log, "all db-files", sum)
	b.ReportMetric(sum, "bytes")
}

// parts has the sizes of the parts of db-files, as stored and decompressed, by the names of the
// parts.
type parts struct {
	stored map[string]float64
	plain  map[string]int
	pack   *Packer
	runs   map[RunRef]*Run
}

// read adds the parts of all db-files of the archive in the folder dir.
func (p *parts) read(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "pools", "*", "*.raw"))
	if err != nil {
		return err
	}
	p.runs = make(map[RunRef]*Run)
	for _, name := range files {
		if err := p.open(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	layouts := make(map[BlockRef]bool)
	for _, r := range p.runs {
		bodies, err := r.Meta.Bodies()
		if err != nil {
			return err
		}
		for _, body := range bodies {
			for i, at := range spanBlocks(body.Recipe.Spans) {
				if i < int(body.Recipe.Layout) {
					layouts[at] = true
				}
			}
		}
	}
	for ref, r := range p.runs {
		if err := p.content(ref, r, layouts); err != nil {
			return err
		}
	}
	return nil
}

// spanBlocks returns the blocks of spans in order.
func spanBlocks(spans []Span) (out []BlockRef) {
	for _, s := range spans {
		for n := range s.Count {
			out = append(out, BlockRef{s.Segment, s.Run, s.N + n})
		}
	}
	return out
}

// open adds the heads and the meta of the runs of a db-file, and keeps the runs.
func (p *parts) open(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for len(b) > 0 {
		h, size, err := peekHead(b)
		if err != nil {
			return err
		}
		rec := b[:size+h.length+1]
		b = b[len(rec):]
		if h.kind == kindEnd {
			p.add("end records", float64(len(rec)), len(rec))
			continue
		}
		p.add("heads of records", float64(size+1), size+1)
		run, err := openRun(rec, h.segment, h.run, nil)
		if err != nil {
			return err
		}
		p.runs[RunRef{h.segment, h.run}] = run
		if err := p.meta(rec, &h); err != nil {
			return err
		}
	}
	return nil
}

func (p *parts) add(part string, stored float64, plain int) {
	p.stored[part] += stored
	p.plain[part] += plain
}

// share adds to each part its share of a frame of size bytes.
func (p *parts) share(size int, ahead []byte, parts map[string][]byte) {
	alone, sum := make(map[string]int), 0
	for name, b := range parts {
		if len(b) == 0 {
			continue
		}
		frame, _ := p.pack.appendFrame(nil, b, nil, ahead)
		alone[name] = max(len(frame)-frameBytes, 1)
		sum += alone[name]
	}
	if sum == 0 {
		return
	}
	for name, n := range alone {
		p.add(name, float64(size)*float64(n)/float64(sum), len(parts[name]))
	}
}

// frameBytes is about what a frame and its only block need beside their content, in bytes.
const frameBytes = 9

// meta adds the groups of columns of a run.
func (p *parts) meta(rec []byte, h *recordHead) error {
	_, data, err := parseHead(rec)
	if err != nil {
		return err
	}
	frames, _, err := h.frames(data)
	if err != nil {
		return err
	}
	for g, frame := range frames {
		if len(frame) == 0 {
			continue
		}
		plain, err := decoder().DecodeAll(frame, nil)
		if err != nil {
			return err
		}
		of := make(map[string][]byte)
		if g == groupCaptures {
			of["captures"] = plain
		} else {
			var cols [backCols][]byte
			if err := cutGroup(&cols, g, plain); err != nil {
				return err
			}
			for c, col := range cols {
				if len(col) > 4 {
					of[partNames[c]] = col
				}
			}
			if len(of) == 0 {
				of["columns without values"] = plain
			}
		}
		p.share(len(frame), nil, of)
	}
	return nil
}

// partNames has the names of columns of the meta, where they have many bytes.
var partNames = map[int]string{
	colDigests: "IDs: digests", colContents: "IDs: content fingerprints", colTitle: "pages: titles", colLinkCount: "pages: number of links",
	colBlockCount: "pages: number of leaves", colRecipes: "blocks: recipes", colBlockLens: "blocks: lengths", colBlockIDs: "blocks: IDs",
	colSource: "response: source", colHead: "response: heads", colExtra: "response: properties", colFraming: "response: framing",
	colRecordID: "names: record names", colDeclared: "names: declared digests",
}

// content adds the blocks and facts of a run.
func (p *parts) content(ref RunRef, r *Run, layouts map[BlockRef]bool) error {
	others := func(ref RunRef) (*Run, error) { return p.runs[ref], nil }
	frame := len(r.frame)
	if frame == 0 {
		return nil
	}
	if err := r.load(others, true); err != nil {
		return err
	}
	var ahead []byte
	for _, b := range r.head.behind {
		if err := p.runs[b].load(others, false); err != nil {
			return err
		}
		ahead = appendSeam(append(ahead, p.runs[b].content...))
	}
	var layout, leaf []byte
	for n := range uint32(len(r.ends)) {
		b, err := r.Block(n)
		if err != nil {
			return err
		}
		if layouts[BlockRef{ref.Segment, ref.Run, n}] {
			layout = append(layout, b...)
		} else {
			leaf = append(leaf, b...)
		}
	}
	f, err := r.Facts()
	if err != nil {
		return err
	}
	blocks := r.head.factsFrom
	if blocks == 0 {
		blocks = frame
	}
	p.share(blocks, ahead, map[string][]byte{"content: layouts": layout, "content: leaves": leaf})
	p.share(frame-blocks, append(slices.Clone(ahead), r.content...), map[string][]byte{
		"facts: folds": f.folds.bytes, "facts: pages": f.pages.bytes, "facts: blocks": f.blocks.bytes,
		"facts: lengths": r.facts[:len(r.facts)-len(f.folds.bytes)-len(f.pages.bytes)-len(f.blocks.bytes)],
	})
	return nil
}
