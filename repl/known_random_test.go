package repl

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/queries"
)

var (
	knownArchives = flag.Int("known.archives", 3, "how many archives TestKnownRandom makes")
	knownSeed     = flag.Uint64("known.seed", 1, "seed of the first archive that TestKnownRandom makes")
)

// TestKnownRandom makes random archives of few pages. Captures come in late, among them
// revisits before their originals and 304s before the captures that they repeat. Captures and
// pools are deleted, merged, sealed, verified and indexed again in between. Each saved query
// that is run KNOWN AT the time of an import must print what it prints in a copy of the archive
// of that time in which the same was deleted.
func TestKnownRandom(t *testing.T) {
	t.Chdir("..")
	names, calls := savedCalls(t)
	answered := 0
	for n := range uint64(*knownArchives) {
		seed := *knownSeed + n
		k := &knownRandom{t: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir()}
		k.build()
		for _, c := range k.chosen() {
			answered += k.compare(c, names, calls)
		}
		if t.Failed() {
			t.Fatalf("archive of seed %d:\n%s", seed, strings.Join(k.did, "\n"))
		}
	}
	if answered < *knownArchives*len(names) {
		t.Errorf("%d answers were compared, want %d or more", answered, *knownArchives*len(names))
	}
	t.Logf("%d answers to %d saved queries", answered, len(names))
}

// savedCalls returns the names of the saved queries that take KNOWN AT, and for each the RUN
// statement with the parameters of its example.
func savedCalls(t *testing.T) (names []string, calls map[string]string) {
	scripts, err := fs.Glob(queries.FS, "*.iql")
	if err != nil {
		t.Fatal(err)
	}
	regions := regionsFile(t)
	calls = make(map[string]string)
	for _, name := range scripts {
		if name == writesFiles || refusesKnown[name] != "" {
			continue
		}
		text, err := fs.ReadFile(queries.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		var params []string
		for _, p := range exampleParams(string(text), regions) {
			if name, value, ok := strings.Cut(p, "="); ok {
				params = append(params, name+" = '"+value+"'")
			}
		}
		calls[name] = `RUN "` + strings.TrimSuffix(name, ".iql") + `" (` + strings.Join(params, ", ") + ")"
	}
	return slices.Sorted(maps.Keys(calls)), calls
}

// knownRandom is a random archive, and copies of it.
type knownRandom struct {
	t      *testing.T
	seed   uint64
	rand   *rand.Rand
	dir    string
	copies []knownCopy
	did    []string // the statements and captures, for a message
}

// knownCopy is a copy of the archive as it was at a time.
type knownCopy struct{ dir, time string }

func (k *knownRandom) now() string { return filepath.Join(k.dir, "now") }

// do runs a statement on an archive. It returns the message if the statement fails.
func (k *knownRandom) do(archive, text string) (output, failure string) {
	return tryMain([]string{"-a", archive, "--yes", "--format", "tsv", "-c", text})
}

// must runs a statement on an archive, and ends the test if it fails.
func (k *knownRandom) must(archive, text string) string {
	k.t.Helper()
	out, failure := k.do(archive, text)
	if failure != "" {
		k.t.Fatalf("seed %d: %s: %s: %s\n%s", k.seed, archive, text, failure, strings.Join(k.did, "\n"))
	}
	return out
}

// build makes the archive and its copies.
func (k *knownRandom) build() {
	visits := k.drawVisits()
	k.rand.Shuffle(len(visits), func(i, j int) { visits[i], visits[j] = visits[j], visits[i] })
	for part := 0; len(visits) > 0; part++ {
		n := min(1+k.rand.IntN(12), len(visits))
		k.bring(part, visits[:n])
		visits = visits[n:]
		for range k.rand.IntN(3) {
			k.change()
		}
	}
	k.change()
}

// bring imports captures, and copies the archive.
func (k *knownRandom) bring(part int, visits []knownVisit) {
	var file bytes.Buffer
	for _, v := range visits {
		v.write(&file)
		k.did = append(k.did, fmt.Sprintf("import %d: %s %s %s", part, v.url, v.time.Format(time.RFC3339), v.form()))
	}
	name := filepath.Join(k.dir, fmt.Sprintf("part%d.warc", part))
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		k.t.Fatal(err)
	}
	k.must(k.now(), "IMPORT '"+name+"'")
	at := strings.Fields(k.must(k.now(), "SELECT max(added) FROM captures"))
	added := at[len(at)-1]
	if !strings.Contains(added, ".") {
		added = strings.Replace(added, "Z", ".000Z", 1) // a time without a fraction means the end of its second
	}
	c := knownCopy{filepath.Join(k.dir, fmt.Sprint(part)), added}
	copyPlace(k.t, c.dir, k.now())
	k.did = append(k.did, "copy at "+c.time)
	k.copies = append(k.copies, c)
}

