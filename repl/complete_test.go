package repl

import (
	"context"
	"slices"
	"strings"
	"testing"

	"infomall/crawl/report"
	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/session"
	"infomall/queries"
	"infomall/store/record/task"
)

// defining is an archive in which something is defined.
type defining struct{ endless }

func (defining) Definitions(context.Context) ([]task.Definition, error) {
	return []task.Definition{
		{Kind: task.KindView, Name: "news", Text: "CREATE VIEW news AS SELECT url, url AS n_1 FROM 'x'"},
		{Kind: task.KindMetadata, Name: "section", Text: "CREATE METADATA section ON page AS path(url)"},
		{Kind: task.KindSchedule, Name: "nightly", Text: "SCHEDULE nightly EVERY 1d AS VERIFY"},
		{Kind: task.KindRule, Name: "shut", Text: "RULE shut ON 'x' EXCLUDE"},
		{Kind: task.KindQuery, Name: "lost", Text: "SAVE lost (scope, n) AS SELECT url FROM $scope LIMIT $n"},
	}, nil
}

func (defining) Snapshot(context.Context) (relation.Snapshot, error) { return defining{}, nil }

func (defining) Results(_ context.Context, kind string) ([]task.Result, error) {
	return []task.Result{{Kind: kind, Name: "some_" + kind}}, nil
}

// crawling has the state of one crawl.
type crawling struct{ session.Crawler }

func (crawling) Crawls(context.Context) ([]report.Crawl, error) {
	return []report.Crawl{{Name: "daily"}}, nil
}

// completing returns a shell in which the pending lines were typed.
func completing(pending string) *shell {
	session := exec.New(session.Options{Archive: defining{}, Crawler: crawling{}, Settings: session.DefaultSettings(), Scripts: queries.FS})
	return &shell{program: &program{session: session}, pending: pending}
}

