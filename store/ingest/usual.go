package ingest

import (
	"context"
	"strings"

	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/snapshot"
	"infomall/store/urlkey"
)

// tellCharsets guesses the charset of the pages of the batch that do not declare it: a page gets
// the charset that most other pages of its host have. tellCharsets analyses these pages again with
// that charset. It counts the charsets of pages in the batch, and of the first pages of the host in
// the archive. So the result depends on the present state of the archive, but not on the order of
// captures in the batch. REINDEX DERIVED guesses again. The captures of the batch must be sorted by
// key and time.
func (g *Importer) tellCharsets(ctx context.Context) error {
	var v *snapshot.Snapshot
	for from := 0; from < len(g.staged); {
		key := g.staged[from].Key
		host := key[:urlkey.HostPrefix(key)]
		if host == "" {
			from++
			continue // its URL has no host
		}
		to, unsure := from, false
		for ; to < len(g.staged) && strings.HasPrefix(g.staged[to].Key, host); to++ {
			unsure = unsure || g.staged[to].spool == nil && g.staged[to].read != nil && g.staged[to].read.Unsure
		}
		of := g.staged[from:to]
		from = to
		if !unsure {
			continue
		}
		if v == nil {
			var err error
			if v, err = g.intake.snapshots.Open(ctx); err != nil {
				return err
			}
			defer v.Close()
		}
		var pages charset.Counts
		for _, s := range of {
			if s.read != nil && !s.read.Unsure {
				p := s.read.Page()
				pages.AddSource(p.Charset, p.Source)
			}
		}
		if err := v.CountCharsets(ctx, host, &pages); err != nil {
			return err
		}
		usual := pages.Usual()
		for _, s := range of {
			if usual == "" || s.spool != nil || s.read == nil || !s.read.Unsure {
				continue
			}
			as := *s.read.As
			as.Usual = usual
			s.read = g.read.As(s.ID, s.body, as)
			if s.Kind == record.KindSoftMissing {
				s.Kind = record.KindPage
			}
			s.read.Classify(&s.Entry)
		}
	}
	return nil
}
