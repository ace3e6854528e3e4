package rank

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/graph"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// hubRanking is the name of the ranking that a HITS statement without a name
// makes.
const hubRanking = "hits"

// Limits of a HITS statement. Its roots are the pages that best match the words of FOR.
// It ranks the roots and the pages around them, by links.
const (
	rootsMax     = 200 // the most roots
	hubWordsMax  = 16  // the most words of FOR
	hubEdgeBytes = 96  // memory of one edge, in bytes, while HITS is computed
)

// hubRank is a HITS statement whose clauses were read.
type hubRank struct {
	s       *session.Session
	env     *expr.Env
	st      *ast.HITS
	text    string   // the statement, as storedText returns it
	name    string   // the name of the ranking, in lower case
	words   []string // the words of FOR; nil means all pages of the scopes
	stop    []string // the hosts of WITHOUT HOST
	asked   linksAsked
	options graph.HITSOptions

	roots     plan.Node // the query for the roots; nil without words
	explained string    // the URL or node name that an EXPLAIN RANK asks about, whose node is needed too; "" if none
}

// hitsVariants maps the words that may follow VARIANT to variants. The key ""
// is for a statement without VARIANT.
var hitsVariants = map[string]graph.Variant{
	"": graph.Kleinberg, "kleinberg": graph.Kleinberg, "hub_averaging": graph.HubAveraging, "hub_threshold": graph.HubThreshold,
	"authority_threshold": graph.AuthorityThreshold, "full_threshold": graph.FullThreshold, "symmetric": graph.Symmetric,
}

// Defaults of HITS. WEIGHT arc has fewer iterations, because only the order of the
// first few pages matters.
const (
	hitsRounds = 25 // iterations
	arcRounds  = 5  // iterations with WEIGHT arc
	arcSteps   = 2  // how many links away from a root a page may be, with WEIGHT arc
)

// HITS is the statement HITS, which computes hub and authority values of pages
// and stores them as a ranking.
var HITS = session.Declare("HITS", session.Writes|session.Works, readHITS).Named(func(st ast.Statement) *ast.Name { return st.(*ast.HITS).Name })

// readHITS makes a hubRank of a HITS statement, with the parameters, time and
// time zone of the session. It checks the clauses and plans the queries.
func readHITS(s *session.Session, st *ast.HITS) (*hubRank, error) {
	h := &hubRank{s: s, env: s.Env(), st: st}
	return h, h.read()
}

// read checks the clauses of the statement h.st and plans its queries, with the
// parameters, time and time zone of h.env. It sets the other fields of h.
func (h *hubRank) read() (err error) {
	st, env := h.st, h.env
	h.name = hubRanking
	h.asked = linksAsked{graph: st.Graph, Within: session.Within{Scopes: st.Scopes, Time: st.Time}}
	h.options = graph.HITSOptions{Variant: hitsVariants[st.Variant], Rounds: hitsRounds}
	if st.Name != nil {
		h.name = strings.ToLower(st.Name.Text)
	}
	if h.name == relation.PageRanking || h.name == relation.HostRanking {
		return ast.Errorf(st.Name, "%s is the name of the ranking that PAGERANK computes for the column rank", h.name)
	}
	if st.Graph != nil {
		switch {
		case st.Time.Timed() || st.Time.Known != nil:
			return errOfGraph(st, "a time")
		case st.Words != nil:
			return errOfGraph(st.Words, "FOR")
		}
	}
	if st.Weight != "" {
		h.options.Rounds = arcRounds
	}
	if err := h.readCounts(st, env); err != nil {
		return err
	}
	if err := h.readTexts(st, env); err != nil {
		return err
	}
	if h.text, err = storedText(st, env, st.Keep, st.Iterations); err != nil {
		return err
	}
	if h.words != nil {
		if h.roots, err = h.planRoots(env); err != nil {
			return err
		}
	}
	return h.asked.plans(env)
}

// readCounts sets h.options to the numbers of the clauses KEEP and ITERATIONS,
// if the statement has them. It returns an error if a number is out of range or
// KEEP has no meaning for the variant.
func (h *hubRank) readCounts(st *ast.HITS, env *expr.Env) error {
	for _, n := range []struct {
		e    ast.Expr
		word string
		put  *int
	}{{st.Keep, "KEEP", &h.options.Keep}, {st.Iterations, "ITERATIONS", &h.options.Rounds}} {
		if n.e == nil {
			continue
		}
		x, err := expr.ConstantCount(n.e, n.word, env)
		if err != nil {
			return err
		}
		if x < 1 || x > 1e6 {
			return ast.Errorf(n.e, "%s takes a whole number from 1 to 1000000, not %d", n.word, x)
		}
		*n.put = int(x)
	}
	if v := h.options.Variant; st.Keep != nil && v != graph.AuthorityThreshold && v != graph.FullThreshold {
		err := ast.Errorf(st.Keep, "KEEP is how many authorities of a hub count, if only the best count")
		err.Hint = "write VARIANT authority_threshold, or full_threshold"
		return err
	}
	return nil
}

