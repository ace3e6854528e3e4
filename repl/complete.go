package repl

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"infomall/exec/export"
	"infomall/exec/expr"
	"infomall/exec/pool"
	"infomall/exec/query"
	"infomall/exec/relation/all"
	"infomall/exec/rowio"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/lang/cells"
	"infomall/repl/printer"
	"infomall/repl/term"
	"infomall/store/record/task"
)

// complete returns the candidates for completing the text at the cursor: texts
// that may replace before[from:]. before and after are the texts of the line on
// both sides of the cursor. The line editor calls complete when Tab is typed.
func (s *shell) complete(before, after string) (from int, candidates []string) {
	if word := strings.TrimLeft(before, " "); s.pending == "" && strings.HasPrefix(word, ".") {
		return completeDot(before)
	}
	c := &completer{session: s.session, sites: s.sites, files: true}
	from, candidates = c.complete(s.pending+before, after)
	from -= len(s.pending)
	if from < 0 {
		return 0, nil // the text to complete began on an earlier line
	}
	return from, candidates
}

// completer finds the texts that may come at a place of a statement.
type completer struct {
	session *session.Session
	sites   *siteNames // hosts, URLs and pools of the archive; nil if they are not completed
	files   bool       // names of files are completed
}

// complete returns the candidates for completing the statement at the cursor: texts
// that may replace before[from:]. before and after are the statement's text on both
// sides of the cursor.
func (c *completer) complete(before, after string) (from int, candidates []string) {
	n := lang.AtCursor(before, after)
	typed := before[n.From:]
	if n.Quoted {
		switch {
		case n.Place == lang.PlaceFile && c.files:
			return n.From, filesAt(typed)
		case (n.Place == lang.PlaceScope || n.Place == lang.PlaceSource) && c.sites != nil:
			return n.From, c.sites.beginning(typed)
		case n.Place == lang.PlacePool && c.sites != nil:
			return n.From, beginning(typed, c.sites.pools())
		}
		return n.From, nil
	}
	names := c.namesAt(&n)
	for _, w := range n.Words {
		if isLower(typed, n.Subject, before) {
			w = strings.ToLower(w)
		}
		names = append(names, w)
	}
	return n.From, beginning(typed, names)
}

// isLower reports whether completed keywords should be in lower case. They
// have the case of typed, the word that is being typed. If typed is empty, they
// have the case in which text, the statement so far, has its first word. The
// parameter first is that word in upper case, to find it in text.
func isLower(typed, first, text string) bool {
	if typed != "" {
		return !strings.ContainsFunc(typed, unicode.IsUpper)
	}
	return first != "" && !strings.Contains(text, first)
}

