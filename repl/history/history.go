// Package history stores the statements and dot commands that users enter in the shell, in
// a file that several shells share. Values of parameters and passwords are left out.
package history

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infomall/lang"
	"infomall/store/disk"
	"infomall/store/urlkey"
)

// Bounds of the history file: if it has more than historyFileMax entries, the next
// shell cuts it to the last historyKept entries.
const (
	historyKept    = 1000
	historyFileMax = 2 * historyKept
)

// History stores the statements and dot commands that were entered in the
// shell, as JSON lines in a file that only its owner can read. The file gets
// one line when an entry is made, and another when the entry has ended. Several
// shells may use one file: each appends under a lock, and reads what the others
// have added.
type History struct {
	path    string  // path of the file; "" stores nothing
	Entries []Entry // the entries in the order in which they were made
	now     func() time.Time

	known map[string]int // from the id of an entry to its index in Entries
	file  os.FileInfo    // identifies the file that was read last
	read  int64          // number of bytes read of that file
}

// Entry is one entry of the history: a text that was entered, and how it
// ended. If two lines of the file have the same id, the later line says how the
// entry ended.
type Entry struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time,omitzero"`
	Text   string    `json:"text,omitempty"`
	Millis int64     `json:"ms,omitempty"`
	Rows   int64     `json:"rows,omitempty"`
	Status string    `json:"status,omitempty"` // done, failed, interrupted; "" while it runs
}

func newHistory(path string) *History {
	return &History{path: path, now: time.Now, known: map[string]int{}}
}

// Read returns the history in the file path, and changes nothing on
// disk. If the file does not exist, the history is empty. It may miss a line
// that a shell is writing at that moment.
func Read(path string) (*History, error) {
	h := newHistory(path)
	f, err := os.Open(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	defer f.Close()
	if _, err := h.readNew(f); err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	return h, nil
}

// Open returns the history in the file path, and shortens the file if it
// is too long. It creates the file if it does not exist. It ignores lines that
// cannot be read. With an error it also returns a history, which can be used.
func Open(path string) (*History, error) {
	h := newHistory(path)
	if path == "" {
		return h, nil
	}
	f, err := lock(path)
	if err != nil {
		return h, fmt.Errorf("read the history: %w", err)
	}
	defer f.Close()
	if _, err := h.readNew(f); err != nil {
		return h, fmt.Errorf("read the history: %w", err)
	}
	if len(h.Entries) > historyFileMax {
		h.Entries = h.Entries[len(h.Entries)-historyKept:]
		clear(h.known)
		for i, e := range h.Entries {
			h.known[e.ID] = i
		}
		if err := rewrite(path, h.Entries); err != nil {
			return h, fmt.Errorf("shorten the history: %w", err)
		}
	}
	return h, nil
}

// Add stores text as a new entry. It returns the id of the entry, and the text
// as stored: without values of parameters and passwords. If the text is empty,
// begins with a blank or equals the last entry, Add stores nothing and returns
// "" twice. (A user types a blank first to keep a text out of the history.)
func (h *History) Add(text string) (id, kept string, err error) {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" || strings.HasPrefix(text, " ") {
		return "", "", nil
	}
	text = withoutValues(text)
	if n := len(h.Entries); n > 0 && h.Entries[n-1].Text == text {
		return "", "", nil
	}
	e := Entry{ID: rand.Text(), Time: h.now().UTC().Truncate(time.Millisecond), Text: text}
	h.merge(e)
	return e.ID, text, h.append(e)
}

// End stores how the entry with this id has ended: how long it took, how many
// rows it returned, and its status, such as "done".
func (h *History) End(id string, took time.Duration, rows int64, status string) error {
	e := Entry{ID: id, Millis: took.Milliseconds(), Rows: rows, Status: status}
	h.merge(e)
	return h.append(e)
}

// Leave makes h stop using the history file. Entries are kept in memory only from then on.
func (h *History) Leave() { h.path = "" }

