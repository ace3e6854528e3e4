package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/relation"
	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/memo"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// replayWait is how long a request to replay waits while replaysMax others are
// being answered.
const replayWait = 20 * time.Second

// postBytesMax bounds the body of a POST to replay that is looked up with its URL.
const postBytesMax = 64 << 10

// decodedMax bounds the size in bytes of a body after its content coding is undone.
const decodedMax = 64 << 20

// replayHandler returns the handler of the listener replay.
func (s *server) replayHandler() http.Handler {
	return s.wrap("replay", s.origins.servesReplay, s.replay, func(w http.ResponseWriter, r *http.Request, err error) {
		s.replayNote(w, r, statusOf(err), &note{Title: "note_error", Detail: err.Error()})
	})
}

// replay answers a request for an archived page or a part of one.
func (s *server) replay(w http.ResponseWriter, r *http.Request) error {
	if name, ok := strings.CutPrefix(r.URL.Path, replay.RuffleFiles); ok && s.o.Ruffle != "" {
		return s.sendRuffle(w, r, name)
	}
	if name, ok := strings.CutPrefix(r.URL.Path, replay.Files); ok {
		return sendReplayFile(w, r, name)
	}
	if r.Header.Get("Service-Worker") != "" {
		return failf(http.StatusForbidden, "archived service workers are not run")
	}
	if err := onlyRead(w, r, http.MethodPost); err != nil {
		return err
	}
	w.Header().Set("Vary", "Sec-Fetch-Dest, Accept-Encoding")
	if r.URL.Path == "/robots.txt" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, err := io.WriteString(w, "User-agent: *\nDisallow: /\n")
		return err
	}
	target, err := replay.ParseTarget(r.RequestURI)
	if err != nil {
		return failf(http.StatusNotFound, "%v", err)
	}
	onTop := r.Header.Get("Sec-Fetch-Dest") == "document" && target.Modifier != replay.Raw
	if target.Calendar || target.Modifier == replay.Interface || onTop {
		redirect(w, s.origins.interfaceOrigin(r)+framePath(&target), http.StatusFound)
		return nil
	}
	if s.leavesOrigin(r, &target) {
		s.moveFrame(w, r, &target)
		return nil
	}
	return s.replayTarget(w, r, &target)
}

// framePath returns the path of the interface's page for a target: the calendar, or
// the page with the bar and the frame.
func framePath(t *replay.Target) string {
	switch {
	case t.Calendar:
		return "/" + t.Time + "*/" + t.URL
	case t.Modifier == replay.AfterLoad:
		return t.Prefix() + pathText(t.URL)
	}
	return viewPath(t, t.View)
}

// redirect answers with a redirect. The location is sent as it is: unlike
// http.Redirect, it cleans no path.
func redirect(w http.ResponseWriter, location string, status int) {
	w.Header().Set("Location", location)
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
}

// leavesOrigin reports whether r comes from a frame, and asks for a page of another site than the
// one to whose origin r was sent. Such a page must not run in this origin.
func (s *server) leavesOrigin(r *http.Request, t *replay.Target) bool {
	return t.Modifier == replay.PageTop && inFrame(r) && r.Method == http.MethodGet && !s.origins.inOrigin(r, t.URL)
}

// inFrame reports whether the browser asks for the document of a frame.
func inFrame(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return dest == "iframe" || dest == "frame"
}

// moveFrame answers with a small page that opens the target in the origin of its site. A
// redirect does not work here: browsers refuse a redirect to another origin after a form was
// sent.
func (s *server) moveFrame(w http.ResponseWriter, r *http.Request, t *replay.Target) {
	to := s.origins.replayOrigin(r, t.URL) + t.Prefix() + t.URL
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'self' "+s.origins.interfaceOrigin(r))
	h.Set("Referrer-Policy", "no-referrer")
	moveTemplate().Execute(w, to)
}

// sendReplayFile sends a file of package replay, such as the first script.
func sendReplayFile(w http.ResponseWriter, r *http.Request, name string) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	body, contentType, ok := replay.File(name)
	if !ok {
		return failf(http.StatusNotFound, "no file %s", name)
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	if r.URL.RawQuery != "" {
		h.Set("Cache-Control", "max-age=31536000, immutable")
	}
	if name == "worker.js" {
		h.Set("Service-Worker-Allowed", "/")
	}
	sum := sha256.Sum256(body)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// ruffleTypes are the media types of the files of Ruffle that are sent, by suffix.
var ruffleTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".wasm": "application/wasm"}

