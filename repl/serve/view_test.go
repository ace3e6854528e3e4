package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
)

// viewCaptures are three versions of a page with frames and of one of its frames.
func viewCaptures() []relationtest.Capture {
	var all []relationtest.Capture
	add := func(url, digits, body string) {
		c := shot(url, digits)
		c.Body = body
		all = append(all, c)
	}
	const stays = "<div><p>These words about the library stay in all versions of the page.</p></div>"
	add("http://a.example/", "20070601000000", "<html><body>"+stays+"<div><p>The gate of the west campus opens at seven in the morning.</p></div></body></html>")
	add("http://a.example/", "20080601000000", "<html><body>"+stays+"<div><p>The gate of the west campus opens at eight in the morning &lt;b&gt;.</p></div><div><p>A new notice about the examinations of this summer term.</p></div></body></html>")
	add("http://a.example/", "20090601000000", "<html><body>"+stays+"<div><p>Only these entirely different sentences remain here now, said nobody.</p></div></body></html>")
	add("http://f.example/", "20080601000000", "<html><frameset><frame src=menu.htm><frame src=http://b.example/in.htm></frameset></html>")
	add("http://f.example/menu.htm", "20070101000000", "<p>The first words of the menu of this site, for a start.</p>")
	add("http://f.example/menu.htm", "20080501000000", "<p>The first words of the menu of this site, for a start.</p><p>And a second paragraph that came a year later.</p>")
	return all
}

// TestViewChanges shows that a view shows, at replay,
// what was added and edited since the version before or a chosen one.
func TestViewChanges(t *testing.T) {
	s, _ := testServer(t, nil, viewCaptures()...)
	const added, edited = `data-infomall-mark="added" data-infomall-label="added"`, `data-infomall-mark="edited" data-infomall-label="edited" data-infomall-old="The gate of the west campus opens at seven in the morning."`
	for _, c := range []struct {
		target string
		header string
		want   []string
		not    []string
	}{
		{"/20080601mp_changes/http://a.example/", "", []string{"<p " + edited + ">The gate", "<p " + added + ">A new notice", "[data-infomall-mark]"}, []string{`>These words about the library stay in all versions of the page.</infomall`}},
		{"/20080601mp_changes/http://a.example/", "Accept-Language: zh", []string{`data-infomall-label="&#x65B0;&#x589E;">A new notice`}, nil},
		{"/20080601mp_changes-2009/http://a.example/", "", []string{"<p " + added + ">A new notice"}, []string{"opens at seven"}},
		{"/20080601mp_changes-20080601/http://a.example/", "", []string{"[data-infomall-mark]"}, []string{`data-infomall-mark="`}},
		{"/20070601mp_changes/http://a.example/", "", nil, []string{`data-infomall-mark="`}},
		{"/20080601mp_blocks/http://a.example/", "", []string{`data-infomall-mark="block"`, `>A new notice`}, []string{"data-infomall-old="}},
		{"/20080601mp_/http://a.example/", "", nil, []string{"infomall-mark"}},
		{"/20080601mp_changes/http://f.example/", "", []string{"src=/20080601120000if_changes/http://f.example/menu.htm"}, nil},
		{"/20080601if_changes/http://f.example/menu.htm", "", []string{added + ">And a second"}, []string{added + ">The first"}},
	} {
		r := get(t, s.replayHandler(), c.target, c.header)
		body := bodyOf(t, r)
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s:\n%s", c.target, want, body)
			}
		}
		for _, not := range c.not {
			if strings.Contains(body, not) {
				t.Errorf("%s has %s:\n%s", c.target, not, body)
			}
		}
		if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'self' http://127.0.0.1:8080; sandbox allow-scripts allow-forms allow-same-origin") {
			t.Errorf("%s: policy %s", c.target, policy)
		}
	}
}

// TestBarViews shows what the bar says of the views, and where its links lead.
func TestBarViews(t *testing.T) {
	s, _ := testServer(t, nil, viewCaptures()...)
	frame := `src="http://` + label("http://a.example/") + `-replay.localhost:8081`
	for _, c := range []struct {
		target string
		status int
		want   []string
	}{
		{"/20080601/http://a.example/", 200, []string{`<a href="/20080601/http://a.example/" aria-current="true">`, `<a href="/20080601mp_changes/http://a.example/">What changed`, `<a href="/20080601mp_blocks/http://a.example/">Blocks`}},
		{"/20080601mp_changes/http://a.example/", 200, []string{frame + `/20080601mp_changes/http://a.example/"`, "1 added, 1 edited", "Compared with <time>2007-06-01 00:00:00", `href="/20080601mp_changes-20070601000000/http://a.example/"`,
			"<del>The gate of the west campus opens at seven in the morning.</del>", "in the morning &lt;b&gt;.</ins>", `href="/20080601/http://a.example/">Page`}},
		{"/20080601if_changes-2009/http://a.example/", 200, []string{frame + `/20080601mp_changes-2009/http://a.example/"`, "2009-06-01 00:00:00"}},
		{"/20070601mp_changes/http://a.example/", 200, []string{"There is no older version"}},
		{"/mp_changes/http://a.example/", 200, []string{frame + `/mp_changes/http://a.example/"`, "2009-06-01"}},
		{"/20080601mp_blocks/http://a.example/", 200, []string{frame + `/20080601mp_blocks/http://a.example/"`, "as=blocks"}},
		{"/20080601mp_changes-2008131/http://a.example/", 404, []string{"is no time"}},
		{"/20080601mp_changes/http://f.example/", 200, []string{"<b>1 added, 1 edited</b>", "<small>http://f.example/menu.htm", "<ins>And a second paragraph", "Compared with <time>2007-01-01"}},
		{"/20080601/http://f.example/", 200, []string{"Parts: 1 of 2 in the archive", "<time>2008-05-01 00:00:00</time> – <time>2008-05-01 00:00:00</time>"}},
	} {
		r := get(t, s.interfaceHandler(), c.target)
		body := bodyOf(t, r)
		if r.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", c.target, r.StatusCode, c.status)
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s:\n%s", c.target, want, body)
			}
		}
	}
	r := get(t, s.replayHandler(), "/20080601if_changes-2007/http://a.example/", "Sec-Fetch-Dest: document")
	if to := r.Header.Get("Location"); to != "http://127.0.0.1:8080/20080601mp_changes-2007/http://a.example/" {
		t.Errorf("a view that is opened on top leads to %s", to)
	}
}

