package render

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// behaveScript is an expression of an object whose functions act on the document.
//
//go:embed behave.js
var behaveScript string

// stepTime is how long the page must make no request after a step of a behaviour, before the next
// step begins.
const stepTime = 100 * time.Millisecond

// act calls the function called name of behaveScript with args, and decodes its result into v.
func (t *tab) act(ctx context.Context, v any, name string, args ...any) error {
	list := make([]string, len(args))
	for i, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			return err
		}
		list[i] = string(b)
	}
	return t.script(ctx, fmt.Sprintf("(%s).%s(%s)", behaveScript, name, strings.Join(list, ", ")), v)
}

// behave clicks the notice for which there is a rule, such as one on cookies, and then runs the
// behaviours, which make the page load the rest. What a behaviour did is added to s. An error
// ends the behaviours, but not the visit of the page.
func (t *tab) behave(ctx context.Context, s *Shown) {
	s.Consent = t.consent(ctx)
	for _, b := range []struct {
		name string
		step func(ctx context.Context, before int) (n int, more bool, err error)
	}{
		{"open", t.openDetails},
		{"scroll", t.scroll},
		{"more", t.loadMore},
		{"scroll", t.scroll},
	} {
		if b.name == "scroll" && len(s.Behaviours) > 0 && s.Behaviours[len(s.Behaviours)-1].Name == "scroll" {
			continue // nothing has changed since
		}
		done, err := t.repeat(ctx, b.name, b.step)
		if done.Steps > 0 {
			s.Behaviours = append(s.Behaviours, done)
		}
		if err != nil {
			return
		}
	}
	if len(s.Behaviours) > 0 {
		_ = t.act(ctx, nil, "top")
		_ = t.settle(ctx)
	}
}

// repeat runs a behaviour step by step, until it has no more to do or a limit is reached. The
// argument of step is the number of steps so far. step returns how many steps it did, and
// whether there is more to do.
func (t *tab) repeat(ctx context.Context, name string, step func(context.Context, int) (int, bool, error)) (Behaviour, error) {
	b := Behaviour{Name: name, Ended: "done"}
	for {
		switch {
		case ctx.Err() != nil:
			b.Ended = "time"
			return b, ctx.Err()
		case t.proxy.limit("") != "":
			b.Ended = t.proxy.limit("")
			return b, nil
		case b.Steps >= t.limits.Steps:
			b.Ended = "steps"
			return b, nil
		}
		n, more, err := step(ctx, b.Steps)
		b.Steps += n
		if err == nil && n > 0 {
			err = t.proxy.quiet(ctx, stepTime)
		}
		if err != nil {
			if ctx.Err() != nil {
				b.Ended = "time"
			}
			return b, err
		}
		if !more {
			return b, nil
		}
	}
}

// openDetails opens the elements details that are closed.
func (t *tab) openDetails(ctx context.Context, _ int) (n int, more bool, err error) {
	err = t.act(ctx, &n, "open", t.limits.Steps)
	return n, n > 0, err
}

// scroll scrolls down by the height of the window. At the end it waits until the page is
// quiet, and goes on if the page has grown.
func (t *tab) scroll(ctx context.Context, before int) (n int, more bool, err error) {
	var moved bool
	if err = t.act(ctx, &moved, "scroll"); err != nil || moved {
		return 1, true, err
	}
	if before == 0 {
		return 0, false, nil // the page was quiet and has nothing to scroll
	}
	if err = t.settle(ctx); err != nil {
		return 0, false, err
	}
	if err = t.act(ctx, &moved, "scroll"); err != nil || !moved {
		return 0, false, err
	}
	return 1, true, nil
}

// loadMore clicks a button that loads more of the page, and goes on if the page has grown.
func (t *tab) loadMore(ctx context.Context, _ int) (n int, more bool, err error) {
	var before, after int
	host, err := t.host(ctx)
	if err != nil {
		return 0, false, err
	}
	if err = t.act(ctx, &before, "more", finders(t.pool.options.More, host)); err != nil || before < 0 {
		return 0, false, err
	}
	if err = t.settle(ctx); err != nil {
		return 1, false, err
	}
	err = t.act(ctx, &after, "size")
	return 1, after > before, err
}

// host returns the host whose rules hold for the page. If Page.Host names none, it is the host
// that the browser shows now, to which scripts may have led.
func (t *tab) host(ctx context.Context) (string, error) {
	if t.page.Host != "" {
		return t.page.Host, nil
	}
	var address string
	if err := t.act(ctx, &address, "address"); err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.Hostname(), nil
}

// consent clicks the element of the first rule that finds one, and returns the name of
// the rule, or "".
func (t *tab) consent(ctx context.Context) string {
	if len(t.pool.options.Consent) == 0 {
		return ""
	}
	host, err := t.host(ctx)
	if err != nil {
		return ""
	}
	rules := slices.DeleteFunc(slices.Clone(t.pool.options.Consent), func(r Rule) bool { return r.Host != "" && !under(host, r.Host) })
	var clicked int
	if t.act(ctx, &clicked, "click", finders(rules, host)) != nil || clicked < 0 {
		return ""
	}
	_ = t.settle(ctx)
	return rules[clicked].Name
}

// dismiss dismisses a dialog, such as that of alert. If the page shows dialogs without
// end, it stops its scripts.
func (t *tab) dismiss() {
	t.mu.Lock()
	t.dialogs++
	n := t.dialogs
	t.mu.Unlock()
	if n > t.limits.Steps {
		t.terminate(t.ctx)
	}
	_, _ = cdp.Call(t.ctx, t.target, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
}

// reportDialogs adds the dialogs to s.
func (t *tab) reportDialogs(s *Shown) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dialogs == 0 {
		return
	}
	b := Behaviour{Name: "dismiss", Steps: min(t.dialogs, t.limits.Steps), Ended: "done"}
	if t.dialogs > t.limits.Steps {
		b.Ended = "steps"
	}
	s.Behaviours = append(s.Behaviours, b)
}
