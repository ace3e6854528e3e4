package draw

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/draw/outlines"
	"infomall/exec/value"
	"infomall/lang/cells"
)

// The measures of a map and of its markers.
const (
	mapWidth     = 960       // pixels
	mapHeightMax = 560       // pixels
	mapSpanMin   = 24        // the least degrees of longitude that a map shows
	mapMargin    = .15       // room on each side of the outermost places, as a share of the map
	provinceSpan = 100       // a map that shows more degrees of longitude shows no provinces
	pixelsMin    = .8        // the least distance of two points of an outline
	markerMin    = 4.0       // the least radius of a marker, in pixels
	markerMax    = 22.0      // the greatest radius of a marker, in pixels
	labelsMax    = 12        // the most markers with a name beside them
	hundredths   = 1.0 / 100 // in degrees: the unit in which outlines are given
)

// worldMap is a map with markers in the form that the HTML template takes.
type worldMap struct {
	Width, Height        int
	Countries, Provinces string // paths of SVG
	Markers              []*marker
	Missing              string // names of places that are not on the map, joined by ", "
}

// marker is a place on a map.
type marker struct {
	X, Y, R float64
	Name    string
	Says    string // text that appears when the reader points at the marker
	To      string // id of the HTML element of the largest event, to which the marker links
	Label   bool   // the name stands beside the marker
	Left    bool   // the name stands on the left
}

// LabelX returns the x coordinate at which the name begins, or at which it ends if it is to
// the left of the marker.
func (m *marker) LabelX() float64 {
	if m.Left {
		return m.X - m.R - 3
	}
	return m.X + m.R + 3
}

// placed is a place that events name, with its position on the earth.
type placed struct {
	name                string
	latitude, longitude float64
	reports             int64 // of the events that name the place
	events              int
	first               string // name of the event with the most reports
	firstReports        int64
}

