package pagetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// Article is a page together with its main text, which people marked by hand.
type Article struct {
	Host string
	Body []byte
	Text string
}

// Articles returns the pages of the shared test data whose main text people
// marked by hand. It skips the test if there is no such data.
func Articles(t testing.TB) (articles []Article) {
	archive := filepath.Join(Shared(t), "extraction", "article-extraction-benchmark.tar.zst")
	var truth map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(Bodies(t, archive, "ground-truth.json")[0], &truth); err != nil {
		t.Fatal(err)
	}
	names, bodies := Files(t, archive, ".html.gz")
	for i, packed := range bodies {
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		marked := truth[strings.TrimSuffix(filepath.Base(names[i]), ".html.gz")]
		u, err := url.Parse(marked.URL)
		if err != nil {
			t.Fatal(err)
		}
		articles = append(articles, Article{u.Host, body, marked.ArticleBody})
	}
	return articles
}
