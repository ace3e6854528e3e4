//go:build ignore

// Command maketable writes outlines.table from two TopoJSON files, which are not part of
// this repository: countries and the provinces of China. See the package comment.
//
//	go run maketable.go countries-50m.json chn.topo.json
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// topology is the content of a TopoJSON file. It has lines called arcs, and objects such as
// countries that refer to arcs. Neighbours share the arc of their border.
type topology struct {
	Arcs      [][][2]float64
	Transform struct{ Scale, Translate [2]float64 }
	Objects   map[string]struct{ Geometries []geometry }
}

type geometry struct {
	Type string
	Arcs json.RawMessage
}

// The tolerances are in degrees: how far a simplified outline may lie from the full one.
const (
	countryTolerance  = 0.07
	provinceTolerance = 0.05
)

func main() {
	if len(os.Args) != 3 {
		fail("give the file of countries and the file of provinces")
	}
	out := add(nil, 0, os.Args[1], "countries", countryTolerance)
	out = add(out, 1, os.Args[2], "chn", provinceTolerance)
	if err := os.WriteFile("outlines.table", out, 0o666); err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "maketable:", why)
	os.Exit(1)
}

// add appends to out the rings of this kind in the TopoJSON file name, with fewer points as
// tolerance allows, and returns the result. object is the object of the file to take.
func add(out []byte, kind byte, name, object string, tolerance float64) []byte {
	text, err := os.ReadFile(name)
	if err != nil {
		fail(err)
	}
	var t topology
	if err := json.Unmarshal(text, &t); err != nil {
		fail(err)
	}
	arcs := make([][][2]float64, len(t.Arcs))
	for i, arc := range t.Arcs {
		var at [2]float64
		for _, step := range arc {
			at[0], at[1] = at[0]+step[0], at[1]+step[1]
			arcs[i] = append(arcs[i], [2]float64{at[0]*t.Transform.Scale[0] + t.Transform.Translate[0], at[1]*t.Transform.Scale[1] + t.Transform.Translate[1]})
		}
		arcs[i] = simple(arcs[i], tolerance)
	}
	rings, points := 0, 0
	for _, g := range t.Objects[object].Geometries {
		for _, ring := range g.rings() {
			var line [][2]float64
			for _, a := range ring {
				part := arcs[max(a, ^a)]
				if a < 0 {
					part = reversed(part)
				}
				line = append(line, part...)
			}
			for _, line := range onMap(line) {
				if packed, count := pack(kind, line); count >= 4 {
					out = append(out, packed...)
					rings, points = rings+1, points+count
				}
			}
		}
	}
	fmt.Println(name, rings, "rings", points, "points", len(out), "bytes")
	return out
}

// rings returns the rings of one or several polygons, each as a list of indexes of arcs.
func (g *geometry) rings() (list [][]int) {
	switch g.Type {
	case "Polygon":
		if err := json.Unmarshal(g.Arcs, &list); err != nil {
			fail(err)
		}
	case "MultiPolygon":
		var polygons [][][]int
		if err := json.Unmarshal(g.Arcs, &polygons); err != nil {
			fail(err)
		}
		for _, p := range polygons {
			list = append(list, p...)
		}
	}
	return list
}

// onMap returns a ring as it lies on a flat map from 180 degrees west to 180 degrees east. A
// ring across that meridian is there twice: it goes beyond the eastern and the western edge.
// A ring around the south pole goes down to the lower edge.
func onMap(line [][2]float64) [][][2]float64 {
	flat := [][2]float64{line[0]}
	west, east := line[0][0], line[0][0]
	for i := 1; i < len(line); i++ {
		at := line[i]
		at[0] += 360 * math.Round((flat[i-1][0]-at[0])/360)
		flat = append(flat, at)
		west, east = min(west, at[0]), max(east, at[0])
	}
	if first, last := flat[0][0], flat[len(flat)-1][0]; math.Abs(first-last) > 180 {
		return [][][2]float64{append(flat, [2]float64{last, -90}, [2]float64{first, -90})}
	}
	list := [][][2]float64{flat}
	for _, shift := range []float64{-360, 360} {
		if west+shift < 180 && east+shift > -180 && (west < -180 || east > 180) {
			var copied [][2]float64
			for _, at := range flat {
				copied = append(copied, [2]float64{at[0] + shift, at[1]})
			}
			list = append(list, copied)
		}
	}
	return list
}

func reversed(line [][2]float64) [][2]float64 {
	out := make([][2]float64, 0, len(line))
	for i := len(line) - 1; i >= 0; i-- {
		out = append(out, line[i])
	}
	return out
}

// simple returns the line with fewer points, by the method of Douglas and Peucker.
func simple(line [][2]float64, tolerance float64) [][2]float64 {
	if len(line) < 3 {
		return line
	}
	first, last := line[0], line[len(line)-1]
	far, at := 0.0, 0
	for i := 1; i < len(line)-1; i++ {
		if d := distance(line[i], first, last); d > far {
			far, at = d, i
		}
	}
	if far <= tolerance {
		return [][2]float64{first, last}
	}
	left := simple(line[:at+1], tolerance)
	return append(left[:len(left)-1:len(left)-1], simple(line[at:], tolerance)...)
}

// distance returns how far p is from the segment between a and b.
func distance(p, a, b [2]float64) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = min(1, max(0, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/l))
	}
	return math.Hypot(p[0]-a[0]-t*dx, p[1]-a[1]-t*dy)
}

// pack returns a ring in the form of the table, and how many points it has. Points that
// round to the same hundredths are one.
func pack(kind byte, line [][2]float64) ([]byte, int) {
	var body []byte
	count := 0
	var before [2]int64
	for _, p := range line {
		at := [2]int64{int64(math.Round(p[0] * 100)), int64(math.Round(p[1] * 100))}
		if count > 0 && at == before {
			continue
		}
		body = binary.AppendVarint(body, at[0]-before[0])
		body = binary.AppendVarint(body, at[1]-before[1])
		before = at
		count++
	}
	return append(binary.AppendUvarint([]byte{kind}, uint64(count)), body...), count
}
