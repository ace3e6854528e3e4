package exec_test

import (
	"os"
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
	"infomall/store/document"
)

// pdfReport is a PDF of two pages whose paragraphs are given, with a link on the second.
func pdfReport(first, second []string) *document.Document {
	b := document.NewBuilder(document.Limits{}, nil)
	d := b.Doc
	d.Kind, d.Title, d.Author, d.Lang, d.Pages = "pdf", "Annual Report", "Li Wei", "en", 2
	d.Description, d.Keywords, d.Producer = "What was built", "school, bridge", "LibreOffice 7"
	d.Created, d.Modified = at("2008-03-01"), at("2008-03-02")
	for i, parts := range [][]string{first, second} {
		_ = b.Begin(document.Page, []string{"1", "2"}[i])
		for n, p := range parts {
			kind := document.Paragraph
			if n == 0 {
				kind = document.Heading
			}
			_ = b.Add(kind, p)
		}
		if i == 1 {
			b.Link("/map.htm", "the map")
			b.Link("http://b.cn/", "")
		}
	}
	return d
}

// picture is a photograph with a perceptual hash.
func picture(print uint64) *document.Document {
	d := document.New()
	d.Kind, d.Width, d.Height, d.Print, d.HasPrint = "picture", 640, 480, print, true
	d.Taken, d.Place = at("2008-05-12"), "31.0,103.4"
	return d
}

// documentSite is a site with two versions of a PDF, a sound, three pictures, a PDF
// that cannot be read and a page.
func documentSite() *relationtest.Archive {
	pdf := func(url, day, body string, d *document.Document) relationtest.Capture {
		head := "HTTP/1.1 200 OK\r\nContent-Type: Application/PDF; x=y\r\n\r\n"
		return relationtest.Capture{URL: url, Time: at(day), Status: 200, Mime: "application/pdf", Head: head, Body: body, Document: d}
	}
	file := func(url, mime, body string, d *document.Document) relationtest.Capture {
		return relationtest.Capture{URL: url, Time: at("2008-06-01"), Status: 200, Mime: mime, Body: body, Document: d}
	}
	broken := document.New()
	broken.Kind, broken.Reason, broken.Pages = "pdf", "the file is encrypted", 7
	sound := document.New()
	sound.Kind, sound.Title, sound.Duration = "sound", "Anthem", 95_500
	school := "Four schools were rebuilt in the county after the earthquake, with help from volunteers."
	bridge := "The new bridge across the river Min carries two lanes and a railway, see the map."
	money := "Donations were counted twice by two auditors who do not know each other."
	return relationtest.New(
		pdf("http://a.cn/r.pdf", "2008-06-01", "%PDF-1", pdfReport([]string{"Schools", school}, []string{"Bridges", bridge, "Rome & <Paris>"})),
		pdf("http://a.cn/r.pdf", "2008-07-01", "%PDF-2", pdfReport([]string{"Schools", strings.Replace(school, "Four", "Seven", 1), money}, []string{"Bridges", bridge, "Rome & <Paris>"})),
		pdf("http://a.cn/broken.pdf", "2008-06-01", "%PDF-3", broken),
		file("http://a.cn/anthem.mp3", "audio/mpeg", "ID3", sound),
		file("http://a.cn/p1.jpg", "image/jpeg", "J1", picture(0xff00ff00ff00ff00)),
		file("http://a.cn/p2.jpg", "image/jpeg", "J2", picture(0xff00ff00ff00ff07)),
		file("http://b.cn/p3.png", "image/png", "P3", picture(0x00ff00ff00ff00ff)),
		file("http://a.cn/x.bin", "application/octet-stream", "\x00\x01", nil),
		relationtest.Capture{URL: "http://a.cn/map.htm", Time: at("2008-06-01"), Status: 200, Mime: html, Body: newsPage("Map", news...)},
	)
}

// TestDocuments shows what statements answer about documents. Cases of
// testdata/documents.txt are parted by lines of dashes, a statement and its answer by
// an empty line; lines of notes begin with #.
func TestDocuments(t *testing.T) {
	const name, rule = "testdata/documents.txt", "\n----\n"
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range strings.Split(strings.TrimSuffix(string(file), "\n"), rule) {
		src, want, _ := strings.Cut(c, "\n\n")
		rows, notes, err := ask(newSession(archive{documentSite()}), src)
		for _, n := range notes {
			rows += "# " + n + "\n"
		}
		if err != nil {
			rows += "error: " + err.Error() + "\n"
		}
		got := strings.TrimSuffix(rows, "\n")
		if got != want && !*update {
			t.Errorf("%s\ngot\n%s\nwant\n%s", src, got, want)
		}
		out = append(out, src+"\n\n"+got)
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(out, rule)+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDedupUnread shows that a document is compared once it is read, if DEDUP has met it
// before.
func TestDedupUnread(t *testing.T) {
	b := document.NewBuilder(document.Limits{}, nil)
	for _, text := range news {
		if err := b.Add(document.Paragraph, text); err != nil {
			t.Fatal(err)
		}
	}
	page := relationtest.Capture{URL: "http://a.cn/", Time: at("2008-06-01"), Status: 200, Mime: html, Body: newsPage("News", news...)}
	pdf := relationtest.Capture{URL: "http://a.cn/news.pdf", Time: at("2008-06-02"), Status: 200, Mime: "application/pdf", Body: "%PDF-1"}
	unread := relationtest.New(page, pdf)
	if _, _, err := ask(newSession(archive{unread}), "DEDUP SIMILARITY 0.5"); err != nil {
		t.Fatal(err)
	}
	b.Doc.Kind = "pdf"
	pdf.Document = b.Doc
	read := relationtest.New(page, pdf)
	read.TakeResults(unread)
	s := newSession(archive{read})
	if _, _, err := ask(s, "DEDUP SIMILARITY 0.5"); err != nil {
		t.Fatal(err)
	}
	got, _, err := ask(s, "SELECT url FROM duplicates WHERE NOT representative")
	if want := "url\nhttp://a.cn/news.pdf\n"; got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// TestDedupImages shows that pictures with near hashes make a group, and that DISTANCE
// says how near.
func TestDedupImages(t *testing.T) {
	for src, want := range map[string]string{
		"DEDUP OF IMAGES":            "http://a.cn/p1.jpg|imagehash|0|1|true\nhttp://a.cn/p2.jpg|imagehash|3|0.953125|false\n",
		"DEDUP OF IMAGES DISTANCE 2": "",
	} {
		s := newSession(archive{documentSite()})
		if _, _, err := ask(s, src); err != nil {
			t.Fatal(err)
		}
		got, _, err := ask(s, "SELECT url, method, distance, similarity, representative FROM duplicates")
		if want = "url|method|distance|similarity|representative\n" + want; got != want || err != nil {
			t.Errorf("%s: got\n%s\nwant\n%s(%v)", src, got, want, err)
		}
	}
}
