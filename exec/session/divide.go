package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"

	"infomall/exec/cost"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Workers are other processes that see the same archive and compute parts of queries.
// Several goroutines may use it.
type Workers interface {
	// Parts returns into how many parts work is divided that one process is estimated to do
	// in this many seconds. Less than 2 means that it is not worth asking workers. least is
	// how many index chunks of each segment a part must have, on average.
	Parts(seconds float64) (parts, least int)
	// Ask yields the records of all parts of q, in the order of the parts; see op.Runner.Part.
	// If a part cannot be computed, the last pair is an error. Ending the iteration early ends
	// the work of the workers.
	Ask(ctx context.Context, q *Question) iter.Seq2[[]byte, error]
}

// Question is what workers are asked to compute: parts of the rows of one node of a query's
// plan. Each worker plans the query itself.
type Question struct {
	State    string            // of the snapshot, see relation.Snapshot
	Text     string            // the query
	Now      record.Time       // value of NOW
	Params   map[string]string // values of parameters
	Settings map[string]string // the settings that change plans, by name
	Cut      int               // index of the node, in the order of plan.Walk
	Plan     string            // digest of the whole plan; the worker's plan must have the same
	Parts    [][]urlkey.Range  // for each part, the ranges of URL keys that it reads

	// Memory is the memory for records that workers have sent. Here computes a part in this
	// process. Read is called when all records of a part were read. All three are set only
	// in the process that asks.
	Memory spill.Memory
	Here   func(ctx context.Context, part int) iter.Seq2[[]byte, error]
	Read   func()
}

// planSettings are the settings that change the plans of queries.
var planSettings = []string{"timezone", "level", "default_level", "profile", "collapse"}

// partsMax is the greatest number of parts of one Question.
const partsMax = 256

// ErrOtherArchive says that a worker sees another state of the archive than the process that
// asks, or that it plans the query differently.
var ErrOtherArchive = errors.New("it sees another state of the archive")

// division is a place where a plan is divided (a cut), and the ranges of URL keys of the
// parts.
type division struct {
	cut   plan.Cut
	parts [][]urlkey.Range
}

// divide returns how the plan node is divided among workers. If it is not divided, why says
// in words why not.
func (s *Session) divide(ctx context.Context, snap relation.Snapshot, node plan.Node) (list []division, why string, err error) {
	switch {
	case snap == nil:
		return nil, "it reads no captures", nil
	case s.known != 0:
		return nil, "it reads what was known at an earlier time", nil
	case s.o.Settings.Synonyms != "" || s.o.Settings.Regions != "":
		return nil, "the settings synonyms and regions name files of this machine", nil
	case len(s.checked) > 0:
		return nil, "it may use definitions that are not stored", nil
	}
	cuts, why := plan.Cuts(node)
	if len(cuts) == 0 {
		return nil, why, nil
	}
	e, err := s.guess(ctx, snap, node)
	if err != nil {
		return nil, "", err
	}
	for _, c := range cuts {
		n, least := s.o.Workers.Parts(secondsOf(e, c.Node))
		if n < 2 {
			why = "it is done soon"
			continue
		}
		parts, err := divideKeys(ctx, snap, &c.Source.Request, min(n, partsMax), least)
		if err != nil {
			return nil, "", err
		}
		if len(parts) < 2 {
			why = "it reads only a few URLs"
			continue
		}
		list = append(list, division{c, parts})
	}
	return list, why, nil
}

// secondsOf returns the estimated time of n and of all nodes below it, in seconds.
func secondsOf(e *cost.Estimate, n plan.Node) (seconds float64) {
	plan.Walk(n, func(n plan.Node, _ int) {
		if p := e.Of(n); p != nil {
			seconds += p.Seconds
		}
	})
	return seconds
}

// divideKeys divides the ranges of URL keys that n reads into at most parts lists of ranges,
// in the order of keys. About the same amount is to be read for each list. least is the
// number that Workers.Parts returned.
func divideKeys(ctx context.Context, snap relation.Snapshot, n *relation.Request, parts, least int) ([][]urlkey.Range, error) {
	scan := record.Scan{Ranges: n.Ranges, From: record.MinTime, To: n.Reads().To}
	borders, err := relation.KnownAt(snap, n.Known).Borders(ctx, scan, parts, least)
	if err != nil {
		return nil, err
	}
	all := n.Ranges
	if all == nil {
		all = []urlkey.Range{{}}
	}
	var list [][]urlkey.Range
	from := ""
	for _, to := range append(borders, "") {
		if part := urlkey.Common(all, []urlkey.Range{{From: from, To: to}}); len(part) > 0 {
			list = append(list, part)
		}
		from = to
	}
	return list, nil
}