// sendRuffle sends a file of the folder with Ruffle.
func (s *server) sendRuffle(w http.ResponseWriter, r *http.Request, name string) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	contentType := ruffleTypes[path.Ext(name)]
	if contentType == "" || r.Header.Get("Service-Worker") != "" {
		return failf(http.StatusNotFound, "no file %s", name)
	}
	dir, err := os.OpenRoot(s.o.Ruffle)
	if err != nil {
		return failf(http.StatusNotFound, "the folder of the setting ruffle is gone")
	}
	defer dir.Close()
	f, err := dir.Open(name)
	if err != nil {
		return failf(http.StatusNotFound, "no file %s", name)
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return failf(http.StatusNotFound, "no file %s", name)
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}

// timeOf returns the time that a target asks for.
func (s *server) timeOf(t *replay.Target) (record.Time, error) {
	at, ok := lookup.Time(t.Time, s.o.Now())
	if !ok {
		return 0, failf(http.StatusNotFound, "%q is no time; write it like 20080710, up to 14 digits", t.Time)
	}
	return at, nil
}

// replayTarget answers with the capture that is nearest to the target.
func (s *server) replayTarget(w http.ResponseWriter, r *http.Request, t *replay.Target) error {
	ctx := r.Context()
	at, err := s.timeOf(t)
	if err != nil {
		return err
	}
	snap, release, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	key := answerKeyOf(r)
	keep := t.Time != "" && r.Method != http.MethodPost // what is latest depends on the clock
	if keep {
		if a, ok := memo.Get[*answer](snap.Answers, key); ok {
			a.setHeader(w.Header())
			if notModified(w, r, w.Header().Get("ETag")) {
				return nil
			}
			return sendBody(w, r, a.status, a.body)
		}
	}
	free, err := acquire(ctx, s.replays, replayWait)
	if err != nil {
		return err
	}
	defer free()
	f, err := s.find(w, r, snap, t.Captured(), at)
	if err != nil {
		return err
	}
	if len(f.Nearest) == 0 {
		noteMissing(ctx, t.Captured())
		title := "note_never"
		if t.Modifier == replay.AfterLoad {
			title = "note_no_dom"
		}
		s.replayNote(w, r, http.StatusNotFound, &note{Title: title, URL: t.URL})
		return nil
	}
	c, p, err := choose(ctx, snap, f)
	if err != nil {
		return err
	}
	if c == nil {
		noteMissing(ctx, t.Captured())
		s.replayNote(w, r, http.StatusNotFound, &note{Title: "note_bodyless", URL: t.URL, Near: f.Nearest[:1], Detail: p.NoBody})
		return nil
	}
	around, err := f.Around(ctx, snap, c)
	if err != nil {
		return err
	}
	plain := key
	plain.gzip = false // zip marks the ETag of a body that it compresses
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %d %v %v", s.metrics.boot, snap.State(), c.URL, c.Time, c.Ref, plain))
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	s.mementoHeader(w.Header(), r, f, c, around)
	if t.Modifier == replay.PageTop && inFrame(r) && (c.Kind == record.KindMissing || c.Kind == record.KindSoftMissing) {
		near := []lookup.Capture{*c}
		for _, n := range []lookup.Capture{around.Prev, around.Next} {
			if n.URL != "" {
				near = append(near, n)
			}
		}
		s.replayNote(w, r, http.StatusNotFound, &note{Title: "note_gone", URL: t.URL, Near: near})
		return nil
	}
	if kind, file := fileType(p); file && inFrame(r) && t.Modifier != replay.Raw {
		raw := replay.Target{Time: t.Time, Modifier: replay.Raw, URL: t.URL}
		s.replayNote(w, r, http.StatusOK, &note{Title: "note_file", URL: t.URL, Detail: kind, File: raw.Prefix() + pathText(t.URL)})
		return nil
	}
	if key.gzip && notModified(w, r, zippedTag(tag)) || notModified(w, r, tag) {
		return nil
	}
	page := &replay.Page{
		URL: urlkey.PageOf(c.URL), Captured: c.Time.Std(), InterfaceOrigin: s.origins.interfaceOrigin(r),
		Frame: t.Modifier == replay.PageFrame, View: t.View, Ruffle: s.o.Ruffle != "",
	}
	if t.Time != "" {
		page.Asked = at.Std()
	}
	var x *viewed
	if t.View.Name != replay.NoView {
		if x, err = s.view(ctx, snap, f, c, p, t.View); err != nil {
			return err
		}
	}
	a, err := captureAnswer(w.Header(), r, t.Modifier, page, p, x)
	if err != nil {
		return err
	}
	if p.Large != nil {
		free()
		return sendLarge(w, r, a.status, p)
	}
	if key.gzip {
		if err := a.zip(); err != nil {
			return err
		}
	}
	free()
	if keep {
		snap.Answers.Put(key, a, key.bytes()+a.keep(&s.texts))
	}
	return sendBody(w, r, a.status, a.body)
}

