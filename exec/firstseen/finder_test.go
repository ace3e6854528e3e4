package firstseen

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/spill"
	"infomall/store/record"
)

// page is one page of a random archive.
type page struct {
	host, url int
	time      record.Time
	added     []uint64
	asked     []uint64
}

// TestAnswers compares the answers for random pages with those found by looking at each other
// page, with little memory and with much.
func TestAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Uint64Range(1, 9), 0, 4)
		pages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) page {
			n := rapid.IntRange(0, 5).Draw(t, "url")
			return page{n / 3, n, record.Time(rapid.IntRange(-3, 3).Draw(t, "time")), text.Draw(t, "added"), text.Draw(t, "asked")}
		}), 1, 20).Draw(t, "pages")
		slices.SortStableFunc(pages, func(a, b page) int { return cmp.Or(a.url-b.url, cmp.Compare(a.time, b.time)) })
		m := spill.Memory{Bytes: rapid.SampledFrom([]int64{1 << 10, 1 << 20}).Draw(t, "memory")}
		f := New(context.Background(), &m, 1)
		defer f.Close()
		var questions []int
		for i, p := range pages {
			f.Page(i > 0 && pages[i-1].host != p.host, i > 0 && pages[i-1].url != p.url, p.time)
			for _, x := range p.added {
				if err := f.Add(x); err != nil {
					t.Fatal(err)
				}
			}
			for _, x := range p.asked {
				q, err := f.Ask(x)
				if err != nil {
					t.Fatal(err)
				}
				questions = append(questions, q)
			}
		}
		if err := f.Solve(); err != nil {
			t.Fatal(err)
		}
		for _, p := range pages {
			for _, x := range p.asked {
				want := IsNew
				for _, o := range pages {
					if o.host != p.host || !slices.Contains(o.added, x) && !slices.Contains(o.asked, x) {
						continue
					}
					switch {
					case o.url != p.url && (o.time < p.time || o.time == p.time && o.url < p.url):
						want = OnOtherURL
					case o.url == p.url && o.time < p.time && want == IsNew:
						want = OnSameURL
					}
				}
				if got := f.Answer(questions[0]); got != want {
					t.Fatalf("text %d of %+v: got %d, want %d", x, p, got, want)
				}
				questions = questions[1:]
			}
		}
	})
}

// TestHash shows which texts are the same.
func TestHash(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The Games: day 1", "the games day 1", true},
		{"Straße ÉTÉ", "straße, été!", true},
		{"国家体育场，开幕", "国家体育场开幕", true},
		{"国家体育场", "国家体育馆", false},
		{"day 1", "day 2", false},
	} {
		a, ok := Hash(c.a)
		b, too := Hash(c.b)
		if !ok || !too || (a == b) != c.same {
			t.Errorf("%q and %q: the hashes are %x and %x", c.a, c.b, a, b)
		}
	}
	if _, ok := Hash(" – !"); ok {
		t.Error("a text without letters has a hash")
	}
}
