package reports

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/dedup"
	"infomall/store/record"
)

// family draws texts: chains of copies, in each of which some bytes of the print of a text
// before have changed, about as many as near-copies may differ in.
func family(t *rapid.T) []Text {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	var texts []Text
	for n := rapid.IntRange(1, 40).Draw(t, "texts"); len(texts) < n; {
		x := Text{ID: r.Uint64(), Published: record.NoTime, Seen: record.Time(r.IntN(20))}
		if r.IntN(2) == 0 {
			x.Published = record.Time(r.IntN(20))
		}
		if len(texts) == 0 || r.IntN(5) == 0 {
			x.Print = dedup.ExactPrint(r.Uint64())
		} else {
			x.Print = texts[r.IntN(len(texts))].Print
			for _, at := range r.Perm(len(x.Print))[:[...]int{0, 5, 20, 38, 39, 40, 41, 60}[r.IntN(8)]] {
				x.Print[at]++
			}
		}
		texts = append(texts, x)
	}
	return texts
}

// model groups texts by the definition: each text, in their order, joins the first leader that
// it is near.
func model(texts []Text) [][]Text {
	texts = slices.Clone(texts)
	slices.SortFunc(texts, func(a, b Text) int { return a.Compare(&b) })
	var sets [][]Text
	for _, x := range texts {
		i := slices.IndexFunc(sets, func(set []Text) bool {
			same := 0
			for k := range x.Print {
				if set[0].Print[k] == x.Print[k] {
					same++
				}
			}
			return same >= nearBytes
		})
		if i < 0 {
			sets = append(sets, []Text{x})
		} else {
			sets[i] = append(sets[i], x)
		}
	}
	return sets
}

// nearBytes is the number of equal bytes that package dedup promises for near-copies.
const nearBytes = 81

// stored returns a State with the texts of s at their places.
func stored(s *State) *State {
	again := &State{}
	for i := range s.Len() {
		again.Restore(*s.Text(i), s.Place(i))
	}
	return again
}

// TestSets adds and removes random texts in a random order and in several updates, with the state
// stored and read between them. After each update the sets must be those of the model.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := family(t)
		gone := make([]bool, len(texts))
		s := &State{}
		for from := 0; from < len(texts); {
			to := rapid.IntRange(from+1, len(texts)).Draw(t, "to")
			for _, x := range texts[from:to] {
				s.Add(x)
			}
			for range rapid.IntRange(0, 3).Draw(t, "removed") {
				i := rapid.IntRange(0, to-1).Draw(t, "text")
				s.Remove(i)
				gone[i] = true
			}
			if err := s.Update(context.Background()); err != nil {
				t.Fatal(err)
			}
			var left []Text
			for i, x := range texts[:to] {
				if !gone[i] {
					left = append(left, x)
				}
			}
			checkSets(t, s, model(left))
			if rapid.Bool().Draw(t, "store") {
				s = stored(s)
				if err := s.Update(context.Background()); err != nil {
					t.Fatal(err)
				}
				checkSets(t, s, model(left))
			}
			from = to
		}
	})
}

// checkSets compares the sets of s with the wanted sets.
func checkSets(t *rapid.T, s *State, wanted [][]Text) {
	var sets []Set
	for set := range s.Sets() {
		sets = append(sets, Set{set.ID, slices.Clone(set.Texts)})
	}
	slices.SortFunc(sets, func(a, b Set) int { return s.Text(a.Texts[0]).Compare(s.Text(b.Texts[0])) })
	if len(sets) != len(wanted) {
		t.Fatalf("got %d sets, want %d", len(sets), len(wanted))
	}
	for n, want := range wanted {
		set := sets[n]
		var got []Text
		for _, i := range set.Texts {
			got = append(got, *s.Text(i))
		}
		if !slices.Equal(got, want) || set.ID != want[0].ID {
			t.Fatalf("got the set %x: %v, want %v", set.ID, got, want)
		}
	}
}

// TestPrintOf shows which texts are near-copies.
func TestPrintOf(t *testing.T) {
	long := "The opening ceremony of the games began at eight in the evening in the new stadium before ninety thousand people, and ended after more than four hours with the lighting of the flame by a former gymnast who was drawn along the roof on wires. Many heads of state had come. It did not rain."
	chinese := "国家体育场昨晚举行了开幕式,来自世界各地的九万名观众到场观看。开幕式持续了四个多小时,最后由一位著名体操运动员在空中点燃了主火炬。"
	for _, c := range []struct {
		a, b string
		near bool
	}{
		{long, strings.ToUpper(long), true},
		{long, long + " (Agency)", true},
		{long, strings.Replace(long, "evening", "night", 1), true},
		{long, long[:len(long)/2], false},
		{long, chinese, false},
		{chinese, "新华社电 " + chinese, true},
		{"Sports: games open in Beijing", "SPORTS – Games open in Beijing!", true},
		{"Games open in Beijing", "Games open in London", false},
		{"国家体育场开幕式", "国家体育场闭幕式", false},
		{"Games", "games", true},
		{"Games", "game", false},
	} {
		a, ok := PrintOf(c.a)
		b, too := PrintOf(c.b)
		if near := a.Near(&b); !ok || !too || near != c.near {
			t.Errorf("%q and %q: near is %t, want %t; they agree in %d bytes", c.a, c.b, near, c.near, a.Agree(&b))
		}
	}
	if _, ok := PrintOf(" – "); ok {
		t.Error("a text without words has a print")
	}
}

// TestDamagedPlaces shows that damaged places are an error, and no panic.
func TestDamagedPlaces(t *testing.T) {
	for _, p := range []Place{{Cluster: 2, Leader: 0}, {Cluster: 0, Leader: 2}, {Cluster: 1, Leader: 0}, {Cluster: 0, Leader: 1}} {
		var s State
		s.Restore(Text{ID: 1}, p)
		s.Restore(Text{ID: 2}, Place{Cluster: 0, Leader: 0})
		if err := s.Update(context.Background()); err != errPlaces {
			t.Errorf("%+v: got error %v", p, err)
		}
	}
}

// TestUpdateCancelled shows that an update stops when its context is done, and can be done again.
func TestUpdateCancelled(t *testing.T) {
	var s State
	s.Add(Text{ID: 1})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Update(ctx); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if err := s.Update(context.Background()); err != nil {
		t.Error(err)
	}
	for set := range s.Sets() {
		if set.ID != 1 {
			t.Errorf("got the ID %d, want 1", set.ID)
		}
	}
}
