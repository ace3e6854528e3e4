// Package places finds the names of places in texts, with a gazetteer: a list of places with
// their names in several languages and scripts.
//
// # Words
//
//	name     one of the names of a place; several places may have the same name
//	mention  a part of a text that is a name, unless the words around it say that it means
//	         something else, such as a newspaper, a club or a person
//	strong   a name that is a mention wherever it stands, such as Germany, 北京 or Shanghai
//	medium   a name that also means other things, such as Münster: it counts if the word
//	         before it says so (in Münster), or if the page names other places of its country
//	weak     a name that is a usual word or surname, such as Reading or 白银: it counts only
//	         if the words around it say so
//
// The table of the program, places.table, is made by the program in the folder pack. NOTICE
// names the sources and their licences.
package places

// Place is one place of a gazetteer.
type Place struct {
	Name      string   // in English, or as the user's list has it
	Chinese   string   // in simplified Chinese letters; "" if not known
	Kind      string   // country, province, prefecture, county or city; in a user's list, any word or ""
	Country   string   // ISO 3166 code of two letters; "" if not known
	Latitude  float64  // in degrees; NaN if not known
	Longitude float64  // in degrees; NaN if not known
	Variants  []string // further names
	User      bool     // the place comes from a user's list

	region     string // code of the province, such as CN-51; "" if not known
	population int64
}

// Find returns the places that a text names, in the order of their first mention, each once.
// Of places with the same name it takes the one that fits the text's other places and host
// best. host is the host of the page, or "". The time that Find takes is linear in the
// length of the text, and its memory does not depend on it.
func (g *Gazetteer) Find(text, host string) []*Place {
	found := g.find(text, host)
	out := make([]*Place, len(found))
	for i := range found {
		out[i] = found[i].place
	}
	return out
}

// Main returns the place that a text mentions most often, of several the first, or nil if
// the text mentions none. host is the host of the page, or "".
func (g *Gazetteer) Main(text, host string) *Place {
	var best *found
	all := g.find(text, host)
	for i := range all {
		if best == nil || all[i].mentions > best.mentions {
			best = &all[i]
		}
	}
	if best == nil {
		return nil
	}
	return best.place
}
