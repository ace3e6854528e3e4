package serve_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserTimeout bounds a whole browser test. Nothing waits so long unless it hangs.
const browserTimeout = 20 * time.Minute

// startBrowser starts Chromium without a window. The context is that of the whole
// browser; chromedp.NewContext of it opens a tab. The test is skipped if there is
// no Chromium.
func startBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium on this machine")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("no-default-browser-check", true),
		chromedp.Flag("disable-features", "MediaRouter,DialMediaRouteProvider,OptimizationHints,Translate"),
		chromedp.Flag("disable-gpu", true),
		chromedp.WindowSize(320, 240),
		// Chromium asks its maker for updates and the time, which no flag stops.
		chromedp.Flag("host-resolver-rules", "MAP *.google.com ~NOTFOUND, MAP *.googleapis.com ~NOTFOUND, MAP *.gvt1.com ~NOTFOUND"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	options = append(options, more...)
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := context.WithTimeout(context.Background(), browserTimeout)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithErrorf(t.Logf))
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return ctx
}

// endBrowser ends the browser of ctx. Once it returns, the browser sends nothing any
// more.
func endBrowser(t *testing.T, ctx context.Context) {
	t.Helper()
	if err := chromedp.Cancel(ctx); err != nil {
		t.Logf("ending chromium: %v", err)
	}
}
