package render

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// collectScript is a JavaScript function that returns the state of the page as a document. Its
// arguments are the bounds of the result, and the documents of those frames that it cannot read
// itself, by the place of the frame in the page.
//
//go:embed collect.js
var collectScript string

// linksMax bounds the links of a page.
const linksMax = 50_000

// Bounds of a picture.
const (
	pictureMax  = 10_000 // pixels of a side
	pictureTime = 30 * time.Second
)

// document is the state of a page's document, in the form in which collectScript returns it.
type document struct {
	URL   string   `json:"url"`
	DOM   string   `json:"dom"`
	Text  string   `json:"text"`
	Links []string `json:"links"`
	Login bool     `json:"login"`
	Cut   bool     `json:"cut"` // the document is larger than its bound
}

// collect reads the document as it now is into s, and takes the picture.
func (t *tab) collect(ctx context.Context, s *Shown) error {
	d, err := t.read(ctx)
	for range stopTries {
		if err == nil || ctx.Err() != nil {
			break
		}
		// A script of the page runs without end.
		t.terminate(ctx)
		d, err = t.read(ctx)
	}
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	if d.Cut || int64(len(d.DOM)) > t.limits.DOM {
		return fmt.Errorf("the document has over %d bytes after load", t.limits.DOM)
	}
	s.URL, s.DOM, s.Text, s.Links, s.Login = d.URL, []byte(d.DOM), d.Text, d.Links, d.Login
	s.Sockets = t.proxy.opened()
	t.reportDialogs(s)
	if !t.pool.options.Screenshot {
		return nil
	}
	if s.Screenshot, err = t.picture(ctx); err != nil {
		return fmt.Errorf("take a picture: %w", err)
	}
	return nil
}

// stopTries bounds how often the scripts of a page are stopped to read its document. Several
// tries are needed because an order to stop may stop our own script instead.
const stopTries = 3

// read reads the document with its frames.
func (t *tab) read(ctx context.Context) (d document, err error) {
	ctx, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	frames, err := t.foreign(ctx, t.limits.DOM/2)
	if err == nil {
		d, err = t.document(ctx, t.main, t.limits.DOM, frames)
	}
	if ctx.Err() != nil {
		err = errors.New("the page does not answer; its scripts run without end")
	}
	return d, err
}

// terminate stops the script of the page that runs. It does not wait for the answer, which
// comes only after a dialog of the page has ended.
func (t *tab) terminate(ctx context.Context) {
	t.answering.Go(func() { _ = t.target.Call(ctx, runtime.TerminateExecution.Method, nil, nil) })
}

// picture returns the whole page as a PNG, at most pictureMax pixels wide and high.
func (t *tab) picture(ctx context.Context) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, pictureTime)
	defer stop()
	m, err := cdp.Call(ctx, t.target, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	yes := true
	size := m.CSSContentSize
	r, err := cdp.Call(ctx, t.target, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: &yes, OptimizeForSpeed: &yes,
		Clip: &page.Viewport{Width: min(size.Width, pictureMax), Height: min(size.Height, pictureMax), Scale: 1},
	})
	return r.Data, err
}

// under reports whether host is domain or below it.
func under(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
