package places

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./pack node_modules

//go:embed places.table
var shippedTable string

// Shipped returns the gazetteer of the places that the program knows. The caller must not change
// it. The first call reads the table of places, which takes some milliseconds.
func Shipped() *Gazetteer { return shipped() }

var shipped = sync.OnceValue(func() *Gazetteer { return newGazetteer(readTable(shippedTable)) })

// readTable returns the places of the table that the program in the folder pack writes.
func readTable(table string) []Place {
	places := make([]Place, 0, strings.Count(table, "\n"))
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		const columns = 9
		if len(c) != columns {
			panic(fmt.Sprintf("places: places.table: this line does not have 9 columns: %q", line))
		}
		p := Place{Name: c[0], Chinese: c[1], Kind: c[2], Country: c[3], region: c[4], Latitude: number(c[5]), Longitude: number(c[6]), population: int64(number(c[7]))}
		if c[8] != "" {
			p.Variants = strings.Split(c[8], "|")
		}
		places = append(places, p)
	}
	return places
}

// number returns the number that a field of the table has.
func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(fmt.Sprintf("places: places.table: %v", err))
	}
	return x
}
