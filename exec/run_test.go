package exec_test

import "testing"

// TestReadOnly asks a session that only reads to write.
func TestReadOnly(t *testing.T) {
	s := newSession(archive{linkedSite()})
	s.ReadOnly = true
	for src, what := range map[string]string{
		"IMPORT 'a.warc'":                           "IMPORT",
		"CRAWL 'http://a.cn/'":                      "CRAWL",
		"PAUSE CRAWL site":                          "an order to a crawl",
		"ADD 'http://a.cn/' TO CRAWL site":          "ADD",
		"COPY POOL ALL TO 'copy'":                   "COPY POOL",
		"MERGE POOL ALL":                            "MERGE POOL",
		"SEAL POOL ALL":                             "SEAL POOL",
		"REPAIR POOL '2008-06' FROM 'copy'":         "REPAIR POOL",
		"REINDEX":                                   "REINDEX",
		"DROP POOL '2008-06'":                       "DROP POOL",
		"DELETE FROM 'a.cn'":                        "DELETE",
		"CREATE VIEW v AS SELECT 1":                 "CREATE VIEW",
		"CREATE METADATA long ON PAGE AS depth > 3": "CREATE METADATA",
		"SAVE q AS SELECT 1":                        "SAVE",
		"DROP VIEW v":                               "DROP VIEW",
		"DROP METADATA long":                        "DROP METADATA",
		"DROP GRAPH g":                              "DROP GRAPH",
		"SCHEDULE nightly EVERY 1d AS VERIFY":       "SCHEDULE",
		"UNSCHEDULE nightly":                        "UNSCHEDULE",
		"RUN SCHEDULE nightly":                      "RUN SCHEDULE",
		"PAGERANK":                                  "PAGERANK",
		"HITS FOR 'news'":                           "HITS",
		"DEDUP":                                     "DEDUP",
	} {
		want := "1:1: " + what + " writes, and this session only reads"
		if _, _, err := ask(s, src); err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", src, err, want)
		}
	}
	if _, _, err := ask(s, "SELECT url FROM captures"); err != nil {
		t.Errorf("a question: %v", err)
	}
}
