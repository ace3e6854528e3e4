package relation

import (
	"context"
	"iter"
	"math"
	"strings"

	"infomall/exec/places"
	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Gazetteer declares the relation gazetteer, which has one row per place that the function
// place and the column places know.
var Gazetteer = list(Relation{
	Name: "gazetteer", Doc: "one place that place(text) and the column places find",
	Columns: []Column{
		textOf("name", "name of the place, in English or as the list of IMPORT FORMAT places has it", func(p *places.Place) string { return p.Name }),
		textOf("chinese", "name in simplified Chinese letters", func(p *places.Place) string { return p.Chinese }),
		textOf("kind", "country (or territory with an ISO code), province, prefecture, county or city, or the kind that the list has", func(p *places.Place) string { return p.Kind }),
		textOf("country", "ISO 3166 code of the country, such as CN", func(p *places.Place) string { return p.Country }),
		floatOrNull("latitude", "degrees north", func(p *places.Place) (float64, bool) { return p.Latitude, !math.IsNaN(p.Latitude) }),
		floatOrNull("longitude", "degrees east", func(p *places.Place) (float64, bool) { return p.Longitude, !math.IsNaN(p.Longitude) }),
		textOf("source", "shipped (with the program) or file (imported with FORMAT places)", func(p *places.Place) string {
			if p.User {
				return "file"
			}
			return "shipped"
		}),
		textOf("variants", "further names of the place, joined by |", func(p *places.Place) string { return strings.Join(p.Variants, "|") }).aside(),
	},
}, (*Reader).gazetteerRows)

func (r *Reader) gazetteerRows(ctx context.Context, _ *Request) iter.Seq2[[]places.Place, error] {
	return paged(func(yield func(*places.Place, error) bool) {
		g, err := Places(ctx, r.Snapshot)
		if err != nil {
			yield(nil, err)
			return
		}
		for p := range g.Places() {
			if !yield(p, nil) {
				return
			}
		}
	})
}

// Places returns the gazetteer of an archive: that of the program, and the places of the list
// that was imported last, if there is one.
func Places(ctx context.Context, snap Snapshot) (*places.Gazetteer, error) {
	results, err := snap.Results(ctx, task.ResultGazetteer)
	if err != nil {
		return nil, err
	}
	var last *task.Result
	for i := range results {
		if x := &results[i]; x.Name == places.ListName && (last == nil || x.Computed >= last.Computed) {
			last = x
		}
	}
	if last == nil {
		return places.Shipped(), nil
	}
	var rows []task.ResultRow
	for row, err := range snap.ResultRows(ctx, *last, nil) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, task.ResultRow{Value: append([]byte(nil), row.Value...)})
	}
	return places.Stored(rows)
}

// namedPlaces computes the column places of the relation versions: the places that the title
// and the main text of a page name.
func namedPlaces(l *LateRow) (value.Value, error) {
	res, err := l.response()
	if err != nil {
		return value.Value{}, err
	}
	b := res.blocks()
	if b == nil {
		return value.Value{}, nil
	}
	if l.reader.gazetteer == nil {
		if l.reader.gazetteer, err = Places(l.ctx, l.reader.Snapshot); err != nil {
			return value.Value{}, err
		}
	}
	var names []string
	host := ""
	if keys, err := l.reader.Snapshot.KeysOf(l.ctx, []record.Ref{res.ref}); err != nil {
		return value.Value{}, err
	} else if len(keys) > 0 {
		host = urlkey.Host(urlkey.URL(keys[0]))
	}
	for _, p := range l.reader.gazetteer.Find(res.about().Title+"\n"+about.MainText(b), host) {
		names = append(names, p.Name)
	}
	return textOrNull(strings.Join(names, ", ")), nil
}
