package repl

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"infomall/exec/lake"
	"infomall/store/disk/s3/s3test"
)

// exportLake imports the demo and writes it as a data set to a folder, by the saved query
// lake. It returns the archive and the folder.
func exportLake(t *testing.T) (*siteArchive, string) {
	a := newSiteArchive(t)
	a.importFiles("../queries/demo/*.raw")
	folder := filepath.Join(t.TempDir(), "lake") + "/"
	a.run("RUN lake (scope = '*', to = '" + folder + "')")
	return a, folder
}

// TestLakeReadBack shows that FILE and the package parquet find in the files what the archive
// has, and that the files are sorted, with statistics and with bloom filters that know the URLs.
func TestLakeReadBack(t *testing.T) {
	a, folder := exportLake(t)
	var parts []string
	for _, m := range []string{"2008-06", "2008-07", "2008-08"} {
		parts = append(parts, folder+"month="+m+"/host_prefix=example,la/part-0.parquet")
		got := a.run("SELECT url_surtkey, url, url_host_name, url_path, fetch_time, fetch_status, content_digest, content_mime_type, content_charset, content_languages, warc_filename, warc_record_offset, version_time FROM FILE '" + parts[len(parts)-1] + "'")
		want := a.run("SELECT urlkey AS url_surtkey, url, host AS url_host_name, regexp_extract(url, '//[^/]*([^?]*)', 1) AS url_path, time AS fetch_time, status AS fetch_status, digest AS content_digest, mime AS content_mime_type, charset AS content_charset, lang AS content_languages, " +
			"source_file AS warc_filename, source_offset AS warc_record_offset, version_time FROM captures WHERE strftime(time, '%Y-%m') = '" + m + "' ORDER BY 1, 5")
		if got != want || strings.Count(got, "\n") < 10 {
			t.Errorf("%s: got\n%swant\n%s", m, got, want)
		}
	}
	b, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	group := f.RowGroups()[0]
	if by := group.SortingColumns(); len(by) != 2 || by[0].Path()[0] != "url_surtkey" || by[1].Path()[0] != "fetch_time" {
		t.Errorf("sorted by %v", by)
	}
	urls, ok := f.Schema().Lookup("url")
	if !ok {
		t.Fatal("no column url")
	}
	column := group.ColumnChunks()[urls.ColumnIndex]
	index, err := column.ColumnIndex()
	if err != nil || index.NumPages() == 0 || !strings.HasPrefix(index.MinValue(0).String(), "http://") {
		t.Errorf("no statistics of url: %v", err)
	}
	for url, want := range map[string]bool{"http://www.lanshan.example/": true, "http://www.lanshan.example/contact.htm": true, "http://not.here.example/": false} {
		if is, err := column.BloomFilter().Check(parquet.ValueOf(url)); err != nil || is != want {
			t.Errorf("the bloom filter says %t, %v of %s", is, err, url)
		}
	}
}

// TestLakeDuckDB shows that DuckDB reads the data set, with the columns that the folders
// name, and counts the same in each partition.
func TestLakeDuckDB(t *testing.T) {
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("there is no program duckdb to read the data set with")
	}
	a, folder := exportLake(t)
	out := filepath.Join(t.TempDir(), "out.json")
	count := "SELECT month, host_prefix, count(*) AS n, count(DISTINCT url) AS urls, sum(fetch_status) AS statuses FROM %s GROUP BY 1, 2 ORDER BY 1, 2"
	cmd := exec.Command(duckdb)
	cmd.Stdin = strings.NewReader(fmt.Sprintf(".mode json\n.once '%s'\n"+count+";\n", out, "read_parquet('"+folder+"**/*.parquet', hive_partitioning = true)"))
	if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
		t.Fatalf("duckdb: %v: %s", err, text)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := runMain(t, []string{"-a", a.path, "--format", "json", "-c", fmt.Sprintf(count, "(SELECT strftime(time, '%Y-%m') AS month, 'example,la' AS host_prefix, url, status AS fetch_status FROM captures)")})
	plain := strings.NewReplacer("\n", "", " ", "")
	if plain.Replace(string(got)) != plain.Replace(want) {
		t.Errorf("duckdb counts\n%s\nand infomall\n%s", got, want)
	}
}

// TestLakeInBucket shows that a bucket gets the same files as a folder, and that a second
// run writes none of them. Requests fail on the way.
func TestLakeInBucket(t *testing.T) {
	needsHere(t, "the test has a bucket of its own")
	a, folder := exportLake(t)
	store := s3test.Start(t)
	t.Setenv("AWS_ENDPOINT_URL_S3", store.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	run := "RUN lake (scope = '*', to = 's3://" + s3test.Bucket + "/captures/')"
	for _, want := range []string{",3,109,", ",0,0"} {
		if got := a.run(run); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	client := store.Client(t, "captures")
	n := 0
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == lake.ManifestName {
			return err
		}
		n++
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, folder))
		got, _, err := client.Get(context.Background(), name, 0, -1, "")
		if err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s is another file in the bucket", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := store.Objects()
	if n != 3 || len(names) != 4 || !slices.Contains(names, "captures/"+lake.ManifestName) {
		t.Errorf("%d files in the folder, objects %q", n, names)
	}
	// The captures of a deleted page are in no file after the next run.
	runMain(t, []string{"-a", a.path, "--yes", "-c", "DELETE FROM 'www.lanshan.example'"})
	a.run(run)
	for o, err := range client.List(context.Background(), "", true) {
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := client.Get(context.Background(), o.Name, 0, -1, "")
		if err != nil || o.Name == lake.ManifestName {
			continue
		}
		f, err := parquet.OpenFile(bytes.NewReader(b), o.Size)
		if err != nil {
			t.Fatal(err)
		}
		urls, _ := f.Schema().Lookup("url")
		if is, err := f.RowGroups()[0].ColumnChunks()[urls.ColumnIndex].BloomFilter().Check(parquet.ValueOf("http://www.lanshan.example/")); is || err != nil {
			t.Errorf("%s: the bloom filter says %t, %v of a deleted page", o.Name, is, err)
		}
	}
}
