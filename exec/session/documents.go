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

// ReadDocuments reads the documents of the archive that were not read yet, such as PDFs, and
// returns one result per pool. It begins where the last reading stopped. An archive that
// cannot read documents has no results.
func (s *Session) ReadDocuments(ctx context.Context) ([]task.ReindexResult, error) {
	a, ok := s.Archive().(documentReader)
	if !ok {
		return nil, nil
	}
	return a.Reindex(ctx, task.ReindexOptions{Documents: true, DocumentTime: s.Settings().DocumentTime, Progress: s.Report("documents", "bytes")})
}

// ReadNewDocuments reads the documents after a statement has added captures, if the setting
// documents says so. The captures are in the archive already. If not all documents were
// read, the error says how to read the others.
func (s *Session) ReadNewDocuments(ctx context.Context) error {
	if s.Settings().Documents != DocumentsImport {
		return nil
	}
	if _, err := s.ReadDocuments(ctx); err != nil {
		return fmt.Errorf("all captures are in the archive, but not all documents were read: %w; REINDEX DOCUMENTS reads the others", err)
	}
	return nil
}