// newMap returns a map with the places of events. locate returns where a place is, or NaN for
// coordinates that it does not have. If it has those of none of the places, newMap returns nil.
func newMap(events []Event, locate func(string) (latitude, longitude float64, ok bool)) *worldMap {
	if locate == nil {
		return nil
	}
	places := map[string]*placed{}
	missing := map[string]bool{}
	for i := range events {
		e := &events[i]
		for name := range strings.SplitSeq(e.Places, ", ") {
			if name == "" {
				continue
			}
			p := places[name]
			if p == nil {
				latitude, longitude, ok := locate(name)
				if !ok || math.IsNaN(latitude) || math.IsNaN(longitude) {
					missing[name] = true
					continue
				}
				p = &placed{name: name, latitude: latitude, longitude: longitude}
				places[name] = p
			}
			p.events++
			p.reports += e.Reports
			if p.first == "" || e.Reports > p.firstReports {
				p.first, p.firstReports = e.Name, e.Reports
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	list := slices.SortedFunc(maps.Values(places), func(a, b *placed) int {
		return cmp.Or(cmp.Compare(b.reports, a.reports), strings.Compare(a.name, b.name))
	})
	m := &worldMap{Width: mapWidth, Missing: strings.Join(slices.Sorted(maps.Keys(missing)), ", ")}
	f := frameOf(list)
	m.Height = int(math.Round(f.height * f.scale))
	m.Countries = f.path(outlines.Country)
	if f.width <= provinceSpan {
		m.Provinces = f.path(outlines.Province)
	}
	for i, p := range list {
		x, y := f.at(p.longitude, p.latitude)
		share := float64(p.reports) / float64(max(list[0].reports, 1))
		mark := &marker{
			X: x, Y: y, R: markerMin + (markerMax-markerMin)*math.Sqrt(share), Name: p.name, To: eventID(p.first),
			Says: p.name + ": " + value.Counted(p.events, "event") + ", " + value.Counted(p.reports, "report"),
			Left: x > mapWidth*.88,
		}
		mark.Label = i < labelsMax && !slices.ContainsFunc(m.Markers, mark.covers)
		m.Markers = append(m.Markers, mark)
	}
	return m
}

// nameHeight and nameCell are the height of a name on a map and the width of one cell of it,
// in pixels. They are for a narrow screen, which shows larger letters.
const nameHeight, nameCell = 24, 12

// covers reports whether the name beside m would overlap the name beside the other marker.
func (m *marker) covers(other *marker) bool {
	from, to := m.span()
	otherFrom, otherTo := other.span()
	return other.Label && math.Abs(m.Y-other.Y) < nameHeight && from < otherTo && otherFrom < to
}

// span returns the x coordinates of both ends of the marker's name.
func (m *marker) span() (from, to float64) {
	width := float64(cells.Width(m.Name) * nameCell)
	if m.Left {
		return m.LabelX() - width, m.LabelX()
	}
	return m.LabelX(), m.LabelX() + width
}

// frame is the part of the earth that a map shows. On the map, a degree of longitude is as
// wide as squeeze degrees of latitude are high.
type frame struct {
	west, north   float64 // degrees
	width, height float64 // degrees of longitude; degrees of latitude, divided by squeeze
	squeeze       float64
	scale         float64 // pixels of a degree of longitude
}

// frameOf returns a frame that contains all the places.
func frameOf(list []*placed) frame {
	west, east, south, north := 180.0, -180.0, 90.0, -90.0
	for _, p := range list {
		west, east = min(west, p.longitude), max(east, p.longitude)
		south, north = min(south, p.latitude), max(north, p.latitude)
	}
	middle := (south + north) / 2
	f := frame{squeeze: max(.35, math.Cos(middle*math.Pi/180))}
	const share = float64(mapHeightMax) / mapWidth
	f.width = max((east-west)/(1-2*mapMargin), mapSpanMin, (north-south)/f.squeeze/(1-2*mapMargin)/share)
	f.width = min(f.width, 360)
	f.height = min(f.width*share, 180/f.squeeze)
	f.west = min(max((west+east)/2-f.width/2, -180), 180-f.width)
	f.north = max(min(middle+f.height*f.squeeze/2, 90), -90+f.height*f.squeeze)
	f.scale = mapWidth / f.width
	return f
}

// at returns the position on the map, in pixels, of a point given in degrees.
func (f *frame) at(longitude, latitude float64) (x, y float64) {
	return (longitude - f.west) * f.scale, (f.north - latitude) / f.squeeze * f.scale
}

// path returns the outlines of this kind as the path of an SVG image, with coordinates
// relative to the point before. Rings outside of the frame and rings smaller than a pixel
// are left out.
func (f *frame) path(kind outlines.Kind) string {
	var b strings.Builder
	east, south := f.west+f.width, f.north-f.height*f.squeeze
	for _, r := range outlines.Rings() {
		if r.Kind != kind || float64(r.East)*hundredths < f.west || float64(r.West)*hundredths > east || float64(r.North)*hundredths < south || float64(r.South)*hundredths > f.north {
			continue
		}
		if float64(max(r.East-r.West, r.North-r.South))*hundredths*f.scale < 1.5 {
			continue
		}
		var before [2]int // in tenths of a pixel
		for i, p := range r.Points {
			x, y := f.at(float64(p.Longitude)*hundredths, float64(p.Latitude)*hundredths)
			// Far outside of the frame, nobody sees where a point is.
			x, y = min(max(x, -mapWidth), 2*mapWidth), min(max(y, -mapWidth), 2*mapWidth)
			at := [2]int{int(math.Round(x * 10)), int(math.Round(y * 10))}
			step := [2]int{at[0] - before[0], at[1] - before[1]}
			switch {
			case i == 0:
				b.WriteByte('M')
			case math.Hypot(float64(step[0]), float64(step[1])) < pixelsMin*10:
				continue
			default:
				b.WriteByte('l')
			}
			for k, n := range step {
				if i == 0 {
					n = at[k]
				}
				if k > 0 && n >= 0 {
					b.WriteByte(' ')
				}
				b.WriteString(strconv.FormatFloat(float64(n)/10, 'f', -1, 64))
			}
			before = at
		}
		b.WriteByte('Z')
	}
	return b.String()
}
