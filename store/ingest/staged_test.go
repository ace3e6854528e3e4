package ingest

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/segment"
)

// TestStaged draws captures. stored returns what take was given, whichever fields are empty.
func TestStaged(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "http://a.example/" + string(make([]byte, 300))})
	rapid.Check(t, func(t *rapid.T) {
		want := segment.Stored{Page: segment.NoPage, RefersTime: record.NoTime}
		want.Key, want.Time, want.Mime, want.Body, want.Digest[3] = "key", 7, "text/html", segment.BodyOwn, 9
		for _, f := range []*string{&want.IP, &want.Origin, &want.AskedURL, &want.Location, &want.Source, &want.RecordID, &want.DeclaredDigest, &want.RefersURL} {
			*f = text.Draw(t, "text")
		}
		for _, f := range []*[]byte{&want.Head, &want.Framing, &want.Extra, &want.Request} {
			if s := text.Draw(t, "bytes"); s != "" {
				*f = []byte(s)
			}
		}
		if rapid.Bool().Draw(t, "refers") {
			want.RefersTime = record.Time(rapid.Int64().Draw(t, "time"))
		}
		var s staged
		s.take(&want)
		if got := s.stored(); !reflect.DeepEqual(got, want) {
			t.Fatalf("stored as\n%+v, want\n%+v", got, want)
		}
	})
}

// TestStagedPage shows what a stored capture has from the analysis of its body: a page that says that
// nothing is there has the reason, and a capture that begins no version and does not store the body
// has no facts.
func TestStagedPage(t *testing.T) {
	read := &derive.Analysis{Missing: true, Content: 5, Facts: []byte("facts"), Page: segment.Page{Title: "title", Reason: "not found", BlockCount: 3}}
	for _, c := range []struct {
		kind    record.Kind
		change  record.Change
		body    segment.BodyForm
		reason  string
		blocks  int64
		content uint64
		facts   string
	}{
		{record.KindPage, record.ChangeFirst, segment.BodyOwn, "not found", -1, 0, "facts"},
		{record.KindError, record.ChangeFirst, segment.BodyOwn, "", -1, 0, "facts"},
		{record.KindPage, record.ChangeSame, segment.BodyOwn, "not found", -1, 0, "facts"},
		{record.KindPage, record.ChangeSame, segment.BodyHeld, "not found", -1, 0, ""},
	} {
		e := segment.Stored{Entry: segment.Entry{Kind: c.kind, Body: segment.BodyOwn}}
		read.Classify(&e.Entry)
		s := staged{read: read}
		s.take(&e)
		s.Change, s.Body = c.change, c.body
		got := s.stored()
		if got.Page.Title != "title" || got.Page.Reason != c.reason || got.Page.BlockCount != c.blocks || got.Content != c.content || string(got.Facts) != c.facts || got.Body != c.body {
			t.Errorf("%+v is stored as %+v", c, got)
		}
	}
	s := staged{read: read, took: &took{page: segment.Page{Title: "of the original"}, location: "l", holderKey: "h"}}
	s.take(&segment.Stored{})
	if got := s.stored(); got.Page.Title != "of the original" || got.Location != "l" || got.HolderKey != "h" || got.Facts != nil {
		t.Errorf("a revisit is stored as %+v", got)
	}
}