// TestLooks shows the settings for the looks of the pages: a logo, and no bar.
func TestLooks(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.Logo, o.LogoType, o.NoBar = []byte("<svg/>"), "image/svg+xml", true }, viewCaptures()...)
	if body := bodyOf(t, get(t, s.interfaceHandler(), "/search")); !strings.Contains(body, `<img src="/static/logo" alt="Web archive">`) {
		t.Errorf("no logo: %s", body)
	}
	r := get(t, s.interfaceHandler(), "/static/logo")
	if body := bodyOf(t, r); body != "<svg/>" || r.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the logo is %q, %v", body, r.Header)
	}
	body := bodyOf(t, get(t, s.interfaceHandler(), "/20080601/http://a.example/"))
	if strings.Contains(body, `id="bar"`) || !strings.Contains(body, `<iframe id="replay"`) {
		t.Errorf("without a bar the page is %s", body)
	}
	plain, _ := testServer(t, nil)
	if r := get(t, plain.interfaceHandler(), "/static/logo"); r.StatusCode != 404 {
		t.Errorf("a logo that was not set: %d", r.StatusCode)
	}
}

// TestFlash shows that a page with Flash gets the player that the user has, and that
// the bar says so if there is none.
func TestFlash(t *testing.T) {
	flash, other := shot("http://a.example/flash", "20080601000000"), shot("http://a.example/other", "20080601000000")
	flash.Body = `<embed SRC="a.SWF">`
	dir := t.TempDir()
	for name, text := range map[string]string{"player/ruffle.js": "play()", "player/x.wasm": "\x00asm", "player/notes.txt": "x", "secret.js": "secret"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "secret.js"), filepath.Join(dir, "player", "link.js")); err != nil {
		t.Fatal(err)
	}
	with, _ := testServer(t, func(o *Options) { o.Ruffle = filepath.Join(dir, "player") }, flash, other)
	without, _ := testServer(t, nil, flash, other)
	const script, says = `<script src="/_infomall/ruffle/ruffle.js"></script>`, "This page has Flash"
	for _, c := range []struct {
		s            *server
		page         string
		script, says bool
	}{{with, "flash", true, false}, {with, "other", false, false}, {without, "flash", false, true}, {without, "other", false, false}} {
		if got := strings.Contains(bodyOf(t, get(t, c.s.replayHandler(), "/2008mp_/http://a.example/"+c.page)), script); got != c.script {
			t.Errorf("%s with Ruffle %q has the player: %v", c.page, c.s.o.Ruffle, got)
		}
		if got := strings.Contains(bodyOf(t, get(t, c.s.interfaceHandler(), "/2008/http://a.example/"+c.page)), says); got != c.says {
			t.Errorf("the bar of %s with Ruffle %q says so: %v", c.page, c.s.o.Ruffle, got)
		}
	}
	for name, want := range map[string]string{"ruffle.js": "text/javascript; charset=utf-8 play()", "x.wasm": "application/wasm \x00asm", "notes.txt": "", "link.js": "", "../secret.js": "", "": "", "none.js": ""} {
		r := get(t, with.replayHandler(), "/_infomall/ruffle/"+name)
		got := r.Header.Get("Content-Type") + " " + bodyOf(t, r)
		if want == "" && r.StatusCode != 404 || want != "" && got != want {
			t.Errorf("%s: %d %q, want %q", name, r.StatusCode, got, want)
		}
	}
	if r := get(t, with.replayHandler(), "/_infomall/ruffle/ruffle.js", "Service-Worker: script"); r.StatusCode != 404 {
		t.Errorf("the player as a service worker: %d", r.StatusCode)
	}
	if r := get(t, without.replayHandler(), "/_infomall/ruffle/ruffle.js"); r.StatusCode != 404 {
		t.Errorf("a player that was not set: %d", r.StatusCode)
	}
}
