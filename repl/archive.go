package repl

import (
	"context"
	"io"

	"infomall/exec"
	"infomall/exec/op"
	"infomall/store"
)

// archive is the store's archive as the executor wants it.
type archive struct{ *store.Archive }

// Snapshot implements exec.Archive.
func (a archive) Snapshot(ctx context.Context) (op.Snapshot, error) {
	s, err := a.Archive.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// openStore gives the archive in the folder path, which need not be there yet,
// and what closes it. What the store has to tell meanwhile goes to warn.
func openStore(path string, warn func(error)) (exec.Archive, io.Closer) {
	a := store.Open(path, store.Options{Warn: warn})
	return archive{a}, a
}
