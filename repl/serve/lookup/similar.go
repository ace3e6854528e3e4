package lookup

import (
	"context"
	"strings"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// similarMax is how many URLs of a path are compared with a URL that was never
// captured.
const similarMax = 2000

// Similar returns a captured URL that differs from the canonical URL url only in
// arguments of the query that change with each visit, such as _=1718000000000. It
// returns "" if there is none.
func Similar(ctx context.Context, snap relation.Snapshot, url string) (string, error) {
	path, query, ok := strings.Cut(url, "?")
	if !ok || query == "" {
		return "", nil
	}
	key := urlkey.Key(path)
	host := urlkey.HostPrefix(key)
	if host == 0 {
		return "", nil
	}
	within, ok := urlkey.PrefixRange(path)
	if !ok {
		return "", nil
	}
	wanted := lasting(query)
	compared := 0
	for b, err := range snap.Scan(ctx, record.Scan{Ranges: []urlkey.Range{within}, From: record.MinTime, To: record.MaxTime + 1, Once: true}) {
		if err != nil {
			return "", err
		}
		for _, u := range b.URLs()[:b.N] {
			if compared++; compared > similarMax {
				return "", nil
			}
			p, q, _ := strings.Cut(u, "?")
			if p == path && lasting(q) == wanted {
				return u, nil
			}
		}
	}
	return "", nil
}

// lasting returns the arguments of a query without those that change with each
// visit.
func lasting(query string) string {
	var kept []string
	for _, arg := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(arg, "=")
		switch strings.ToLower(name) {
		case "_", "cb", "callback", "jsonp", "nocache", "cachebuster", "rand", "random", "timestamp", "ts":
			continue
		}
		if isStamp(name) && value == "" || isStamp(value) {
			continue
		}
		kept = append(kept, arg)
	}
	return strings.Join(kept, "&")
}

// isStamp reports whether text looks like a time in seconds or milliseconds since
// 1970, or like a random fraction.
func isStamp(text string) bool {
	if digits, ok := strings.CutPrefix(text, "0."); ok && len(digits) >= 8 {
		return strings.Trim(digits, "0123456789") == ""
	}
	return (len(text) == 10 || len(text) == 13) && text[0] == '1' && strings.Trim(text, "0123456789") == ""
}
