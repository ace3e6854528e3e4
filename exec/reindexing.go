package exec

import (
	"context"
	"fmt"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// reindex runs REINDEX.
func (s *Session) reindex(ctx context.Context, st *ast.Reindex) (*Result, error) {
	o, err := s.reindexOptions(st)
	if err != nil {
		return nil, err
	}
	if s.Progress != nil {
		tell := s.throttled()
		o.Progress = func(done, total int64) { tell(Progress{What: "reindex", Done: done, Total: total, Unit: "bytes"}) }
	}
	results, err := s.reindexed(ctx, st, o)
	if err != nil {
		return nil, err
	}
	t := newTable(text("pool"), whole("segments"), whole("captures"), whole("bytes"), whole("index_bytes"), whole("damaged"))
	damaged, catalogue := 0, false
	for _, r := range results {
		t.add(value.OfText(r.Pool), value.OfInt(int64(r.Segments)), value.OfInt(r.Captures), value.OfInt(r.Bytes), value.OfInt(r.IndexBytes), value.OfInt(int64(r.Damaged)))
		damaged += r.Damaged
		catalogue = catalogue || r.Catalogue
	}
	if damaged > 0 {
		err = fmt.Errorf("%d db-files are damaged, and their indexes were left as they are; VERIFY says what is wrong", damaged)
	}
	res := t.result(ResultWork, err)
	if catalogue {
		res.Notes = append(res.Notes, "the catalogue was made anew from the db-files")
	}
	return res, nil
}

func (s *Session) reindexOptions(st *ast.Reindex) (o record.ReindexOptions, err error) {
	o.Derived, o.PageLimit = st.Derived, s.Settings.PageLimit
	if st.Pool != nil {
		o.Pool, err = plan.ConstantText(st.Pool, s.env())
	}
	return o, err
}

// reindexed makes the indexes anew, and tells where a pool is named that is not
// there.
func (s *Session) reindexed(ctx context.Context, st *ast.Reindex, o record.ReindexOptions) ([]record.ReindexResult, error) {
	results, err := s.Archive.Reindex(ctx, o)
	return results, noPool(st.Pool, err)
}

// wouldReindex says what REINDEX would make anew.
func (s *Session) wouldReindex(ctx context.Context, st *ast.Reindex) ([]string, error) {
	o, err := s.reindexOptions(st)
	if err != nil {
		return nil, err
	}
	o.Dry = true
	results, err := s.reindexed(ctx, st, o)
	if err != nil {
		return nil, err
	}
	lines := []string{"make the indexes of " + s.Archive.Path() + " anew"}
	if st.Derived {
		lines[0] = "make anew what older versions of the program read off pages of " + s.Archive.Path()
		if len(results) == 0 {
			lines = append(lines, "  nothing: this version did it")
		}
	}
	for _, r := range results {
		line := fmt.Sprintf("  pool %s: from %d db-files, %d bytes", r.Pool, r.Segments, r.Bytes)
		if r.Catalogue {
			line += ", and the catalogue, which is lost"
		}
		lines = append(lines, line)
	}
	return lines, nil
}
