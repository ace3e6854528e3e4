package repl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	statements "infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
)

// The tests of this file import the histories of real sites, kept as git
// bundles in a folder of test data beside the repository, and compare every
// answer with a model in a few lines of Go that reads the same captures.

var (
	orderSeed = flag.Uint64("order-seed", 0, "shuffle the months of TestImportOrder by this; 0: by chance")
	allSites  = flag.Bool("sites.all", false, "import all sites whole, not two of them and one or two years of a third; some minutes")
)

// bundles are the sites of the test data.
var bundles = []string{
	"cdr", "fp-compact-online.de", "fp-fr.de", "fp-volksstimme.de", "httpd", "kafka", "stalker",
}

// chosenSites returns the sites to test: all, or the two whose pages differ the
// most.
func chosenSites() []string {
	if *allSites {
		return bundles
	}
	return []string{"fp-volksstimme.de", "stalker"}
}

// TestHistoryFormats imports one history from WARC, from Tianwang and from
// compressed Tianwang files. Each import must account for every capture and
// give the model's versions.
func TestHistoryFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	dir := t.TempDir()
	var period []string
	if !*allSites {
		period = []string{"--from", "2018-01", "--to", "2018-12"}
	}
	raw := siteHistory(t, "kafka", filepath.Join(dir, "plain.raw"), period...)
	records := readRecords(t, raw)
	want := modelVersions(records)
	for _, c := range []struct {
		file  string
		flags []string
	}{
		{"plain.raw", nil},
		{"zlib.raw", []string{"--zlib"}},
		{"k.warc.gz", nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			file := filepath.Join(dir, c.file)
			if file != raw {
				siteHistory(t, "kafka", file, slices.Concat(period, c.flags)...)
			}
			a := newSiteArchive(t)
			sum := a.importFiles(file)
			if got := sum["stored"] + sum["visits"]; got != int64(len(records)) {
				t.Errorf("%d captures stored or visits, want %d", got, len(records))
			}
			if sum["damaged"] != 0 {
				t.Errorf("%d records damaged, want 0", sum["damaged"])
			}
			sum2 := a.importFiles(file)
			if sum2["stored"] != 0 {
				t.Errorf("a second import stored %d captures, want 0", sum2["stored"])
			}
			diffRows(t, a.versions(), want)
		})
	}
}

// TestHistoryFull imports a site that was crawled completely at each of its
// changes. After the first round each version must be a change in the site's
// own history, and every other capture a visit.
func TestHistoryFull(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	file := siteHistory(t, "kafka", filepath.Join(t.TempDir(), "full.raw"),
		"--full", "--from", "2019-01", "--to", "2019-01")
	a := newSiteArchive(t)
	sum := a.importFiles(file)
	records := readRecords(t, file)
	first := records[0].time
	end := time.Date(2019, 2, 1, 0, 0, 0, 0, time.UTC)
	if got, want := sum["stored"]+sum["visits"], int64(len(records)); got != want {
		t.Errorf("%d captures stored or visits, want %d", got, want)
	}
	want := countEvents(t, "kafka", first, end)
	rows := a.query("SELECT count(*) FROM versions WHERE time > '" + first.Format(time.RFC3339) + "'")
	if got := rows[1][0]; got != strconv.Itoa(want) {
		t.Errorf("%s versions after the first round, the site's history has %d changes", got, want)
	}
	diffRows(t, a.versions(), modelVersions(records))
}

// TestHistoryBodies asks for every capture of a site as SHOW PAGE … AS raw
// and compares its sha256 with that of the body in the file imported. It asks for the
// changes between the captures too.
func TestHistoryBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	for _, bundle := range chosenSites() {
		t.Run(bundle, func(t *testing.T) {
			file := siteHistory(t, bundle, filepath.Join(t.TempDir(), "site.raw"))
			a := newSiteArchive(t)
			a.importFiles(file)
			records := readRecords(t, file)
			diffRows(t, a.versions(), modelVersions(records))
			checkChanges(t, a)
			show := a.shower()
			bad := 0
			for _, r := range records {
				if got := show(r.url, r.time); got != r.digest {
					t.Errorf("%s at %v: sha256 of the page is %s, want %s", r.url, r.time, got, r.digest)
					if bad++; bad == 10 {
						t.Fatal("no more are compared")
					}
				}
			}
		})
	}
}

