package complete

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"infomall/exec/session"
	"infomall/lang/cells"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// These constants bound the work of completing hosts and URLs. Tab must answer at
// once, and the names of hosts stay in memory.
const (
	tabPatience   = 35 * time.Millisecond
	hostsMax      = 200_000
	hostsMaxAge   = time.Minute      // age after which the names are read again
	hostsLoadMax  = 10 * time.Second // for reading the names, in the background
	urlsMax       = 300              // candidates for one Tab
	urlsSkipMax   = 4096             // URLs of one folder to skip one by one before a seek is faster
	notAllOfThese = "…"              // ends the candidate that says that there are more
)

// Sites finds the hosts and URLs of an archive that begin with a given
// text, to complete them. The archive sorts hosts by their labels in reverse
// order, so hosts with the same beginning are not neighbours. Therefore
// Sites reads the names of all hosts in the background and keeps them in
// memory. It looks up the URLs of one host in the archive.
type Sites struct {
	archive  session.Archive
	Patience time.Duration // time allowed for one Tab
	ctx      context.Context
	stop     context.CancelFunc

	mu      sync.Mutex
	hosts   []string // hosts and their domains, sorted
	whole   bool     // whether hosts is complete
	loaded  time.Time
	loading chan struct{} // closed when the current load has ended; nil if there is none
}

// NewSites returns a Sites for the archive and starts to read the names
// of the hosts. The caller must call Close.
func NewSites(archive session.Archive) *Sites {
	n := &Sites{archive: archive, Patience: tabPatience}
	n.ctx, n.stop = context.WithCancel(context.Background())
	n.Load()
	return n
}

// Close stops the goroutine that reads the names, and waits for its end.
func (n *Sites) Close() {
	n.stop()
	n.mu.Lock()
	loading := n.loading
	n.mu.Unlock()
	if loading != nil {
		<-loading
	}
}

// Load starts to read the names of the hosts again, in the background. If they
// are being read already, it starts nothing. The channel ended is closed when
// the reading has ended.
func (n *Sites) Load() (ended <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.loading != nil {
		return n.loading
	}
	done := make(chan struct{})
	n.loading = done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(n.ctx, hostsLoadMax)
		defer cancel()
		hosts, whole := readHosts(ctx, n.archive)
		n.mu.Lock()
		defer n.mu.Unlock()
		n.hosts, n.whole, n.loaded, n.loading = hosts, whole, time.Now(), nil
	}()
	return done
}

// Stale makes the next Tab read the names of the hosts again. It is called
// after a statement has changed the archive.
func (n *Sites) Stale() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.loaded = time.Time{}
}

// beginning returns the hosts and URLs that begin with typed. typed may begin with a scheme such
// as http://, or with the = of a scope. If not all fit into the result, its last element ends in
// … and says so.
func (n *Sites) beginning(typed string) []string {
	sign := ""
	rest := typed
	if strings.HasPrefix(typed, "=") {
		sign, rest = "=", typed[1:]
	} else if i := strings.Index(typed, "://"); i >= 0 {
		sign, rest = typed[:i+3], typed[i+3:]
	}
	var names []string
	var whole bool
	if strings.Contains(rest, "/") {
		names, whole = n.urls(sign, rest)
	} else {
		names, whole = n.hostsBeginning(rest)
	}
	for i, name := range names {
		names[i] = sign + name
		if strings.HasSuffix(sign, "://") && !strings.Contains(name, "/") {
			names[i] += "/"
		}
	}
	if !whole && len(names) > 0 {
		names = append(names, typed+notAllOfThese)
	}
	return names
}

