// Package complete finds the texts that may come at a place of a statement: keywords,
// names of the session and of the archive, hosts and URLs, and files. The shell offers them
// after Tab, and the server on its query page.
package complete

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
	"infomall/store/record/task"
)

// Completer finds the texts that may come at a place of a statement.
type Completer struct {
	Session *session.Session
	Sites   *Sites // hosts, URLs and pools of the archive; nil if they are not completed
	Files   bool   // names of files are completed
}

// Complete returns the candidates for completing the statement at the cursor: texts that may
// replace before[from:]. before and after are the parts of the statement on both sides of the
// cursor.
func (c *Completer) Complete(before, after string) (from int, candidates []string) {
	n := lang.AtCursor(before, after)
	typed := before[n.From:]
	if n.Quoted {
		switch {
		case n.Place == lang.PlaceFile && c.Files:
			return n.From, FilesAt(typed)
		case (n.Place == lang.PlaceScope || n.Place == lang.PlaceSource) && c.Sites != nil:
			return n.From, c.Sites.beginning(typed)
		case n.Place == lang.PlacePool && c.Sites != nil:
			return n.From, Beginning(typed, c.Sites.pools())
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
	return n.From, Beginning(typed, names)
}

// isLower reports whether completed keywords should be in lower case. They get the case of
// typed, the word that is being typed. If typed is empty, they have the case in which text, the
// statement so far, has its first word. The parameter first is that word in upper case, to find
// it in text.
func isLower(typed, first, text string) bool {
	if typed != "" {
		return !strings.ContainsFunc(typed, unicode.IsUpper)
	}
	return first != "" && !strings.Contains(text, first)
}

// Beginning returns the names that begin with typed, sorted and without
// duplicates. Case does not count.
func Beginning(typed string, names []string) []string {
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
func (c *Completer) namesAt(n *lang.Next) []string {
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
		return append(all.Names(), c.Session.DefinedNames(ctx, task.KindView)...)
	case lang.PlaceView:
		return c.Session.DefinedNames(ctx, task.KindView)
	case lang.PlaceMetadata:
		return c.Session.DefinedNames(ctx, task.KindMetadata)
	case lang.PlaceWatch:
		return c.Session.DefinedNames(ctx, task.KindWatch)
	case lang.PlaceSchedule:
		return c.Session.DefinedNames(ctx, task.KindSchedule)
	case lang.PlaceCrawl:
		return c.Session.CrawlNames(ctx)
	case lang.PlaceRule:
		return c.Session.DefinedNames(ctx, task.KindRule)
	case lang.PlaceGraph:
		return c.Session.GraphNames(ctx)
	case lang.PlaceClassifier:
		return c.Session.StoredNames(task.ResultClassifier)
	case lang.PlaceRanking:
		return c.Session.StoredNames(task.ResultRanks)
	case lang.PlaceClusters:
		return c.Session.StoredNames(task.ResultClusters)
	case lang.PlaceEvents:
		return c.Session.StoredNames(task.ResultEvents)
	case lang.PlaceQuery:
		return c.Session.QueryNames(ctx)
	case lang.PlaceParam:
		return c.Session.QueryParams(ctx, n.Subject)
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
		names = append(names, c.Session.DefinedNames(ctx, task.KindView)...)
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
func (c *Completer) columnsOf(sources []lang.SourceName, qualifier string) []string {
	var names []string
	for _, src := range sources {
		called := src.Alias
		if called == "" {
			called = src.Relation
		}
		if qualifier == "" || strings.EqualFold(called, qualifier) {
			names = append(names, c.Session.ColumnNames(src.Relation)...)
		}
	}
	if len(sources) == 0 {
		for _, r := range all.Relations() {
			names = append(names, c.Session.ColumnNames(r.Name)...)
		}
	}
	return names
}

// FilesAt returns the paths of the files and folders that begin with typed.
// Folders end in a slash. Names with control characters are left out, and so
// are hidden files unless typed has the dot.
func FilesAt(typed string) []string {
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