// checkChanges asks what changed in every version of a site. A version
// whose bytes differ from the previous one must have a block that was added,
// edited or removed, unless only its layout changed. No other version may have
// one.
func checkChanges(t *testing.T, a *siteArchive) {
	type moment struct{ url, time string }
	changed := make(map[moment]bool)
	for _, row := range a.query("SELECT url, time, op FROM changes")[1:] {
		changed[moment{row[0], row[1]}] = changed[moment{row[0], row[1]}] || row[2] != "moved"
	}
	versions := a.query("SELECT url, time, change, digest FROM versions ORDER BY url, time")
	layouts, rows, bad := 0, 0, 0
	for i, v := range versions[1:] {
		before := versions[i]
		other := v[0] == before[0] && v[3] != before[3]
		want := other && v[2] != "layout"
		got := changed[moment{v[0], v[1]}]
		if got {
			rows++
		}
		if v[2] == "layout" {
			layouts++
		}
		if got != want {
			t.Errorf("%s at %s, %s: a block changed is %v, want %v", v[0], v[1], v[2], got, want)
			if bad++; bad == 10 {
				t.Fatal("no more are compared")
			}
		}
	}
	t.Logf("%d versions: %d with changes, %d of layout only", len(versions)-1, rows, layouts)
}

// TestImportOrder imports a history month by month in order, in reverse, in
// random order and by two processes at once. All answers must be the same.
func TestImportOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	dir := t.TempDir()
	file := siteHistory(t, "kafka", filepath.Join(dir, "site.raw"), "--from", "2018-01", "--to", "2019-12")
	months := splitMonths(t, file)
	seed := *orderSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	shuffled := slices.Clone(months)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	reversed := slices.Clone(months)
	slices.Reverse(reversed)

	ordered := newSiteArchive(t)
	ordered.importEach(months)
	captures, versions := ordered.all("captures"), ordered.all("versions")
	queries := []string{
		"SELECT url, time, op, block, identity, bytes, old_bytes, similarity FROM changes",
		"SELECT url, time, change, block, identity, first_seen, bytes, label, topic, words, link_count, digest FROM blocks WHERE changed",
		"SELECT url, time, change, block, identity, first_seen, bytes FROM blocks SINCE 2019-10",
		"SELECT url, time, new_blocks, stored_bytes FROM versions",
		"SELECT url, time, target, kind, block, anchor FROM links SINCE 2019-12",
	}
	answers := make([][][]string, len(queries))
	for i, q := range queries {
		if answers[i] = ordered.query(q); len(captures) < 2 || len(versions) < 2 || len(answers[i]) < 2 {
			t.Fatalf("%d captures, %d versions and %d rows of %s after import, want some", len(captures)-1, len(versions)-1, len(answers[i])-1, q)
		}
	}
	compare := func(t *testing.T, a *siteArchive) {
		t.Helper()
		diffRows(t, a.all("captures"), captures)
		diffRows(t, a.all("versions"), versions)
		for i, q := range queries {
			diffRows(t, a.query(q), answers[i])
		}
	}
	t.Run("reversed", func(t *testing.T) {
		a := newSiteArchive(t)
		a.importEach(reversed)
		compare(t, a)
	})
	t.Run("shuffled", func(t *testing.T) {
		t.Logf("-order-seed %d", seed)
		a := newSiteArchive(t)
		a.importEach(shuffled)
		compare(t, a)
	})
	t.Run("two processes", func(t *testing.T) {
		a := newSiteArchive(t)
		var wg sync.WaitGroup
		for _, half := range [][]string{shuffled[:len(shuffled)/2], shuffled[len(shuffled)/2:]} {
			wg.Go(func() { a.importProcess(half) })
		}
		wg.Wait()
		compare(t, a)
	})
}

// shared returns the folder of test data. It skips the test if the folder does
// not exist.
func shared(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("imports real sites' histories; not with -short")
	}
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "sites")); err != nil {
		t.Skipf("no test data: %v", err)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skipf("site-history needs python3: %v", err)
	}
	return dir
}

// siteHistory writes the captures of a bundle to out, in the format of out's
// suffix, and returns out.
func siteHistory(t *testing.T, bundle, out string, flags ...string) string {
	t.Helper()
	dir := shared(t)
	args := append([]string{
		filepath.Join(dir, "tools", "site-history"),
		filepath.Join(dir, "data", "sites", bundle+".bundle"), out,
	}, flags...)
	if msg, err := exec.Command("python3", args...).CombinedOutput(); err != nil {
		t.Fatalf("site-history %s: %v\n%s", bundle, err, msg)
	}
	return out
}

