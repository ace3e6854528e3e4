package regions

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/oschwald/maxminddb-golang/v2"
)

// maxMind is a MaxMind DB file. Besides the files of MaxMind, it reads files of other makers
// whose fields have the same names, with a text in place of the names by language.
type maxMind struct{ db *maxminddb.Reader }

// english is the language of names if no other is asked for, or a place has no name in it.
const english = "en"

// isMaxMind reports whether the file has the mark of a MaxMind DB near its end.
func isMaxMind(file []byte) bool {
	const near = 128 << 10 // by the specification of the format
	return bytes.Contains(file[max(0, len(file)-near):], []byte("\xAB\xCD\xEFMaxMind.com"))
}

// parseMaxMind returns the MaxMind DB file with these bytes.
func parseMaxMind(file []byte) (*maxMind, error) {
	db, err := maxminddb.OpenBytes(file)
	if err != nil {
		return nil, fmt.Errorf("the .mmdb file is damaged: %w", err)
	}
	return &maxMind{db}, nil
}

func (m *maxMind) kind() string        { return m.db.Metadata.DatabaseType }
func (m *maxMind) parts() []string     { return parts }
func (m *maxMind) languages() []string { return m.db.Metadata.Languages }

func (m *maxMind) find(a netip.Addr, part, language string) (string, error) {
	if m.db.Metadata.IPVersion == 4 && a.Is6() {
		return "", nil
	}
	r := finding{m.db.Lookup(a), language}
	if !r.Found() {
		return "", r.Err()
	}
	switch part {
	case "code":
		return r.first([]any{"country_code"}, []any{"country", "iso_code"})
	case "country":
		return r.name("country")
	case "region":
		text, err := r.name("subdivisions", 0)
		if text == "" && err == nil {
			text, err = r.name("region")
		}
		if text == "" && err == nil {
			text, err = r.name("state1")
		}
		return text, err
	case "city":
		return r.name("city")
	case "network":
		return r.first([]any{"isp"}, []any{"traits", "isp"}, []any{"autonomous_system_organization"},
			[]any{"traits", "autonomous_system_organization"}, []any{"as_name"}, []any{"organization"}, []any{"traits", "organization"})
	}
	var names []string
	for _, p := range []string{"country", "region", "city"} {
		text, err := m.find(a, p, language)
		if p == "country" && text == "" && err == nil {
			text, err = m.find(a, "code", "")
		}
		if err != nil {
			return "", err
		}
		if text != "" && !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return strings.Join(names, " "), nil
}

// finding is the record of an address, with the language in which names are wanted.
type finding struct {
	maxminddb.Result
	language string // "" means English
}

// first returns the first text that the record has at one of the paths, or "".
func (f finding) first(paths ...[]any) (string, error) {
	for _, path := range paths {
		var text string
		var other maxminddb.UnmarshalTypeError
		switch err := f.DecodePath(&text, path...); {
		case errors.As(err, &other): // the record has something else there, such as names by language
		case err != nil:
			return "", err
		case text != "":
			return text, nil
		}
	}
	return "", nil
}

// name returns the name at the path. If the path leads to a text, that text is the name.
// Otherwise it leads to names in several languages, and name returns the one in the language of
// f, or the English one if there is none.
func (f finding) name(path ...any) (string, error) {
	if text, err := f.first(path); text != "" || err != nil {
		return text, err
	}
	names := append(slices.Clip(path), "names")
	if f.language != "" && f.language != english {
		if text, err := f.first(append(slices.Clip(names), f.language)); text != "" || err != nil {
			return text, err
		}
	}
	return f.first(append(names, english))
}
