package uof

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/table"
	"infomall/store/document/xmlpull"
)

// reader reads one file.
type reader struct {
	b    *document.Builder
	flow *office.Flow
	s    *xmlpull.Scanner

	style    string            // the style of paragraphs that is being declared; "" outside of styles
	headings map[string]bool   // styles of headings, by their identifiers
	links    map[string]string // targets of links, by the identifier of the range of text
	shapes   map[string]*shape // texts of shapes that no anchor has named yet, by their identifiers
	shape    *shape            // the shape whose text is being read; nil outside of shapes

	heading bool   // the current paragraph is a heading
	hidden  bool   // the current run of text is hidden
	deleted string // the tracked change that deletes what follows; "" for none
	link    string // the range of text that is a link; "" for none

	cells  []string
	col    int // of the current cell, from 0
	inCell bool
	cell   []byte
	note   bool // inside of the comment of a cell
	rows   *table.Writer
	notes  []string // comments of the sheet
	number int64    // slides so far, hidden ones included
	shown  int64    // sheets and slides that are shown
}

// shape is the text of a shape.
type shape struct {
	paragraphs [][]byte
	group      []string // the identifiers of the shapes that it groups
}

// columnsMax is how many columns a sheet can have. declaredMax is how many styles, links and
// shapes are kept.
const (
	columnsMax  = 1 << 14
	declaredMax = 100_000
)

// file reads the whole file.
func (r *reader) file() error {
	for r.s.Next() {
		var err error
		switch r.s.Kind {
		case xmlpull.Start:
			err = r.start()
		case xmlpull.End:
			err = r.end()
		case xmlpull.Text:
		}
		if err == nil {
			err = r.flow.Err()
		}
		if err != nil {
			return err
		}
	}
	return r.s.Err()
}

func (r *reader) start() error {
	s := r.s
	switch s.Name {
	case "u:元数据":
		r.meta()
	case "u:超级链接":
		if len(r.links) < declaredMax {
			r.links[s.Attr("u:链源")] = s.Attr("u:目标")
		}
	case "u:段落式样":
		r.style = s.Attr("t:标识符")
	case "u:其他对象", "t:域代码", "t:引文符号", "p:母版集", "p:公用处理规则", "s:公用处理规则":
		s.Skip()
	case "d:图形":
		r.shape = &shape{group: strings.Fields(s.Attr("d:组合列表"))}
		if id := s.Attr("d:标识符"); len(r.shapes) < declaredMax {
			r.shapes[id] = r.shape
		}
	case "u:锚点":
		r.anchor(s.Attr("u:图形引用"), s.Attr("u:占位符"))
	case "t:图形":
		r.anchor(s.Attr("t:图形引用"), "")
	default:
		switch s.Name[0] {
		case 't':
			r.startText()
		case 's':
			return r.startSheet()
		case 'p':
			return r.startSlide()
		}
	}
	return nil
}

// startText takes the start of an element of text.
func (r *reader) startText() {
	s := r.s
	switch s.Name {
	case "t:段落":
		r.heading = false
	case "t:段落属性":
		r.heading = r.heading || r.headings[s.Attr("t:式样引用")]
	case "t:大纲级别":
		level, err := strconv.Atoi(strings.TrimSpace(s.Inner()))
		switch {
		case err != nil || level <= 0:
		case r.style == "":
			r.heading = true
		case len(r.headings) < declaredMax:
			r.headings[r.style] = true
		}
	case "t:句":
		r.hidden = false
	case "t:隐藏文字":
		r.hidden = s.Attr("t:值") == "true"
	case "t:文本串":
		r.text(s.Inner())
	case "t:制表符":
		r.text("\t")
	case "t:换行符":
		r.text("\n")
	case "t:空格符":
		n, _ := strconv.Atoi(s.Attr("t:个数"))
		r.text(strings.Repeat(" ", min(max(1, n), spacesMax)))
	case "t:脚注", "t:尾注", "t:页眉", "t:页脚", "t:批注":
		r.flow.BeginNote()
	case "t:文字表":
		r.flow.BeginTable()
	case "t:区域开始":
		if s.Attr("t:类型") == "hyperlink" && r.shape == nil {
			r.link = s.Attr("t:标识符")
			r.flow.BeginLink(r.links[r.link])
		}
	case "t:区域结束":
		if r.link != "" && s.Attr("t:标识符引用") == r.link {
			r.flow.EndLink()
			r.link = ""
		}
	case "t:修订开始":
		if s.Attr("t:类型") == "delete" {
			r.deleted = s.Attr("t:标识符")
		}
	case "t:修订结束":
		if s.Attr("t:开始标识引用") == r.deleted {
			r.deleted = ""
		}
	}
}

// spacesMax is how many blanks one element can stand for.
const spacesMax = 100

