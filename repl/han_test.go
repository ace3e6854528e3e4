package repl

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"infomall/exec"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/store"
	"infomall/store/page/pagetest"
	"infomall/store/record/task"
	"infomall/store/words/match"

	"golang.org/x/text/unicode/norm"
)

// In the questions of these tests all letters are Chinese. CONTAINS and MATCH then find
// the same, except that MATCH compares letters in the form that they have after folding:
// it also finds
//
//   - a letter in another form: 学 for 學, or the letter of a radical or a ligature
//   - letters between which there is a character without width or a mark
//
// What CONTAINS finds, MATCH finds.

// hanFolded returns a text in which each Chinese letter has the form that MATCH compares,
// without the characters that MATCH leaves out. CONTAINS in such a text is MATCH.
func hanFolded(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) || unicode.IsMark(r) && !unicode.Is(unicode.Han, r) {
			return -1
		}
		return match.Simplified(r)
	}, norm.NFKC.String(text))
}

// TestHanMatchIsContains compares both predicates over made texts.
func TestHanMatchIsContains(t *testing.T) {
	pieces := []string{
		"北", "京", "大", "学", "學", "發", "髮", "发", "干", "乾", "幹", "苧", "苎", "薴", "〇", "々", "〆", "〡", "龜", "龟", "\uf907", "⻳", "⼀", "一", "㈱", "㍻", "豈", "\uf900", "𠀀",
		" ", " ", "\n", "\u3000", "\u00a0", "\u00ad", "\u200b", "\u0301", "\U000e0100", "，", "。", "、", "「", "・", ",", ".", "a", "Ａ", "9", "が", "ガ", "한", "'", "’",
	}
	r := rand.New(rand.NewPCG(1, 2))
	made := func(n int, from []string) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	matched := 0
	for range 20000 {
		text, question := made(r.IntN(12), pieces), made(1+r.IntN(2), pieces[:23])
		if m, _ := sameHan(t, newHanText(text), question); m {
			matched++
		}
	}
	if matched < 2000 {
		t.Errorf("%d texts match, want 2000 or more", matched)
	}
}

// hanText is a text, and the forms of it in which CONTAINS looks.
type hanText struct{ text, plain, folded string }

func newHanText(text string) hanText {
	return hanText{text, value.Folded(text), value.Folded(hanFolded(text))}
}

// sameHan compares both predicates. It reports whether the question matches the text, and
// whether CONTAINS finds it too.
func sameHan(t *testing.T, text hanText, question string) (matches, contains bool) {
	t.Helper()
	q, err := match.Parse(question)
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	matches, contains = q.Matches(text.text), strings.Contains(text.plain, value.Folded(question))
	if folded := strings.Contains(text.folded, value.Folded(hanFolded(question))); matches != folded || contains && !matches {
		t.Errorf("%+q: MATCH %v, CONTAINS %v, and %v after folding, in %+.300q", question, matches, contains, folded, text.text)
	}
	return matches, contains
}

// TestHanMatchIsContainsOnPages compares both predicates over the pages of the demo and, if
// they are there, the given Chinese pages.
func TestHanMatchIsContainsOnPages(t *testing.T) {
	if testing.Short() {
		t.Skip("asks questions of hundreds of pages; not with -short")
	}
	t.Run("demo", func(t *testing.T) { samePages(t, demoArchive(t)) })
	t.Run("shared", func(t *testing.T) {
		dir := t.TempDir()
		write := func(name string, body []byte) {
			path := filepath.Join(dir, "pages.example", name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, body, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		shared := pagetest.Shared(t)
		names, bodies := pagetest.Files(t, filepath.Join(shared, "chinese", "gne-odd.tar.zst"), ".html")
		for i, name := range names {
			write(name, bodies[i])
		}
		news, err := os.ReadFile(filepath.Join(shared, "chinese", "infomall-dat0-first250.dat"))
		if err != nil {
			t.Fatal(err)
		}
		for i, record := range bytes.Split(news, []byte("\x1f")) {
			write(fmt.Sprintf("news/%d.html", i), []byte("<meta charset=gb18030><p>"+string(record)))
		}
		a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
		defer a.Close()
		if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{dir + "/*/**/*.html"}, Format: "html", Base: "http://pages.example/", At: time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)}); err != nil {
			t.Fatal(err)
		}
		samePages(t, a)
	})
}

// samePages takes questions out of the pages of an archive and compares both predicates
// for each page. It also compares the rows of queries, which are answered from leaves.
func samePages(t *testing.T, a *store.Archive) {
	ask := func(query string) [][]string {
		t.Helper()
		st, err := lang.ParseOne(query, "")
		if err != nil {
			t.Fatal(err)
		}
		res, err := exec.New(session.Options{Archive: joined(a, nil), Settings: session.DefaultSettings()}).Run(context.Background(), st)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer res.Close()
		var rows [][]string
		for b, err := range res.Rows {
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			for i := range b.N {
				var row []string
				for _, c := range b.Cols {
					row = append(row, c.At(i).Text)
				}
				rows = append(rows, row)
			}
		}
		return rows
	}
	var texts []hanText
	var runs [][]rune
	for _, row := range ask("SELECT DISTINCT text FROM versions WHERE text IS NOT NULL") {
		texts = append(texts, newHanText(row[0]))
		for _, run := range strings.FieldsFunc(row[0], func(r rune) bool { return !unicode.Is(unicode.Han, r) && !unicode.IsSpace(r) }) {
			if run := []rune(strings.Join(strings.Fields(run), "")); len(run) > 0 {
				runs = append(runs, run)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	matched, folded := 0, 0
	for i := range 150 {
		run := runs[r.IntN(len(runs))]
		from := r.IntN(len(run))
		question := string(run[from:min(len(run), from+1+r.IntN(6))])
		n := 0
		for _, text := range texts {
			m, c := sameHan(t, text, question)
			if m {
				n++
			}
			if m != c {
				folded++
			}
		}
		if n == 0 {
			t.Errorf("%s: no page matches", question)
		}
		matched += n
		if i >= 5 {
			continue
		}
		both := ask("SELECT url, time FROM versions WHERE text MATCH '" + question + "' AND NOT text CONTAINS '" + question + "'")
		for _, row := range both {
			t.Logf("%s: only MATCH finds %s", question, row[0])
		}
		if only := ask("SELECT url FROM versions WHERE text CONTAINS '" + question + "' AND NOT text MATCH '" + question + "'"); len(only) > 0 {
			t.Errorf("%s: only CONTAINS finds %s", question, only)
		}
	}
	t.Logf("%d texts, %d matches, %d of them not by CONTAINS", len(texts), matched, folded)
}
