package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"infomall/exec/clustering"
	"infomall/exec/dedup"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// The defaults of the clauses.
const (
	nameDefault   = "clusters"
	minPtsDefault = 5
	bitsDefault   = 3  // EPS with BY simhash
	epsDefault    = .5 // EPS with BY words, if MINPTS is given
	// averageMost is the greatest average distance at which average link joins clusters.
	averageMost = .85
	minPtsMax   = 10_000
	clustersMax = 10_000 // of K
)

// job is a CLUSTER statement whose clauses were read.
type job struct {
	s     *session.Session
	st    *ast.Cluster
	name  string // in lower case
	node  plan.Node
	url   int // the columns of the query
	text  int
	time  int // -1 if the query has no column time
	words bool
	// The next fields choose the method. It is DBSCAN with eps and minPts if minPts is above 0,
	// otherwise k-means with k and seed if k is above 0, otherwise average link.
	eps    float64
	minPts int
	k      int
	seed   uint64
}

// Cluster is the statement CLUSTER, which divides the texts of a query into clusters.
var Cluster = session.Declare("CLUSTER", session.Writes|session.Works|session.Holds, readCluster).Named(func(st ast.Statement) *ast.Name { return st.(*ast.Cluster).Name })

// readCluster makes a job of a CLUSTER statement: it checks the clauses, sets the defaults,
// plans the query and finds its columns.
func readCluster(s *session.Session, st *ast.Cluster) (*job, error) {
	j := &job{s: s, st: st, name: nameDefault, words: st.By == "words", time: -1}
	if st.Name != nil {
		j.name = strings.ToLower(st.Name.Text)
	}
	env := s.Env()
	if err := j.readMethod(env); err != nil {
		return nil, err
	}
	var err error
	if j.node, err = plan.Build(st.Query, env); err != nil {
		return nil, err
	}
	return j, j.readColumns()
}

// readMethod reads the clauses EPS, MINPTS, K and SEED.
func (j *job) readMethod(env *expr.Env) error {
	st := j.st
	dbscan := st.Eps != nil || st.MinPts != nil
	switch {
	case st.K != nil && dbscan:
		return hinted(ast.Errorf(st.K, "K is for k-means, and EPS and MINPTS are for DBSCAN"), "leave K or the others out")
	case st.K != nil && !j.words:
		return hinted(ast.Errorf(st.K, "BY simhash has no K: fingerprints have no mean"), "write BY words K …, or BY simhash EPS 3 MINPTS 5")
	case st.Seed != nil && st.K == nil:
		return hinted(ast.Errorf(st.Seed, "SEED is for K alone: the other methods draw nothing"), "leave SEED out")
	}
	var err error
	if st.K != nil {
		if j.k, err = count(st.K, "K", 2, clustersMax, env); err != nil {
			return err
		}
		if st.Seed != nil {
			var seed int
			seed, err = count(st.Seed, "SEED", 0, math.MaxInt32, env)
			j.seed = uint64(seed)
		}
		return err
	}
	if j.words && !dbscan {
		return nil
	}
	if j.minPts = minPtsDefault; st.MinPts != nil {
		if j.minPts, err = count(st.MinPts, "MINPTS", 1, minPtsMax, env); err != nil {
			return err
		}
	}
	if !j.words {
		j.eps = bitsDefault
		if st.Eps != nil {
			var bits int
			bits, err = count(st.Eps, "EPS", 0, dedup.DistanceMax, env)
			j.eps = float64(bits)
		}
		return err
	}
	if j.eps = epsDefault; st.Eps != nil {
		if j.eps, err = expr.ConstantNumber(st.Eps, "EPS", env); err != nil {
			return err
		}
		if !(j.eps >= 0 && j.eps < 1) {
			return ast.Errorf(st.Eps, "EPS of words takes a number from 0 to less than 1, not %v: texts at distance 1 have no word in common", j.eps)
		}
	}
	return nil
}

// count returns the value of the constant e, which must be at least least and at most most. The
// parameter where is the word before e in the statement, for the error.
func count(e ast.Expr, where string, least, most int, env *expr.Env) (int, error) {
	n, err := expr.ConstantCount(e, where, env)
	if err == nil && (n < int64(least) || n > int64(most)) {
		err = ast.Errorf(e, "%s takes a whole number from %d to %d, not %d", where, least, most, n)
	}
	return int(n), err
}

func hinted(err *ast.Error, hint string) *ast.Error {
	err.Hint = hint
	return err
}

