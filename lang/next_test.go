package lang

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// newForms are statements with words in upper case and names in lower case.
var newForms = []string{
	"SELECT v.url u, p.title FROM versions IN 'x' AT 2008-06 v JOIN pages p USING (url) WHERE v.status = 404",
	"SELECT url FROM 'a', 'b' LATEST v LEFT OUTER JOIN captures AS c ON v.url = c.url AND NOT c.changed",
	"SELECT a.url FROM versions a, versions b INNER JOIN links l ON l.url = b.url CROSS JOIN hosts",
	"SELECT DISTINCT url FROM captures BETWEEN 2008-06 AND 2008-07 UNION ALL SELECT url FROM pages EXCEPT SELECT url FROM links INTERSECT SELECT url FROM blocks ORDER BY url DESC NULLS LAST LIMIT 3 OFFSET 2",
	"SELECT row_number() OVER (PARTITION BY url, host ORDER BY time DESC NULLS FIRST) AS n, lag(bytes) OVER (ORDER BY time) FROM captures",
	"SELECT sum(bytes) FILTER (WHERE status = 200) OVER (PARTITION BY url) s FROM captures GROUP BY url HAVING count(*) > 1 ORDER BY 1",
	"SELECT url::text, CAST(bytes AS float), - bytes::int FROM captures WHERE time::time IS NOT NULL",
	"SELECT url FROM FILE 'list.csv' f WHERE f.url IN (SELECT url FROM captures c WHERE c.url = f.url AND EXISTS (SELECT 1 FROM links))",
	"SUMMARIZE versions IN 'x' SINCE 2008",
	"SUMMARIZE SELECT url FROM captures",
	"SUMMARIZE FILE 'list.csv'",
	"SELECT url, anchor FROM links TO 'x', 'y' .. 'z' SINCE 2008-06 WHERE NOT internal",
	"SELECT url FROM links IN 'x' TO 'y' AT 2008 l JOIN versions AT 2008 v ON l.target = v.url",
	"WITH q AS (SELECT url FROM captures), r AS (SELECT url FROM q) SELECT CASE WHEN url LIKE 'a' THEN 1 ELSE 2 END FROM r WHERE url ~* 'x' OR url NOT IN ('a', 'b')",
	"EXPORT (SELECT url FROM captures) TO 'x.csv' FORMAT csv",
	"EXPORT 'x', 'y' TO 'x.warc'",
	"EXPORT PROVENANCE OF (SELECT url FROM captures) TO 'x.wacz'",
	"COPY (SELECT url FROM captures) TO 'x.csv'",
	"EXPLAIN ANALYZE SELECT url FROM periods(month) DURING 2008-06 AND 2008-07",
	"SCHEDULE s EVERY 7d AS MERGE POOL ALL",
	"WATCH w EVERY 7d FROM START AS SELECT url FROM versions KEY (url) THEN MERGE POOL ALL",
	"DELETE FROM captures IN 'x' UNTIL 2008 WHERE status = 404 REASON 'x'",
}

// upper matches the words of the language in newForms and in the manual.
var upper = regexp.MustCompile(`^[A-Z]{2,}$`)

// TestNextIsExact goes over all places between two tokens of statements: those of newForms,
// and the first example of each topic of HELP. What completion offers there, the grammar
// accepts. A word of the language is offered if the grammar accepts it and would not take any
// name for the same. And the word that the statement has there is offered, also if it is
// typed by half.
func TestNextIsExact(t *testing.T) {
	words := wordsOfTopics()
	forms := slices.Clone(newForms)
	for _, topic := range Topics() {
		if list := Examples(topic); len(list) > 0 {
			forms = append(forms, strings.TrimSuffix(list[0], ";"))
		}
	}
	places := 0
	for _, src := range forms {
		places += checkNext(t, src, words)
	}
	if places < 900 {
		t.Errorf("only %d places were looked at", places)
	}
}

