package result

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Clustered is one text that CLUSTER has put into a cluster, or found to be noise.
type Clustered struct {
	URL      string
	Time     record.Time // NoTime if the query has no times
	Cluster  int64       // from 1; 0 means noise
	Size     int64       // texts of the cluster; 0 for noise
	Role     string      // core, border or noise
	Distance float64     // from the representative of the cluster
	// Representative reports that the text represents its cluster.
	Representative bool
	Words          string // words that tell the cluster from the rest, joined by ", "
}

// Row returns c encoded as a row to store. number tells apart several rows of one URL and time. The
// keys of rows sort by URL, time and number. parseClustered decodes the row.
func (c *Clustered) Row(number uint32) task.ResultRow {
	key := append([]byte(urlkey.Key(c.URL)), 0)
	if c.Time != record.NoTime {
		key = (&Compared{URL: c.URL, Time: c.Time}).AppendKey(nil)
	}
	key = binary.BigEndian.AppendUint32(key, number)
	val := binary.AppendUvarint(nil, uint64(c.Cluster))
	val = binary.AppendUvarint(val, uint64(c.Size))
	val = binary.LittleEndian.AppendUint64(val, math.Float64bits(c.Distance))
	val = append(val, 0)
	if c.Representative {
		val[len(val)-1] = 1
	}
	val = append(append(val, c.Role...), 0)
	return task.ResultRow{Key: key, Value: append(val, c.Words...)}
}

// errClustered is returned for a stored row that Clustered.Row did not encode.
var errClustered = errors.New("a row of clusters is damaged")

// The lengths in bytes of the part of a row's key that follows the key of the URL. It has a zero
// byte, the time if the text has one, and the number.
const (
	untimedBytes = 1 + 4
	timedBytes   = 1 + 8 + 4
)

// parseClustered returns the Clustered that Clustered.Row encoded as r, and its number. The
// error says that r is damaged.
func parseClustered(r task.ResultRow) (c Clustered, number uint32, err error) {
	key := string(r.Key)
	at := strings.IndexByte(key, 0)
	if at < 0 || len(key)-at != untimedBytes && len(key)-at != timedBytes {
		return c, 0, errClustered
	}
	c.URL, c.Time = urlkey.URL(key[:at]), record.NoTime
	if len(key)-at == timedBytes {
		c.Time = record.Time(binary.BigEndian.Uint64([]byte(key[at+1:at+9])) ^ 1<<63)
	}
	number = binary.BigEndian.Uint32(r.Key[len(r.Key)-4:])
	cluster, n := binary.Uvarint(r.Value)
	if n <= 0 {
		return c, 0, errClustered
	}
	size, m := binary.Uvarint(r.Value[n:])
	rest := r.Value[n+max(m, 0):]
	if m <= 0 || len(rest) < 10 {
		return c, 0, errClustered
	}
	c.Cluster, c.Size = int64(cluster), int64(size)
	c.Distance = math.Float64frombits(binary.LittleEndian.Uint64(rest))
	c.Representative = rest[8] == 1
	role, words, ok := strings.Cut(string(rest[9:]), "\x00")
	if !ok {
		return c, 0, errClustered
	}
	c.Role, c.Words = role, words
	return c, number, nil
}

