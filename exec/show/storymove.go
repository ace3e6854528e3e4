package show

import (
	"context"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// A block that was seen to leave a page and to come to another page of the host is the
// same block if both were seen at most moveMax apart, and if the words at its beginning
// and at its end are the same.
const (
	moveMax   = record.Time(31 * 24 * time.Hour / time.Millisecond)
	moveWords = 8 // how many words at the beginning and at the end are compared
	moveLeast = 5 // a text with fewer words may be on any page
	// movePages is the maximum number of other pages that may have the words of a block at
	// about the same time. Words on more pages belong to what all pages of the host have,
	// such as a footer.
	movePages = 3
	// soughtMax is how many blocks of a version are looked for on other pages.
	soughtMax = 32
)

// moveFinder finds the pages of a host to which blocks went from a page, and from which
// they came.
type moveFinder struct {
	t      *telling
	snap   relation.Snapshot
	host   urlkey.Range
	at     record.Time // the time of the version whose blocks the finder is looking for
	sought int         // how many blocks of that version were looked for
	left   int         // how many versions had more than soughtMax blocks to look for
}

// moveFinder returns a moveFinder for the page of the statement.
func (t *telling) moveFinder(snap relation.Snapshot) *moveFinder {
	m := &moveFinder{t: t, snap: snap}
	key := urlkey.Key(t.asked.url)
	if n := urlkey.HostPrefix(key); n > 0 {
		m.host = urlkey.Range{From: key[:n], To: key[:n-1] + "*"} // the byte after ')'
	} else {
		m.host = urlkey.Range{From: key, To: key + "\x00"}
	}
	return m
}

// find looks on the other pages of the host for a block with this text. If op is
// life.Removed, it returns the URL of the page to which the block went. If op is
// life.Added, it returns the URL of the page from which the block came. seen is when the
// page was first seen without the block, or with it. Of several pages, find returns the
// one whose change was seen nearest to that time. It returns "" if there is none, or if
// more than movePages have the text.
func (m *moveFinder) find(ctx context.Context, text string, op life.Op, seen record.Time) (string, error) {
	question := ends(text)
	if question == "" {
		return "", nil
	}
	if m.at != seen {
		m.at, m.sought = seen, 0
	}
	if m.sought++; m.sought > soughtMax {
		if m.sought == soughtMax+1 {
			m.left++
		}
		return "", nil
	}
	q, err := expr.Question(question, m.t.st.URL, nil)
	if err != nil || !q.Matches(text) {
		return "", nil // letters that a question reads otherwise: the block is not looked for
	}
	own := urlkey.Form(m.t.asked.url)
	best, near := "", moveMax+1
	others, last := 0, ""
	window := relation.Window{From: seen - moveMax - 1, To: min(m.t.window.To, seen+moveMax+1)}
	reader := m.t.s.Runner(m.snap, "story").Reader
	for s, err := range reader.Spans(ctx, q, m.host, window) {
		if err != nil {
			return "", err
		}
		if urlkey.Form(s.URL) == own {
			continue
		}
		if s.URL != last {
			last = s.URL
			if others++; others > movePages {
				return "", nil
			}
		}
		at := s.First
		if op == life.Added {
			if at = s.Next; at == record.NoTime || s.First > seen {
				continue
			}
		}
		if apart := max(at-seen, seen-at); apart < near {
			best, near = s.URL, apart
		}
	}
	return best, nil
}

// ends returns the search query for texts that have the words at the beginning of a text, one after
// the other, and the words at its end. It returns "" if the text has less than moveLeast words.
func ends(text string) string {
	var from, to []int
	for at, w := range words.Of(text) {
		from, to = append(from, at), append(to, at+len(w))
	}
	n := len(from)
	if n < moveLeast {
		return ""
	}
	phrase := func(i, j int) string {
		return `"` + strings.Map(func(r rune) rune {
			if strings.ContainsRune(`"“”„*`, r) {
				return ' '
			}
			return r
		}, text[from[i]:to[j-1]]) + `"`
	}
	if n <= 2*moveWords {
		return phrase(0, n)
	}
	return phrase(0, moveWords) + " " + phrase(n-moveWords, n)
}
