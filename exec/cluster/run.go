package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"time"

	"infomall/exec/clustering"
	"infomall/exec/op"
	"infomall/exec/relation/result"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/store/record/task"
	"infomall/store/words/keyword"
)

// Run divides the texts into clusters and stores them in the archive. Its result has one
// row, with the totals.
func (j *job) Run(ctx context.Context) (*session.Result, error) {
	begun, s := time.Now(), j.s
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	run := s.Runner(snap, "cluster")
	t, err := j.read(ctx, run)
	if err != nil {
		return nil, err
	}
	defer t.close()
	c, err := j.clusters(ctx, t)
	if err != nil {
		return nil, err
	}
	named, err := t.words(ctx, run, c)
	if err != nil {
		return nil, err
	}
	env := s.Env()
	kept := task.Result{Kind: task.ResultClusters, Name: j.name, Computed: env.Now, AsOf: env.Now, Statement: j.st.String()}
	if kept, err = s.Archive().SaveResult(ctx, kept, j.rows(t, c, named)); err != nil {
		return nil, err
	}
	clustered := 0
	for _, n := range c.Sizes {
		clustered += n
	}
	out := session.NewTable(session.Text("clustering"), session.Whole("texts"), session.Whole("skipped"), session.Whole("clusters"), session.Whole("clustered"), session.Whole("noise"), session.Whole("bytes"), session.Whole("ms"))
	out.Add(value.OfText(kept.Name), value.OfInt(int64(len(t.list))), value.OfInt(t.skipped), value.OfInt(int64(len(c.Sizes))), value.OfInt(int64(clustered)),
		value.OfInt(int64(len(t.list)-clustered)), value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	res := out.Work(session.Count{Rows: int64(len(t.list)), Bytes: kept.Bytes}, nil)
	res.Notes = run.Notes
	return res, nil
}

// namedWords is the most words that name a cluster.
const namedWords = 6

// words returns, for each cluster, the words that best tell it from all other texts, joined by ",
// ".
func (t *texts) words(ctx context.Context, run *op.Runner, c *clustering.Clusters) ([]string, error) {
	var telling clustering.Telling
	sorted := run.Memory.Sorter(ctx, 4) // by cluster
	defer sorted.Close()
	i := 0
	var key []byte
	for raw, err := range t.spool.All() {
		if err != nil {
			return nil, err
		}
		telling.All(parseWords(raw).Words)
		if n := c.Of[i]; n >= 0 {
			key = binary.BigEndian.AppendUint32(key[:0], uint32(n))
			if err := sorted.Add(key, raw); err != nil {
				return nil, err
			}
		}
		i++
	}
	out := make([]string, len(c.Sizes))
	last := -1
	end := func() {
		if last >= 0 {
			out[last] = strings.Join(telling.Words(namedWords, t.dictionary.Word, keyword.Says), ", ")
		}
	}
	for r, err := range sorted.Sorted() {
		if err != nil {
			return nil, err
		}
		if n := int(binary.BigEndian.Uint32(r.Key)); n != last {
			end()
			last = n
		}
		telling.In(parseWords(r.Val).Words)
	}
	end()
	return out, ctx.Err()
}

// rows yields the rows for the archive to store, sorted by their keys. named[i] has the words that
// name cluster i.
func (j *job) rows(t *texts, c *clustering.Clusters, named []string) iter.Seq2[task.ResultRow, error] {
	var central []int
	var distance func(a, b int) float64
	if j.words {
		central = clustering.CentralRows(&t.matrix, t.dictionary.Len(), c)
		distance = func(a, b int) float64 {
			if a == b {
				return 0
			}
			return clustering.Distance(t.matrix.Row(a), t.matrix.Row(b))
		}
	} else {
		central = clustering.CentralFingerprints(t.hashes(), c)
		distance = func(a, b int) float64 { return float64(bits.OnesCount64(t.list[a].hash ^ t.list[b].hash)) }
	}
	order := make([]int, len(t.list))
	keys := make([][]byte, len(t.list))
	for i := range order {
		order[i] = i
		keys[i] = (&result.Clustered{URL: t.list[i].url, Time: t.list[i].time}).Row(uint32(i)).Key
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a], keys[b]) })
	return func(yield func(task.ResultRow, error) bool) {
		for _, i := range order {
			x := result.Clustered{URL: t.list[i].url, Time: t.list[i].time, Role: c.Roles[i].String()}
			if n := c.Of[i]; n >= 0 {
				x.Cluster, x.Size, x.Words = int64(n)+1, int64(c.Sizes[n]), named[n]
				x.Representative = central[n] == i
				x.Distance = distance(i, central[n])
			}
			if !yield(x.Row(uint32(i)), nil) {
				return
			}
		}
	}
}