// change does something with the archive that is no import.
func (k *knownRandom) change() {
	month := fmt.Sprintf("2008%02d", 6+k.rand.IntN(3))
	switch k.rand.IntN(9) {
	case 0, 1, 2:
		k.remove()
	case 3:
		k.all("MERGE POOL ALL")
	case 4:
		k.all("MERGE POOL '" + month + "'")
	case 5:
		k.all("SEAL POOL '" + month + "'")
	case 6:
		k.all("VERIFY")
	case 7:
		k.all("REINDEX")
	case 8:
		k.drop(month)
	}
}

// all runs a statement that changes no answer. It may fail because there is no such pool.
func (k *knownRandom) all(statement string) {
	k.did = append(k.did, statement)
	out, failure := k.do(k.now(), statement)
	if failure != "" && !strings.Contains(failure, "no pool") && !strings.Contains(failure, "static") {
		k.t.Fatalf("seed %d: %s: %s%s\n%s", k.seed, statement, failure, out, strings.Join(k.did, "\n"))
	}
}

// remove deletes captures of a page, or of all pages, from the archive and the copies.
func (k *knownRandom) remove() {
	from := knownFirst.AddDate(0, 0, k.rand.IntN(80))
	scope := knownURLs[k.rand.IntN(len(knownURLs))]
	if k.rand.IntN(4) == 0 {
		scope = "*"
	}
	statement := fmt.Sprintf("DELETE FROM '%s' BETWEEN %s AND %s", scope, from.Format(time.DateOnly), from.AddDate(0, 0, 1+k.rand.IntN(30)).Format(time.DateOnly))
	if k.rand.IntN(4) == 0 {
		statement = fmt.Sprintf("DELETE FROM '%s'", knownURLs[k.rand.IntN(len(knownURLs))])
	}
	k.did = append(k.did, statement)
	k.must(k.now(), statement)
	for _, c := range k.copies {
		k.must(c.dir, statement)
	}
}

// drop drops a pool from the archive and the copies. If other pools need it, it stays.
func (k *knownRandom) drop(pool string) {
	statement := "DROP POOL '" + pool + "'"
	if _, failure := k.do(k.now(), statement); failure != "" {
		return
	}
	k.did = append(k.did, statement)
	k.copies = slices.DeleteFunc(k.copies, func(c knownCopy) bool {
		// If other pools of the copy need the pool, there is nothing to compare with.
		_, failure := k.do(c.dir, statement)
		return failure != "" && !strings.Contains(failure, "no pool")
	})
}

// chosen returns two of the copies, or all if there are fewer.
func (k *knownRandom) chosen() []knownCopy {
	list := slices.Clone(k.copies)
	k.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(2, len(list))]
}

// compare compares the answers KNOWN AT the time of a copy with those of the copy, and returns
// how many it has compared.
func (k *knownRandom) compare(c knownCopy, names []string, calls map[string]string) int {
	var known, now []string
	for _, name := range names {
		known = append(known, calls[name]+" KNOWN AT '"+c.time+"'")
		now = append(now, calls[name])
	}
	got, failure := tryMain([]string{"-a", k.now(), "-c", strings.Join(known, ";\n")})
	want, other := tryMain([]string{"-a", c.dir, "-c", strings.Join(now, ";\n")})
	if got == want && failure == "" && other == "" {
		return len(names)
	}
	for i, name := range names {
		got, failure := tryMain([]string{"-a", k.now(), "-c", known[i]})
		want, other := tryMain([]string{"-a", c.dir, "-c", now[i]})
		if got != want || failure != other {
			k.t.Errorf("%s: KNOWN AT %s prints\n%s%s\nthe copy of that time\n%s%s", name, c.time, got, failure, want, other)
		}
	}
	return len(names)
}

// knownFirst is the first day of the random captures.
var knownFirst = time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC)

// knownURLs are the pages of the random archives: those of the examples of the saved queries.
var knownURLs = []string{
	"http://www.lanshan.example/", "http://www.lanshan.example/news/", "http://www.lanshan.example/contact.htm",
	"http://www.lanshan.example/calendar.htm", "http://bbs.lanshan.example/", "http://www.lanjiang.example/water",
}

