package crawls

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// formLineMax is the greatest length in bytes of a line of a file with values.
const formLineMax = 64 << 10

// readForms checks the clause FORMS and plans its queries.
func (c *crawl) readForms() error {
	s, st := c.s, c.st
	c.o.FormLimit = s.Settings().FormLimit
	c.queries = make([]plan.Node, len(st.Forms))
	for i := range st.Forms {
		f := &st.Forms[i]
		field := report.FormField{Name: f.Name.Text}
		switch {
		case f.Query != nil:
			node, err := plan.Build(f.Query, s.Env())
			if err != nil {
				return err
			}
			if n := len(node.Columns()); n != 1 {
				return ast.Errorf(f.Query, "the values of %s come from a query with one column, and this one has %d", field.Name, n)
			}
			c.queries[i] = node
		case f.File != nil:
			if s.Env().Table == nil {
				return ast.Errorf(f.File, "no files are read here")
			}
			if _, err := expr.ConstantText(f.File, s.Env()); err != nil {
				return err
			}
		default:
			for _, e := range f.List {
				text, err := expr.ConstantText(e, s.Env())
				if err != nil {
					return err
				}
				field.Values = append(field.Values, text)
			}
		}
		c.o.Forms = append(c.o.Forms, field)
	}
	return nil
}

// findValues reads the values of FORMS that come from files and queries.
func (c *crawl) findValues(ctx context.Context) error {
	for i := range c.st.Forms {
		f, field := &c.st.Forms[i], &c.o.Forms[i]
		if f.List != nil {
			continue
		}
		v := values{max: c.s.Settings().FormLimit * report.FormsPerLimit, seen: make(map[string]bool)}
		err := error(nil)
		if f.Query != nil {
			err = c.queryValues(ctx, c.queries[i], &v)
		} else {
			err = c.fileValues(ctx, f.File, &v)
		}
		if err != nil {
			return err
		}
		if len(v.list) == 0 {
			c.notes = append(c.notes, fmt.Sprintf("FORMS: there is no value for %s, so no form is sent for it", field.Name))
		}
		if v.more {
			c.notes = append(c.notes, fmt.Sprintf("FORMS: only the first %s are sent for %s; SET form_limit raises this bound", value.Counted(len(v.list), "value"), field.Name))
		}
		field.Values = v.list
	}
	return nil
}

// values gathers the values of a field: each once, and at most max. more is set if there were
// further values.
type values struct {
	list []string
	max  int
	more bool
	seen map[string]bool
}

// add adds a value unless it is empty or known. It returns false if v is full and wants no more.
func (v *values) add(text string) bool {
	if text == "" || v.seen[text] {
		return true
	}
	if len(v.list) == v.max {
		v.more = true
		return false
	}
	v.seen[text] = true
	v.list = append(v.list, text)
	return true
}

// queryValues adds the rows of a query to v.
func (c *crawl) queryValues(ctx context.Context, node plan.Node, v *values) error {
	snap, release, err := c.s.SnapshotFor(ctx, node)
	if err != nil {
		return err
	}
	defer release()
	rows, err := c.s.Runner(snap, "crawl: values of forms").Rows(ctx, node)
	if err != nil {
		return err
	}
	for b, err := range rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			if !v.add(string(b.Cols[0].AppendText(nil, i, c.s.Settings().Timezone))) {
				return nil
			}
		}
	}
	return nil
}

// fileValues adds the lines of a file to v.
func (c *crawl) fileValues(ctx context.Context, path ast.Expr, v *values) error {
	name, err := expr.ConstantText(path, c.s.Env())
	if err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return ast.Errorf(path, "%v", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, formLineMax)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line := lines.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if !v.add(strings.TrimSpace(line)) {
			return nil
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return ast.Errorf(path, "%s has a line of more than %s; each line is one value", name, session.SizeText(formLineMax))
	} else if err != nil {
		return ast.Errorf(path, "read %s: %v", name, err)
	}
	return nil
}

// posted reports whether a URL names the response to a request other than GET. A crawl does not ask
// for it again, because only a form makes a crawl send such a request.
func posted(url string) bool {
	_, _, _, ok := urlkey.Method(url)
	return ok
}

// formLines returns the lines of EXPLAIN on FORMS.
func (c *crawl) formLines() []string {
	var lines []string
	for i := range c.st.Forms {
		f := &c.st.Forms[i]
		from := ""
		switch {
		case f.Query != nil:
			from = "the rows of " + f.Query.String()
		case f.File != nil:
			from = "the lines of " + f.File.String()
		default:
			from = value.Counted(len(f.List), "value")
		}
		lines = append(lines, "  fills in the field "+f.Name.Text+" of forms with "+from)
	}
	if len(lines) > 0 {
		limit := c.o.FormLimit
		lines = append(lines, fmt.Sprintf("  at most %s of one form, and %d in all", value.Counted(limit, "submission"), limit*report.FormsPerLimit))
	}
	return lines
}
