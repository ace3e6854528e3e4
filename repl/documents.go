package repl

import (
	"os"

	"infomall/store/document/child"
	"infomall/store/document/kinds"
)

// newDocuments returns a pool of child processes of this program that read the documents of an
// archive. No child starts before there is a document. The caller closes it.
func newDocuments() *child.Pool { return child.NewPool(child.Options{Kind: kinds.NameOf}) }

// readDocuments is a tool that only the program itself starts, see package child. It reads
// documents for the process that started it, and returns the exit status.
func (p *program) readDocuments([]string) int {
	err := child.Serve(p.stdin, p.stdout, child.Reader{Prepare: kinds.Prepare, Read: kinds.Read}, func() { os.Exit(statusDone) })
	if err != nil {
		p.say("infomall: read documents: %v", err)
		return statusFailed
	}
	return statusDone
}