// askWorkers makes runner ask workers for parts of the plan node of the query a, if the plan
// can be divided and this saves time. The progress of the query is then the number of parts
// that were read.
func (s *Session) askWorkers(ctx context.Context, runner *op.Runner, snap relation.Snapshot, node plan.Node, a *Asked) error {
	list, _, err := s.divide(ctx, snap, node)
	if err != nil || list == nil {
		return err
	}
	runner.Parts = map[plan.Node]func(context.Context) iter.Seq2[[]byte, error]{}
	runner.Watch = nil
	begin := runner.Begin
	runner.Begin = func(ctx context.Context, n plan.Node) (func(error), error) {
		_, err := begin(ctx, n) // nothing is learned: what workers did is not measured here
		return nil, err
	}
	var mu sync.Mutex // two questions may be read at once
	done, total := int64(0), int64(0)
	report := s.Report("select", "parts")
	read := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; report != nil {
			report(done, total)
		}
	}
	for _, d := range list {
		total += int64(len(d.parts))
		q := &Question{
			State: snap.State(), Text: a.Query.String(), Now: a.Now, Params: maps.Clone(s.o.Params), Settings: map[string]string{},
			Cut: d.cut.At, Plan: planDigest(node), Parts: d.parts, Memory: runner.Memory, Read: read,
		}
		for _, name := range planSettings {
			q.Settings[name] = SettingNamed(name).Get(&s.o.Settings)
		}
		q.Here = func(ctx context.Context, part int) iter.Seq2[[]byte, error] {
			return s.quietRunner(snap).Part(ctx, &d.cut, part, d.parts[part])
		}
		runner.Parts[d.cut.Node] = func(ctx context.Context) iter.Seq2[[]byte, error] { return s.o.Workers.Ask(ctx, q) }
	}
	return nil
}

// quietRunner returns a Runner that neither asks about costs nor shows progress.
func (s *Session) quietRunner(snap relation.Snapshot) *op.Runner {
	r := s.Runner(snap, "select")
	r.Begin, r.Watch = nil, nil
	return r
}

// Part computes one part of q for another process, and yields its records. s must have the
// settings, the parameters and the time NOW of q. snap must be a snapshot of the archive of
// s. If the state of snap or the plan of the query differs from that of the process that
// asks, Part yields ErrOtherArchive. An error in the text of the query is an *ast.Error with
// a position in q.Text.
func (s *Session) Part(ctx context.Context, snap relation.Snapshot, q *Question, part int, ranges []urlkey.Range) iter.Seq2[[]byte, error] {
	cut, err := s.cutOf(snap, q)
	if err != nil {
		return func(yield func([]byte, error) bool) { yield(nil, err) }
	}
	return s.quietRunner(snap).Part(ctx, cut, part, ranges)
}

// cutOf plans the query q and returns the cut of this plan that q asks for.
func (s *Session) cutOf(snap relation.Snapshot, q *Question) (*plan.Cut, error) {
	if snap.State() != q.State {
		return nil, ErrOtherArchive
	}
	st, err := lang.ParseOne(q.Text, "")
	if err != nil {
		return nil, err
	}
	query, ok := st.(*ast.Query)
	if !ok {
		return nil, errors.New("workers answer queries, and change nothing")
	}
	node, err := plan.Build(query, s.Env())
	if err != nil {
		return nil, err
	}
	if planDigest(node) != q.Plan {
		return nil, fmt.Errorf("%w, or is another version of the program: it plans the query differently", ErrOtherArchive)
	}
	cuts, _ := plan.Cuts(node)
	for i := range cuts {
		if cuts[i].At == q.Cut {
			return &cuts[i], nil
		}
	}
	return nil, ErrOtherArchive
}

// planDigest returns a digest of the plan node: plans with the same digest are the same.
func planDigest(node plan.Node) string {
	h := sha256.New()
	plan.Walk(node, func(n plan.Node, depth int) { fmt.Fprintf(h, "%d %s\n", depth, n) })
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// WorkerLines returns the line of EXPLAIN that says how the plan node of a query is divided
// among workers, or why it is not. Without workers there is no line.
func (s *Session) WorkerLines(ctx context.Context, node plan.Node) ([]string, error) {
	if s.o.Workers == nil {
		return nil, nil
	}
	snap, release, err := s.SnapshotFor(ctx, node)
	if err != nil {
		return nil, err
	}
	defer release()
	list, why, err := s.divide(ctx, snap, node)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return []string{"workers: not asked; " + why}, nil
	}
	var texts []string
	for _, d := range list {
		texts = append(texts, fmt.Sprintf("%s by ranges of URLs, %s", value.Counted(len(d.parts), "task"), &d.cut))
	}
	return []string{"workers: " + strings.Join(texts, "; ")}, nil
}

// Asked has what workers need to plan a query again in the same way.
type Asked struct {
	Query *ast.Query
	Now   record.Time // value of NOW in the plan
}
