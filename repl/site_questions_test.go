package repl

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// siteTables loads captures into tables of sqlite3, as the manual defines
// captures and versions, and returns the path of the database.
func siteTables(t *testing.T, sqlite string, captures []siteCapture) string {
	t.Helper()
	dir := t.TempDir()
	database := filepath.Join(dir, "site.db")
	var visits [][]string
	for _, c := range captures {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := bytes.Cut(c.record[bytes.Index(c.record, []byte("\n\n"))+2:], []byte("\r\n\r\n"))
		visits = append(visits, []string{
			c.url, c.time.Format(time.RFC3339), strconv.Itoa(c.status), modelKind(c.status), c.digest,
			strconv.Itoa(len(body) - len("\n")), u.Host, u.Path,
		})
	}
	versions := modelVersions(captures)
	for i, v := range versions {
		var previous, next string
		if i > 0 && versions[i-1][0] == v[0] {
			previous = versions[i-1][1]
		}
		if i+1 < len(versions) && versions[i+1][0] == v[0] {
			next = versions[i+1][1]
		}
		versions[i] = append(slices.Clip(v), previous, next)
	}
	script := "CREATE TABLE captures (url, time, status INTEGER, kind, digest, bytes INTEGER, host, path);\n" +
		"CREATE TABLE versions (url, time, last_seen, visits INTEGER, status INTEGER, kind, digest, previous, next);\n"
	for name, rows := range map[string][][]string{"captures": visits, "versions": versions} {
		file := filepath.Join(dir, name+".csv")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := csv.NewWriter(f)
		w.WriteAll(rows)
		if err := w.Error(); err != nil {
			t.Fatal(err)
		}
		f.Close()
		script += fmt.Sprintf(".import --csv '%s' %s\n", file, name)
	}
	script += "UPDATE versions SET previous = nullif(previous, ''), next = nullif(next, '');\n" +
		"CREATE INDEX c ON captures (url, time); CREATE INDEX v ON versions (url, time); ANALYZE;\n"
	cmd := exec.Command(sqlite, database)
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("sqlite3: %v\n%s", err, out)
	}
	return database
}

// siteQuestioner runs a query on an archive and in sqlite3, and compares the
// rows.
type siteQuestioner struct {
	archive, sqlite, database string
}

// check compares the two answers to one question.
func (s *siteQuestioner) check(t *testing.T, q question) {
	t.Helper()
	if q.theirs == "" {
		q.theirs = q.ours
	}
	var stdout, stderr bytes.Buffer
	args := []string{"-a", s.archive, "--format", "json", "-c", q.ours}
	if code := mainElsewhere(context.Background(), args, strings.NewReader(""), &stdout, &stderr, elsewhere); code != 0 {
		t.Fatalf("%s\n%s", q.ours, &stderr)
	}
	known, err := exec.Command(s.sqlite, "-json", s.database, "PRAGMA case_sensitive_like = ON;", q.theirs).CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3: %s: %v\n%s", q.theirs, err, known)
	}
	got, want := answer(t, stdout.Bytes()), answer(t, known)
	if !strings.Contains(q.ours, "ORDER BY") {
		slices.SortFunc(got, slices.Compare)
		slices.SortFunc(want, slices.Compare)
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%s\nanswers   %.1000q\nsqlite3   %.1000q\nasked as  %s", q.ours, got, want, q.theirs)
	}
}

// newSiteQuestioner imports a site's history, and reads it once more with the
// model for sqlite3.
func newSiteQuestioner(t *testing.T) *siteQuestioner {
	t.Helper()
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 to ask the same")
	}
	var period []string
	if !*allSites {
		period = []string{"--from", "2017-01", "--to", "2018-12"}
	}
	file := siteHistory(t, "kafka", filepath.Join(t.TempDir(), "kafka.raw"), period...)
	a := newSiteArchive(t)
	a.importFiles(file)
	return &siteQuestioner{a.path, sqlite, siteTables(t, sqlite, readRecords(t, file))}
}

