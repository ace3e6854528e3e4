package serve_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"infomall/store/page/pagetest"
)

// likenessSites are the bundles of real sites, each with the pages to compare.
var likenessSites = []struct {
	bundle string
	urls   []string
}{
	{"kafka", []string{"https://kafka.apache.org/"}},
	{"httpd", []string{"https://httpd.apache.org/"}},
	{"cdr", []string{"https://www.christiandailyreporter.com/"}},
	{"fp-fr.de", []string{"https://www.fr.de/"}},
	{"fp-volksstimme.de", []string{"https://www.volksstimme.de/"}},
	{"fp-compact-online.de", []string{"https://www.compact-online.de/"}},
	{"stalker", []string{"https://sites/de-edjopato.html"}},
}

// likenessArticles is how many pages of other sites are compared too.
const likenessArticles = 3

// The size of the window in which pages are compared.
const likenessWidth, likenessHeight = 1280, 900

// TestLikeness takes pictures of pages of ten real sites: served under their own
// names as they were captured, and replayed in the frame of the interface. The
// pictures must be equal but for the bar.
func TestLikeness(t *testing.T) {
	data := pagetest.Shared(t)
	if !isolated(t) {
		return
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	var urls []string
	for _, site := range likenessSites {
		warc := filepath.Join(dir, site.bundle+".warc.gz")
		tool := filepath.Join(data, "..", "tools", "site-history")
		if out, err := exec.Command(tool, filepath.Join(data, "sites", site.bundle+".bundle"), warc, "--full", "--first", "1").CombinedOutput(); err != nil {
			t.Skipf("site-history does not run: %v: %s", err, out)
		}
		run(t, "-a", archive, "-c", "IMPORT '"+warc+"'")
		urls = append(urls, site.urls...)
	}
	var articles []capture
	for _, a := range pagetest.Articles(t) {
		if url := "https://" + a.Host + "/"; len(articles) < likenessArticles && a.Host != "" && !slices.Contains(urls, url) {
			articles = append(articles, capture{url: url, contentType: "text/html; charset=utf-8", body: string(a.Body)})
			urls = append(urls, url)
		}
	}
	warc := filepath.Join(dir, "articles.warc")
	writeWARC(t, warc, articles)
	run(t, "-a", archive, "-c", "IMPORT '"+warc+"'")
	startServer(t, archive, filepath.Join(dir, "access.log"))
	watch(t) // answers names
	serveLive(t)

	browser := startBrowser(t, chromedp.Flag("ignore-certificate-errors", true))
	var shares []float64
	for _, url := range urls {
		live := picture(t, browser, url, "")
		replayed := picture(t, browser, interfaceOrigin+"/"+url, "#replay")
		share := equalShare(live, replayed)
		shares = append(shares, share)
		t.Logf("%.4f %s", share, url)
		if folder := os.Getenv("INFOMALL_PICTURES"); folder != "" {
			keepPicture(t, folder, fmt.Sprintf("%d-live.png", len(shares)), live)
			keepPicture(t, folder, fmt.Sprintf("%d-replayed.png", len(shares)), replayed)
		}
	}
	slices.Sort(shares)
	median := shares[len(shares)/2]
	t.Logf("%d pages, share of equal pixels: median %.4f, least %.4f", len(shares), median, shares[0])
	if median < 0.99 {
		t.Errorf("the median share of equal pixels is %.4f, want 0.99", median)
	}
}

// serveLive serves the captures under their own names: as raw bytes, over TLS, at
// the address that all names have. What was never captured is not found.
func serveLive(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"*"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", net.JoinHostPort(anyName, "443"), &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	raw := http.Client{Transport: &http.Transport{DisableCompression: true}}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := raw.Get(fmt.Sprintf("http://127.0.0.1:%d/id_/https://%s%s", replayPort, r.Host, r.RequestURI))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		w.WriteHeader(answer.StatusCode)
		io.Copy(w, answer.Body)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
}

// picture returns a picture of the page at url, or of its element with this
// selector, which gets the size of a window.
func picture(t *testing.T, browser context.Context, url, selector string) image.Image {
	t.Helper()
	tab, stop := chromedp.NewContext(browser)
	defer stop()
	tab, stop = context.WithTimeout(tab, 2*time.Minute)
	defer stop()
	if err := chromedp.Do(tab, chromedp.EmulateViewport(likenessWidth, likenessHeight), chromedp.Navigate(url)); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	at := image.Rect(0, 0, likenessWidth, likenessHeight)
	if selector != "" {
		const place = `(() => { const e = document.querySelector(%q); e.style.cssText += "position:fixed;left:0;top:0;border:0;margin:0;width:%dpx;height:%dpx;z-index:9"; return true })()`
		if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](fmt.Sprintf(place, selector, likenessWidth, likenessHeight))); err != nil {
			t.Fatalf("%s: %v", url, err)
		}
	}
	// Two frames are drawn before the picture, so that it has what was laid out.
	const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`
	if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](drawn, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	b, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	whole, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return whole.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(at)
}

// equalShare returns the share of the pixels of a that are equal in b.
func equalShare(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 0
	}
	equal, all := 0, 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			all++
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			if ar == br && ag == bg && ab == bb {
				equal++
			}
		}
	}
	return float64(equal) / float64(all)
}

// keepPicture writes a picture to a file that a person can look at.
func keepPicture(t *testing.T, folder, name string, picture image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
