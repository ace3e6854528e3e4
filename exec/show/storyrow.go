package show

import (
	"iter"
	"strings"

	"infomall/exec/draw"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/store/record"
)

// entry is one entry of a story: something that happened to a page or a block.
type entry struct {
	notBefore record.Time // the last visit at which it had not happened; NoTime if there is none
	time      record.Time // the first visit at which it had happened
	what      string      // one of the constants below
	block     string      // the path of the block, or ""
	identity  string      // the identity of the block, or ""
	text, old string      // the words after and before, in short
	url       string      // where the page or block went, or came from
	edits     int         // how many changes the entry stands for
	reason    string      // why the changes are small; "" if they are not
}

// The values of entry.what, besides the names of changes of blocks, which are those of life.Op.
const (
	storyFirst    = "first seen"
	storyGone     = "gone"
	storyBack     = "back"
	storyRedirect = "redirect"
	storyStatus   = "status"
	storyTitle    = "title"
	storyMovedTo  = "moved to"
	storyCameFrom = "came from"
	storyLayout   = "layout"
	storySmall    = "small edits"
)

// storyColumns are the columns of the rows of SHOW STORY.
var storyColumns = []value.Column{
	{Name: "not_before", Type: value.Time}, {Name: "time", Type: value.Time}, session.Text("what"),
	session.Text("block"), session.Text("identity"), session.Text("text"), session.Text("old_text"),
	{Name: "url", Type: value.URL}, session.Whole("edits"), session.Text("reason"),
}

// shortRunes is how many characters of the words before and after an entry has at most.
const shortRunes = 120

// short returns the beginning of a text: its words with one space between them, at most
// shortRunes characters, and an ellipsis if words are left out.
func short(text string) string {
	whole := strings.Join(strings.Fields(text), " ")
	begin := relation.Beginning(whole, shortRunes)
	if begin != whole {
		begin += " …"
	}
	return begin
}

// row returns the values of e in the order of storyColumns.
func (e *entry) row() []value.Value {
	url := value.Value{}
	if e.url != "" {
		url = value.OfURL(e.url)
	}
	return []value.Value{
		timeOrNull(e.notBefore), value.OfTime(e.time), value.OfText(e.what),
		value.TextOrNull(e.block), value.TextOrNull(e.identity), value.TextOrNull(e.text), value.TextOrNull(e.old),
		url, value.OfInt(int64(e.edits)), value.TextOrNull(e.reason),
	}
}

// storyRows yields the entries as rows, one at a time: the first versions of a page may
// be all that the caller wants.
func storyRows(entries iter.Seq2[*entry, error]) iter.Seq2[*value.Batch, error] {
	return func(yield func(*value.Batch, error) bool) {
		for e, err := range entries {
			if err != nil {
				yield(nil, err)
				return
			}
			table := session.NewTable(storyColumns...)
			table.Add(e.row()...)
			if !yield(table.Batch(), nil) {
				return
			}
		}
	}
}

// drawn yields the entries in the form that draw.Story takes.
func (t *telling) drawn(entries iter.Seq2[*entry, error]) iter.Seq2[draw.StoryEntry, error] {
	return func(yield func(draw.StoryEntry, error) bool) {
		for e, err := range entries {
			d := draw.StoryEntry{}
			if err == nil {
				d = draw.StoryEntry{When: interval(t.s.Day, e.notBefore, e.time), What: e.what, Block: e.block, Text: e.text, Old: e.old, URL: e.url, Edits: e.edits, Until: t.s.Day(e.time), Reason: e.reason}
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}
