package block_test

import (
	"strings"
	"testing"
	"time"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

// readAll makes all of a page that is made when it comes in, or may be asked for.
func readAll(body []byte) {
	b := &divide.Body{Tree: divide.Divide(markup.NewTree(body), divide.Options{}), Charset: "utf-8"}
	r := facts.NewReader().Read(b)
	b.Layout()
	b.Page.Meta(b.Charset)
	about.Labels(b.Tree)
	about.MainText(b)
	about.TypeOf(b)
	r.AppendFacts(nil, "", true)
	for _, n := range b.Cut(facts.KeptLevel) {
		about.TopicAndText(b, b.Blocks[n].Start, b.Blocks[n].End)
	}
	about.TopicOf(b, 0, len(body))
	r.Close()
}

// BenchmarkHostile tells how much longer a page of twice the size takes.
func BenchmarkHostile(b *testing.B) {
	const n = 1 << 18
	for _, kind := range pagetest.HostilePages {
		b.Run(strings.ReplaceAll(kind.Name, " ", "_"), func(b *testing.B) {
			least := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				for i := range least {
					body := kind.Page(n << i)
					start := time.Now()
					readAll(body)
					least[i] = min(least[i], time.Since(start))
				}
			}
			b.SetBytes(3 * n)
			b.ReportMetric(float64(least[1])/float64(least[0]), "time(2n)/time(n)")
		})
	}
}
