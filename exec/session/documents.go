package session

import (
	"context"
	"fmt"

	"infomall/store/record/task"
)

// documentReader is the method of an archive that ReadDocuments needs.
type documentReader interface {
	// Reindex with the option Documents reads the documents that were not read. It
	// returns one result per pool.
	Reindex(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error)
}

// ReadDocuments reads those documents of the archive, such as PDFs, that were not read yet.
// It returns one result per pool. It continues where the last call stopped. If the archive
// cannot read documents, there are no results.
func (s *Session) ReadDocuments(ctx context.Context) ([]task.ReindexResult, error) {
	a, ok := s.Archive().(documentReader)
	if !ok {
		return nil, nil
	}
	return a.Reindex(ctx, task.ReindexOptions{Documents: true, DocumentTime: s.Settings().DocumentTime, Progress: s.Report("documents", "bytes")})
}

// ReadNewDocuments reads the documents that were not read yet, if the setting documents asks
// for this at import. It is called after a statement has added captures to the archive. If
// not all documents were read, the error says how to read the others.
func (s *Session) ReadNewDocuments(ctx context.Context) error {
	if s.Settings().Documents != DocumentsImport {
		return nil
	}
	if _, err := s.ReadDocuments(ctx); err != nil {
		return fmt.Errorf("all captures are in the archive, but not all documents were read: %w; REINDEX DOCUMENTS reads the others", err)
	}
	return nil
}
