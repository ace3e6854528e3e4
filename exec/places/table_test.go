package places

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/store/record/task"
)

// TestTable shows that the table of the program is whole: every place has a name, a kind,
// a country and a position, China's division is there, and the table is small.
func TestTable(t *testing.T) {
	const bytesMax = 600 << 10
	if len(shippedTable) > bytesMax {
		t.Errorf("the table has %d bytes, more than %d", len(shippedTable), bytesMax)
	}
	kinds := map[string]int{}
	chinese := 0
	for p := range Shipped().Places() {
		kinds[p.Kind]++
		if p.Name == "" || len(p.Country) != 2 || !(math.Abs(p.Latitude) <= 90) || !(math.Abs(p.Longitude) <= 180) || p.Latitude == 0 && p.Longitude == 0 || p.User {
			t.Errorf("not whole: %+v", *p)
		}
		if p.Country == "CN" && p.Kind == "province" {
			chinese++
		}
		for _, n := range p.names() {
			if strings.TrimSpace(n) != n || n == "" {
				t.Errorf("%s has the name %q", p.Name, n)
			}
		}
	}
	for kind, least := range map[string]int{"country": 240, "province": 80, "prefecture": 333, "county": 1800, "city": 3500} {
		if kinds[kind] < least {
			t.Errorf("%d places of kind %s, want %d at least", kinds[kind], kind, least)
		}
	}
	if chinese != 31 {
		t.Errorf("%d provinces of China, want 31; Hong Kong, Macao and Taiwan have codes of their own", chinese)
	}
}

// TestLists shows that each name in lists.txt that is about a name of a place is one.
func TestLists(t *testing.T) {
	names := map[string]bool{}
	for _, p := range readTable(shippedTable) {
		for _, n := range p.names() {
			names[n] = true
		}
	}
	l := lists()
	for title, list := range map[string]map[string]bool{"weak": l.weak, "person": l.person, "never": l.never} {
		if len(list) == 0 {
			t.Errorf("the list %s is empty", title)
		}
		for n := range list {
			if !names[n] {
				t.Errorf("list %s: %q is no name of the table", title, n)
			}
		}
	}
}

// TestRows stores a list of places and reads it. A row that was cut is an error.
func TestRows(t *testing.T) {
	list := []Place{
		{Name: "Lanshan University", Chinese: "澜山大学", Kind: "university", Country: "CN", Latitude: 30.1, Longitude: -114.2, Variants: []string{"LSU", "澜大"}, User: true},
		{Name: "x", User: true},
	}
	rows := Rows(list)
	for i, row := range rows {
		p, err := parse(row)
		if err != nil || !reflect.DeepEqual(p, list[i]) {
			t.Errorf("got %+v, %v, want %+v", p, err, list[i])
		}
		for n := range row.Value {
			cut := row
			cut.Value = row.Value[:n]
			if _, err := parse(cut); err == nil {
				t.Errorf("row %d, cut to %d of %d bytes: no error", i, n, len(row.Value))
			}
		}
	}
	if !slices.IsSortedFunc(rows, func(a, b task.ResultRow) int { return slices.Compare(a.Key, b.Key) }) {
		t.Errorf("the keys are not sorted: %v", rows)
	}
}

// TestUser shows that a place of a user's list wins over those of the program with the same
// name, that it is found within words, and that the others stay.
func TestUser(t *testing.T) {
	g := Shipped().With([]Place{{Name: "Paris", Kind: "village", Country: "US"}, {Name: "Lanshan", Variants: []string{"澜山"}}, {Name: "small town"}})
	var got []string
	for _, p := range g.Find("Paris and London. 在澜山大学。 A small town, SMALL TOWN", "") {
		got = append(got, fmt.Sprint(p.Name, " ", p.Kind, " ", p.User))
	}
	if want := []string{"Paris village true", "London city false", "Lanshan  true", "small town  true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, kind := range map[string]string{"Paris": "village", "small town": "", "Wolfsburg": "city", "Hong Kong": "country"} {
		if p := g.Named(name); p == nil || p.Name != name || p.Kind != kind {
			t.Errorf("the place %s is %+v, want kind %q", name, p, kind)
		}
	}
	for _, name := range []string{"", "Peking", "澜山", "no such place"} {
		if p := g.Named(name); p != nil {
			t.Errorf("a place has the name %q: %+v", name, *p)
		}
	}
	if p := g.Main("London, Paris, London", ""); p == nil || p.Name != "London" {
		t.Errorf("main place %v, want London", p)
	}
	if p := g.Main("nothing", ""); p != nil {
		t.Errorf("main place %v, want none", p)
	}
}
