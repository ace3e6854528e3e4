package store

import (
	"context"
	"strings"

	"infomall/store/page/charset"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// usualPages is how many stored pages of a host are consulted for the charset of a
// page that does not declare its own.
const usualPages = 64

// countCharsets counts the charsets of the first pages of a host. prefix is the
// common prefix of the host's keys.
func (v *snapshot) countCharsets(ctx context.Context, host string, pages *charset.Counts) error {
	left := usualPages
	for _, info := range v.pin.Segments {
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

// countIn does what countCharsets does, for one segment.
func (v *snapshot) countIn(info *segment.Info, host string, pages *charset.Counts, left *int) error {
	c := newCursor(v.runs.Reader(info), 0, v)
	defer c.close()
	var group []timeline.Capture
	for err := c.seek(host); !c.end && *left > 0; {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(c.key(), host) {
			return nil
		}
		if group, err = c.group(group[:0]); err != nil {
			return err
		}
		last := &group[len(group)-1]
		if last.Body != segment.BodyOwn {
			continue
		}
		s, err := v.runs.Entry(last.Place)
		if err != nil {
			return err
		}
		*left--
		pages.AddSource(s.Page.Charset, s.Page.Source)
	}
	return nil
}
