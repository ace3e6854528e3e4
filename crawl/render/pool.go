package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// Pool is a browser that shows pages, several at the same time. It may be used from many
// goroutines. The caller closes it.
type Pool struct {
	options   Options
	path      string // of the browser
	authority *authority
	refuser   *refuser
	folder    *folder
	slots     chan struct{} // tokens of the pages that are shown

	mu      sync.Mutex
	browser context.Context // of the browser; nil before the first start
	end     func()          // ends the browser and waits until it has ended
	session *session        // of Options.Profile; nil without one
	closed  bool
}

// errClosed is returned by Show after Close.
var errClosed = errors.New("the browser is closed")

// paths are where browsers are looked for, by operating system.
var paths = map[string][]string{
	"darwin": {"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"},
	"windows": {"chrome.exe", `C:\Program Files\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`, `C:\Program Files\Chromium\Application\chrome.exe`},
	"": {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell", "headless-shell",
		"/opt/google/chrome/chrome", "/snap/bin/chromium"},
}

// Find returns the path of the browser. path is the setting: the path of a program, or
// "" to look for Chromium and Chrome in the usual places. The error says how to get one.
func Find(path string) (string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("the browser %q cannot be run: %w; type SET browser = '/path/of/chromium'", path, err)
		}
		return found, nil
	}
	list, ok := paths[runtime.GOOS]
	if !ok {
		list = paths[""]
	}
	for _, name := range list {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("there is no browser on this machine; install Chromium (such as apt-get install chromium), or type SET browser = '/path/of/chromium'")
}