// checkNext checks what completion offers at each place of the statement src, and returns how
// many places that were. words are words of the language.
func checkNext(t *testing.T, src string, words []string) (places int) {
	if _, err := Parse(src, ""); err != nil {
		t.Errorf("%s", Render(err, src))
		return 0
	}
	s := scan.New(src, "")
	s.Next()
	prober := grammar.NewProber(s.Tokens)
	for i := range s.Tokens {
		token := &s.Tokens[i]
		at := len(src)
		if token.Type != scan.EOF {
			at = scan.StartOf(token).Offset
		}
		before := src[:at]
		if before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\n") {
			before += " " // the cursor is not in the word before
		}
		next := AtCursor(before, "")
		places++
		if next.Place == PlaceTopic || next.Place == PlaceValue || next.Place == PlaceParam {
			continue // names only
		}
		name := prober.Accepts(i, grammar.AName)
		for _, w := range next.Words {
			word := scan.WordToken(w)
			if !prober.Accepts(i, word) && !slices.Contains(grammar.LookAhead, w) {
				t.Errorf("%s| offers %s, which the grammar does not accept", before, w)
			}
			if name && word.Type == scan.Ident && sameAsName(prober, i, word, words) {
				t.Errorf("%s| offers %s, which the grammar takes for a name", before, w)
			}
		}
		for _, w := range words {
			word := scan.WordToken(w)
			if offered := slices.Contains(next.Words, w); !offered && !notOffered[w] && prober.Accepts(i, word) && (word.Type == scan.Keyword || !name) {
				t.Errorf("%s| does not offer %s, which the grammar accepts", before, w)
			}
		}
		if !upper.MatchString(token.Value) || !scan.IsWordToken(token) || notOffered[token.Value] {
			continue
		}
		if next.Place != PlaceList && !slices.Contains(next.Words, token.Value) {
			t.Errorf("%s| does not offer %s", before, token.Value)
		}
		if half := AtCursor(before+token.Value[:1], src[at+1:]); !slices.Equal(half.Words, next.Words) || half.From != len(before) {
			t.Errorf("%s| offers other words when %s is typed", before, token.Value[:1])
		}
	}
	return places
}

// sameAsName reports whether the same tokens may follow the token word after the first i
// tokens of a statement as may follow a name there.
func sameAsName(p *grammar.Prober, i int, word scan.Token, words []string) bool {
	follows := []scan.Token{
		grammar.AName, grammar.AString, grammar.ANumber, grammar.APeriod, grammar.ADuration, {Type: scan.EOF},
		{Type: scan.Op, Value: "("}, {Type: scan.Op, Value: ","}, {Type: scan.Op, Value: "="}, {Type: scan.Op, Value: "."},
	}
	for _, w := range words {
		follows = append(follows, scan.WordToken(w))
	}
	for _, f := range follows {
		if (p.ReachWith(i, len(p.Tokens)-1, word, f) > i+1) != (p.ReachWith(i, len(p.Tokens)-1, grammar.AName, f) > i+1) {
			return false
		}
	}
	return true
}

// wordsOfTopics returns the words in upper case of all topics of HELP, which a test
// generates statements from.
func wordsOfTopics() (words []string) {
	for _, topic := range Topics() {
		words = append(words, regexp.MustCompile(`\b[A-Z]{2,}\b`).FindAllString(Grammar(topic), -1)...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	return slices.DeleteFunc(words, func(w string) bool { return w == "KB" || w == "NOW" || w == "TODAY" })
}

// notOffered are words that completion leaves out: forms of other databases that are
// read as others, and words of a clause that is read as a whole.
var notOffered = map[string]bool{"EXTRACT": true, "INTERVAL": true, "BUDGET": true}

// TestNextInManual completes each word in upper case of the manual's examples.
func TestNextInManual(t *testing.T) {
	manual, err := os.ReadFile("LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, block := range strings.Split(string(manual), "```iql\n")[1:] {
		src, _, _ := strings.Cut(block, "```")
		for s := scan.New(src, ""); s.Next(); {
			for i := range s.Tokens {
				token := &s.Tokens[i]
				if !scan.IsWordToken(token) || !upper.MatchString(token.Value) {
					continue
				}
				before := src[:scan.StartOf(token).Offset]
				next := AtCursor(before, "")
				looked++
				if next.Place != PlaceTopic && next.Place != PlaceValue && next.Place != PlaceList && next.Place != PlaceParam && !notOffered[token.Value] && !slices.Contains(next.Words, token.Value) {
					t.Errorf("%s| does not offer %s", before[max(0, len(before)-100):], token.Value)
				}
			}
		}
	}
	if looked < 900 {
		t.Errorf("only %d words were looked at", looked)
	}
}
