package crawl

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Bounds of a URL, beyond which it is taken for a trap.
const (
	urlMax    = 4096 // bytes
	depthMax  = 20   // segments of the path
	repeatMax = 2    // times that a segment may stand in the path
)

// rules decide about URLs before they are queued.
type rules struct {
	within, exclude scopes
	excludeMatch    []*regexp.Regexp
	files           *folders
}

// newRules makes the rules of a crawl, whose folders the caller closes.
func newRules(o *record.CrawlOptions) (r *rules, err error) {
	r = &rules{within: newScopes(o.Within), exclude: newScopes(o.Exclude), excludeMatch: o.ExcludeMatch}
	if r.files, err = openFolders(o.Seeds); err != nil || len(o.Within) > 0 {
		return r, err
	}
	var hosts []urlkey.Scope
	for _, s := range o.Seeds {
		if !isHTTP(s) {
			continue
		}
		scope, err := urlkey.ParseScope(urlkey.Host(s))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("seed %s: %w", s, err), r.files.close())
		}
		hosts = append(hosts, scope)
	}
	r.within = newScopes(hosts)
	return r, nil
}

// Refuses says why a crawl would leave a canonical URL out whatever led to it; ""
// if it would not.
func Refuses(o record.CrawlOptions, url string) (why string, err error) {
	r, err := newRules(&o)
	if err != nil {
		return "", err
	}
	return r.refuse(url, false), r.files.close()
}

// refuse says why a canonical URL is not to be fetched; "" if it is.
// Requisites of a page may lie elsewhere.
func (r *rules) refuse(u string, requisite bool) string {
	if why := trap(u); why != "" {
		return why
	}
	key := urlkey.Key(u)
	if strings.HasPrefix(u, fileScheme) {
		if _, _, ok := r.files.find(u); !ok {
			return "outside of the seeds' folders"
		}
	} else if !requisite && !r.within.contain(key) {
		return "outside of what the crawl is within"
	}
	if r.exclude.contain(key) {
		return "excluded"
	}
	for _, re := range r.excludeMatch {
		if re.MatchString(u) {
			return "excluded by ~'" + re.String() + "'"
		}
	}
	return ""
}

// scopes are any number of scopes: a crawl may have a seed on each of many
// thousand hosts.
type scopes struct {
	ranges []urlkey.Range // sorted and disjoint
	others []urlkey.Scope // that hold less than their ranges
}

func newScopes(list []urlkey.Scope) (s scopes) {
	for _, x := range list {
		if x.Exact() {
			s.ranges = append(s.ranges, x.Ranges()...)
		} else {
			s.others = append(s.others, x)
		}
	}
	s.ranges = urlkey.Merge(s.ranges)
	return s
}

// contain reports whether the URL with this key is in one of the scopes.
func (s scopes) contain(key string) bool {
	// The first range that begins behind the key: it may be in the one before.
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].From > key })
	return i > 0 && s.ranges[i-1].Contains(key) || slices.ContainsFunc(s.others, func(x urlkey.Scope) bool { return x.Contains(key) })
}

// isHTTP reports whether a URL is one of the web.
func isHTTP(u string) bool {
	return strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://")
}

// trap says why a canonical URL looks as if there were no end to its like.
func trap(u string) string {
	switch {
	case !isHTTP(u) && !strings.HasPrefix(u, fileScheme):
		return "neither http nor https"
	case len(u) > urlMax:
		return fmt.Sprintf("longer than %d bytes", urlMax)
	case strings.Contains(u[:len(u)-len(urlkey.RawPath(u))], "@"):
		return "it has a name or password in it"
	}
	segments := strings.Split(strings.Trim(urlkey.RawPath(u), "/"), "/")
	if len(segments) > depthMax {
		return fmt.Sprintf("deeper than %d folders", depthMax)
	}
	for i, s := range segments {
		n := 1
		for _, t := range segments[:i] {
			if s == t && s != "" {
				n++
			}
		}
		if n > repeatMax {
			return fmt.Sprintf("%q stands %d times in the path", s, n)
		}
	}
	return ""
}

// sessionNames are arguments of queries that name a visit, not a page.
var sessionNames = map[string]bool{
	"jsessionid": true, "phpsessid": true, "sid": true, "aspsessionid": true, "sessionid": true, "session_id": true, "cfid": true, "cftoken": true, "zenid": true, "oscsid": true,
}

// withoutSession drops the ids of sessions from a canonical URL: with them a page
// has a new URL at each visit.
func withoutSession(u string) string {
	lower := strings.ToLower(u)
	if i := strings.Index(lower, ";jsessionid="); i >= 0 {
		end := len(u)
		if q := strings.IndexAny(u[i:], "?#/"); q >= 0 {
			end = i + q
		}
		u = u[:i] + u[end:]
	}
	base, query, ok := strings.Cut(u, "?")
	if !ok {
		return u
	}
	args := strings.Split(query, "&")
	kept := args[:0]
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if !sessionNames[strings.ToLower(name)] {
			kept = append(kept, a)
		}
	}
	switch {
	case len(kept) == len(strings.Split(query, "&")):
		return u
	case len(kept) == 0:
		return base
	}
	return base + "?" + strings.Join(kept, "&")
}

// hostOf is the host and port whose queue a canonical URL stands in.
func hostOf(u string) string {
	p, err := url.Parse(u)
	if err != nil {
		return urlkey.Host(u)
	}
	if p.Port() == "" && p.Scheme == "https" {
		return p.Host + ":443"
	}
	return p.Host
}
