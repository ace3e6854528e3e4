package outlines

import "testing"

// TestRings shows that the table has whole rings within the map, and that places are in the
// right number of outlines.
func TestRings(t *testing.T) {
	counts := map[Kind]int{}
	for i, r := range Rings() {
		counts[r.Kind]++
		// A ring across 180 degrees goes beyond the edge of the map.
		if len(r.Points) < 4 || r.West < -54000 || r.East > 54000 || r.South < -9000 || r.North > 9000 || r.West > 18000 || r.East < -18000 {
			t.Errorf("ring %d has %d points from %d %d to %d %d", i, len(r.Points), r.West, r.South, r.East, r.North)
		}
	}
	if counts[Country] < 1000 || counts[Province] < 32 {
		t.Errorf("the table has %v rings", counts)
	}
	for _, c := range []struct {
		name                string
		longitude, latitude int32
		country, province   int
	}{
		{"Beijing", 11641, 3990, 1, 1}, {"Changsha", 11294, 2823, 1, 1}, {"Paris", 235, 4886, 1, 0}, {"Chukotka, west of 180 degrees", 17700, 6800, 1, 0},
		{"Chukotka, east of 180 degrees", -17800, 6700, 1, 0}, {"the South Pole", 0, -8950, 1, 0}, {"the Atlantic", -4000, 3000, 0, 0}, {"the Pacific", -15000, 0, 0, 0},
	} {
		var in [2]int
		for _, r := range Rings() {
			if inside(&r, Point{c.longitude, c.latitude}) {
				in[r.Kind]++
			}
		}
		if in[Country] != c.country || in[Province] != c.province {
			t.Errorf("%s is in %d countries and %d provinces, want %d and %d", c.name, in[Country], in[Province], c.country, c.province)
		}
	}
}

// inside reports whether a ring goes around p: a line from p to the east crosses it an odd
// number of times.
func inside(r *Ring, p Point) bool {
	odd := false
	for i, a := range r.Points {
		b := r.Points[(i+1)%len(r.Points)]
		if (a.Latitude > p.Latitude) == (b.Latitude > p.Latitude) {
			continue
		}
		at := float64(a.Longitude) + float64(p.Latitude-a.Latitude)/float64(b.Latitude-a.Latitude)*float64(b.Longitude-a.Longitude)
		if float64(p.Longitude) < at {
			odd = !odd
		}
	}
	return odd
}
