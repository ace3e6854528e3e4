package main

import (
	"math"
	"slices"
	"strings"
)

// languages are the languages in which the table has names of countries and of cities with
// a time zone. "en" comes first. Languages of Latin letters in which names of places are
// often words of other languages are not among them.
var languages = []string{"en", "zh", "zh-Hant", "de", "fr", "es", "it", "pt", "nl", "ru", "ja", "ko", "sv", "pl"}

// oldNames are names of countries that CLDR no longer has, by code.
var oldNames = map[string]string{
	"GB": "Great Britain|Britain|United Kingdom|Großbritannien|Grande-Bretagne|Gran Bretaña|Gran Bretagna|英国|大不列颠", "US": "USA|United States of America|U.S.|U.S.A.|Vereinigte Staaten|Estados Unidos de América|EE.UU.|美利坚合众国|美国",
	"NL": "Holland|荷兰", "CZ": "Tschechische Republik|République tchèque|Czech Republic", "MM": "Burma|Birma|Birmanie|Birmania", "SZ": "Swaziland|Swasiland",
	"MK": "Macedonia|Mazedonien|Macédoine|马其顿", "KR": "South Korea|Südkorea|Corée du Sud|Corea del Sur|韩国|大韩民国|南韩", "KP": "North Korea|Nordkorea|Corée du Nord|Corea del Norte|朝鲜|北朝鲜|北韩",
	"RU": "Russian Federation|Russische Föderation|俄罗斯联邦|俄国", "CN": "People's Republic of China|Volksrepublik China|中华人民共和国|中國大陸", "DE": "Bundesrepublik Deutschland|Federal Republic of Germany|德意志联邦共和国|西德|东德",
	"TR": "Turkey", "CI": "Ivory Coast|Elfenbeinküste|科特迪瓦", "CV": "Cape Verde", "IR": "伊朗", "VN": "Viet Nam", "AE": "UAE|阿联酋", "LA": "Laos", "SY": "Syria", "BY": "Weißrussland", "TW": "中国台湾|臺灣|台湾地区|台湾省",
	"HK": "香港特别行政区|中国香港|Hongkong|香港特区", "MO": "澳门特别行政区|中国澳门|Macau|澳门特区", "AU": "澳洲", "NZ": "纽西兰", "IT": "义大利", "SA": "沙特|沙乌地阿拉伯", "YU": "", "CD": "Zaire|DR Congo|DRC", "TL": "East Timor|Osttimor",
}

// regionOf maps the countries that stand for provinces of China's division to their codes.
var regionOf = map[string]string{"HK": "CN-81", "MO": "CN-82", "TW": "CN-71"}

// countries adds the countries and territories that have a code of ISO 3166.
func (m *maker) countries() {
	centres := m.centres()
	by := map[string]*place{}
	for _, language := range languages {
		var file struct {
			Main map[string]struct {
				LocaleDisplayNames struct{ Territories map[string]string }
			}
		}
		m.json(&file, "cldr-localenames-full", "main", language, "territories.json")
		names := file.Main[language].LocaleDisplayNames.Territories
		keys := make([]string, 0, len(names))
		for k := range names {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			code, alt, _ := strings.Cut(k, "-alt-")
			if len(code) != 2 || strings.Contains("AC AQ BV CP CQ DG EA EU EZ HM IC QO TA UM UN XA XB ZZ", code) {
				continue
			}
			p := by[code]
			if p == nil {
				p = m.add(&place{name: strings.ReplaceAll(names[k], "’", "'"), kind: "country", country: code, region: regionOf[code]})
				by[code] = p
			}
			name := strings.ReplaceAll(names[k], "’", "'")
			switch {
			case language == "en" && alt == "short" && len(name) > 2:
				p.named(p.name)
				old := p.name
				p.name = name
				p.named(old)
			case language == "zh" && alt == "" || language == "zh" && alt == "short":
				if p.chinese != "" {
					p.named(p.chinese)
				}
				p.chinese = name
			default:
				p.named(name)
			}
		}
	}
	for _, p := range m.places {
		p.name = strings.NewReplacer(" & ", " and ", "St. ", "St. ").Replace(p.name)
		switch p.country {
		case "TR":
			p.named("Türkiye")
			p.name = "Turkey"
		case "CD":
			p.name = "Congo (Kinshasa)"
		case "CG":
			p.name = "Congo (Brazzaville)"
			p.named("Congo")
		case "CI":
			p.name = "Ivory Coast"
			p.named("Côte d'Ivoire")
		case "PS":
			p.name, p.chinese = "Palestine", "巴勒斯坦"
		case "US":
			p.named("US", "America", "Amerika")
		case "GB":
			p.named("UK")
		}
		p.named(strings.Split(oldNames[p.country], "|")...)
		p.variants = slices.DeleteFunc(p.variants, func(n string) bool { return n == p.name || n == p.chinese })
		if c, ok := centres[p.country]; ok {
			p.latitude, p.longitude = c[0], c[1]
		} else if c := m.capital(p.country); c != nil {
			p.latitude, p.longitude = c.latitude, c.longitude
		}
		for _, c := range m.cities {
			if c.country == p.country {
				p.population += c.population
			}
		}
	}
}