// HideClustered yields the rows in rows whose texts are not hidden. The parameter all has all rows
// of the same result of CLUSTER. hides reports whether the text of a URL at a time is hidden; with
// NoTime, whether any text of the URL is. The words of a cluster come from all its texts. So if a
// text of a cluster is hidden, the other rows lose the words, and the hidden text does not count in
// the size of the cluster.
func HideClustered(all, rows iter.Seq2[task.ResultRow, error], hides func(url string, t record.Time) bool) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		hidden := make(map[int64]int64) // number of hidden texts of each cluster
		for row, err := range all {
			if err != nil {
				yield(task.ResultRow{}, err)
				return
			}
			c, _, err := parseClustered(row)
			if err != nil {
				yield(task.ResultRow{}, err)
				return
			}
			if hides(c.URL, c.Time) {
				hidden[c.Cluster]++
			}
		}
		for row, err := range rows {
			if err != nil {
				yield(task.ResultRow{}, err)
				return
			}
			c, number, err := parseClustered(row)
			if err == nil && hides(c.URL, c.Time) {
				continue
			}
			if n := hidden[c.Cluster]; err == nil && n > 0 && c.Cluster > 0 {
				c.Size, c.Words = c.Size-n, ""
				row = c.Row(number)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// clusteredRow is one row of the relation clusters: a Clustered, and the stored result it is from.
type clusteredRow struct {
	Clustered
	of *task.Result
}

// Clusters declares the relation clusters, which has one row per text that CLUSTER has read.
var Clusters = relation.List(relation.Relation{
	Name: "clusters", Doc: "one text in a cluster found by CLUSTER, or in none", Scoped: true, OwnTime: "time",
	Results: task.ResultClusters, NoResults: "nothing was clustered yet; run CLUSTER",
	Columns: []relation.Column{
		relation.TextOf("clustering", "name of the clustering", func(c *clusteredRow) string { return c.of.Name }),
		relation.IntOrNull("cluster", "number of the cluster, from 1 for the largest; NULL for noise", func(c *clusteredRow) (int64, bool) { return c.Cluster, c.Cluster > 0 }),
		relation.URLOf("url", "canonical URL of the text", func(c *clusteredRow) string { return c.URL }),
		relation.TimeOf("time", "time of the text, if the query has a column time", func(c *clusteredRow) record.Time { return c.Time }),
		relation.IntOrNull("size", "number of texts in the cluster; NULL for noise", func(c *clusteredRow) (int64, bool) { return c.Size, c.Cluster > 0 }),
		relation.TextOf("words", "words that tell the cluster from all other texts, the most telling first", func(c *clusteredRow) string { return c.Words }),
		relation.BoolOf("representative", "whether the text stands for its cluster: it is nearest to the middle", func(c *clusteredRow) bool { return c.Representative }),
		relation.FloatOrNull("distance", "distance from the representative: bits, or for BY words 0 to 1; NULL for noise", func(c *clusteredRow) (float64, bool) { return c.Distance, c.Cluster > 0 }),
		relation.TextOf("role", "core, border or noise; see CLUSTER", func(c *clusteredRow) string { return c.Role }),
		relation.TimeOf("computed", "when CLUSTER computed the clusters", func(c *clusteredRow) record.Time { return c.of.Computed }),
	},
}, clusters)

// clusters yields the rows of the relation clusters in batches: for each name, in
// alphabetical order, those of the newest result, sorted by URL and time.
func clusters(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]clusteredRow, error] {
	return relation.Paged(clusteredRows(r, ctx, n))
}

// clusteredRows yields the rows of the relation clusters that lie in the scope and the
// window of n, one at a time. A row is valid until the iteration moves on.
func clusteredRows(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[*clusteredRow, error] {
	return func(yield func(*clusteredRow, error) bool) {
		results, err := NewestResults(ctx, r.Snapshot, task.ResultClusters)
		if err != nil {
			yield(nil, err)
			return
		}
		always := n.Window.From <= relation.Always.From && n.Window.To >= relation.Always.To
		for i := range results {
			for row, err := range r.Snapshot.ResultRows(ctx, results[i], suffixed(n.Ranges)) {
				c := clusteredRow{of: &results[i]}
				if err == nil {
					c.Clustered, _, err = parseClustered(row)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if !always && (c.Time < n.Window.From || c.Time >= n.Window.To) || n.Match != nil && !n.Match(urlkey.Key(c.URL)) {
					continue
				}
				if !yield(&c, nil) {
					return
				}
			}
		}
	}
}

// NewestResults returns the newest result of a kind for each name, in alphabetical order.
func NewestResults(ctx context.Context, snap relation.Snapshot, kind string) ([]task.Result, error) {
	list, err := snap.Results(ctx, kind)
	if err != nil {
		return nil, err
	}
	newest := make(map[string]task.Result)
	for _, x := range list {
		if have, ok := newest[x.Name]; !ok || x.Computed >= have.Computed {
			newest[x.Name] = x
		}
	}
	list = list[:0:0]
	for _, x := range newest {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b task.Result) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