// knownTexts are the paragraphs of which the random pages consist.
var knownTexts = []string{
	"图书馆新馆今天开放，欢迎各位读者前来参观，并提出宝贵的意见和建议。", "图书馆的开放时间从早上八点到晚上十点，周末照常开放，节假日另行通知。",
	"洪水退去以后，江边的道路已经恢复通车，请各位市民注意安全。", "洪水的水位在夜里达到了最高点，各部门正在全力抢险。",
	"学校的志愿者参加了奥运会服务工作，受到了各国运动员的好评。", "电话 2318，传真 2319，地址是兰山路一号。", "电话 2320，传真 2319，地址是兰山路二号。",
	"The summer term begins on the first of July and ends with the month.", "The calendar of this term has been changed: see the notes below it.",
}

// knownVisit is a random capture.
type knownVisit struct {
	url    string
	time   time.Time
	status int
	body   string
	as     string      // "": a response; "revisit": a revisit of refers; "304": not modified
	refers *knownVisit // the capture that a revisit names
	ip     string
}

// form describes the capture for a message.
func (v *knownVisit) form() string {
	out := fmt.Sprintf("%d %d bytes", v.status, len(v.body))
	if v.as != "" {
		out = v.as
	}
	if v.refers != nil {
		out += " of " + v.refers.url + " " + v.refers.time.Format(time.RFC3339)
	}
	return out
}

// drawVisits draws captures, with the time of each at most once for a URL.
func (k *knownRandom) drawVisits() []knownVisit {
	r := k.rand
	seen := make(map[string]bool)
	out := make([]knownVisit, 0, 40)
	for range 10 + r.IntN(30) {
		v := knownVisit{
			url: knownURLs[r.IntN(len(knownURLs))], status: []int{200, 200, 200, 200, 200, 404, 302, 500}[r.IntN(8)], ip: fmt.Sprintf("10.0.0.%d", r.IntN(3)),
			time: knownFirst.AddDate(0, 0, r.IntN(88)).Add(time.Duration(r.IntN(3)) * time.Hour), body: k.drawPage(),
		}
		if key := v.url + v.time.String(); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		var earlier []*knownVisit
		for i := range out {
			if o := &out[i]; o.as == "" && o.time.Before(v.time) && o.status == 200 {
				earlier = append(earlier, o)
			}
		}
		switch form := r.IntN(6); {
		case form == 0:
			v.as, v.status, v.body = "304", 304, ""
		case form == 1 && len(earlier) > 0:
			v.as, v.refers, v.status = "revisit", earlier[r.IntN(len(earlier))], 200
			v.body = ""
		}
		out = append(out, v) // there is room: refers stays valid
	}
	list := slices.Clone(out)
	return list
}

// drawPage draws a page of some paragraphs, with links.
func (k *knownRandom) drawPage() string {
	r := k.rand
	texts := slices.Clone(knownTexts)
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><meta charset=utf-8><title>page %d</title></head><body>", r.IntN(4))
	for _, text := range texts[:1+r.IntN(4)] {
		fmt.Fprintf(&b, "<div><h2>Part %d</h2><p>%s</p><p><a href='%s'>more of %d</a></p></div>", r.IntN(3), text, knownURLs[r.IntN(len(knownURLs))], r.IntN(3))
	}
	b.WriteString("</body></html>")
	return b.String()
}

// write writes the capture as a record of a WARC file.
func (v *knownVisit) write(w *bytes.Buffer) {
	head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: text/html; charset=utf-8\r\n", v.status)
	if v.status == 302 {
		head += "Location: " + knownURLs[0] + "\r\n"
	}
	kind, more := "response", ""
	switch v.as {
	case "304":
		kind, head = "revisit", "HTTP/1.1 304 Not Modified\r\n"
		more = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n"
	case "revisit":
		kind = "revisit"
		more = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To-Target-URI: " + v.refers.url +
			"\r\nWARC-Refers-To-Date: " + v.refers.time.Format("2006-01-02T15:04:05Z") + "\r\n"
	}
	block := head + "\r\n" + v.body
	fmt.Fprintf(w, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012x>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\nWARC-IP-Address: %s\r\n%sContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, v.time.UnixNano()&(1<<48-1)^int64(len(v.url)), v.time.Format("2006-01-02T15:04:05Z"), v.url, v.ip, more, len(block), block)
}
