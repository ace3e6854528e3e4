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
func TestRealFeeds(t *testing.T) {
	names, bodies := pagetest.Files(t, filepath.Join(pagetest.Shared(t), "charset", "chardet-odd.tar.zst"), ".xml")
	feeds, items := 0, 0
	for i, body := range bodies {
		if !bytes.Contains(body, []byte("<item")) && !bytes.Contains(body, []byte("<entry")) {
			continue // a page
		}
		d := Read(&document.Input{Body: body, Mime: "application/xml"})
		if d == nil || d.Kind != "feed" || d.Title == "" {
			t.Errorf("%s: is not read as a feed with a title: %+v", names[i], d)
			continue
		}
		feeds++
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
	if feeds < 150 || items < 1500 {
		t.Errorf("got %d feeds with %d items", feeds, items)
	}
}