// find looks up the captures of a URL that are nearest to a time. A POST is looked up under each
// of its postedURLs first. If the URL was never captured, find looks for one whose query differs only
// in arguments that change with each visit. The error has the status 451 if the URL may not be shown.
func (s *server) find(w http.ResponseWriter, r *http.Request, snap relation.Snapshot, url string, at record.Time) (*lookup.Found, error) {
	ctx := r.Context()
	if err := deniedAt(ctx, snap, url, at); err != nil {
		return nil, err
	}
	if r.Method == http.MethodPost {
		body, err := readBody(w, r, postBytesMax)
		if err != nil {
			return nil, err
		}
		for _, u := range postedURLs(url, r.Header.Get("Content-Type"), body) {
			if err := deniedAt(ctx, snap, u, at); err != nil {
				return nil, err
			}
			if f, err := lookup.Nearest(ctx, snap, u, at); err != nil || len(f.Nearest) > 0 {
				return f, err
			}
		}
	}
	f, err := lookup.Nearest(ctx, snap, url, at)
	if err != nil || len(f.Nearest) > 0 {
		return f, err
	}
	if err := denied(ctx, snap, url); err != nil {
		return nil, err
	}
	like, err := lookup.Similar(ctx, snap, url)
	if err != nil || like == "" {
		return f, err
	}
	return lookup.Nearest(ctx, snap, like, at)
}

// postedURLs returns the canonical URLs under which an archive may have the response to a POST of body
// to url: that of urlkey.WithBody; that of other tools, which cut a long body; and url with the body as
// its query, as old tools wrote it. kind is the Content-Type of the body.
func postedURLs(url, kind string, body []byte) (list []string) {
	written := []string{urlkey.WithBody(url, http.MethodPost, kind, body), urlkey.WithMethod(url, http.MethodPost, kind, body)}
	if len(body) > 0 {
		mark := "?"
		if strings.Contains(url, "?") {
			mark = "&"
		}
		written = append(written, url+mark+string(body))
	}
	for _, u := range slices.Compact(written) {
		if u, err := urlkey.Canonical(u); err == nil {
			list = append(list, u)
		}
	}
	return list
}

// choose returns the capture of f to show, and its response: the nearest one that has a body and
// does not redirect to its own family. If all captures redirect to their own family, it returns
// the nearest one. The capture is nil if none has a body; the payload then says why.
func choose(ctx context.Context, snap relation.Snapshot, f *lookup.Found) (*lookup.Capture, *record.Payload, error) {
	var first *lookup.Capture
	var firstPayload *record.Payload
	var why record.Payload
	for i := range f.Nearest {
		c := &f.Nearest[i]
		p, err := snap.Payload(ctx, c.Ref)
		if err != nil {
			return nil, nil, err
		}
		if p.NoBody != "" {
			if why.NoBody == "" {
				why = p
			}
			continue
		}
		if first == nil {
			first, firstPayload = c, &p
		}
		if c.Kind != record.KindRedirect || !lookup.SameFamily(c.URL, location(c, &p)) {
			return c, &p, nil
		}
	}
	if first == nil {
		return nil, &why, nil
	}
	return first, firstPayload, nil
}

// location returns the canonical URL to which the response p of the capture c redirects, or ""
// if the response names no URL.
func location(c *lookup.Capture, p *record.Payload) string {
	to, err := urlkey.Resolve(c.URL, message.Header(p.Head, "Location"))
	if err != nil {
		return ""
	}
	return to
}

