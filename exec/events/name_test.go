package events

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func keys(from, to int) []uint64 {
	var k []uint64
	for i := from; i < to; i++ {
		k = append(k, uint64(i))
	}
	return k
}

func join(sets ...[]uint64) []uint64 { return slices.Sorted(slices.Values(slices.Concat(sets...))) }

func TestNumber(t *testing.T) {
	a, b, c := keys(0, 10), keys(100, 120), keys(200, 205)
	for _, test := range []struct {
		name   string
		before []Named
		found  [][]uint64
		want   []Named
	}{
		{"first run", nil, [][]uint64{b, a}, []Named{{Number: 1, Keys: b}, {Number: 2, Keys: a}}},
		{"grows", []Named{{Number: 7, Keys: keys(0, 5)}}, [][]uint64{a, b}, []Named{{Number: 7, Keys: a}, {Number: 8, Keys: b}}},
		{"shrinks", []Named{{Number: 7, Keys: a}}, [][]uint64{keys(8, 10)}, []Named{{Number: 7, Keys: keys(8, 10)}}},
		{"gone, and back", []Named{{Number: 1, Keys: a}, {Number: 2, Keys: b}}, [][]uint64{b}, []Named{{Number: 2, Keys: b}, {Number: 1, Keys: a}}},
		{"a gone number is not used again", []Named{{Number: 9, Keys: a}}, [][]uint64{b}, []Named{{Number: 10, Keys: b}, {Number: 9, Keys: a}}},
		{"merged", []Named{{Number: 1, Keys: a}, {Number: 2, Keys: b}}, [][]uint64{join(a, b)}, []Named{{Number: 1, Keys: join(a, b)}, {Number: 2, MergedInto: 1}}},
		{"merged into what is merged", []Named{{Number: 1, Keys: a}, {Number: 2, Keys: b}, {Number: 3, MergedInto: 2}}, [][]uint64{join(a, b)},
			[]Named{{Number: 1, Keys: join(a, b)}, {Number: 2, MergedInto: 1}, {Number: 3, MergedInto: 1}}},
		{"split", []Named{{Number: 1, Keys: join(a, b, c)}}, [][]uint64{a, b, c},
			[]Named{{Number: 2, Keys: a, SplitFrom: 1}, {Number: 1, Keys: b}, {Number: 3, Keys: c, SplitFrom: 1}}},
		{"where it was split is kept", []Named{{Number: 5, Keys: a, SplitFrom: 4}}, [][]uint64{a}, []Named{{Number: 5, Keys: a, SplitFrom: 4}}},
		{"a few documents move", []Named{{Number: 1, Keys: a}, {Number: 2, Keys: b}}, [][]uint64{keys(2, 10), join(keys(0, 2), b)},
			[]Named{{Number: 1, Keys: keys(2, 10)}, {Number: 2, Keys: join(keys(0, 2), b)}}},
		{"the rest of a gone event takes no number", []Named{{Number: 1, Keys: a}, {Number: 2, Keys: b}}, [][]uint64{join(keys(0, 2), b)},
			[]Named{{Number: 2, Keys: join(keys(0, 2), b)}, {Number: 1, Keys: a}}},
	} {
		if got := Number(test.before, test.found); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// TestNumberHistories runs random histories of events that grow, merge, split and go, found
// in any order. After each run, an event that only grew has its number, numbers are used once,
// and an event that went into another says so.
func TestNumberHistories(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		next := 0
		fresh := func(n int) []uint64 {
			next += n
			return keys(next-n, next)
		}
		// now has the documents of each event by its number.
		now := map[int][]uint64{}
		var named []Named
		seen := map[int]bool{}
		for step := range 30 {
			type part struct {
				keys []uint64
				want int // the number, or 0 for a new one
				from int // SplitFrom of a new one
			}
			var parts []part
			merged := map[int]int{}
			numbers := slices.Sorted(func(yield func(int) bool) {
				for n := range now {
					if !yield(n) {
						return
					}
				}
			})
			for i := 0; i < len(numbers); i++ {
				n := numbers[i]
				switch k := now[n]; {
				case r.IntN(12) == 0 && i+1 < len(numbers):
					other := numbers[i+1]
					parts = append(parts, part{keys: join(k, now[other]), want: n})
					merged[other] = n
					i++
				case r.IntN(12) == 0 && len(k) > 6:
					r.Shuffle(len(k), func(a, b int) { k[a], k[b] = k[b], k[a] })
					cut := len(k)/2 + 1
					parts = append(parts, part{keys: k[:cut], want: n}, part{keys: k[cut:], from: n})
				case r.IntN(20) == 0: // gone
				default:
					parts = append(parts, part{keys: join(k, fresh(r.IntN(min(len(k), 6)))), want: n})
				}
			}
			for range r.IntN(3) {
				parts = append(parts, part{keys: fresh(4 + r.IntN(30))})
			}
			r.Shuffle(len(parts), func(a, b int) { parts[a], parts[b] = parts[b], parts[a] })
			var found [][]uint64
			for _, p := range parts {
				found = append(found, p.keys)
			}
			named = Number(named, found)
			now = map[int][]uint64{}
			for i, p := range parts {
				got := named[i]
				if p.want != 0 && got.Number != p.want {
					t.Fatalf("seed %d, step %d: event %d is now %d", seed, step, p.want, got.Number)
				}
				if p.want == 0 && (seen[got.Number] || got.SplitFrom != p.from) {
					t.Fatalf("seed %d, step %d: a new event has number %d (used before: %v), split from %d, want %d", seed, step, got.Number, seen[got.Number], got.SplitFrom, p.from)
				}
				seen[got.Number] = true
				now[got.Number] = got.Keys
			}
			for _, n := range named {
				if into := merged[n.Number]; into != 0 && n.MergedInto != into {
					t.Fatalf("seed %d, step %d: event %d says that it merged into %d, want %d", seed, step, n.Number, n.MergedInto, into)
				}
			}
			if len(named) != len(seen) {
				t.Fatalf("seed %d, step %d: %d events, but %d numbers were given", seed, step, len(named), len(seen))
			}
		}
	}
}