// TestComplete shows what Tab offers, place by place; | is the cursor.
func TestComplete(t *testing.T) {
	columns := func(name string) string { return strings.Join(all.Find(name).ColumnNames(), " ") }
	for _, c := range []struct{ typed, want string }{
		{"|", "ADD ALLOW BLAME CHECK CLUSTER COPY CRAWL CREATE DEDUP DELETE DESC DESCRIBE DIFF DROP EVENTS EXCLUDE EXPLAIN EXPORT HELP HITS IMPORT INCLUDE MERGE MOVE PAGERANK PAUSE RECOVER REINDEX REPAIR RESET RESUME RULE RUN SAVE SCHEDULE SEAL SEARCH SELECT SET SHOW STOP SUMMARIZE TRACE TRAIN UNSCHEDULE UNWATCH VERIFY WATCH WITH"},
		{"ALLOW |", "ENTRY"},
		{"WATCH w |", "EVERY"},
		{"WATCH w EVERY 7d |", "AS FROM"},
		{"WATCH w EVERY 7d AS SELECT url FROM versions LATEST |", "AS BETWEEN CROSS DURING EXCEPT FROM GROUP HAVING INNER INTERSECT JOIN KEY KNOWN LEFT LIMIT OFFSET ORDER SINCE THEN UNION UNTIL WHERE WINDOW"},
		{"CLUSTER |", "ON"},
		{"CLUSTER c |", "ON"},
		{"CLUSTER ON (SELECT url FROM pages) |", "BY EPS K MINPTS SEED"},
		{"CLUSTER c ON (SELECT url FROM pages) BY |", "SIMHASH WORDS"},
		{"EVENTS e |", "ABOUT AT BETWEEN BY DURING EACH FIRST FROM IN KNOWN LANGUAGE LATEST NEAREST OF SINCE UNTIL"},
		{"SEARCH 'x' |", "AT BETWEEN DURING EACH FIRST FOR FROM IN KNOWN LATEST LIMIT NEAREST OFFSET ORDER SINCE UNTIL WHERE"},
		{"MOVE |", "POOL"},
		{"MOVE POOL |", "ALL"},
		{"MOVE POOL '200806' |", "BACK TO"},
		{"SELECT url FROM versions KNOWN |", "AT"},
		{"SELECT url FROM versions KNOWN AT |", "NOW TODAY"},
		{"SELECT url FROM links TO 'x' LATEST |", "AS BETWEEN CROSS DURING EXCEPT FROM GROUP HAVING INNER INTERSECT JOIN KNOWN LEFT LIMIT OFFSET ORDER SINCE UNION UNTIL WHERE WINDOW"},
		{"DELETE FROM 'x' FOREVER |", "BY FOREVER REASON WHERE"},
		{"RULE r ON 'x' |", "AT BETWEEN BLOCK DURING EACH EMBARGO EXCLUDE FIRST FROM KNOWN LATEST NEAREST SINCE UNTIL"},
		{"DROP RULE |", "shut"},
		{"EXPLAIN RANK 'x' IN |", "some_ranks"},
		{"DROP CLUSTERS |", "some_clusters"},
		{"DROP EVENTS |", "some_events"},
		{"DROP CLASSIFIER |", "some_classifier"},
		{"UNSCHEDULE |", "nightly"},
		{"RUN SCHEDULE |", "nightly"},
		{"PAUSE CRAWL |", "daily"},
		{"SET WORKERS 4 FOR CRAWL |", "daily"},
		{"RESET DELAY FOR CRAWL |", "daily"},
		{"EXCLUDE 'x' FROM CRAWL |", "daily"},
		{"INCLUDE 'x' IN CRAWL |", "daily"},
		{"ADD 'x' TO CRAWL |", "daily"},
		{"EXPORT 'x' TO 'x.warc' FOLLOW CRAWL |", "daily"},
		{"SCHEDULE s |", "ADAPTIVE AFTER CRON EVERY"},
		{"SCHEDULE s ADAPTIVE AS CR|", "CRAWL CREATE"},
		{"CRAWL |", "DUE"},
		{"SEL|", "SELECT"},
		{"sel|", "select"},
		{"SELECT 1; SE|", "SEAL SEARCH SELECT SET"},
		{"COPY P|", "POOL pages periods pools"},
		{"COPY cap|", "captures"},
		{"COPY captures |", "TO"},
		{"SET timezone |", "TO"},
		{"SELECT a FROM captures LIMIT |", "ALL"},
		{"SELECT a FROM captures LIMIT 5 |", "OFFSET"},
		{"SELECT a FROM captures OFFSET 5 |", "LIMIT"},
		{"SELECT (url, time) |", "IN NOT"},
		{"SELECT (url, time) NOT |", "IN"},
		{"WITH a |", "AS"},
		{"SELECT url FROM 'x' |", "AS AT BETWEEN CROSS DURING EACH EXCEPT FIRST FROM GROUP HAVING INNER INTERSECT JOIN KNOWN LATEST LEFT LIMIT NEAREST OFFSET ORDER SINCE UNION UNTIL WHERE WINDOW"},
		{"SELECT url FROM 'x' v |", "AT BETWEEN CROSS DURING EACH EXCEPT FIRST FROM GROUP HAVING INNER INTERSECT JOIN KNOWN LATEST LEFT LIMIT NEAREST OFFSET ORDER SINCE UNION UNTIL WHERE WINDOW"},
		{"SELECT url FROM 'x' LATEST v |", "CROSS EXCEPT GROUP HAVING INNER INTERSECT JOIN LEFT LIMIT OFFSET ORDER UNION WHERE WINDOW"},
		{"SELECT url FROM captures v |", "AT BETWEEN CROSS DURING EACH EXCEPT FIRST FROM GROUP HAVING IN INNER INTERSECT JOIN KNOWN LATEST LEFT LIMIT NEAREST OFFSET ORDER SINCE UNION UNTIL WHERE WINDOW"},
		{"SELECT url FROM captures v LEFT |", "JOIN OUTER"},
		{"SELECT url FROM captures v CROSS |", "JOIN"},
		{"SELECT url FROM captures v JOIN pages p |", "AT BETWEEN DURING EACH FIRST FROM IN KNOWN LATEST NEAREST ON SINCE UNTIL USING"},
		{"SELECT url FROM captures v CROSS JOIN (SELECT 1) q |", "CROSS EXCEPT GROUP HAVING INNER INTERSECT JOIN KNOWN LEFT LIMIT OFFSET ORDER UNION WHERE WINDOW"},
		{"SELECT 1 UNION |", "ALL SELECT"},
		{"SELECT 1 EXCEPT |", "SELECT"},
		{"SELECT sum(bytes) OVER (|", "ORDER PARTITION"},
		{"SELECT lag(url) OV|", "OVER"},
		{"SELECT url, count(*) FI| FROM captures", "FILTER"},
		{"SELECT url FROM FI|", "FILE files findings"},
		{"PAGERANK |", "AT BETWEEN BY DURING FROM NEAREST OVER SINCE UNTIL"},
		{"SELECT v.first_s| FROM captures c, pages v", "first_seen"},
		{"SELECT c.first_s| FROM captures c JOIN pages v USING (url)", ""},
		{"SELECT v.first_s| FROM captures IN 'a', 'b' c, pages AT 2008-06 v WHERE c.url = v.url", "first_seen"},
		{"select url from 'x' w|", "where window"},
		{"select url from 'x' |", "as at between cross during each except first from group having inner intersect join known latest left limit nearest offset order since union until where window"},
		{"SELECT url FROM captures WHERE url = 1 |", "AND EXCEPT GROUP HAVING INTERSECT LIMIT OFFSET OR ORDER UNION WINDOW"},
		{"SELECT url FROM captures ORDER |", "BY"},
		{"SELECT url FROM captures ORDER BY url NULLS |", "FIRST LAST"},
		{"SELECT url FROM captures AT |", "NOW TODAY"},
		{"SELECT url FROM captures AT 2008 |", "AS BETWEEN CROSS DURING EXCEPT FROM GROUP HAVING INNER INTERSECT JOIN KNOWN LEFT LIMIT OFFSET ORDER SINCE UNION UNTIL WHERE WINDOW WITHIN"},
		{"SELECT url FROM captures AT 2008 WITHIN |", ""},
		{"SELECT tar| FROM links", "target"},
		{"SELECT asked| FROM captures", "asked_url"},
		{"SELECT asked| FROM links", ""},
		{"SELECT l.| FROM links AS l", columns("links")},
		{"SELECT url FROM c|", "captures changes classifiers clusters crawl_hosts crawls"},
		{"SELECT url FROM new|", "news"},
		{"SELECT n.| FROM news AS n", "url n_1"},
		{"SELECT sec| FROM pages", "section"},
		{"SELECT sec| FROM hosts", ""},
		{"CREATE |", "METADATA OR VIEW"},
		{"CREATE OR |", "REPLACE"},
		{"CREATE METADATA m ON |", "BLOCK PAGE VERSION"},
		{"CREATE METADATA m ON block AS ide|", "identity"},
		{"CREATE VIEW v AS |", "SEARCH SELECT WITH"},
		{"TRAIN n ON (SELECT 1) |", "FEATURES FOLDS USING"},
		{"DROP |", "CLASSIFIER CLUSTERS EVENTS GAZETTEER GRAPH METADATA POOL RULE VIEW"},
		{"DROP VIEW |", "news"},
		{"DROP METADATA |", "section"},
		{"RUN |", "SCHEDULE WATCH activity appeared as_known blame blocks changes classes clusters coherent deadends deadlinks degrees events formats gone history hubs important keywords lake lost mirrors movers ngram orphans regions replaced reprints saved search status story template tour trace watch"},
		{"RUN lost (|", "n scope"},
		{"RUN lost (scope = 'x', |", "n scope"},
		{"RUN changes (t|", "to"},
		{"RUN 'editor.g|", "editor.go"},
		{"EXPLAIN RUN lo|", "lost"},
		{"SELECT CAST(url AS |", "bool duration float int text time url"},
		{"SHOW |", "BLOCKED COLUMNS CRAWLS FILES FUNCTIONS GRAPHS HISTORY JOBS METADATA PAGE PATH POOLS QUERIES RELATIONS ROBOTS RULES SCHEDULES SETTINGS STORY TOMBSTONES VIEWS WATCHES WORKERS"},
		{"SHOW PAGE 'x' |", "AS AT KNOWN"},
		{"SHOW PAGE 'x' AS |", "blocks headers html raw text wire"},
		{"BLAME 'x' |", "AS AT KNOWN"},
		{"BLAME 'x' AS |", "blocks lines words"},
		{"SHOW PATH 'x' TO 'y' |", "AS AT DURING KNOWN OVER"},
		{"SHOW PATH 'x' TO 'y' DURING 2008 |", "AND"},
		{"SHOW STORY 'x' |", "ALL BETWEEN DURING FROM KNOWN OF SINCE UNTIL"},
		{"SHOW STORY 'x' OF |", "BLOCK"},
		{"SHOW STORY 'x' ALL |", "ALL BETWEEN DURING FROM KNOWN OF SINCE UNTIL"},
		{"IMPORT 'x' |", "AS AT BASE FORMAT"},
		{"IMPORT 'x' FORMAT |", "arc auto graph html places tianwang wacz warc"},
		{"EXPORT (SELECT 1) TO 'x' FORMAT j|", "json jsonl"},
		{"IMPORT 'editor.g|", "editor.go"},
		{"EXPORT (SELECT 1) TO 'editor.g|", "editor.go"},
		{"COPY POOL 'x' TO 'testdat|", "testdata/"},
		{"RECOVER 'editor.g|", "editor.go"},
		{"REPAIR POOL 'x' FROM 'testdat|", "testdata/"},
		{"DELETE FROM 'x' REASON 'editor.g|", ""},
		{"SET ti|", "timer timezone"},
		{"SET mode = js|", "json jsonl"},
		{"RESET le|", "level"},
		{"DESCRIBE capt|", "captures"},
		{"-- SEL|", ""},
		{".mo|", ".mode"},
		{".mode v|", "vertical"},
		{"SET mode = |", "auto chart csv html json jsonl markdown table tsv vertical"},
		{".read editor.g|", "editor.go"},
	} {
		before, after, _ := strings.Cut(c.typed, "|")
		s := completing("")
		_, got := s.complete(before, after)
		want := strings.Fields(c.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s offers %q, want %q", c.typed, got, want)
		}
	}

	// A statement may have begun on lines before.
	s := completing("SELECT url\nFROM captures\n")
	from, got := s.complete("WHERE cha", "")
	if want := []string{"change", "changed", "charset"}; from != 6 || !slices.Equal(got, want) {
		t.Errorf("in the third line Tab offers %q from %d, want %q from 6", got, from, want)
	}
}