// captureAnswer returns the answer with the response p, rewritten as the modifier m asks. h
// becomes its header. page has the URL and the times of the capture. x has what the view of the
// page marks; nil without a view.
func captureAnswer(h http.Header, r *http.Request, m replay.Modifier, page *replay.Page, p *record.Payload, x *viewed) (*answer, error) {
	stored, contentType := storedHeader(p)
	codings := message.Codings(p.Head)
	body, coded := p.Body, false
	if codings != "" && p.Large == nil {
		plain, still, err := decoded(p, codings)
		coded = still
		if m != replay.Raw {
			if err != nil {
				// A damaged body is shown as far as it goes.
				if plain, _, err = coding.DecodePart(p.Body, codings, decodedMax); err != nil {
					return nil, failf(http.StatusBadGateway, "the body of this capture cannot be decoded: %v", err)
				}
			}
			body, coded = plain, false
		}
	}
	if p.Large != nil {
		body, coded = largeStart(p, codings)
	}
	if contentType == "" {
		contentType = sniff(body)
		stored = append(stored, [2]string{"Content-Type", contentType})
	}
	kind := replay.Rewrites(contentType, m, r.Header.Get("Sec-Fetch-Dest"))
	if p.Large != nil {
		kind = kind.Unrewritten()
	}
	if rewritten(kind) || kind == replay.Source && p.Large == nil {
		page.Charset = charset.Find(body, contentType, p.Charset).Charset
	}
	if x != nil && (kind == replay.Document || kind == replay.XHTML) {
		// The places of the marks are those in this form of the body.
		body, page.Charset = x.revision.Body.Page.Body, x.revision.Body.Charset
		lang, _ := languageOf(r)
		page.Marks = x.marks(page.View, lang)
	}
	for _, f := range replay.Header(stored, kind, page) {
		h.Add(f[0], f[1])
	}
	if coded {
		h.Set("Content-Encoding", codings)
	}
	status := message.Status(p.Head)
	if m != replay.Raw && status >= 300 && status < 400 {
		if sent := replayRedirect(h, message.Header(p.Head, "Location"), m, page); !sent {
			status = http.StatusOK
		}
	}
	if kind == replay.Document || kind == replay.XHTML {
		replayRefresh(h, message.Header(p.Head, "Refresh"), m, page)
	}
	if m == replay.Raw {
		status = http.StatusOK
	}
	status = sendable(status)
	page.Ruffle = page.Ruffle && (kind == replay.Document || kind == replay.XHTML) && replay.HasFlash(body)
	if rewritten(kind) {
		var out bytes.Buffer
		if err := replay.Rewrite(&out, kind, body, page); err != nil {
			return nil, err
		}
		body = out.Bytes()
		if kind == replay.Code && r.Header.Get("Sec-Fetch-Dest") == "worker" {
			body = replay.WorkerProgram(body)
		}
	}
	return &answer{status: status, header: h, body: body, text: rewritten(kind)}, nil
}

// fileType returns the media type of the response p, and reports whether a browser would download
// p instead of showing it. In a frame of the archive it cannot do that.
func fileType(p *record.Payload) (kind string, file bool) {
	_, kind = storedHeader(p)
	if kind == "" && p.Large == nil {
		kind = sniff(p.Body)
	}
	disposition, _, _ := strings.Cut(message.Header(p.Head, "Content-Disposition"), ";")
	return kind, strings.EqualFold(strings.TrimSpace(disposition), "attachment") || !replay.Shown(kind)
}

// sendable returns the status with which a capture with this status is sent. The statuses 206 (a
// part) and 304 (not modified), and those below 200 or above 599, become 200, because replay
// sends a whole page.
func sendable(status int) int {
	if status < 200 || status > 599 || status == http.StatusPartialContent || status == http.StatusNotModified {
		return http.StatusOK
	}
	return status
}

// sendBody sends status and body. It also answers HEAD and, if the status is 200, requests for a
// range. The caller must have set the other fields of the header.
func sendBody(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	h := w.Header()
	if status == http.StatusOK {
		if r.Header.Get("Range") != "" || r.Header.Get("If-Match") != "" {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
			return nil
		}
		h.Set("Accept-Ranges", "bytes")
	}
	if status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead || status == http.StatusNoContent {
		return nil
	}
	_, err := w.Write(body)
	return err
}

// sendLarge does what sendBody does, for a response p whose body is too large for memory and is
// read in pieces.
func sendLarge(w http.ResponseWriter, r *http.Request, status int, p *record.Payload) error {
	large := newLargeReader(p.Large, p.Size)
	defer large.Close()
	if status == http.StatusOK {
		http.ServeContent(w, r, "", time.Time{}, large)
		return nil
	}
	if status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.FormatInt(p.Size, 10))
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead || status == http.StatusNoContent {
		return nil
	}
	_, err := io.Copy(w, large)
	return err
}

// startBytes is how much of a large body is read for its header.
const startBytes = 64 << 10

