package snapshot

import (
	"context"
	"strings"

	"infomall/store/page/charset"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// usualPages is how many stored pages of a host are read to guess the charset of a page that
// does not declare one.
const usualPages = 64

// CountCharsets adds to pages the charsets of the first stored pages of a host, at
// most usualPages. host is the prefix that the keys of the host's URLs have in
// common.
func (v *Snapshot) CountCharsets(ctx context.Context, host string, pages *charset.Counts) error {
	left := usualPages
	for _, info := range v.Pin.Segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if info.LastKey < host {
			continue
		}
		if err := v.countIn(info, host, pages, &left); err != nil {
			return err
		}
	}
	return nil
}

// countIn does what CountCharsets does, for the segment info. *left is how many
// more pages may be counted; countIn reduces it by the pages that it counts.
func (v *Snapshot) countIn(info *segment.Info, host string, pages *charset.Counts, left *int) error {
	c := NewCursor(v.Runs.Reader(info), 0, v)
	defer c.Close()
	var group []timeline.Capture
	for err := c.Seek(host); !c.End && *left > 0; {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(c.Key(), host) {
			return nil
		}
		if group, err = c.Group(group[:0]); err != nil {
			return err
		}
		last := &group[len(group)-1]
		if last.Body != segment.BodyOwn {
			continue
		}
		s, err := v.Runs.Entry(last.Place)
		if err != nil {
			return err
		}
		*left--
		pages.AddSource(s.Page.Charset, s.Page.Source)
	}
	return nil
}