// readTexts sets h.words to the words of FOR, and h.stop to the hosts of
// WITHOUT HOST. It returns an error for texts that are not words or hosts.
func (h *hubRank) readTexts(st *ast.HITS, env *expr.Env) error {
	if st.Words != nil {
		text, err := expr.ConstantText(st.Words, env)
		if err != nil {
			return err
		}
		h.words = strings.Fields(text)
		switch n := len(h.words); {
		case n == 0:
			return ast.Errorf(st.Words, "FOR needs words, but there are none")
		case n > hubWordsMax:
			return ast.Errorf(st.Words, "FOR takes at most %d words, not %d", hubWordsMax, n)
		}
	} else if st.Weight != "" {
		err := ast.Errorf(st, "WEIGHT arc counts words beside links, and there are none to count")
		err.Hint = "add FOR 'words'"
		return err
	}
	for _, e := range st.Stop {
		text, err := expr.ConstantText(e, env)
		if err != nil {
			return err
		}
		canonical, err := urlkey.Canonical("http://" + text + "/")
		if err != nil || strings.ContainsAny(text, "/:") {
			return ast.Errorf(e, "%q is no host such as 'www.pku.edu.cn'", text)
		}
		h.stop = append(h.stop, urlkey.Host(canonical))
	}
	return nil
}

// The points that a page gets for each word of FOR. The rootsMax pages with the most points
// are the roots.
const (
	titleScore  = 8 // the title has the word
	anchorScore = 8 // links to the page whose text has the word: 1 point per link, but at most this many
	topicScore  = 4 // the topic has the word
	urlScore    = 2 // the URL has the word
)

// planRoots plans the query for the roots: the rootsMax pages that get the most
// points, for having the words of FOR in their title, topic or URL, or in the
// texts of links to them. The query has the columns url and total, the points.
func (h *hubRank) planRoots(env *expr.Env) (plan.Node, error) {
	var own, linked, any []string
	for _, w := range h.words {
		text := (&ast.String{Value: w}).String()
		has := func(column string) string { return column + " CONTAINS " + text }
		for _, c := range []struct {
			column string
			score  int
		}{{"coalesce(title, '')", titleScore}, {"coalesce(topic, '')", topicScore}, {"url", urlScore}} {
			own = append(own, fmt.Sprintf("CASE WHEN %s THEN %d ELSE 0 END", has(c.column), c.score))
		}
		linked = append(linked, fmt.Sprintf("least(count_if(%s), %d)", has("anchor"), anchorScore))
		any = append(any, has("anchor"))
	}
	text := fmt.Sprintf(`SELECT url, sum(score) AS total FROM (
  SELECT url, %s AS score FROM versions WHERE kind = 'page'
  UNION ALL
  SELECT target AS url, %s AS score FROM links
  WHERE kind IN (%s) AND target IS NOT NULL AND (%s) GROUP BY target
) GROUP BY url HAVING sum(score) > 0 ORDER BY total DESC, url LIMIT %d`,
		strings.Join(own, " + "), strings.Join(linked, " + "), votingKinds(), strings.Join(any, " OR "), rootsMax)
	q := session.Query(text)
	inner := q.Select.From.Query
	for _, part := range inner.Selects() {
		h.asked.Put(part.From)
	}
	return plan.Build(q, env)
}

// Run computes the hub and authority values and stores them as a ranking. Its
// result has one row, with the size of the ranking and the time it took.
func (h *hubRank) Run(ctx context.Context) (*session.Result, error) {
	begun, s, env := time.Now(), h.s, h.env
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	g, part, err := h.graph(ctx, snap)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	values, err := graph.ComputeHITS(ctx, len(part.Nodes), part.Edges, h.options)
	if err != nil {
		return nil, err
	}
	kept := task.Result{
		Kind: task.ResultRanks, Name: h.name, Computed: env.Now, Statement: h.text,
		Properties: map[string]string{
			propertyZone: env.Location().String(), propertyNodes: strconv.Itoa(len(part.Nodes)), propertyEdges: strconv.Itoa(len(part.Edges)),
			propertyRounds: strconv.Itoa(h.options.Rounds),
		},
	}
	if kept.AsOf, err = h.asked.asOf(ctx, snap); err != nil {
		return nil, err
	}
	if kept, err = s.Archive().SaveResult(ctx, kept, hubRows(g, part, values)); err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("ranking"), value.Column{Name: "as_of", Type: value.Time}, session.Whole("roots"), session.Whole("nodes"), session.Whole("edges"),
		session.Whole("iterations"), session.Whole("bytes"), session.Whole("ms"))
	t.Add(value.OfText(kept.Name), value.OfTime(kept.AsOf), value.OfInt(int64(len(h.asked.find))), value.OfInt(int64(len(part.Nodes))),
		value.OfInt(int64(len(part.Edges))), value.OfInt(int64(h.options.Rounds)), value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	res := t.Work(session.Count{Rows: 1, Bytes: kept.Bytes}, nil)
	if part.Cut {
		res.Notes = append(res.Notes, fmt.Sprintf("there are more pages around those found than %d; the others were left out", len(part.Nodes)))
	}
	return res, nil
}