// hostsBeginning returns the hosts and domains that begin with typed. whole
// reports whether the result has all of them.
func (n *Sites) hostsBeginning(typed string) (names []string, whole bool) {
	n.mu.Lock()
	old, never := time.Since(n.loaded) > hostsMaxAge, n.loaded.IsZero()
	n.mu.Unlock()
	if old {
		ended := n.Load()
		if never {
			select {
			case <-ended:
			case <-time.After(n.Patience):
			}
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	typed = strings.ToLower(typed)
	i, _ := slices.BinarySearch(n.hosts, typed)
	for i < len(n.hosts) && strings.HasPrefix(n.hosts[i], typed) {
		names = append(names, n.hosts[i])
		i++
	}
	return names, n.whole
}

// readHosts returns the names of the hosts of an archive and of their domains,
// sorted. whole is false if it could not read all of them before ctx ended, or
// if there are more than hostsMax.
func readHosts(ctx context.Context, a session.Archive) (hosts []string, whole bool) {
	snap, err := a.Snapshot(ctx)
	if err != nil {
		return nil, false
	}
	defer snap.Close()
	snap.SetCache(0)
	add := func(name string) {
		if name != "" && cells.Lines(name) == name && !strings.Contains(name, "'") {
			hosts = append(hosts, name)
		}
	}
	last, whole := "", true
	scan := record.Scan{From: record.MinTime, To: record.MaxTime, Skip: func(key, url string) bool {
		labels, _, ok := strings.Cut(key, ")")
		if !ok || labels == last || len(hosts) >= hostsMax {
			return true
		}
		last = labels
		add(urlkey.Host(url))
		add(urlkey.Domain(url))
		return true
	}}
	for range snap.Scan(ctx, scan) {
		whole = false // an error: Skip leaves out every capture, so only an error is yielded
		break
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), whole && len(hosts) < hostsMax
}

// urls returns the URLs that begin with typed, which is a host and the start of
// a path. Each URL is cut after the next slash or question mark that follows
// typed, and comes without its scheme. scheme is the scheme that the user has
// typed, such as http://. whole reports whether the result has all such URLs.
func (n *Sites) urls(scheme, typed string) (names []string, whole bool) {
	r, ok := urlkey.PrefixRange("http://" + typed)
	if !ok {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(n.ctx, n.Patience)
	defer cancel()
	snap, err := n.archive.Snapshot(ctx)
	if err != nil {
		return nil, false
	}
	defer snap.Close()
	if strings.HasSuffix(scheme, "://") {
		typed = scheme + typed
	} else {
		scheme = ""
	}
	for r.From < r.To && len(names) < urlsMax && ctx.Err() == nil {
		folder, skipped := "", 0
		take := func(_, url string) bool {
			if scheme == "" {
				_, url, _ = strings.Cut(url, "://")
			}
			if folder != "" && strings.HasPrefix(url, folder) {
				skipped++
				return skipped < urlsSkipMax
			}
			name, inner := nextPart(url, typed)
			if name == "" || len(names) >= urlsMax {
				return true
			}
			if inner {
				folder, skipped = name, 0
			}
			names = append(names, strings.TrimPrefix(name, scheme))
			return true
		}
		more := false
		for _, err := range snap.Scan(ctx, record.Scan{Ranges: []urlkey.Range{r}, From: record.MinTime, To: record.MaxTime, Skip: take}) {
			if err != nil {
				return names, false
			}
			more = true
			break
		}
		if !more || folder == "" {
			break
		}
		// The folder has many URLs: seek to the first one after it.
		below, _ := urlkey.PrefixRange("http://" + strings.TrimPrefix(folder, scheme))
		r.From = below.To
	}
	slices.Sort(names)
	return slices.Compact(names), ctx.Err() == nil && len(names) < urlsMax
}

// nextPart returns url up to and including the first slash or question mark
// after typed, or the whole url if there is none. It returns "" if url does not
// begin with typed. inner reports whether the part ends in a slash or question
// mark, so that several URLs may begin with it.
func nextPart(url, typed string) (part string, inner bool) {
	rest, ok := strings.CutPrefix(url, typed)
	if !ok || cells.Lines(url) != url || strings.Contains(url, "'") {
		return "", false
	}
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		return url[:len(typed)+i+1], true
	}
	return url, false
}

// pools returns the names of the pools of the archive, possibly several times,
// or nil if they cannot be read in time.
func (n *Sites) pools() []string {
	ctx, cancel := context.WithTimeout(n.ctx, n.Patience)
	defer cancel()
	snap, err := n.archive.Snapshot(ctx)
	if err != nil {
		return nil
	}
	defer snap.Close()
	files, err := snap.Files(ctx) // faster than asking for the pools, which counts what each holds
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range files {
		if f.Pool != "" {
			names = append(names, f.Pool)
		}
	}
	return names
}
