package export

import (
	"context"
	"fmt"
	"io"
	"strings"

	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/exec/webhook"
	"infomall/lang/ast"
)

// readHook sets the URL and the format of the target to. The URL is the target's path.
// Without the clause FORMAT, the end of the URL's path decides on the format.
func readHook(st *ast.Export, to target) (target, error) {
	// Run checks the addresses. An address of another machine in the URL itself is
	// refused there as well, because the setting is known only then.
	u, err := webhook.Parse(to.path, true)
	if err != nil {
		return to, ast.Errorf(st.To, "TO: %v", err)
	}
	to.hook = u
	return readFormat(st, to, u.Path)
}

// posted is an EXPORT statement that sends its rows to a web server, ready to run.
type posted struct{ *export }

// readPosted makes a posted of the export e, whose query is planned already.
func readPosted(e *export) (*posted, error) {
	st := e.st
	fault, hint := "", ""
	switch {
	case len(st.PartitionBy) > 0:
		fault, hint = "PARTITION BY writes files to a folder, and a web server gets one file", "leave out PARTITION BY"
	case st.Follow != nil:
		fault, hint = "FOLLOW goes on to write to its file, and a web server gets a complete file", "WATCH … THEN EXPORT sends the rows that are new"
	case e.to.format == tianwangFormat:
		fault, hint = "FORMAT tianwang writes two files, and a web server gets one", "write FORMAT warc"
	}
	if fault != "" {
		err := ast.Errorf(st.To, "%s", fault)
		err.Hint = hint
		return nil, err
	}
	if _, err := webhook.Parse(e.to.path, e.s.Settings().RemoteHooks()); err != nil {
		return nil, ast.Errorf(st.To, "TO: %v", err)
	}
	return &posted{e}, e.to.need(st, e.node.Columns())
}

// Would returns the lines for EXPLAIN: the URL and the format, then the plan of the
// query.
func (p *posted) Would(ctx context.Context) ([]string, error) {
	lines, err := p.s.PlanLines(ctx, p.node)
	return append([]string{"POST to " + p.to.path + " as " + p.to.format.name}, lines...), err
}

// Run sends the rows, or the captures that they name, to the web server, in one request.
// The request is sent only when all rows are there, so a query that fails sends nothing.
// The result has one row, with the URL, the size of the file and the status of the answer.
func (p *posted) Run(ctx context.Context) (*session.Result, error) {
	s, to := p.s, p.to
	f, err := s.Runner(nil, "export").Memory.TempFile()
	if err != nil {
		return nil, err
	}
	defer f.Close() // the file has no name any more
	n, notes, err := p.write(ctx, f)
	if err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", to.path, err)
	}
	post := &webhook.Post{
		URL: to.hook, Type: to.format.mediaType, Gzip: to.gzip, Body: f, Size: size, Key: s.Batch().NextKey(),
		Agent: "infomall/" + s.Version(), Remote: s.Settings().RemoteHooks(),
	}
	if strings.HasPrefix(post.Type, "text/") {
		post.Type += "; charset=utf-8"
	}
	status, err := post.Send(ctx)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("url"), session.Whole("rows"), session.Whole("bytes"), session.Whole("status"))
	t.Add(value.OfText(to.path), value.OfInt(n), value.OfInt(size), value.OfInt(int64(status)))
	res := t.Work(session.Count{Rows: n, Bytes: size}, nil)
	res.Notes = notes
	return res, nil
}