// graph returns the graph that the statement asks for, and the part of this
// graph whose nodes HITS ranks. The caller closes the graph.
func (h *hubRank) graph(ctx context.Context, snap relation.Snapshot) (*graph.Named, *graph.Focused, error) {
	run := h.s.Runner(snap, "hits: pages and links")
	if err := h.findRoots(ctx, run); err != nil {
		return nil, nil, err
	}
	roots := len(h.asked.find)
	if h.explained != "" {
		h.asked.find = append(h.asked.find, h.explained)
	}
	g, err := h.asked.read(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	part, err := h.focus(ctx, g, g.Found[:roots], h.s.Settings().MemoryBytes)
	if err == nil && h.st.Weight != "" {
		err = h.weigh(ctx, run, g, part)
	}
	if err != nil {
		return nil, nil, errors.Join(err, g.Close())
	}
	return g, part, nil
}

// findRoots runs the query for the roots (the pages that best match the words
// of FOR) and appends their URLs to h.asked.find, so that the graph looks up
// their nodes. Without FOR it does nothing. It is an error if no page is a
// root.
func (h *hubRank) findRoots(ctx context.Context, run *op.Runner) error {
	if h.roots == nil {
		return nil
	}
	rows, err := run.Rows(ctx, h.roots)
	if err != nil {
		return err
	}
	for b, err := range rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			h.asked.find = append(h.asked.find, strings.Clone(b.Cols[0].Texts[i]))
		}
	}
	if len(h.asked.find) == 0 {
		return ast.Errorf(h.st.Words, "no page has %s in its title, topic or URL, or in the text of a link to it", strings.Join(h.words, " or "))
	}
	return nil
}

// focus returns the part of g around the roots (the pages that best match the
// words of FOR), or all of g if the statement has no FOR. It leaves out links
// within a site, and links from or to a host of WITHOUT HOST. roots has node
// numbers, or -1 for a root that is not in g. memory, in bytes, limits the
// edges of the part; if there are more edges, focus returns an error.
func (h *hubRank) focus(ctx context.Context, g *graph.Named, roots []int, memory int64) (*graph.Focused, error) {
	sites, err := h.sites(g)
	if err != nil {
		return nil, err
	}
	o := graph.FocusOptions{Drop: func(from, to uint32) bool {
		a, b := sites[from], sites[to]
		return a == stopped || b == stopped || a == b && a != nowhere
	}}
	if h.words != nil {
		o.Roots = []uint32{}
		for _, n := range roots {
			if n >= 0 {
				o.Roots = append(o.Roots, uint32(n))
			}
		}
	}
	if h.st.Weight != "" {
		o.Steps = arcSteps
	}
	part, err := g.Focus(ctx, o, int(memory/hubEdgeBytes))
	if tooMany := (*graph.TooManyEdgesError)(nil); errors.As(err, &tooMany) {
		err := ast.Errorf(h.st, "there are more than %d links, too many for the setting memory", tooMany.Max)
		err.Hint = "SET memory to more, or ask HITS FOR 'words'"
		return nil, err
	}
	return part, err
}

// Values for a site that are not the hash of a host or domain.
const (
	nowhere uint64 = iota // the node is not a URL with a host
	stopped               // the host is one of WITHOUT HOST
)

// sites returns a number for the site of each node of g, as the method site
// computes it. The index is the number of the node.
func (h *hubRank) sites(g *graph.Named) ([]uint64, error) {
	list := make([]uint64, 0, g.Nodes())
	var last string // the part of the last key that has the host
	site := nowhere
	for key, err := range g.Keys() {
		if err != nil {
			return nil, err
		}
		if n := urlkey.HostPrefix(string(key)); n == 0 || string(key[:n]) != last {
			last = string(key[:n])
			site = h.site(urlkey.URL(string(key)))
		}
		list = append(list, site)
	}
	return list, nil
}

