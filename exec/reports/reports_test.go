package reports

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/dedup"
	"infomall/store/record"
	"infomall/store/record/task"
)

// family draws texts: chains of copies, in each of which some bytes of the print of a text
// before have changed, about as many as near-copies may differ in.
func family(t *rapid.T) []Text {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	var texts []Text
	for n := rapid.IntRange(1, 40).Draw(t, "texts"); len(texts) < n; {
		x := Text{ID: r.Uint64(), Published: record.NoTime, Seen: record.Time(r.IntN(20)), URL: fmt.Sprint("http://x/", r.IntN(30)), Host: string(rune('a' + r.IntN(4)))}
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
	slices.SortFunc(texts, func(a, b Text) int { return a.compare(&b) })
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

// stored returns the State that is made of the rows of s.
func stored(t *rapid.T, s *State) *State {
	loaded, err := Load(func(yield func(task.ResultRow, error) bool) {
		var before []byte
		for row := range s.Rows() {
			if slices.Compare(before, row.Key) >= 0 && before != nil {
				t.Errorf("key %x comes after %x", row.Key, before)
			}
			before = slices.Clone(row.Key)
			if !yield(row, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestSets groups random texts in a random order and in several updates, with the state stored
// and read between them. After each update the sets must be those of the model, and their IDs
// must stay.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := family(t)
		made := make(map[uint64]int) // the update in which an ID was made
		s := &State{}
		update := 0
		for from := 0; from < len(texts); {
			to := rapid.IntRange(from+1, len(texts)).Draw(t, "to")
			for _, x := range texts[from:to] {
				if !s.Add(x) || s.Add(x) {
					t.Fatal("a text is added once")
				}
			}
			if err := s.Update(context.Background()); err != nil {
				t.Fatal(err)
			}
			update++
			checkSets(t, s, model(texts[:to]), made, update)
			if rapid.Bool().Draw(t, "store") {
				s = stored(t, s)
				checkSets(t, s, model(texts[:to]), made, update)
			}
			from = to
		}
	})
}

// checkSets compares the sets of s with the wanted sets, and their IDs with the IDs that were
// made before. It adds new IDs to made.
func checkSets(t *rapid.T, s *State, wanted [][]Text, made map[uint64]int, update int) {
	next, stop := iter.Pull(s.Sets())
	defer stop()
	for _, want := range wanted {
		set, ok := next()
		if !ok {
			t.Fatalf("%d sets wanted", len(wanted))
		}
		var got []Text
		for _, i := range set.Texts {
			got = append(got, *s.Text(i))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got the set %v, want %v", got, want)
		}
		hosts := make(map[string]bool)
		var owners []uint64
		for _, x := range want {
			hosts[x.Host] = true
			if made[x.ID] > 0 {
				owners = append(owners, x.ID)
			}
		}
		if len(owners) == 0 {
			owners = []uint64{want[0].ID}
			made[want[0].ID] = update
		}
		slices.SortStableFunc(owners, func(a, b uint64) int { return made[a] - made[b] })
		merged := slices.Sorted(slices.Values(owners[1:]))
		if set.ID != owners[0] || !slices.Equal(set.Merged, merged) {
			t.Fatalf("got the ID %x with %x merged, want %x with %x", set.ID, set.Merged, owners[0], merged)
		}
		if h := slices.Sorted(maps.Keys(hosts)); !slices.Equal(set.Hosts, h) {
			t.Fatalf("got hosts %q, want %q", set.Hosts, h)
		}
	}
	if _, more := next(); more {
		t.Fatalf("only %d sets wanted", len(wanted))
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

// TestDamagedRows shows that damaged rows are an error, and no panic.
func TestDamagedRows(t *testing.T) {
	var s State
	s.Add(Text{ID: 1, URL: "http://a.example/", Host: "a.example"})
	s.Add(Text{ID: 2, URL: "http://b.example/", Host: "b.example", Print: dedup.ExactPrint(1)})
	if err := s.Update(context.Background()); err != nil {
		t.Fatal(err)
	}
	var rows []task.ResultRow
	for row := range s.Rows() {
		rows = append(rows, task.ResultRow{Key: slices.Clone(row.Key), Value: slices.Clone(row.Value)})
	}
	load := func(rows ...task.ResultRow) error {
		_, err := Load(func(yield func(task.ResultRow, error) bool) {
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		})
		return err
	}
	if err := load(rows...); err != nil {
		t.Fatal(err)
	}
	if err := load(rows[0], rows[0]); err == nil {
		t.Error("a text that comes twice is no error")
	}
	if err := load(task.ResultRow{Key: rows[0].Key[1:], Value: rows[0].Value}); err == nil {
		t.Error("a short key is no error")
	}
	for n := range rows[0].Value {
		if err := load(task.ResultRow{Key: rows[0].Key, Value: rows[0].Value[:n]}); err == nil {
			t.Errorf("a row of %d bytes is no error", n)
		}
	}
	other := slices.Clone(rows[0].Value)
	other[len(other)-2]++ // the ID of the leader
	if err := load(task.ResultRow{Key: rows[0].Key, Value: other}); err == nil {
		t.Error("a leader that is not there is no error")
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