// append adds e as a line to the history file. It locks the file meanwhile. If the last line of the
// file has no end, because a shell was killed while it wrote, append ends that line first.
func (h *History) append(e Entry) error {
	if h.path == "" {
		return nil
	}
	f, err := lock(h.path)
	if err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	defer f.Close()
	line := encode(e)
	last := make([]byte, 1)
	if size, err := f.Seek(0, io.SeekEnd); err != nil {
		return fmt.Errorf("keep the history: %w", err)
	} else if n, _ := f.ReadAt(last, size-1); n == 1 && last[0] != '\n' { // an empty file has no last byte
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(line); err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	return nil
}

// News reads the entries that other shells have added to the file since the
// last call, and returns those that are new.
func (h *History) News() ([]Entry, error) {
	if h.path == "" {
		return nil, nil
	}
	there, err := os.Stat(h.path)
	if err == nil && h.file != nil && os.SameFile(there, h.file) && there.Size() == h.read {
		return nil, nil
	}
	f, err := lock(h.path)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	defer f.Close()
	added, err := h.readNew(f)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	return added, nil
}

// readNew reads the part of f after the first h.read bytes, or all of f if it
// is another file than before. It adds the entries to h and returns those that
// are new.
func (h *History) readNew(f *os.File) (added []Entry, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if h.file == nil || !os.SameFile(info, h.file) || info.Size() < h.read {
		h.read = 0
	}
	h.file = info
	if _, err := f.Seek(h.read, io.SeekStart); err != nil {
		return nil, err
	}
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		h.read += int64(len(line))
		var e Entry
		if json.Unmarshal(line, &e) == nil && h.merge(e) {
			added = append(added, e)
		}
		if err == io.EOF {
			return added, nil
		}
		if err != nil {
			return added, err
		}
	}
}

// merge adds e, a line of the file, to the entries of h, or, if e has the id of
// a known entry, notes how that entry ended. It reports whether e is a new
// entry.
func (h *History) merge(e Entry) bool {
	if i, ok := h.known[e.ID]; ok && e.ID != "" {
		if e.Status != "" {
			old := &h.Entries[i]
			old.Millis, old.Rows, old.Status = e.Millis, e.Rows, e.Status
		}
		return false
	}
	if e.ID == "" || e.Text == "" {
		return false
	}
	h.known[e.ID] = len(h.Entries)
	h.Entries = append(h.Entries, e)
	return true
}

// withoutValues returns text, a source in the language, without the values that
// SET gives to parameters, and without user names and passwords in URLs.
func withoutValues(text string) string {
	tokens := lang.Tokens(text)
	var b strings.Builder
	done := 0
	for i, t := range tokens[:max(0, len(tokens)-1)] {
		name := tokens[i+1]
		if t.From < done || t.Class != lang.ClassWord || !strings.EqualFold(text[t.From:t.To], "SET") || name.Class != lang.ClassParam || !beginsStatement(text, tokens[:i+1]) {
			continue
		}
		b.WriteString(text[done:name.To])
		done = endOfStatement(text, name.To, tokens[i+2:])
		if done > name.To {
			b.WriteString(" = ")
		}
	}
	return urlkey.WithoutUsers(b.String() + text[done:])
}

// beginsStatement reports whether the last element of tokens is the first word
// of a statement in text.
func beginsStatement(text string, tokens []lang.Token) bool {
	before := text[:tokens[len(tokens)-1].From]
	for i := len(tokens) - 2; i >= 0 && tokens[i].Class == lang.ClassComment; i-- {
		before = text[:tokens[i].From]
	}
	before = strings.TrimSpace(before)
	return before == "" || strings.HasSuffix(before, ";")
}

// endOfStatement returns the index of the first semicolon of text at or after from that is in none
// of tokens, or the length of text if there is none. tokens are those of text after from.
func endOfStatement(text string, from int, tokens []lang.Token) int {
	for i := from; i < len(text); i++ {
		for len(tokens) > 0 && i >= tokens[0].To {
			tokens = tokens[1:]
		}
		if text[i] == ';' && (len(tokens) == 0 || i < tokens[0].From) {
			return i
		}
	}
	return len(text)
}

// lock opens the history file for reading and appending, and locks it;
// closing the file releases the lock. While it waits for the lock, another
// shell may replace the file by a shortened one. lock then opens and
// locks the new file.
func lock(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := disk.LockExclusive(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		there, err := os.Stat(path)
		if err == nil && os.SameFile(mine, there) {
			return f, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// rewrite replaces the history file by one that has only the given
// entries. The caller must hold the lock of the old file.
func rewrite(path string, entries []Entry) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "history-*") // has mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove
	_, err = tmp.Write(encode(entries...))
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// encode returns the entries as lines of JSON for the history file.
func encode(entries ...Entry) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		_ = enc.Encode(e) // cannot fail: the fields are times, texts and numbers
	}
	return b.Bytes()
}
