package crawl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"infomall/crawl/report"
	"infomall/crawl/trap"
	"infomall/store/urlkey"
)

// urlMax is the greatest length of a URL in bytes. Browsers and servers do
// not accept longer URLs.
const urlMax = 4096

// rules decide whether a crawl may queue a URL.
type rules struct {
	within, exclude scopes
	excludeMatch    []*regexp.Regexp
	files           *folders
}

// newRules returns the rules of a crawl with options o. Without o.Within,
// the crawl may fetch from the hosts of its seeds and all hosts below them.
// The caller closes r.files.
func newRules(o *report.CrawlOptions) (r *rules, err error) {
	r = &rules{within: newScopes(o.Within), exclude: newScopes(o.Exclude), excludeMatch: o.ExcludeMatch}
	if r.files, err = openFolders(o.Seeds); err != nil || len(o.Within) > 0 {
		return r, err
	}
	var hosts []urlkey.Scope
	for _, s := range o.Seeds {
		if !urlkey.IsHTTP(s) {
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

// Refuses returns why a crawl with options o never fetches a canonical URL,
// whatever page leads to it, such as "excluded". It returns "" if the crawl
// may fetch the URL.
func Refuses(o report.CrawlOptions, url string) (why string, err error) {
	r, err := newRules(&o)
	if err != nil {
		return "", err
	}
	return r.refuse(url, false), r.files.close()
}

// refuse returns why the crawl does not fetch the canonical URL u, such as
// "excluded", or "" if it may. requisite says that u is needed to show a
// page; such a URL may be outside the scope of the crawl.
func (r *rules) refuse(u string, requisite bool) string {
	if why := malformed(u); why != "" {
		return why
	}
	key := urlkey.Key(u)
	if strings.HasPrefix(u, fileScheme) {
		if _, _, ok := r.files.find(u); !ok {
			return "outside the seeds' folders"
		}
	} else if !requisite && !r.within.contain(key) {
		return "outside the hosts and paths of the crawl"
	}
	return r.excluded(u)
}

// excluded returns "" or which rule that excludes URLs matches the canonical URL u, such
// as "excluded".
func (r *rules) excluded(u string) string {
	if r.exclude.contain(urlkey.Key(u)) {
		return "excluded"
	}
	for _, re := range r.excludeMatch {
		if re.MatchString(u) {
			return "excluded by ~'" + re.String() + "'"
		}
	}
	return ""
}

// scopes is a set of scopes, each the URLs of a host or below a path. The
// set may be large: a crawl may have a seed on each of many thousand hosts.
type scopes struct {
	ranges []urlkey.Range // sorted and disjoint
	others []urlkey.Scope // scopes that contain only some of the URLs in their ranges
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
	// ranges[i] is the first range that begins after key. So key can only be
	// in the range before.
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].From > key })
	return i > 0 && s.ranges[i-1].Contains(key) || slices.ContainsFunc(s.others, func(x urlkey.Scope) bool { return x.Contains(key) })
}

// malformed returns why the form of the canonical URL u keeps a crawl from
// fetching it, such as "neither http nor https", or "" if the form is good.
func malformed(u string) string {
	switch {
	case !urlkey.IsHTTP(u) && !strings.HasPrefix(u, fileScheme):
		return "neither http nor https"
	case len(u) > urlMax:
		return fmt.Sprintf("longer than %d bytes", urlMax)
	case urlkey.HasUser(u):
		return "it has a name or password in it"
	}
	return ""
}

// withoutVisit returns the canonical URL u without the arguments and folders
// that name a visit (a session such as sid=123). The setting sessions lists
// their names. Arguments are removed from the query and, after a semicolon,
// from the path.
func (e *engine) withoutVisit(u string) string {
	if len(e.o.VisitArgs) == 0 {
		return u
	}
	named := func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(e.o.VisitArgs, strings.ToLower(name))
	}
	base, query, asks := strings.Cut(u, "?")
	path := urlkey.RawPath(base)
	folders := strings.Split(path, "/")
	for i, f := range folders {
		folders[i] = strings.Join(slices.DeleteFunc(strings.Split(f, ";"), named), ";")
	}
	last := len(folders) - 1
	dropped := func(folder string) bool { return trap.NamesFolder(e.o.VisitArgs, folder) }
	folders = append(slices.DeleteFunc(folders[:last:last], dropped), folders[last])
	base = base[:len(base)-len(path)] + strings.Join(folders, "/")
	if asks {
		if query = strings.Join(slices.DeleteFunc(strings.Split(query, "&"), named), "&"); query != "" {
			base += "?" + query
		}
	}
	return base
}

// hostOf returns the host of a canonical URL, with the port if the URL has
// one. For https without a port it adds ":443", so that http and https have
// different queues. The result names the queue in which the URL waits.
func hostOf(u string) string {
	host := urlkey.HostPort(u)
	if strings.HasPrefix(u, "https:") && host == urlkey.Host(u) {
		host += ":443"
	}
	return host
}