// largeStart returns the first bytes of the large body of p, without its content codings. coded reports
// whether the stored body still has the codings. After an error in reading, start is nil; reading
// the body then fails too.
func largeStart(p *record.Payload, codings string) (start []byte, coded bool) {
	for piece, err := range p.Large {
		if err != nil {
			return nil, false
		}
		stored := bytes.Clone(piece[:min(len(piece), startBytes)])
		if codings == "" {
			return stored, false
		}
		if start, _, err = coding.DecodePart(stored, codings, decodedMax); err != nil {
			return stored, true // a body that is made to fill memory
		}
		return start, isOther(start, stored)
	}
	return nil, false
}

// isOther reports whether a, which a decoder returned for b, is not b itself.
func isOther(a, b []byte) bool { return len(a) != len(b) || len(a) > 0 && &a[0] != &b[0] }

// decoded returns the body of p without its content codings. coded reports whether the stored
// body still had the codings: some importers remove them.
func decoded(p *record.Payload, codings string) (body []byte, coded bool, err error) {
	body, err = coding.Decode(p.Body, codings, decodedMax)
	return body, err == nil && isOther(body, p.Body), err
}

// rewritten reports whether bodies of this kind are rewritten.
func rewritten(k replay.Kind) bool { return k != replay.Plain && k != replay.Captured }

// replayRedirect sets the header Location of a redirect to the replay address of
// its target, so that it is followed within the time. It reports false if location
// names no URL. It also reports false if the target is of the page's own family: the redirect
// would lead to the same capture again, because choose has found no other one.
func replayRedirect(h http.Header, location string, m replay.Modifier, page *replay.Page) bool {
	to, err := urlkey.Resolve(page.URL, location)
	if location == "" || err != nil || !urlkey.IsHTTP(to) || lookup.SameFamily(page.URL, to) {
		return false
	}
	if _, fragment, ok := strings.Cut(location, "#"); ok {
		to += "#" + fragment
	}
	h.Set("Location", page.Address(to, m))
	return true
}

// replayRefresh sets the header Refresh. refresh is the value of the archived page, such as "5;
// url=/new"; the result leads to the replay address of that URL. If refresh names no URL, the
// header is not set: the page would only load itself again.
func replayRefresh(h http.Header, refresh string, m replay.Modifier, page *replay.Page) {
	delay, to, ok := strings.Cut(refresh, ";")
	name, address, named := strings.Cut(strings.TrimSpace(to), "=")
	if !ok || !named || !strings.EqualFold(strings.TrimSpace(name), "url") {
		return
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(delay), 64)
	if err != nil || !(seconds >= 0) {
		return
	}
	u, err := urlkey.Resolve(page.URL, strings.Trim(strings.TrimSpace(address), `"'`))
	if err != nil || !urlkey.IsHTTP(u) {
		return
	}
	h.Set("Refresh", strconv.FormatFloat(min(seconds, 3600), 'f', -1, 64)+";url="+page.Address(u, m))
}

// sniff returns the media type that the first bytes of a body suggest, for a
// response that names none.
func sniff(body []byte) string { return http.DetectContentType(body) }

// storedHeader returns the fields of the header of a response in their order, and
// the value of Content-Type. A resource, which has no header, has the type of its
// record.
func storedHeader(p *record.Payload) (fields [][2]string, contentType string) {
	for name, value := range headerLines(p.Head) {
		fields = append(fields, [2]string{name, value})
		if contentType == "" && strings.EqualFold(name, "Content-Type") {
			contentType = value
		}
	}
	if contentType == "" && len(p.Head) == 0 && p.Mime != "" {
		contentType = p.Mime
		fields = append(fields, [2]string{"Content-Type", contentType})
	}
	return fields, contentType
}

// headerLines yields name and value of each header line in head, the first bytes of
// a response. A continuation line is joined to the line before it.
func headerLines(head []byte) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		name, value := "", ""
		for i, line := range strings.Split(string(head), "\n") {
			line = strings.TrimRight(line, "\r")
			if i == 0 {
				continue // the status line
			}
			if name != "" && line != "" && (line[0] == ' ' || line[0] == '\t') {
				value += " " + strings.TrimSpace(line)
				continue
			}
			if name != "" && !yield(name, value) {
				return
			}
			var ok bool
			if name, value, ok = strings.Cut(line, ":"); !ok {
				name = ""
			}
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		}
		if name != "" {
			yield(name, value)
		}
	}
}

// errSeek is returned for an offset outside a large body.
var errSeek = errors.New("seek outside the body")
