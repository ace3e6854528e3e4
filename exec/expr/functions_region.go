package expr

import (
	"fmt"
	"slices"
	"strings"

	"infomall/exec/regions"
	"infomall/exec/value"
)

// regionFunctions declares the function that finds the region of an IP address.
var regionFunctions = []Function{
	{Name: "ip_region", Example: "ip_region(ip) FROM captures", Doc: "The place of an IP address, by the file of the setting regions: as a QQWry file has it, or the country, region and city of a MaxMind file. part is place, code, country, region, city or network; language is that of a MaxMind file, such as 'zh-CN'. NULL if the file does not know it, and for addresses that are not public.",
		params: []param{{"ip", textKind}, {"part", textKind}, {"language", textKind}}, min: 1, stored: true,
		result: value.Text, prepare: prepareRegion},
}

// prepareRegion returns the code of the function ip_region for one query. It returns an error if
// there is no file of regions, or the file does not have the requested part or language, because
// the query would then have NULL in each row.
func prepareRegion(env *Env, args []Expr) (applier, error) {
	part, language := regions.Place, ""
	for i, to := range []*string{&part, &language} {
		if i+1 >= len(args) {
			break
		}
		text, ok := constantText(args, i+1)
		if !ok {
			return nil, fmt.Errorf("the %s is the same for all rows: write it in quotes", []string{"part", "language"}[i])
		}
		*to = text
	}
	part = strings.ToLower(part)
	if !slices.Contains(regions.Parts(), part) {
		return nil, fmt.Errorf("there is no part %q: write %s", part, regions.Listed(regions.Parts()))
	}
	if env == nil || env.Regions == nil {
		return nil, fmt.Errorf("there is no file of regions: write SET regions = 'qqwry.dat', or the name of a .mmdb file")
	}
	find, err := env.Regions.Finder(part, language)
	if err != nil {
		return nil, err
	}
	return func(_ *Env, a []value.Value) (value.Value, error) {
		text, err := find(a[0].Text)
		if text == "" || err != nil {
			return value.Value{}, err
		}
		return value.OfText(text), nil
	}, nil
}
