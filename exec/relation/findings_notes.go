package relation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/match"
)

// askedNotes counts the versions that the relation findings searches, for the notes that the user
// sees after the rows.
type askedNotes struct {
	asked, mute, found int
	months             visitedMonths
}

// newAskedNotes returns the askedNotes for a request.
func newAskedNotes(n *Request) *askedNotes {
	m := visitedMonths{zone: n.zone(), from: n.Window.From, to: n.Window.To, have: make(map[int]bool)}
	if n.During != record.MinTime {
		m.from = n.During
	}
	return &askedNotes{months: m}
}

// watch yields the batches of a scan, and adds the months of their captures to a.months.
func (a *askedNotes) watch(scan record.Rows) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		for b, err := range scan {
			if err == nil {
				for _, t := range b.Time[:b.N] {
					a.months.add(t)
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// version counts a version that was searched. has says whether it matches, and text whether it has
// a text.
func (a *askedNotes) version(has, text bool) {
	a.asked++
	if has {
		a.found++
	}
	if !text {
		a.mute++
	}
}

// notes returns the notes for the user, such as how many versions were searched. If no version
// matches, it also looks for similar words that the archive has.
func (a *askedNotes) notes(ctx context.Context, r *Reader, n *Request) ([]string, error) {
	notes := []string{fmt.Sprintf("asked %s, of which %s no text", value.Counted(a.asked, "version"), have(a.mute))}
	if n.Choice.Kind == ChooseAll || n.Choice.Kind == ChooseEach {
		if gaps := a.months.gaps(); gaps != "" {
			notes = append(notes, "no visits in "+gaps)
		}
	}
	if a.found > 0 || a.asked == a.mute {
		return notes, nil
	}
	words := wantedWords(n.Question)
	if len(words) == 0 {
		if len(n.Question.Atoms()) == 1 { // no page has it, and similar words are not looked up
			notes = append(notes, nearNote(n.Question.String(), nil))
		}
		return notes, nil
	}
	near, err := r.Snapshot.NearWords(ctx, words, n.Ranges, record.MinTime, n.Window.To)
	if err != nil {
		return nil, err
	}
	for i, w := range words {
		if note := nearNote(w, near[i]); note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// noteAsked notes for the user what asked has counted, unless r is quiet.
func (r *Reader) noteAsked(ctx context.Context, n *Request, asked *askedNotes) error {
	if r.Quiet {
		return nil
	}
	notes, err := asked.notes(ctx, r, n)
	r.note(notes...)
	return err
}

// have returns "1 has" or "2 have", for a note.
func have(n int) string {
	if n == 1 {
		return "1 has"
	}
	return fmt.Sprintf("%d have", n)
}

// notedRunesMax is how many characters of a word a note shows at most.
const notedRunesMax = 60

// nearNote returns the note that no page has the word, with the similar words in near that pages
// have. It returns "" if near contains the word itself.
func nearNote(word string, near []search.NearWord) string {
	var list []string
	for _, x := range near {
		if x.Word == word {
			return ""
		}
		list = append(list, fmt.Sprintf("%s (%s)", x.Word, value.Counted(x.Texts, "text")))
	}
	if r := []rune(word); len(r) > notedRunesMax {
		word = string(r[:notedRunesMax]) + "…"
	}
	note := fmt.Sprintf("no page has '%s'", word)
	if list != nil {
		note += "; near: " + strings.Join(list, ", ")
	}
	return note
}

// wantedWordsMax is for how many words of a search query at most similar words are looked up in the
// archive.
const wantedWordsMax = 8

// wantedWords returns the words of a search query for which similar words are looked up. It leaves
// out excluded words, prefixes, words of scripts without spaces, and words too short or otherwise
// unfit to have similar words.
func wantedWords(q *match.Query) (words []string) {
	known := make(map[string]bool)
	q.Needed(func(atom int) {
		for _, phrase := range q.Atoms()[atom].Phrases {
			for _, t := range phrase.Terms {
				if !t.Letter && !t.Prefix && !known[t.Text] && search.HasNear(t.Text) && len(words) < wantedWordsMax {
					known[t.Text] = true
					words = append(words, t.Text)
				}
			}
		}
	})
	return words
}

// visitedMonths collects the months, within a range of times, in which captures were made.
type visitedMonths struct {
	zone        *time.Location
	from, to    record.Time // captures at other times do not count
	have        map[int]bool
	first, last int            // months, if have is not empty
	periods     []value.Period // the months of have, sorted
}

// add adds the month of a capture made at time t. It ignores times outside the range.
func (m *visitedMonths) add(t record.Time) {
	if t < m.from || t >= m.to {
		return
	}
	// Captures come by URL, so that the month often changes.
	after, _ := slices.BinarySearchFunc(m.periods, t, func(p value.Period, t record.Time) int {
		if p.From <= t {
			return -1
		}
		return 1
	})
	if after > 0 && t < m.periods[after-1].To {
		return
	}
	m.periods = slices.Insert(m.periods, after, value.PeriodAt("month", t, m.zone))
	month := m.monthOf(t)
	if len(m.have) == 0 {
		m.first, m.last = month, month
	}
	m.first, m.last = min(m.first, month), max(m.last, month)
	m.have[month] = true
}

// monthOf returns the number of the month of t since the year 0.
func (m *visitedMonths) monthOf(t record.Time) int {
	at := t.Std().In(m.zone)
	return at.Year()*12 + int(at.Month()) - 1
}

// gapsMax is the maximum number of gaps that the method gaps names. A gap is one or more months
// in a row without a capture.
const gapsMax = 10

// gaps returns the months of the range that have no capture, such as "2008-07, 2009-01 to 2009-04",
// or "" if there are none. If the range is open at an end, the first or last month with a capture
// takes its place.
func (m *visitedMonths) gaps() string {
	first, last := m.first, m.last
	if m.from > record.MinTime {
		first = m.monthOf(m.from)
	}
	if m.to <= record.MaxTime {
		last = m.monthOf(m.to - 1)
	}
	if len(m.have) == 0 && (m.from == record.MinTime || m.to > record.MaxTime) {
		return ""
	}
	var list []string
	more := 0
	for month := first; month <= last; month++ {
		end := month
		for end <= last && !m.have[end] {
			end++
		}
		switch {
		case end == month:
			continue
		case len(list) >= gapsMax:
			more += end - month
		case end == month+1:
			list = append(list, monthName(month))
		default:
			list = append(list, monthName(month)+" to "+monthName(end-1))
		}
		month = end
	}
	text := strings.Join(list, ", ")
	if more > 0 {
		text += " and " + value.Counted(more, "further month")
	}
	return text
}

// monthName returns the name of a month, such as 2008-07.
func monthName(month int) string { return fmt.Sprintf("%04d-%02d", month/12, month%12+1) }
