package main

import (
	"fmt"
	"os"
	"strings"
)

// regions adds the regions of countries other than China.
func (m *maker) regions() {
	lines("regions.tsv", 6, func(l []string) {
		p := m.add(&place{name: l[2], kind: "province", country: l[0], region: l[0] + "-" + l[1], chinese: l[4]})
		p.named(strings.Split(l[5], "|")...)
		c := m.largest(l[3], l[0], l[1])
		if c == nil {
			fmt.Fprintln(os.Stderr, "pack: regions.tsv: no city", l[3], "in", l[0], l[1])
			return
		}
		p.latitude, p.longitude = c.latitude, c.longitude
		for _, c := range m.cities {
			if c.country == l[0] && c.admin == l[1] {
				p.population += c.population
			}
		}
	})
}
