package repl

import (
	"context"
	"io"

	"infomall/exec/session"
	"infomall/exec/worker"
	"infomall/exec/worker/workertest"
)

// workersVariable makes the program of scripts and of the manual ask workers, which run in
// the same process. By hand, INFOMALL_TEST_WORKERS=1 go test ./repl -run 'TestScripts|TestManual'
// must give the same rows as without, though not the same notes.
const workersVariable = "INFOMALL_TEST_WORKERS"

// mainWithWorkers does what Main does, and asks three workers.
func mainWithWorkers(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	defer beginRoomy()()
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, openArchive: openPlace}
	p.workers = func(o *session.Options) session.Workers {
		return fourParts{worker.NewAsker(workertest.New(o.Archive, 3, forParts(o.Archive, o.Settings)), worker.Options{})}
	}
	return p.main(ctx, args)
}

// fourParts divides every question into four parts.
type fourParts struct{ *worker.Asker }

func (fourParts) Parts(int64, bool) int { return 4 }
