package regions

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"infomall/crawl/guard"
)

// fileBytesMax is the size in bytes of the largest file that Open reads. The file is kept
// in memory. The largest files of MaxMind have some 150 MB.
const fileBytesMax = 256 << 20

// Place is the name of the part that says where an address is, in all detail that the file
// has, such as "China Beijing".
const Place = "place"

// parts are the names of the parts of a region, in the order in which messages list them.
var parts = []string{Place, "code", "country", "region", "city", "network"}

// Parts returns the names of the parts of a region. No file has all of them.
func Parts() []string { return slices.Clone(parts) }

// File is an open file of regions. It does not change, and several goroutines may use it.
type File struct {
	name string // as the caller of Open wrote it
	data table
}

// table is the content of a file of regions.
type table interface {
	// kind returns the name of the format, such as "QQWry".
	kind() string
	// parts returns the names of the parts that the file has.
	parts() []string
	// languages returns the languages of the names in the file. If the file does not say
	// its languages, it returns nil.
	languages() []string
	// find returns a part of the region of the address a, or "" if the file does not know
	// it. language is one of languages, or "" for the usual one of the file. The error says
	// that the file is damaged.
	find(a netip.Addr, part, language string) (string, error)
}

// Open reads the file of regions with this name. It reads the whole file into memory, and
// leaves no file open. A file of another format, a damaged header and a file that is larger
// than 256 MB are errors.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file: write the name of a qqwry.dat or .mmdb file", name)
	case info.Size() > fileBytesMax:
		return nil, fmt.Errorf("%s has %d bytes; a file of regions may have %d", name, info.Size(), fileBytesMax)
	}
	bytes := make([]byte, info.Size())
	if _, err := io.ReadFull(f, bytes); err != nil {
		return nil, err
	}
	data, err := parse(bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &File{name, data}, nil
}

// parse returns the table in the bytes of a file. The table refers to file, which must not change.
func parse(file []byte) (table, error) {
	if isMaxMind(file) {
		return parseMaxMind(file)
	}
	return parseQQWry(file)
}

// Finder returns a function that finds one part of the region of an address: part is one of
// Parts, and language is the language of names, such as "zh-CN", or "" for the usual one of
// the file. A part or a language that the file does not have is an error.
//
// The function returns "" if the file does not know the part, if ip is not an IP address,
// and for an address that is not public, such as 10.0.0.1. Its error says that the file is
// damaged. Several goroutines may call it.
func (f *File) Finder(part, language string) (func(ip string) (string, error), error) {
	if have := f.data.parts(); !slices.Contains(have, part) {
		return nil, fmt.Errorf("%s is a %s file and has no part %q: write %s", f.name, f.data.kind(), part, Listed(have))
	}
	if language != "" {
		have := f.data.languages()
		i := slices.IndexFunc(have, func(l string) bool { return strings.EqualFold(l, language) })
		switch {
		case i >= 0:
			language = have[i]
		case len(have) > 0: // otherwise the file does not say which language its names have
			return nil, fmt.Errorf("%s has no names in the language %q: write %s", f.name, language, Listed(have))
		}
	}
	var mu sync.Mutex
	found := make(map[string]string) // by address
	return func(ip string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if text, ok := found[ip]; ok {
			return text, nil
		}
		a, err := netip.ParseAddr(ip)
		if err != nil || (guard.Guard{}).Check(a) != nil {
			return "", nil
		}
		text, err := f.data.find(a.Unmap().WithZone(""), part, language)
		if err != nil {
			return "", fmt.Errorf("%s is damaged where it describes %s: %w", f.name, ip, err)
		}
		if len(found) == foundMax {
			clear(found)
		}
		found[ip] = text
		return text, nil
	}, nil
}

// foundMax is how many addresses a function of Finder remembers. The same addresses come
// again and again, because a site has few of them.
const foundMax = 4096

// Listed returns the names, of which there is at least one, as messages list them: in quotes,
// with "or" before the last.
func Listed(names []string) string {
	if len(names) == 1 {
		return "'" + names[0] + "'"
	}
	last := len(names) - 1
	return "'" + strings.Join(names[:last], "', '") + "' or '" + names[last] + "'"
}