// site returns a number for the site of a URL: a hash of its registered domain,
// or of its host if the statement has WITHIN host. It returns nowhere for a
// name that is not a URL with a host, and stopped for a host of WITHOUT HOST or
// a subdomain of it.
func (h *hubRank) site(url string) uint64 {
	host := urlkey.Host(url)
	if host == "" {
		return nowhere
	}
	for _, stop := range h.stop {
		if rest, ok := strings.CutSuffix(host, stop); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return stopped
		}
	}
	if h.st.Within != "host" {
		if domain := urlkey.Domain(url); domain != "" {
			host = domain
		}
	}
	return max(words.Hash(host), stopped+1)
}

// weigh sets the weight of each edge of part to the arcWeight of its link,
// which it reads from the archive. If several links go from one page to
// another, the greatest weight counts. The method is that of Chakrabarti and
// others, "Automatic resource compilation by analyzing hyperlink structure and
// associated text", 1998.
func (h *hubRank) weigh(ctx context.Context, run *op.Runner, g *graph.Named, part *graph.Focused) error {
	urls := make(map[int]string)
	for _, n := range part.Nodes {
		urls[int(n)] = ""
	}
	if err := g.Name(urls); err != nil {
		return err
	}
	number := make(map[string]uint32)
	for i, n := range part.Nodes {
		number[urls[int(n)]] = uint32(i)
	}
	edges := make(map[[2]uint32]*graph.WeightedEdge)
	asked := session.Within{Time: h.asked.Time}
	for i := range part.Edges {
		e := &part.Edges[i]
		ends := [2]uint32{e.From, e.To}
		edges[ends] = e
	}
	linking := make(map[uint32]bool)
	for ends := range edges {
		linking[ends[0]] = true
	}
	for i, n := range part.Nodes {
		if linking[uint32(i)] {
			asked.Scopes = append(asked.Scopes, ast.Scope{From: &ast.String{Value: urls[int(n)]}})
		}
	}
	if asked.Scopes == nil {
		return nil
	}
	node, err := asked.Plan("SELECT url, target, before, anchor, after FROM links WHERE target IS NOT NULL AND kind IN ("+votingKinds()+")", h.env)
	if err != nil {
		return err
	}
	rows, err := run.Rows(ctx, node)
	if err != nil {
		return err
	}
	for b, err := range rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			from, ok := number[b.Cols[0].Texts[i]]
			to, also := number[b.Cols[1].Texts[i]]
			if e := edges[[2]uint32{from, to}]; ok && also && e != nil {
				e.Weight = max(e.Weight, arcWeight(b.Cols[2].At(i).Text, b.Cols[3].At(i).Text, b.Cols[4].At(i).Text, h.words))
			}
		}
	}
	return nil
}

// arcWeight returns 1 plus the number of times that the words occur near a
// link: in its text anchor, and in the texts before and after it. Case does not
// count.
func arcWeight(before, anchor, after string, words []string) float64 {
	text := value.Folded(before + "\n" + anchor + "\n" + after)
	n := 1
	for _, w := range words {
		n += strings.Count(text, value.Folded(w))
	}
	return float64(n)
}

// hubRows yields the rows of a ranking that the archive stores, one per node of
// part. The key is the sort key of the node's name; the value is a
// relation.Standing with the node's hub and authority value.
func hubRows(g *graph.Named, part *graph.Focused, values graph.HITS) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		var val []byte
		node := 0
		for key, err := range g.Keys() {
			if err != nil {
				yield(task.ResultRow{}, err)
				return
			}
			if i, ok := part.Number(node); ok {
				val = relation.Standing{Hub: values.Hub[i], Authority: values.Authority[i], Judged: true}.Append(val[:0])
				if !yield(task.ResultRow{Key: key, Value: val}, nil) {
					return
				}
			}
			node++
		}
	}
}

// Would returns the lines for EXPLAIN: two lines on the computation, then the
// plans for reading the roots and the links, with the pools that would be read.
func (h *hubRank) Would(ctx context.Context) ([]string, error) {
	snap, release, err := h.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var roots []string
	how := "look for hubs among all of them"
	if h.roots != nil {
		if roots, err = h.s.ReadLines(ctx, snap, h.roots); err != nil {
			return nil, err
		}
		how = fmt.Sprintf("begin with the %d pages that have most of the words, add what they link to and up to 50 that link to each", rootsMax)
		if h.st.Weight != "" {
			how += ", and so once more; read the text beside the links of these"
		}
	}
	lines := []string{fmt.Sprintf("compute %s in %s, keep it as ranking %s", h.text, value.Counted(h.options.Rounds, "iteration"), h.name), how}
	would, err := h.asked.wouldRead(ctx, snap, h.s.ReadLines)
	return slices.Concat(lines, roots, would), err
}
