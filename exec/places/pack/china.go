package main

import (
	"strings"
	"unicode/utf8"
)

// provinceOf maps the codes of China's provinces in GeoNames to the first two digits of the
// codes of its division.
var provinceOf = map[string]string{
	"22": "11", "28": "12", "10": "13", "24": "14", "20": "15", "19": "21", "05": "22", "08": "23", "23": "31", "04": "32",
	"02": "33", "01": "34", "07": "35", "03": "36", "25": "37", "09": "41", "12": "42", "11": "43", "30": "44", "16": "45",
	"31": "46", "33": "50", "32": "51", "18": "52", "29": "53", "14": "54", "26": "61", "15": "62", "06": "63", "21": "64", "13": "65",
}

// capitals has the capital of each province of China, as GeoNames writes it.
var capitals = map[string]string{
	"11": "Beijing", "12": "Tianjin", "13": "Shijiazhuang", "14": "Taiyuan", "15": "Hohhot", "21": "Shenyang", "22": "Changchun", "23": "Harbin",
	"31": "Shanghai", "32": "Nanjing", "33": "Hangzhou", "34": "Hefei", "35": "Fuzhou", "36": "Nanchang", "37": "Jinan", "41": "Zhengzhou",
	"42": "Wuhan", "43": "Changsha", "44": "Guangzhou", "45": "Nanning", "46": "Haikou", "50": "Chongqing", "51": "Chengdu", "52": "Guiyang",
	"53": "Kunming", "54": "Lhasa", "61": "Xi'an", "62": "Lanzhou", "63": "Xining", "64": "Yinchuan", "65": "Ürümqi",
}

// china adds the provinces, prefectures and counties of China. A prefecture or county gets the
// position of the city of the same name that GeoNames has in the province. Without such a city it
// gets the position of the prefecture or province that contains it.
func (m *maker) china() {
	adminOf := map[string]string{}
	for admin, code := range provinceOf {
		adminOf[code] = admin
	}
	by := map[string]*place{}
	lines("china.tsv", 5, func(l []string) {
		code, full, short, english := l[0], l[1], l[2], l[3]
		admin := adminOf[code[:2]]
		p := m.add(&place{name: english, chinese: short, country: "CN", region: "CN-" + code[:2]})
		by[code] = p
		p.named(strings.Split(l[4], "|")...)
		p.named(full)
		names := append([]string{english}, strings.Split(l[4], "|")...)
		switch len(code) {
		case 2:
			p.kind = "province"
			c := m.largest(capitals[code], "CN", admin)
			p.latitude, p.longitude = c.latitude, c.longitude
			for _, c := range m.cities {
				if c.country == "CN" && c.admin == admin {
					p.population += c.population
				}
			}
			if strings.HasSuffix(full, "市") {
				p.city, c.place = c, p
			}
			return
		case 4:
			p.kind = "prefecture"
		default:
			p.kind = "county"
			// Of a county only the full name is sure; the short name is often a word, or the
			// name of another place.
			p.chinese = full
			p.variants = nil
			if utf8.RuneCountInString(short) > 1 {
				p.named(short)
			}
			switch {
			case strings.HasSuffix(full, "县"):
				p.name += " County"
			case strings.HasSuffix(full, "旗"):
				p.name += " Banner"
			}
		}
		for _, n := range names {
			if n == "" {
				continue
			}
			if c := m.largest(n, "CN", admin); c != nil && c.place == nil {
				p.latitude, p.longitude = c.latitude, c.longitude
				if p.kind != "county" || !strings.Contains(p.name, " ") {
					p.population, p.city, c.place = c.population, c, p
				}
				return
			}
		}
		for _, up := range []string{code[:4], code[:2]} {
			if u := by[up]; u != nil && u != p {
				p.latitude, p.longitude = u.latitude, u.longitude
				return
			}
		}
	})
}
