package result

import (
	"context"
	"iter"
	"math"
	"strings"

	"infomall/exec/places"
	"infomall/exec/relation"
)

// Gazetteer declares the relation gazetteer, which has one row per place that the function
// place and the column places know.
var Gazetteer = relation.List(relation.Relation{
	Name: "gazetteer", Doc: "one place that place(text) and the column places find",
	Columns: []relation.Column{
		relation.TextOf("name", "name of the place, in English or as the list of IMPORT FORMAT places has it", func(p *places.Place) string { return p.Name }),
		relation.TextOf("chinese", "name in simplified Chinese letters", func(p *places.Place) string { return p.Chinese }),
		relation.TextOf("kind", "country (or territory with an ISO code), province, prefecture, county or city, or the kind that the list has", func(p *places.Place) string { return p.Kind }),
		relation.TextOf("country", "ISO 3166 code of the country, such as CN", func(p *places.Place) string { return p.Country }),
		relation.FloatOrNull("latitude", "degrees north", func(p *places.Place) (float64, bool) { return p.Latitude, !math.IsNaN(p.Latitude) }),
		relation.FloatOrNull("longitude", "degrees east", func(p *places.Place) (float64, bool) { return p.Longitude, !math.IsNaN(p.Longitude) }),
		relation.TextOf("source", "shipped (with the program) or file (imported with FORMAT places)", func(p *places.Place) string {
			if p.User {
				return "file"
			}
			return "shipped"
		}),
		relation.TextOf("variants", "further names of the place, joined by |", func(p *places.Place) string { return strings.Join(p.Variants, "|") }).OnRequest(),
	},
}, gazetteerRows)

func gazetteerRows(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]places.Place, error] {
	return relation.Paged(func(yield func(*places.Place, error) bool) {
		g, err := relation.Places(ctx, r.Snapshot)
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