// beginning returns the names that begin with typed, sorted and without
// duplicates. Case does not count.
func beginning(typed string, names []string) []string {
	var list []string
	for _, name := range names {
		if len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// namesAt returns the names that may come at the cursor, such as columns and
// functions in an expression. It returns nil if it knows none, such as for a
// new name.
func (c *completer) namesAt(n *lang.Next) []string {
	ctx := context.Background()
	switch n.Place {
	case lang.PlaceExpr:
		names := c.columnsOf(n.Sources, "")
		for _, f := range expr.Functions() {
			names = append(names, f.Name)
		}
		return names
	case lang.PlaceColumn:
		return c.columnsOf(n.Sources, n.Subject)
	case lang.PlaceSource:
		return append(all.Names(), c.session.ViewNames(ctx)...)
	case lang.PlaceView:
		return c.session.ViewNames(ctx)
	case lang.PlaceMetadata:
		return c.session.MetadataNames(ctx)
	case lang.PlaceWatch:
		return c.session.WatchNames(ctx)
	case lang.PlaceRule:
		return c.session.RuleNames(ctx)
	case lang.PlaceGraph:
		return c.session.GraphNames(ctx)
	case lang.PlaceClassifier:
		return c.session.StoredNames(task.ResultClassifier)
	case lang.PlaceQuery:
		return c.session.QueryNames(ctx)
	case lang.PlaceParam:
		return c.session.QueryParams(ctx, n.Subject)
	case lang.PlaceList:
		return query.Lists()
	case lang.PlaceTopic:
		return lang.Topics()
	case lang.PlaceFormat:
		return pool.Formats()
	case lang.PlaceExportFormat:
		return export.Formats()
	case lang.PlaceForm:
		var names []string
		for form := ast.PageText; form <= ast.PageBlocks; form++ {
			names = append(names, form.String())
		}
		return names
	case lang.PlaceUnit:
		var names []string
		for unit := ast.BlameBlocks; unit <= ast.BlameWords; unit++ {
			names = append(names, unit.String())
		}
		return names
	case lang.PlaceType:
		return []string{"bool", "int", "float", "text", "url", "time", "duration"}
	case lang.PlaceDescribed:
		names := append(all.Names(), session.SettingNames()...)
		names = append(names, c.session.ViewNames(ctx)...)
		for _, f := range expr.Functions() {
			names = append(names, f.Name)
		}
		return names
	case lang.PlaceSetting:
		return session.SettingNames()
	case lang.PlaceValue:
		if n.Subject == "mode" {
			return append(rowio.Formats(), printer.ModeAuto)
		}
	}
	return nil
}

// columnsOf returns the names of the columns of the given sources. If qualifier
// is not "", it returns only those of the source with that name or alias. If
// there are no sources, it returns the columns of all relations.
func (c *completer) columnsOf(sources []lang.SourceName, qualifier string) []string {
	var names []string
	for _, src := range sources {
		called := src.Alias
		if called == "" {
			called = src.Relation
		}
		if qualifier == "" || strings.EqualFold(called, qualifier) {
			names = append(names, c.session.ColumnNames(src.Relation)...)
		}
	}
	if len(sources) == 0 {
		for _, r := range all.Relations() {
			names = append(names, c.session.ColumnNames(r.Name)...)
		}
	}
	return names
}

// completeDot returns the candidates for completing a dot command, such as
// .mode, or its argument: texts that may replace before[from:].
func completeDot(before string) (from int, candidates []string) {
	from = strings.LastIndexByte(before, ' ') + 1
	command := strings.Fields(before)[0]
	if from <= strings.Index(before, ".") {
		var names []string
		for _, c := range dotCommands() {
			names = append(names, c.name)
		}
		return from, beginning(before[from:], names)
	}
	switch command {
	case ".mode", ".last":
		return from, beginning(before[from:], append(rowio.Formats(), printer.ModeAuto))
	case ".pager":
		return from, beginning(before[from:], []string{printer.PagerAuto, printer.PagerOn, printer.PagerOff})
	case ".timer", ".headers":
		return from, beginning(before[from:], []string{"on", "off"})
	case ".once", ".output", ".read":
		return from, filesAt(before[from:])
	}
	return from, nil
}

// filesAt returns the paths of the files and folders that begin with typed.
// Folders end in a slash. Names with control characters are left out, and so
// are hidden files unless typed has the dot.
func filesAt(typed string) []string {
	dir, base := filepath.Split(typed)
	entries, _ := os.ReadDir(filepath.Join(".", dir)) // a folder that cannot be read counts as empty
	if filepath.IsAbs(dir) {
		entries, _ = os.ReadDir(dir)
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || cells.Lines(name) != name || base == "" && name[0] == '.' {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		names = append(names, dir+name)
	}
	return names
}

// highlight returns the colours of a line at the prompt. If a statement was
// begun on earlier lines, s.pending has these, and line continues the
// statement. A dot command has no colours.
func (s *shell) highlight(line string) []term.Style {
	if s.pending == "" && strings.HasPrefix(strings.TrimLeft(line, " "), ".") {
		return nil
	}
	var styles []term.Style
	for _, t := range lang.Tokens(s.pending + line) {
		from, to := t.From-len(s.pending), t.To-len(s.pending)
		if to > 0 {
			styles = append(styles, term.Style{From: max(0, from), To: to, Color: printer.ClassColors[t.Class]})
		}
	}
	return styles
}
