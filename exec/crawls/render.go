package crawls

import (
	"os"
	"path/filepath"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// browsersMax is the largest number of WITH n BROWSERS. A page takes some 100 MB of memory
// while it is shown.
const browsersMax = 64

// readRender sets c.o from the clauses RENDER and PROFILE.
func (c *crawl) readRender() error {
	s, st, o := c.s, c.st, &c.o
	if st.Render == nil {
		if st.Profile == nil {
			return nil
		}
		err := ast.Errorf(st.Profile, "PROFILE is the profile of a browser, but no browser shows pages")
		err.Hint = "add RENDER"
		return err
	}
	if st.FromArchive {
		err := ast.Errorf(st, "RENDER needs a server that answers, and FROM ARCHIVE asks none")
		err.Hint = "leave out one of them"
		return err
	}
	set := s.Settings()
	r := &report.Render{Screenshot: st.Render.Screenshot, Path: set.Browser, NoSandbox: !set.BrowserSandbox, Consent: set.ConsentRules, More: set.MoreRules, Temp: set.TempDir}
	if r.Temp == "" {
		r.Temp = filepath.Dir(s.Archive().Local())
	}
	if st.Render.When != nil {
		when, err := relation.BindShowCondition(st.Render.When, s.Env())
		if err != nil {
			return err
		}
		r.When = when
	}
	if n := st.Render.Browsers; n != nil {
		count, err := expr.ConstantCount(n, "BROWSERS", s.Env())
		if err != nil {
			return err
		}
		if count < 1 || count > browsersMax {
			return ast.Errorf(n, "BROWSERS takes a number from 1 to %d, not %d", browsersMax, count)
		}
		r.Browsers = int(count)
	}
	if st.Profile != nil {
		folder, err := expr.ConstantText(st.Profile, s.Env())
		if err != nil {
			return err
		}
		info, err := os.Stat(folder)
		if err != nil {
			return ast.Errorf(st.Profile, "PROFILE: %v", err)
		}
		if !info.IsDir() {
			return ast.Errorf(st.Profile, "PROFILE takes the folder of a browser's profile; %s is a file", folder)
		}
		r.Profile = folder
	}
	o.Render = r
	return nil
}

// renderLines returns lines for EXPLAIN that say which pages a browser shows. It returns
// nil if the crawl shows none.
func (c *crawl) renderLines() []string {
	r := c.o.Render
	if r == nil {
		return nil
	}
	line := "  " + value.Counted(max(r.Browsers, 1), "page") + " at a time in a browser: "
	if c.st.Render.When != nil {
		line += "those where " + c.st.Render.When.String()
	} else {
		line += "pages with status 200, until it makes nothing more of 3 in a row that are alike, and then 1 in 20 of these"
	}
	lines := []string{line, "  what such a page requests obeys robots.txt and the rules and limits of the crawl; each part is asked for once"}
	if r.Profile != "" {
		lines = append(lines, "  with the cookies and the storage in "+r.Profile)
	}
	return lines
}
