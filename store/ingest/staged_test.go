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
	head := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
	read := derive.NewReader().Of(segment.ID{}, []byte("<title>Not found</title><p>one<p>two"), head, "text/html")
	const reason = `title says "not found"`
	if p := read.Page(); p.Title != "Not found" || p.Reason != reason || p.BlockCount < 1 || !read.Missing || len(read.Facts) == 0 {
		t.Fatalf("the body is read as %+v", p)
	}
	for _, c := range []struct {
		kind    record.Kind
		change  record.Change
		body    segment.BodyForm
		reason  string
		blocks  int64
		content uint64
		facts   bool
	}{
		{record.KindPage, record.ChangeFirst, segment.BodyOwn, reason, -1, 0, true},
		{record.KindError, record.ChangeFirst, segment.BodyOwn, "", -1, 0, true},
		{record.KindPage, record.ChangeSame, segment.BodyOwn, reason, -1, 0, true},
		{record.KindPage, record.ChangeSame, segment.BodyHeld, reason, -1, 0, false},
		{record.KindPage, record.ChangeChanged, segment.BodyHeld, reason, -1, 0, true},
	} {
		e := segment.Stored{Entry: segment.Entry{Kind: c.kind, Body: segment.BodyOwn}}
		read.Classify(&e.Entry)
		s := staged{read: read}
		s.take(&e)
		s.Change, s.Body = c.change, c.body
		got := s.stored()
		if got.Page.Title != "Not found" || got.Page.Reason != c.reason || got.Page.BlockCount != c.blocks || got.Content != c.content || (len(got.Facts) > 0) != c.facts || got.Body != c.body {
			t.Errorf("%+v is stored as %+v", c, got)
		}
	}
	s := staged{read: read, took: &took{page: segment.Page{Title: "of the original"}, location: "l", holderKey: "h"}}
	s.take(&segment.Stored{})
	if got := s.stored(); got.Page.Title != "of the original" || got.Location != "l" || got.HolderKey != "h" || got.Facts != nil {
		t.Errorf("a revisit is stored as %+v", got)
	}
}
