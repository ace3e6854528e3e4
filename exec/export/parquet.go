package export

import (
	"io"

	"infomall/exec/rowio"
)

// parquet is the format Parquet. The columns of captures get the names that they have in the
// index of Common Crawl.
var parquet = &format{name: "parquet", suffixes: []string{".parquet"}, packed: true, rows: func(w io.Writer, to rowTarget) (rowio.Writer, error) {
	if url, at := captureColumns(to.cols); url >= 0 && at >= 0 {
		return rowio.NewParquet(w, commonCrawlNames), nil
	}
	return rowio.NewParquet(w, nil), nil
}}

// commonCrawlNames are the names that columns of captures have in the index of
// Common Crawl, for what is the same there. Its digests are of another kind.
var commonCrawlNames = map[string]string{
	"urlkey": "url_surtkey", "host": "url_host_name", "domain": "url_host_registered_domain", "path": "url_path",
	"time": "fetch_time", "status": "fetch_status", "location": "fetch_redirect",
	"mime": "content_mime_type", "charset": "content_charset", "lang": "content_languages",
	"source": "warc_filename", "source_offset": "warc_record_offset",
}