// Start starts a browser with the settings o. It removes the profiles that processes
// left in o.Temp that have ended. The browser runs until Close; the end of ctx ends
// Start only.
func Start(ctx context.Context, o Options) (*Pool, error) {
	path, err := Find(o.Path)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 && !o.NoSandbox {
		return nil, errors.New("root cannot run a browser in its sandbox; run as another user, or type SET browser_sandbox = off")
	}
	o.Pages = max(o.Pages, 1)
	o.Limits = o.Limits.withDefaults()
	more, err := parseRules(strings.NewReader(moreText), "more.txt")
	if err != nil {
		return nil, err
	}
	o.More = append(slices.Clip(o.More), more...)
	p := &Pool{options: o, path: path, slots: make(chan struct{}, o.Pages)}
	if p.authority, err = newAuthority(); err != nil {
		return nil, err
	}
	if err := sweep(o.Temp); err != nil {
		return nil, err
	}
	if p.folder, err = newFolder(o.Temp, o.Profile); err != nil {
		return nil, err
	}
	if p.refuser, err = newRefuser(); err != nil {
		return nil, errors.Join(err, p.folder.remove())
	}
	if _, err := p.start(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// startTries is how often a browser is started before Start gives up. With both cores of a
// machine busy, Chromium ended at once in one of some thirty starts.
const startTries = 3

// start returns the context of the running browser. It starts the browser if it does
// not run, such as after a crash.
func (p *Pool) start(ctx context.Context) (context.Context, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if p.browser != nil {
		if p.browser.Err() == nil {
			return p.browser, nil
		}
		p.end()
		p.browser = nil
	}
	var browser context.Context
	var err error
	for range startTries {
		if browser, p.end, err = p.launch(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if p.options.Profile != "" {
		if p.session, err = readSession(browser); err != nil {
			p.end()
			return nil, err
		}
	}
	for _, rules := range []struct {
		name string
		list []Rule
	}{{"consent rule", p.options.Consent}, {"rule", p.options.More}} {
		if err := checkRules(browser, rules.name, rules.list); err != nil {
			p.end()
			return nil, err
		}
	}
	p.browser = browser
	return browser, nil
}

// checkRules returns an error if the browser does not understand the selector or the label of
// a rule. name is what the error calls a rule.
func checkRules(browser context.Context, name string, rules []Rule) error {
	finders := make([]finder, len(rules))
	for i, r := range rules {
		finders[i] = finder{r.Selector, r.Label}
	}
	list, err := json.Marshal(finders)
	if err != nil {
		return err
	}
	bad, err := chromedp.Run(browser, chromedp.Evaluate[int](fmt.Sprintf(
		"%s.findIndex((r) => { try { if (r.selector) document.querySelector(r.selector); else new RegExp(`^(?:${r.label})$`, 'iu'); return false } catch { return true } })", list)))
	switch {
	case err != nil:
		return fmt.Errorf("check each %s: %w", name, err)
	case bad < 0:
		return nil
	case rules[bad].Label != "":
		return fmt.Errorf("the %s %q has %q, which is no regular expression", name, rules[bad].Name, rules[bad].Label)
	}
	return fmt.Errorf("the %s %q has %q, which is no CSS selector", name, rules[bad].Name, rules[bad].Selector)
}

// temporaryMax bounds the path of a folder in which the browser makes a socket. Linux bounds
// the path of a socket to 107 bytes.
const temporaryMax = 60

// launch starts a browser once. end ends it and waits until it has ended.
func (p *Pool) launch(ctx context.Context) (browser context.Context, end func(), err error) {
	whole, stop := chromedp.NewExecAllocator(context.WithoutCancel(ctx), p.flags()...)
	browser, cancel := chromedp.NewContext(whole, chromedp.WithErrorf(func(string, ...any) {}), chromedp.WithLogf(func(string, ...any) {}))
	end = func() {
		cancel()
		stop()
	}
	release := context.AfterFunc(ctx, cancel)
	err = chromedp.Do(browser)
	if !release() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		return browser, end, nil
	}
	end()
	if ctx.Err() != nil {
		return nil, end, ctx.Err()
	}
	return nil, end, fmt.Errorf("start the browser %s: %w", p.path, err)
}

// flags returns the settings of the browser. It has no way to the network but a proxy.
func (p *Pool) flags() []chromedp.ExecAllocatorOption {
	list := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(p.path),
		chromedp.UserDataDir(p.folder.profile()),
		chromedp.WindowSize(1366, 900),
	)
	for name, value := range map[string]any{
		"no-sandbox": p.options.NoSandbox,

		// All requests go to a proxy, those to loopback too. No name is looked up here.
		"proxy-server":                        "http://" + p.refuser.listener.Addr().String(),
		"proxy-bypass-list":                   "<-loopback>",
		"host-resolver-rules":                 "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"dns-prefetch-disable":                true,
		"disable-quic":                        true,
		"webrtc-ip-handling-policy":           "disable_non_proxied_udp",
		"force-webrtc-ip-handling-policy":     "disable_non_proxied_udp",
		"ignore-certificate-errors-spki-list": p.authority.spki,

		// The browser sends no requests of its own, and opens no windows.
		"disable-component-update":            true,
		"disable-domain-reliability":          true,
		"disable-auto-reload":                 true,
		"no-pings":                            true,
		"no-service-autorun":                  true,
		"disable-popup-blocking":              false, // pages open no windows
		"block-new-web-contents":              true,
		"disable-gpu":                         true,
		"disable-site-isolation-trials":       true, // so that frames of all origins are in one process, and can be read
		"disable-notifications":               true,
		"disable-print-preview":               true,
		"deny-permission-prompts":             true,
		"mute-audio":                          true,
		"hide-scrollbars":                     true,
		"disable-search-engine-choice-screen": true,
		"disable-features": strings.Join([]string{
			"IsolateOrigins", "site-per-process", "Translate", "BlinkGenPropertyTrees", "MediaRouter", "DialMediaRouteProvider", "OptimizationHints",
			"OptimizationGuideModelDownloading", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "AutofillServerCommunication",
			"CertificateTransparencyComponentUpdater", "NetworkTimeServiceQuerying", "Prerender2", "InterestFeedContentSuggestions",
			"WebRtcHideLocalIpsWithMdns", "LensOverlay", "GlobalMediaControls",
		}, ","),
	} {
		list = append(list, chromedp.Flag(name, value))
	}
	if f := p.folder.path; len(f) <= temporaryMax {
		list = append(list, chromedp.Env("TMPDIR="+f)) // so that sweep removes what a killed browser leaves
	} else if len(os.TempDir()) > temporaryMax {
		list = append(list, chromedp.Env("TMPDIR=/tmp"))
	}
	if p.options.Agent != "" {
		list = append(list, chromedp.UserAgent(p.options.Agent))
	}
	return list
}

// closeTimeout bounds the time that the browser gets to end by itself.
const closeTimeout = 5 * time.Second

// Close ends the browser, waits for it, and removes its profile. Pages that are shown
// end with an error.
func (p *Pool) Close() error {
	p.mu.Lock()
	browser, end := p.browser, p.end
	p.closed, p.browser, p.end = true, nil, nil
	p.mu.Unlock()
	if browser != nil && browser.Err() == nil {
		ctx, stop := context.WithTimeout(browser, closeTimeout)
		_ = chromedp.Cancel(ctx) // end kills a browser that does not obey
		stop()
	}
	if end != nil {
		end()
	}
	for range cap(p.slots) { // wait for the pages
		p.slots <- struct{}{}
	}
	for range cap(p.slots) {
		<-p.slots
	}
	p.refuser.close()
	return p.folder.remove()
}