// TestSiteQuestions runs about fifty queries about a real site, and random
// queries. Each also runs in sqlite3, on tables that a model of a few lines has
// read from the same file.
func TestSiteQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	s := newSiteQuestioner(t)
	list := readQuestions(t, "testdata/questions_site.txt")
	if len(list) < 40 {
		t.Errorf("there are %d questions", len(list))
	}
	for _, q := range list {
		s.check(t, q)
	}
	drawn := 20
	if *allSites {
		drawn = 1000
	}
	draw := rapid.Custom(drawQuestion)
	for range drawn {
		s.check(t, question{ours: draw.Example(rand.IntN(1 << 30))})
	}
}

// drawQuestion returns a random query that both languages spell alike.
func drawQuestion(t *rapid.T) string {
	relation := rapid.SampledFrom([]string{"captures", "versions"}).Draw(t, "relation")
	columns := []string{"url", "status", "kind", "digest", "time"}
	numbers := []string{"status", "bytes"}
	if relation == "versions" {
		columns = append(columns, "last_seen", "previous", "next")
		numbers = []string{"status", "visits"}
	}
	column := rapid.SampledFrom(columns)
	number := rapid.SampledFrom(numbers)
	condition := func() string {
		switch rapid.IntRange(0, 6).Draw(t, "form") {
		case 0:
			return fmt.Sprintf("%s %s %d", number.Draw(t, "number"), rapid.SampledFrom([]string{"=", "<>", "<", "<=", ">", ">="}).Draw(t, "op"),
				rapid.SampledFrom([]int{1, 2, 5, 200, 404, 1000, 20000}).Draw(t, "n"))
		case 1:
			return column.Draw(t, "column") + rapid.SampledFrom([]string{" IS NULL", " IS NOT NULL"}).Draw(t, "null")
		case 2:
			return "url" + rapid.SampledFrom([]string{" LIKE ", " NOT LIKE "}).Draw(t, "like") +
				rapid.SampledFrom([]string{"'%.html'", "'https://kafka.apache.org/0%'", "'%/javadoc/%'", "'%_ow%'", "''"}).Draw(t, "pattern")
		case 3:
			return fmt.Sprintf("time %s '%04d-%02d-01T00:00:00Z'", rapid.SampledFrom([]string{"<", ">="}).Draw(t, "op"),
				rapid.IntRange(2016, 2019).Draw(t, "year"), rapid.IntRange(1, 12).Draw(t, "month"))
		case 4:
			return "kind" + rapid.SampledFrom([]string{" IN ", " NOT IN "}).Draw(t, "in") +
				rapid.SampledFrom([]string{"('page')", "('missing', 'error')", "('missing', NULL)"}).Draw(t, "kinds")
		case 5:
			return number.Draw(t, "number") + rapid.SampledFrom([]string{" BETWEEN ", " NOT BETWEEN "}).Draw(t, "between") +
				fmt.Sprintf("%d AND %d", rapid.IntRange(0, 500).Draw(t, "from"), rapid.IntRange(0, 30000).Draw(t, "to"))
		}
		return "url IN (SELECT url FROM captures WHERE status = 404)"
	}
	var where string
	for i := range rapid.IntRange(0, 3).Draw(t, "conditions") {
		where += []string{" WHERE ", " AND ", " OR "}[min(i, 1)+min(i, 1)*rapid.IntRange(0, 1).Draw(t, "or")]
		if rapid.Bool().Draw(t, "not") {
			where += "NOT "
		}
		where += condition()
	}
	switch key := rapid.SampledFrom([]string{"url", "status", "kind", "substr(CAST(url AS text), 1, 28)"}).Draw(t, "key"); rapid.IntRange(0, 3).Draw(t, "shape") {
	case 0:
		return "SELECT " + column.Draw(t, "a") + " AS a, " + column.Draw(t, "b") + " AS b FROM " + relation + where
	case 1:
		return "SELECT DISTINCT " + column.Draw(t, "a") + " AS a, " + number.Draw(t, "b") + " AS b FROM " + relation + where
	case 2:
		n := number.Draw(t, "number")
		return fmt.Sprintf("SELECT %s AS k, count(*), sum(%s), avg(%s), max(time), count(DISTINCT %s) FROM %s%s GROUP BY 1", key, n, n, column.Draw(t, "of"), relation, where)
	default:
		return fmt.Sprintf("SELECT count(*), min(%s), max(%s), count(%s) FROM %s%s", number.Draw(t, "least"), number.Draw(t, "most"), column.Draw(t, "of"), relation, where)
	}
}
