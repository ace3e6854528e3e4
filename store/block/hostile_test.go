package block

import (
	"strings"
	"testing"
	"time"

	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

// readAll makes all of a page that is made when it comes in, or may be asked for.
func readAll(body []byte) {
	b := &Body{Tree: Divide(markup.NewTree(body), Options{}), Charset: "utf-8"}
	r := NewReader().Read(b)
	b.Layout()
	b.Page.Meta(b.Charset)
	b.Labels()
	b.MainText()
	b.PageType()
	r.AppendFacts(nil, "", true)
	for _, n := range b.Cut(KeptLevel) {
		b.TopicAndText(b.Blocks[n].Start, b.Blocks[n].End)
	}
	b.Topic(0, len(body))
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
