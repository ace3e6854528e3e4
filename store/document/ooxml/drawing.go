package ooxml

import (
	"strings"

	"infomall/store/document/xmlpull"
)

// drawingTextsMax is how many texts of one drawing are read.
const drawingTextsMax = 20_000

// drawingTexts returns the texts of a diagram, a chart or the drawings on a sheet: its
// paragraphs, and the names of a chart's series and categories. Charts on a sheet are
// parts of their own and are read as well.
func drawingTexts(p *parts, part string) []string {
	return p.textsOf(part, true)
}

func (p *parts) textsOf(part string, charts bool) []string {
	s, err := p.scan(part)
	if err != nil {
		return nil
	}
	var out []string
	var text strings.Builder
	cached := false                // in names that a chart keeps
	names := make(map[string]bool) // which each series of the chart repeats
	for s.Next() && len(out) < drawingTextsMax {
		switch s.Kind {
		case xmlpull.Start:
			switch s.Name {
			case "a:t":
				text.WriteString(s.Inner())
			case "a:br":
				text.WriteByte('\n')
			case "dgm:pt":
				if s.Attr("type") == "pres" {
					s.Skip()
				}
			case "c:strCache":
				cached = true
			case "c:v":
				if name := s.Inner(); cached && !names[name] {
					names[name] = true
					out = append(out, name)
				}
			case "c:chart":
				if id := s.Attr("r:id"); id != "" && charts {
					if r, ok := byID(p.relations(part))[id]; ok && !r.external {
						out = append(out, p.textsOf(r.target, false)...)
					}
				}
			case "mc:Fallback":
				s.Skip()
			}
		case xmlpull.End:
			switch s.Name {
			case "a:p":
				if text.Len() > 0 {
					out = append(out, text.String())
					text.Reset()
				}
			case "c:strCache":
				cached = false
			}
		}
	}
	return out
}
