package session

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"infomall/store/record"
)

// ReplayOptions say which browser shows replayed pages.
type ReplayOptions struct {
	Path      string // of the browser; "" looks for one
	NoSandbox bool   // run the browser without its sandbox, as root must
	Temp      string // folder for what the browser stores
	Pictures  bool   // take a picture of each page
	Consent   string // path of a file with rules that click the buttons of notices; "" means none
	More      string // path of a file with rules that click buttons that load more; "" means none
}

// Replay is a browser that shows pages of the archive in replay. It can reach the archive
// and no other server. Only one goroutine may use it.
type Replay interface {
	// Show shows the capture of a canonical URL, http or https, that is nearest to t.
	Show(ctx context.Context, url string, t record.Time) (*Replayed, error)
	// Close ends the browser.
	Close() error
}

// Replayed is a page as a browser showed it in replay.
type Replayed struct {
	DOM     []byte   // the document after load, as HTML in UTF-8
	Picture []byte   // a PNG; nil if none was asked for
	Parts   int      // how many URLs of the archive the page requested, beside its own
	Missing []string // the URLs it requested that the archive does not have, in the order of the requests
	Ended   string   // why the visit ended: done, or the limit that ended it
}

// OpenReplay starts a browser that shows pages of the archive in replay. The caller
// closes it. The error says what to do if there is no browser.
func (s *Session) OpenReplay(ctx context.Context, pictures bool) (Replay, error) {
	if s.o.Replay == nil {
		return nil, errors.New("pages cannot be opened in a browser here; use the program infomall on the machine that has the archive")
	}
	o := &s.o.Settings
	return s.o.Replay(ctx, ReplayOptions{Path: o.Browser, NoSandbox: !o.BrowserSandbox, Temp: cmp.Or(o.TempDir, filepath.Dir(s.o.Archive.Local())), Pictures: pictures, Consent: o.ConsentRules, More: o.MoreRules})
}
