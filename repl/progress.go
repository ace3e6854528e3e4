package repl

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/cells"
	"infomall/repl/term"
	"infomall/store/record"
)

// progressAfter is the age of a statement at which its progress is first shown.
// progressEvery is the minimum time between two updates.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 125 * time.Millisecond
)

// progress shows on one row of a terminal how much of a statement is done. A
// nil progress shows nothing. Its methods may be called from several
// goroutines.
type progress struct {
	w     io.Writer
	width func() int // returns the width of the terminal, in cells
	now   func() time.Time

	mu     sync.Mutex
	start  time.Time // start of the statement
	drawn  time.Time // time of the last update; zero if the row is empty
	closed bool      // show nothing until begin is called
}

// begin notes that a statement starts now. Its progress may then be shown.
func (p *progress) begin() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start, p.closed = p.now(), false
}

// update shows e, how much of the statement is done, unless the last update was
// less than progressEvery ago.
func (p *progress) update(e session.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.closed || now.Sub(p.start) < progressAfter || now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn = now
	// The last column stays free. On some terminals a cursor in it is already
	// in the next row.
	line := term.Fit(progressLine(e, now.Sub(p.start)), p.width()-1)
	fmt.Fprintf(p.w, "\r%s\x1b[K", line)
}

// end clears the row of the progress. Nothing is shown until begin is called
// again.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if !p.drawn.IsZero() {
		io.WriteString(p.w, "\r\x1b[K")
		p.drawn = time.Time{}
	}
}

// progressLine returns one line of text about e: the work, how much of it is
// done, the rate, and the estimated time left.
func progressLine(e session.Progress, elapsed time.Duration) string {
	var b strings.Builder
	b.WriteString(cells.Lines(e.What))
	b.WriteString("  ")
	b.WriteString(amount(e.Done, e.Unit))
	if e.Total > 0 {
		fmt.Fprintf(&b, " of %s (%d%%)", amount(e.Total, e.Unit), min(100, e.Done*100/e.Total))
	}
	if elapsed <= 0 || e.Done <= 0 {
		return b.String()
	}
	rate := float64(e.Done) / elapsed.Seconds()
	fmt.Fprintf(&b, "  %s/s", amount(int64(rate), e.Unit))
	if left := e.Total - e.Done; left > 0 && rate > 0 {
		rest := time.Duration(float64(left) / rate * float64(time.Second))
		fmt.Fprintf(&b, "  %s left", max(rest, time.Second).Round(time.Second))
	}
	return b.String()
}

// timing returns a line that says how long a statement took, how many rows it
// returned, and how much it read.
func timing(took time.Duration, rows int64, read *record.ReadStats) string {
	text := fmt.Sprintf("%.3f s, rows: %d", took.Seconds(), rows)
	if read.Segments == 0 {
		return text
	}
	text += fmt.Sprintf(", read: %s, %s, %s", value.Counted(read.Segments, "segment"), value.Counted(read.Chunks, "index chunk"), amount(read.Bytes, "bytes"))
	if asked := read.CacheHits + read.CacheMisses; asked > 0 {
		text += fmt.Sprintf(", from the cache: %d of %d", read.CacheHits, asked)
	}
	return text
}

// amount returns the number n with its unit, such as "12 captures". A number of
// bytes is returned in the largest fitting power of 1024, such as "1.5 MB".
func amount(n int64, unit string) string {
	if unit != "bytes" {
		return strconv.FormatInt(n, 10) + " " + unit
	}
	f, names := float64(n), []string{"B", "KB", "MB", "GB", "TB"}
	i := 0
	for f >= 1024 && i < len(names)-1 {
		f /= 1024
		i++
	}
	if i == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + " " + names[i]
}