// readColumns finds the columns of the query that have the URL, the text and so on.
func (j *job) readColumns() error {
	j.url, j.text = -1, -1
	for i, c := range j.node.Columns() {
		switch strings.ToLower(c.Name) {
		case "url":
			j.url = i
		case "text":
			j.text = i
		case "time":
			j.time = i
		}
	}
	const hint = "write CLUSTER … ON (SELECT url, time, main AS text FROM versions LATEST)"
	cols := j.node.Columns()
	textual := func(i int) bool { return cols[i].Type == value.Text || cols[i].Type == value.URL }
	switch {
	case j.url < 0 || j.text < 0:
		return hinted(ast.Errorf(j.st.Query, "CLUSTER needs a query with the columns url and text"), hint)
	case !textual(j.url) || !textual(j.text):
		return hinted(ast.Errorf(j.st.Query, "the columns url and text of CLUSTER's query must be texts"), hint)
	case j.time >= 0 && cols[j.time].Type != value.Time:
		return hinted(ast.Errorf(j.st.Query, "the column time of CLUSTER's query must be a time, and it is %s", cols[j.time].Type), hint)
	}
	return nil
}

// method describes the method in words, for EXPLAIN.
func (j *job) method() string {
	switch {
	case j.k > 0:
		return fmt.Sprintf("k-means over the words, %s, seed %d", value.Counted(j.k, "cluster"), j.seed)
	case j.minPts == 0:
		return fmt.Sprintf("average link over the words, up to a distance of %v; at most %d different texts", averageMost, clustering.AverageMax)
	case j.words:
		return fmt.Sprintf("DBSCAN over the words: a core has %s within a distance of %v", value.Counted(j.minPts, "text"), j.eps)
	}
	const such = 1_000_000
	return fmt.Sprintf("DBSCAN over fingerprints: a core has %s within %s; among a million: %s",
		value.Counted(j.minPts, "text"), value.Counted(int(j.eps), "bit"), dedup.Plan(such, int(j.eps)))
}

// Would returns the lines for EXPLAIN: the method, how often the clusters of this name were
// computed before, and the plan of the query, with the pools that it would read.
func (j *job) Would(ctx context.Context) ([]string, error) {
	snap, release, err := j.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	before, err := session.TimesComputed(ctx, snap, task.ResultClusters, j.name)
	if err != nil {
		return nil, err
	}
	lines := []string{j.method(), fmt.Sprintf("keep the clusters as %s, which have been computed %s", j.name, value.Counted(before, "time"))}
	would, err := j.s.ReadLines(ctx, snap, j.node)
	return append(lines, would...), err
}

// clusters divides the texts into clusters. If the method cannot handle these texts, the error
// points at the clause to change.
func (j *job) clusters(ctx context.Context, t *texts) (*clustering.Clusters, error) {
	var c *clustering.Clusters
	var err error
	tooMany := false
	switch {
	case !j.words:
		c, err = clustering.Fingerprints(ctx, t.hashes(), int(j.eps), j.minPts)
	case j.minPts > 0:
		c, err = clustering.Vectors(ctx, &t.matrix, j.eps, j.minPts, j.s.Report("cluster: compare", "texts"))
	case j.k > 0:
		if words := t.dictionary.Len(); j.k*words > clustering.CentresMax {
			return nil, hinted(ast.Errorf(j.st.K, "%s of texts with %s are too many", value.Counted(j.k, "cluster"), value.Counted(words, "different word")), fmt.Sprintf("write K %d or less, or a query with fewer texts", clustering.CentresMax/words))
		}
		c, err = clustering.KMeans(ctx, &t.matrix, t.dictionary.Len(), j.k, j.seed, j.s.Report("cluster: k-means", "rounds"))
	default:
		c, tooMany, err = clustering.AverageLink(ctx, &t.matrix, t.dictionary.Len(), averageMost, j.s.Report("cluster: compare", "texts"))
	}
	if tooMany {
		return nil, hinted(ast.Errorf(j.st, "the query has more than %d different texts, and average link compares each with each", clustering.AverageMax), "add EPS 0.5 MINPTS 5, or K 20")
	}
	if e, ok := err.(*clustering.PairsError); ok {
		at := cmp.Or[ast.Node](j.st)
		if j.st.Eps != nil {
			at = j.st.Eps
		}
		return nil, hinted(ast.Errorf(at, "%v", e), "write a smaller EPS")
	}
	return c, err
}
