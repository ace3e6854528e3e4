package kinds

import (
	"bytes"
	"path/filepath"
	"testing"

	"infomall/store/document"
	"infomall/store/page/pagetest"
)

// TestRealFeeds reads real feeds in 30 charsets. Most of them state no charset or a wrong
// one. Each must be a feed with a title and items, and only feeds that are cut off may be damaged.
// One feed states the title "0", which is none.
func TestRealFeeds(t *testing.T) {
	names, bodies := pagetest.Files(t, filepath.Join(pagetest.Shared(t), "charset", "chardet-odd.tar.zst"), ".xml")
	feeds, items, untitled := 0, 0, 0
	for i, body := range bodies {
		if !bytes.Contains(body, []byte("<item")) && !bytes.Contains(body, []byte("<entry")) {
			continue // a page
		}
		d := Read(&document.Input{Body: body, Mime: "application/xml"})
		if d == nil || d.Kind != "feed" {
			t.Errorf("%s: is not read as a feed: %+v", names[i], d)
			continue
		}
		feeds++
		if d.Title == "" {
			untitled++
		}
		for _, s := range d.Sections {
			if s.Kind == document.Item {
				items++
			}
		}
		if d.Reason != "" && bytes.HasSuffix(bytes.TrimSpace(body), []byte(">")) {
			t.Errorf("%s is whole: %s", names[i], d.Reason)
		}
	}
	t.Logf("%d feeds with %d items", feeds, items)
	if feeds < 150 || items < 1500 || untitled > 1 {
		t.Errorf("got %d feeds with %d items, %d without a title", feeds, items, untitled)
	}
}
