package repl

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/disk/s3/s3test"
)

// TestBucket runs the program with archives in a bucket. Messages name the archive by its URL,
// and a bucket that does not exist is an error of the archive.
func TestBucket(t *testing.T) {
	store := s3test.Start(t)
	t.Setenv("AWS_ENDPOINT_URL_S3", store.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("INFOMALL_S3_FOLDER", filepath.Join(t.TempDir(), "work"))
	imported := filepath.Join(t.TempDir(), "1.html")
	if err := os.WriteFile(imported, []byte("<p>Words"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		place, statement string
		status           int
		message          string
	}{
		{"bucket/none", "SELECT url FROM captures", statusArchive, "no archive at s3://bucket/none;"},
		{"other/none", "IMPORT '" + imported + "' FORMAT html BASE 'http://a.example/' AT 2008", statusArchive, "the bucket does not exist"},
		{"bucket/none", "EXPLAIN IMPORT '" + imported + "' FORMAT html BASE 'http://a.example/' AT 2008", 0, "import into s3://bucket/none"},
	} {
		var out bytes.Buffer
		args := []string{"-a", "s3://" + test.place, "-c", test.statement}
		status := Main(context.Background(), args, strings.NewReader(""), &out, &out, func(string) string { return "" })
		if status != test.status || !strings.Contains(out.String(), test.message) {
			t.Errorf("%q: status %d, want %d:\n%s", args, status, test.status, out.String())
		}
	}
}

// TestBucketDaemonPath checks that a daemon uses the URL of an archive as it is.
func TestBucketDaemonPath(t *testing.T) {
	p := &program{options: &options{Archive: "s3://bucket/archive"}, getenv: func(string) string { return "" }}
	if err := p.daemonPath(); err != nil || p.options.Archive != "s3://bucket/archive" {
		t.Errorf("the daemon reads %q (%v)", p.options.Archive, err)
	}
}
