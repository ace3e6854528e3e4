package crawls

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/lang/ast"
)

// onSchemes are the schemes of the URLs that ON takes.
var onSchemes = []string{"nats", "tls", "ws", "wss"}

// readOn sets c.o from the clause ON, and refuses clauses that a crawl with several
// processes cannot have.
func (c *crawl) readOn() (err error) {
	st, o := c.st, &c.o
	if st.On == nil {
		return nil
	}
	if o.On, err = expr.ConstantText(st.On, c.s.Env()); err != nil {
		return err
	}
	for _, one := range strings.Split(o.On, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || !slices.Contains(onSchemes, u.Scheme) || u.Hostname() == "" {
			return ast.Errorf(st.On, "ON takes the URL of a NATS server, such as 'nats://nats.example:4222', or several with commas between them, not %q", o.On)
		}
		if u.User != nil {
			err := ast.Errorf(st.On, "the URL of a NATS server must not contain a name and password: statements are stored")
			err.Hint = "set the environment variables NATS_USER and NATS_PASSWORD, or NATS_CREDS to the path of a file"
			return err
		}
	}
	if err := c.refuseOn(); err != nil {
		return err
	}
	o.Settings, o.Params = c.s.Settings().Changed(), maps.Clone(c.s.Params())
	return nil
}

// refuseOn returns an error if the statement has a clause that does not go with ON.
func (c *crawl) refuseOn() error {
	st, o := c.st, &c.o
	var at ast.Node = st
	clause, why := "", ""
	switch {
	case st.Due:
		clause, why = "CRAWL DUE", "each process has pages of its own that are due"
	case st.FromArchive:
		clause, why = "FROM ARCHIVE", "it asks no server"
	case st.Render != nil:
		clause, why = "RENDER", "the parts of a page may lie on hosts from which another process fetches"
	case len(st.Forms) > 0:
		at, clause, why = &st.Forms[0], "FORMS", "the limit of submissions holds for one process only"
	case o.MaxBytes > 0:
		clause, why = "LIMIT of a size", "the processes do not know in time how many bytes the others fetch"
	}
	if clause == "" {
		for i, seed := range o.Seeds {
			if strings.HasPrefix(seed, "file:") {
				at, clause, why = st.Seeds[i], "a file", "other machines may not have it"
				break
			}
		}
	}
	if clause == "" {
		return nil
	}
	err := ast.Errorf(at, "%s does not go with ON: %s", clause, why)
	err.Hint = "leave out one of them"
	if o.MaxBytes > 0 && strings.HasPrefix(clause, "LIMIT") {
		err.Hint = "use LIMIT n PAGES, or a time"
	}
	return err
}
