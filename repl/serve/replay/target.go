package replay

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"infomall/store/urlkey"
)

// Modifier says what a replayed URL is wanted for. It follows the time in an
// address.
type Modifier string

// The modifiers. Those of pywb and the Wayback Machine have the same meaning.
const (
	Interface Modifier = ""    // the interface's page, with the bar and a frame
	PageTop   Modifier = "mp_" // a page in the frame of the bar
	PageFrame Modifier = "if_" // a page in a frame of another archived page
	Image     Modifier = "im_"
	Program   Modifier = "js_" // a script
	Style     Modifier = "cs_"
	Object    Modifier = "oe_" // an object, embed, video or sound
	Raw       Modifier = "id_" // the bytes as they were captured
	// AfterLoad is a page in the frame of the bar, as a browser saw it during the crawl:
	// the document after load, whose scripts have run already and do not run again.
	AfterLoad Modifier = "dom_"
)

var modifiers = []Modifier{PageTop, PageFrame, Image, Program, Style, Object, Raw, AfterLoad}

// Target is a parsed address.
type Target struct {
	Time     string   // the time asked for, 4 to 14 digits; "" is the latest capture
	Modifier Modifier // what the URL is wanted for
	View     View     // what a page shows besides itself
	URL      string   // the canonical archived URL; with AfterLoad that of the page
	Calendar bool     // the address asks for the list of captures: /*/URL, or /2008*/URL with Time 2008
}

// Captured returns the URL of the captures that t asks for: URL, or with AfterLoad that of
// the document after load.
func (t *Target) Captured() string {
	if t.Modifier == AfterLoad {
		return urlkey.DOM + t.URL
	}
	return t.URL
}

// Prefix returns the part of the address before the URL, with a slash on both sides,
// such as /20080710mp_/ or, for an address without time and modifier, /.
func (t *Target) Prefix() string {
	if first := t.Time + string(t.Modifier) + t.View.String(); first != "" {
		return "/" + first + "/"
	}
	return "/"
}

// errTarget is wrapped by the errors of ParseTarget.
var errTarget = errors.New("not the address of an archived page")

// ParseTarget parses requestURI, the target of an HTTP request exactly as it was received: a
// path such as /20080710im_/http://www.pku.edu.cn/logo.gif?x=1, with its query. The time and
// the modifier may be missing. A View may follow the modifier of a page. The error wraps
// errTarget and says what to type.
//
// ParseTarget also accepts the * of a calendar, the prefix /web/, which clients of other
// archives send, and these forms of the URL: without http://, with slashes that a proxy has
// merged (http:/www.pku.edu.cn/), and percent-encoded as a whole. The URL of a document after
// load gets the modifier AfterLoad.
func ParseTarget(requestURI string) (Target, error) {
	var t Target
	rest, ok := strings.CutPrefix(requestURI, "/")
	if !ok {
		return Target{}, fmt.Errorf("%q is %w: it does not begin with /", clip(requestURI), errTarget)
	}
	if after, ok := strings.CutPrefix(rest, "web/"); ok {
		rest = after
	}
	if first, after, ok := strings.Cut(rest, "/"); ok {
		if timed, ok := parseFirst(first); ok {
			t, rest = timed, after
		}
	}
	u := repaired(rest)
	if u == "" {
		return Target{}, fmt.Errorf("%q is %w: it has no URL; write it like /20080710/http://www.pku.edu.cn/", clip(requestURI), errTarget)
	}
	canonical, err := urlkey.Canonical(u)
	if err != nil {
		return Target{}, fmt.Errorf("%q is %w: %w", clip(requestURI), errTarget, err)
	}
	t.URL = canonical
	if page, ok := urlkey.Shown(canonical); ok && canonical == urlkey.DOM+page && t.Modifier.page() && !t.Calendar {
		t.URL, t.Modifier, t.View = page, AfterLoad, View{}
	}
	return t, nil
}

// parseFirst parses first, the part of an address before the URL, such as
// 20080710im_. ok is false if first is no such part.
func parseFirst(first string) (t Target, ok bool) {
	n := 0
	for n < len(first) && first[n]-'0' < 10 {
		n++
	}
	if n != 0 && (n < len("2006") || n > len("20060102150405")) {
		return Target{}, false
	}
	t.Time = first[:n]
	switch after := first[n:]; {
	case after == "*":
		t.Calendar = true
		return t, true
	case after == "":
		return t, n > 0
	default:
		for _, m := range modifiers {
			rest, ok := strings.CutPrefix(after, string(m))
			if ok && rest != "" && (m == PageTop || m == PageFrame) {
				t.View, ok = parseView(rest)
			} else {
				ok = ok && rest == ""
			}
			if ok {
				t.Modifier = m
				return t, true
			}
		}
	}
	return Target{}, false
}

// repaired returns the URL u as the user wrote it. Clients and proxies may have changed a
// URL inside a path: http%3A//a.example and http:/a.example both become http://a.example.
func repaired(u string) string {
	if at := strings.IndexByte(u, '%'); at > 0 && at <= len("https") && strings.EqualFold(u[at:min(len(u), at+3)], "%3A") {
		if plain, err := url.PathUnescape(u); err == nil {
			u = plain
		}
	}
	for _, scheme := range []string{"http:/", "https:/", "ftp:/"} {
		if len(u) > len(scheme) && strings.EqualFold(u[:len(scheme)], scheme) && u[len(scheme)] != '/' {
			return scheme + "/" + u[len(scheme):]
		}
	}
	return u
}

// clip returns s, cut to its first 200 bytes, for an error message.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most]
	}
	return s
}
