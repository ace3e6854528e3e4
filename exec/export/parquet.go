package export

import (
	"io"

	"infomall/exec/rowio"
)

// parquet is the format Parquet. If the rows name captures, the columns get the
// names that the index of Common Crawl has for them.
var parquet = &format{name: "parquet", suffixes: []string{".parquet"}, packed: true, rows: func(w io.Writer, to rowTarget) (rowio.Writer, error) {
	if url, at := captureColumns(to.cols); url >= 0 && at >= 0 {
		return rowio.NewParquet(w, commonCrawlNames), nil
	}
	return rowio.NewParquet(w, nil), nil
}}

// commonCrawlNames maps the names of columns of captures to the names that the
// index of Common Crawl has for the same values. A column whose values differ
// there, such as digest, is not in the map.
var commonCrawlNames = map[string]string{
	"urlkey": "url_surtkey", "host": "url_host_name", "domain": "url_host_registered_domain", "path": "url_path",
	"time": "fetch_time", "status": "fetch_status", "location": "fetch_redirect",
	"mime": "content_mime_type", "charset": "content_charset", "lang": "content_languages",
	"source": "warc_filename", "source_offset": "warc_record_offset",
}
