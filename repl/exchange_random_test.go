package repl

import (
	"crypto/sha1"
	"encoding/base32"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var exchangeSeeds = flag.Int("exchange.seeds", 24, "how many random files are exported and imported again")

// TestExchangeRandom imports WARC files of unusual records, each made from a
// seed. It exports them in each format that preserves captures, imports the
// export, and compares the answers of the archives.
func TestExchangeRandom(t *testing.T) {
	n := *exchangeSeeds
	if testing.Short() {
		n = min(n, 6)
	}
	// A revisit without headers that stands before its original, a visit that
	// found nothing new after a response without headers, revisits whose headers say
	// something else than those of their originals, one whose digest contradicts the
	// capture that it refers to, and a revisit of the same moment as its original.
	seeds := []int{48, 99, 208, 263, 291, 1928, 2087}
	for seed := range n {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { checkRandomExchange(t, oddRecord, seed) })
	}
}

// TestExchangeRandomMoments is TestExchangeRandom with records of two moments
// only, so that several captures of a URL within one moment are common.
func TestExchangeRandomMoments(t *testing.T) {
	n := *exchangeSeeds
	if testing.Short() {
		n = min(n, 6)
	}
	// A 304 after a moment in which two captures have the same body; two captures
	// without a body of which one is a revisit; a file after a response with the same
	// body; a revisit whose original redirects and is the first of an import.
	seeds := []int{33, 95, 138, 146}
	for seed := range n {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { checkRandomExchange(t, recordOfMoments, seed) })
	}
}

// checkRandomExchange draws records from a seed, imports them, and exchanges the
// archive in each format that keeps captures.
func checkRandomExchange(t *testing.T, draw func(*rapid.T) string, seed int) {
	file := filepath.Join(t.TempDir(), "in.warc")
	text := strings.Join(rapid.SliceOfN(rapid.Custom(draw), 1, 10).Example(seed), "")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	one := newSiteArchive(t)
	one.importFiles(file)
	for _, name := range []string{"out.warc", "out.warc.gz", "out.wacz", "out.raw", "out.raw.zlib"} {
		checkExchange(t, one, name)
	}
	if t.Failed() {
		t.Logf("captures:\n%s", text)
	}
}

// oddRecord returns a random record of one of a few URLs and bodies, so that
// visits and references to originals, existing or not, are common.
func oddRecord(t *rapid.T) string {
	url := rapid.SampledFrom([]string{"http://a.example/", "http://a.example/b", "http://b.example/", "http://A.example:80/x y"}).Draw(t, "url")
	date := fmt.Sprintf("2008-0%d-0%dT00:00:0%d%sZ", rapid.IntRange(6, 8).Draw(t, "month"), rapid.IntRange(1, 3).Draw(t, "day"),
		rapid.IntRange(0, 9).Draw(t, "second"), rapid.SampledFrom([]string{"", ".123"}).Draw(t, "fraction"))
	return oddRecordAt(t, url, date)
}

// recordOfMoments is oddRecord with one of two URLs and two moments. Revisits
// may refer to the first of each.
func recordOfMoments(t *rapid.T) string {
	return oddRecordAt(t, rapid.SampledFrom([]string{"http://a.example/", "http://b.example/"}).Draw(t, "url"),
		rapid.SampledFrom([]string{"2008-06-01T00:00:00Z", "2008-06-02T00:00:00.123Z"}).Draw(t, "date"))
}

func oddRecordAt(t *rapid.T, url, date string) string {
	draw := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	body := draw("body", "", "<p>one", "<p>two</p><p>three", "Not found", "0\r\n\r\n")
	sum := sha1.Sum([]byte(body))
	digest := "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
	head := draw("head",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "HTTP/1.0 404 Not Found\n\n",
		"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n")
	fields, kind, contentType, block := "", "response", "application/http; msgtype=response", head+body
	switch draw("kind", "response", "response", "response", "chunked", "revisit", "server says so", "304", "resource", "no head") {
	case "chunked":
		block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
		if body != "" {
			block += fmt.Sprintf("%X;x\r\n%s\r\n", len(body), body)
		}
		block += "0\r\n\r\n"
	case "revisit":
		kind, block = "revisit", draw("head of a revisit", head, strings.TrimSuffix(head, "\r\n"), "")
		fields = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
		if rapid.Bool().Draw(t, "refers") {
			fields += "WARC-Refers-To-Target-URI: http://a.example/\r\nWARC-Refers-To-Date: 2008-06-01T00:00:00Z\r\n"
		}
	case "server says so":
		kind, block, digest = "revisit", "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", ""
		fields = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n"
	case "304":
		block, digest = "HTTP/1.1 304 Not Modified\r\n\r\n", ""
	case "resource":
		kind, contentType, block = "resource", draw("type", "text/html", "image/png", "text/plain; charset=utf-8"), body
	case "no head":
		block = body
	}
	if draw("truncated", "", "", "length") != "" {
		fields += "WARC-Truncated: length\r\n"
	}
	if digest != "" {
		fields += "WARC-Payload-Digest: " + digest + "\r\n"
	}
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nWARC-IP-Address: 192.0.2.7\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, url, date, fields, contentType, len(block), block)
}
