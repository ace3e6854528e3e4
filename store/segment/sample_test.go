package segment

import (
	"fmt"
	"testing"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// takeSample returns the sample of entries of some URLs, each with visits entries.
func takeSample(urls, visits int) (sample []byte, keys []string) {
	var taker sampleTaker
	for i := range urls {
		key := fmt.Sprintf("com,example,)/%06d http", i)
		keys = append(keys, key)
		for n := range visits {
			taker.add(&Entry{Key: key, Time: record.Time(n), VersionTime: record.Time(n), Previous: record.NoTime, PreviousVersion: record.NoTime})
		}
	}
	return taker.encode(), keys
}

// TestSample takes samples of segments of different sizes. A sample must have all entries of
// the URLs of its level, its second part those of the level that is three higher, and it
// must be missing if it would not be small.
func TestSample(t *testing.T) {
	for _, c := range []struct{ urls, visits int }{{0, 0}, {sampleURLs, 1}, {sampleURLs * 6, 1}, {sampleURLs * 32, 1}, {sampleURLs * 16, 3}, {sampleURLs * 8, 20}} {
		b, keys := takeSample(c.urls, c.visits)
		least, want := 0, c.urls
		for want > sampleURLs {
			least++
			want = 0
			for _, k := range keys {
				if urlkey.Level(k) >= least {
					want++
				}
			}
		}
		if b == nil {
			if least > 0 && want*sampleShare <= c.urls && want*c.visits*2 <= sampleEntries {
				t.Errorf("%d URLs of %d visits have no sample, which would be of %d URLs", c.urls, c.visits, want)
			}
			continue
		}
		if least == 0 || want*sampleShare > c.urls || want*c.visits > sampleEntries {
			t.Errorf("%d URLs of %d visits have a sample of %d URLs", c.urls, c.visits, want)
		}
		for _, level := range []int{0, least, least + sampleDeep - 1, least + sampleDeep, 60} {
			from := least
			if level >= least+sampleDeep {
				from += sampleDeep
			}
			n, chunk, err := cutSample(b, level)
			if err != nil || n != least {
				t.Fatalf("the sample has level %d, %v, want %d", n, err, least)
			}
			var read Chunk
			if err := read.decode(chunk, uint(WantTime)); err != nil {
				t.Fatal(err)
			}
			got, counts := read.Keys()
			i := 0
			for _, k := range keys {
				if urlkey.Level(k) < from {
					continue
				}
				if i == len(got) || got[i] != k || counts[i] != int64(c.visits) {
					t.Fatalf("level %d of %d URLs lacks %q at %d", level, c.urls, k, i)
				}
				i++
			}
			if i != len(got) {
				t.Errorf("level %d has %d URLs, want %d", level, len(got), i)
			}
		}
	}
	if _, _, err := cutSample([]byte{0}, 0); err == nil {
		t.Error("a sample of level 0 is read")
	}
}
