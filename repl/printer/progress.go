package printer

import (
	"fmt"
	"io"
	"os"
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
	progressAfter = time.Second
	progressEvery = 125 * time.Millisecond
)

// Progress shows on one row of a terminal how much of a statement is done. A
// nil progress shows nothing. Its methods may be called from several
// goroutines.
type Progress struct {
	w     io.Writer
	width func() int // returns the width of the terminal, in cells
	now   func() time.Time

	mu     sync.Mutex
	start  time.Time // start of the statement
	what   string    // the work that was reported last; "" if none was since Begin
	since  time.Time // start of that work, from which the time left follows
	drawn  time.Time // time of the last update; zero if the row is empty
	closed bool      // show nothing until Begin is called
}

// NewProgress returns a progress that is shown on the terminal tty.
func NewProgress(tty *os.File) *Progress {
	return &Progress{w: tty, width: func() int { return term.Width(tty) }, now: time.Now}
}

// Begin notes that a statement starts now. Its progress may then be shown.
func (p *Progress) Begin() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start, p.what, p.closed = p.now(), "", false
	p.since = p.start
}

// Update shows e, how much of the statement is done, unless the last update was
// less than progressEvery ago.
func (p *Progress) Update(e session.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.what != "" && p.what != e.What { // such as the next pool
		p.since = now
	}
	p.what = e.What
	if p.closed || now.Sub(p.start) < progressAfter || now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn = now
	// The last column stays free. On some terminals a cursor in it is already
	// in the next row.
	line := term.Fit(progressLine(e, now.Sub(p.since)), p.width()-1)
	fmt.Fprintf(p.w, "\r%s\x1b[K", line)
}

// End clears the row of the progress. Nothing is shown until Begin is called
// again.
func (p *Progress) End() {
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

// progressLine returns one line of text about e: the work, the share that is done,
// how much of it, and the estimated time left, if the work began the given time ago.
func progressLine(e session.Progress, elapsed time.Duration) string {
	line := cells.Lines(e.What) + "  "
	if e.Total <= 0 {
		return line + amount(e.Done, e.Unit)
	}
	done := min(e.Done, e.Total)
	line += fmt.Sprintf("%d %% · %s of %s", int64(float64(done)/float64(e.Total)*100), amount(done, e.Unit), amount(e.Total, e.Unit))
	if done > 0 && done < e.Total {
		line += " · about " + roughly(time.Duration(float64(elapsed)*float64(e.Total-done)/float64(done))) + " left"
	}
	return line
}

// roughly returns d as text in one unit: "40 s", "3 min" or "2 h".
func roughly(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", max(1, int(d.Round(time.Second).Seconds())))
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
}

// Timing returns a line that says how long a statement took, how many rows it
// returned, and how much it read.
func Timing(took time.Duration, rows int64, read *record.ReadStats) string {
	text := fmt.Sprintf("%.3f s, rows: %d", took.Seconds(), rows)
	if read.Segments == 0 {
		return text
	}
	text += fmt.Sprintf(", read: %s, %s, %s", value.Counted(read.Segments, "segment"), value.Counted(read.Chunks, "index chunk"), value.Size(read.Bytes+read.IndexBytes))
	if asked := read.CacheHits + read.CacheMisses; asked > 0 {
		text += fmt.Sprintf(", from the cache: %d of %d", read.CacheHits, asked)
	}
	return text
}

// amount returns the number n with its unit in the plural, such as "12 captures"
// or "1 capture". A number of bytes is returned as a size, such as "1.5 MB".
func amount(n int64, unit string) string {
	if unit == "bytes" {
		return value.Size(n)
	}
	return value.Counted(n, strings.TrimSuffix(unit, "s"))
}