// countEvents returns the number of changes in a site's history after from and
// before to.
func countEvents(t *testing.T, bundle string, from, to time.Time) int {
	t.Helper()
	f, err := os.Open(filepath.Join(shared(t), "data", "sites", "change-events.tsv.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	n := 0
	for lines := bufio.NewScanner(z); lines.Scan(); {
		field := strings.Split(lines.Text(), "\t")
		if field[0] != bundle {
			continue
		}
		unix, err := strconv.ParseInt(field[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if from.Unix() < unix && unix < to.Unix() {
			n++
		}
	}
	return n
}

// siteArchive is an archive in a temporary folder. The test uses it through the
// program.
type siteArchive struct {
	t    *testing.T
	path string
}

func newSiteArchive(t *testing.T) *siteArchive {
	return &siteArchive{t: t, path: filepath.Join(t.TempDir(), "archive")}
}

// run runs statements in this process and returns their output.
func (a *siteArchive) run(statements string) string {
	a.t.Helper()
	var stdout, stderr bytes.Buffer
	args := []string{"-a", a.path, "--keep-going", "--format", "csv", "-c", statements} // files of others have damage
	if code := mainElsewhere(context.Background(), args, strings.NewReader(""), &stdout, &stderr, elsewhere); code != 0 {
		a.t.Fatalf("%s: status %d: %s", statements, code, stderr.String())
	}
	return stdout.String()
}

// query runs one statement and returns its header and rows.
func (a *siteArchive) query(statement string) [][]string {
	a.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(a.run(statement))).ReadAll()
	if err != nil {
		a.t.Fatalf("%s: %v", statement, err)
	}
	return rows
}

// importFiles imports files that match a pattern and returns the numbers of
// the summary, added up, by column.
func (a *siteArchive) importFiles(pattern string) map[string]int64 {
	a.t.Helper()
	rows := a.query(importStatement(pattern))
	sum := make(map[string]int64)
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			if n, err := strconv.ParseInt(row[i], 10, 64); err == nil {
				sum[name] += n
			}
		}
	}
	if got := sum["stored"] + sum["visits"] + sum["skipped"] + sum["damaged"]; got != sum["records"] {
		a.t.Errorf("import of %s accounts for %d of %d records", pattern, got, sum["records"])
	}
	return sum
}

func importStatement(pattern string) string {
	return "IMPORT '" + strings.ReplaceAll(pattern, "'", "''") + "'"
}

// importEach imports files one after the other.
func (a *siteArchive) importEach(files []string) {
	a.t.Helper()
	for _, f := range files {
		a.importFiles(f)
	}
}

// importProcess imports files in a process of its own. It may be called from
// any goroutine.
func (a *siteArchive) importProcess(files []string) {
	args := []string{"-a", a.path}
	for _, f := range files {
		args = append(args, "-c", importStatement(f))
	}
	if out, err := exec.Command("infomall", args...).CombinedOutput(); err != nil {
		a.t.Errorf("infomall %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// versions returns the archive's versions in the form of modelVersions, without
// a header.
func (a *siteArchive) versions() [][]string {
	a.t.Helper()
	// The URL as asked for is a capture's, and a version's is canonical.
	asked := make(map[string]string)
	for _, row := range a.query("SELECT DISTINCT url, asked_url FROM captures")[1:] {
		asked[row[0]] = row[1]
	}
	rows := a.query("SELECT url, time, last_seen, visits, status, kind, digest FROM versions")[1:]
	for _, row := range rows {
		row[0] = asked[row[0]]
		row[1], row[2] = toSecond(row[1]), toSecond(row[2])
	}
	slices.SortFunc(rows, slices.Compare)
	return rows
}

// toSecond cuts a time after its seconds.
func toSecond(s string) string {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC().Format(time.RFC3339)
	}
	return s
}

// all returns a relation, header and rows, without the columns that say which
// import brought a capture.
func (a *siteArchive) all(relation string) [][]string {
	a.t.Helper()
	rows := a.query("SELECT * FROM " + relation)
	brought := []string{"added", "job", "source_file", "source_offset", "record_id"}
	var keep []int
	for i, name := range rows[0] {
		if !slices.Contains(brought, name) {
			keep = append(keep, i)
		}
	}
	for n, row := range rows {
		kept := make([]string, len(keep))
		for i, k := range keep {
			kept[i] = row[k]
		}
		rows[n] = kept
	}
	return rows
}

// shower opens the archive and returns a function that returns the sha256 of a
// page as it was at a time.
func (a *siteArchive) shower() func(url string, at time.Time) string {
	a.t.Helper()
	opened, closer := openStore(a.path, func(err error) { a.t.Error(err) })
	a.t.Cleanup(func() { closer.Close() })
	session := statements.New(session.Options{
		Archive: opened, Settings: session.DefaultSettings(), Params: map[string]string{},
	})
	return func(url string, at time.Time) string {
		session.Params()["url"], session.Params()["at"] = url, at.Format(time.RFC3339)
		digest, err := showDigest(session)
		if err != nil {
			return err.Error()
		}
		return digest
	}
}

func showDigest(s *session.Session) (string, error) {
	statement, err := lang.ParseOne("SHOW PAGE $url AT $at AS raw", "")
	if err != nil {
		return "", err
	}
	result, err := s.Run(context.Background(), statement)
	if err != nil {
		return "", err
	}
	defer result.Close()
	sum := sha256.New()
	if _, err := result.Bytes.WriteTo(sum); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// diffRows reports the first rows in which got and want differ.
func diffRows(t *testing.T, got, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	bad := 0
	for i := range min(len(got), len(want)) {
		if slices.Equal(got[i], want[i]) {
			continue
		}
		t.Errorf("row %d\n got %q\nwant %q", i, got[i], want[i])
		if bad++; bad == 5 {
			return
		}
	}
}