// text takes text of the current paragraph, cell or shape.
func (r *reader) text(text string) {
	switch {
	case r.hidden:
	case r.shape != nil:
		if len(r.shape.paragraphs) == 0 {
			r.shape.paragraphs = append(r.shape.paragraphs, nil)
		}
		last := &r.shape.paragraphs[len(r.shape.paragraphs)-1]
		*last = append(*last, text...)
	case r.inCell:
		r.cell = append(r.cell, text...)
	case r.deleted != "":
		r.flow.Remove(text)
	default:
		r.flow.Text(text)
	}
}

// anchor adds the text of the shape id, and of the shapes that it groups, at the place of an
// anchor. Each shape is added once. holds says what a shape of a slide contains, such as "title";
// shapes that repeat on all slides are left out.
func (r *reader) anchor(id, holds string) {
	if r.shape != nil {
		return // an anchor inside of a shape
	}
	s := r.shapes[id]
	delete(r.shapes, id)
	switch {
	case s == nil, holds == "header", holds == "footer", holds == "date-time", holds == "page-number":
		return
	case r.note:
		r.notes = append(r.notes, string(bytes.Join(s.paragraphs, []byte("\n"))))
		return
	}
	kind := document.Paragraph
	if holds == "title" || holds == "centertitle" {
		kind = document.Heading
	}
	r.flow.BeginBox()
	for _, p := range s.paragraphs {
		r.flow.Text(string(p))
		r.flow.EndParagraph(kind)
	}
	r.flow.EndFrame()
	if r.number > 0 { // on a slide, where no paragraph is around the shape
		r.flow.EndParagraph(document.Paragraph)
	}
	for _, member := range s.group {
		r.anchor(member, "")
	}
}

func (r *reader) end() error {
	switch r.s.Name {
	case "u:段落式样":
		r.style = ""
	case "d:图形":
		r.shape = nil
	case "t:段落":
		switch {
		case r.shape != nil:
			r.shape.paragraphs = append(r.shape.paragraphs, nil)
		case r.inCell:
			r.cell = append(r.cell, ' ')
		case r.heading:
			r.flow.EndParagraph(document.Heading)
		default:
			r.flow.EndParagraph(document.Paragraph)
		}
		r.heading = false
	case "t:脚注", "t:尾注", "t:页眉", "t:页脚", "t:批注", "p:幻灯片备注":
		r.flow.EndFrame()
	case "t:单元格":
		r.flow.EndCell()
	case "t:行":
		r.flow.EndRow()
	case "t:文字表":
		r.flow.EndTable()
	case "s:数据":
		r.endData()
	case "s:批注":
		r.note = false
	case "s:行":
		return r.rows.Add(r.cells...)
	case "s:工作表":
		return r.endSheet()
	}
	return nil
}

// startSheet takes the start of an element of a workbook.
func (r *reader) startSheet() error {
	s := r.s
	switch s.Name {
	case "s:工作表":
		if err := r.section(document.Sheet, s.Attr("s:名称")); err != nil {
			return err
		}
	case "s:行":
		r.cells, r.col = r.cells[:0], -1
	case "s:单元格":
		r.col++
		if n, err := strconv.Atoi(s.Attr("s:列号")); err == nil && n > r.col && n <= columnsMax {
			r.col = n - 1
		}
	case "s:数据":
		r.inCell, r.cell = true, r.cell[:0]
	case "s:批注":
		r.note = true
	}
	return nil
}

// section begins the section of a sheet or slide.
func (r *reader) section(kind document.SectionKind, name string) error {
	if r.shown >= int64(r.b.Limits().Pages) {
		return fmt.Errorf("more than %d sheets or slides: the rest is not read", r.shown)
	}
	r.shown++
	if err := r.flow.EndSection(); err != nil {
		return err
	}
	return r.b.Begin(kind, name)
}

// endData takes the text of a cell.
func (r *reader) endData() {
	r.inCell = false
	if r.col < 0 || r.col >= columnsMax {
		return
	}
	for len(r.cells) <= r.col {
		r.cells = append(r.cells, "")
	}
	r.cells[r.col] = string(r.cell)
}

// endSheet ends a sheet. Its comments come after its rows.
func (r *reader) endSheet() error {
	if err := r.rows.Flush(); err != nil {
		return err
	}
	for _, note := range r.notes {
		if err := r.b.Add(document.Note, note); err != nil {
			return err
		}
	}
	r.notes = r.notes[:0]
	return nil
}

// startSlide takes the start of an element of a presentation.
func (r *reader) startSlide() error {
	switch r.s.Name {
	case "p:幻灯片":
		r.number++
		if r.s.Attr("p:显示") == "false" {
			r.s.Skip()
			return nil
		}
		return r.section(document.Slide, strconv.FormatInt(r.number, 10))
	case "p:幻灯片备注":
		r.flow.BeginNote()
	}
	return nil
}
