package derive

import (
	"context"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// oneBody is the source of a batch in which all captures have the same body.
type oneBody Body

func (oneBody) StoredFold(timeline.Place) ([]byte, error) { return nil, nil }

func (b oneBody) VersionBody(context.Context, *timeline.Capture) (Body, bool, error) {
	return Body(b), true, nil
}

// TestLast computes the folds of two versions in the last batch of an import, and in another batch. The
// folds are the same, but only the other batch remembers the history of the URL.
func TestLast(t *testing.T) {
	body := []byte("<p>one</p><p>two</p><p>three</p>")
	read := NewReader()
	a := read.As(segment.ID{1}, body, divide.As{Mime: "text/html", ContentType: "text/html"})
	all := make([]timeline.Capture, 2)
	for i := range all {
		all[i].Entry = segment.Entry{Key: "key", Time: record.Time(i), Kind: record.KindPage, Change: record.ChangeChanged, Body: segment.BodyOwn, ID: segment.ID{byte(i)}}
		all[i].N = uint32(i)
	}
	var folds []string
	for _, last := range []bool{false, true} {
		f := FoldMaker{Read: read, Histories: NewHistories(1 << 20), Source: oneBody{Body: body, Read: a}, Last: last}
		err := f.Folds(t.Context(), all, func(_ *timeline.Capture, fold []byte, _ record.Sense) { folds = append(folds, string(fold)) })
		if err != nil {
			t.Fatal(err)
		}
		if has := f.Histories.Has(all); has == last {
			t.Errorf("last batch: %v; its history is remembered: %v", last, has)
		}
	}
	if len(folds) != 4 || folds[0] != folds[2] || folds[1] != folds[3] || folds[1] == "" {
		t.Errorf("the folds are %q", folds)
	}
}