// capital returns the capital of a country, or its largest city, or nil.
func (m *maker) capital(country string) *city {
	var best *city
	for _, c := range m.cities {
		if c.country != country {
			continue
		}
		if c.code == "PPLC" {
			return c
		}
		if best == nil || c.population > best.population {
			best = c
		}
	}
	return best
}

// centres returns the latitude and longitude of the centre of the largest part of each
// country, from the outlines of Natural Earth, by code.
func (m *maker) centres() map[string][2]float64 {
	var codes struct {
		Supplemental struct {
			CodeMappings map[string]map[string]string
		}
	}
	m.json(&codes, "cldr-core", "supplemental", "codeMappings.json")
	byNumber := map[string]string{}
	for code, c := range codes.Supplemental.CodeMappings {
		if len(code) == 2 && c["_numeric"] != "" {
			byNumber[c["_numeric"]] = code
		}
	}
	type shape struct {
		Type string
		ID   string
		Arcs any
	}
	var world struct {
		Objects struct {
			Countries struct{ Geometries []shape }
		}
		Arcs      [][][2]float64
		Transform struct{ Scale, Translate [2]float64 }
	}
	m.json(&world, "world-atlas", "countries-50m.json")
	for _, arc := range world.Arcs {
		var x, y float64
		for i := range arc {
			x, y = x+arc[i][0], y+arc[i][1]
			arc[i] = [2]float64{x*world.Transform.Scale[0] + world.Transform.Translate[0], y*world.Transform.Scale[1] + world.Transform.Translate[1]}
		}
	}
	ring := func(arcs []any) (points [][2]float64) {
		for _, a := range arcs {
			n := int(a.(float64))
			if n >= 0 {
				points = append(points, world.Arcs[n]...)
				continue
			}
			for i := range slices.Backward(world.Arcs[^n]) {
				points = append(points, world.Arcs[^n][i])
			}
		}
		return points
	}
	out := map[string][2]float64{}
	for _, g := range world.Objects.Countries.Geometries {
		code := byNumber[g.ID]
		if code == "" || g.Arcs == nil {
			continue
		}
		parts := g.Arcs.([]any)
		if g.Type == "Polygon" {
			parts = []any{parts}
		}
		most := 0.0
		for _, p := range parts {
			area, lat, lon := centre(ring(p.([]any)[0].([]any)))
			if area > most {
				most = area
				out[code] = [2]float64{lat, lon}
			}
		}
	}
	return out
}

// centre returns a number in proportion to the area that a ring of points (longitude, latitude)
// has on the globe, and the place of its centre.
func centre(ring [][2]float64) (area, latitude, longitude float64) {
	var x, y float64
	for i := range ring {
		a, b := ring[i], ring[(i+1)%len(ring)]
		cross := a[0]*b[1] - b[0]*a[1]
		area += cross
		x += (a[0] + b[0]) * cross
		y += (a[1] + b[1]) * cross
	}
	if area == 0 {
		return 0, 0, 0
	}
	latitude, longitude = y/(3*area), x/(3*area)
	if longitude > 180 {
		longitude -= 360 // Russia goes beyond
	}
	return math.Abs(area) * math.Cos(latitude*math.Pi/180), latitude, longitude
}
