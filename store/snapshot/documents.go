package snapshot

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/readings"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/search"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// MayBeDocument reports whether the body that e stores may be a document, such as a PDF. A body
// is no document if it was read as a page or as plain text, if it is a style sheet or a script,
// or if it is not the content of its URL, such as the body of an error.
func MayBeDocument(e *segment.Stored) bool {
	return e.Body == segment.BodyOwn && e.Kind == record.KindPage && e.Bytes > 0 && e.Page.BlockCount < 0 && mayHaveDocument(e.Mime)
}

// mayHaveDocument reports whether a body with this media type may be a document.
func mayHaveDocument(mime string) bool {
	return mime != page.MimeSheet && !strings.Contains(mime, "javascript") && !strings.Contains(mime, "ecmascript")
}

// SentAs says how a server sent a body. The reading of a document (the text extracted from it)
// depends on it.
type SentAs struct {
	Mime    string // media type in lower case, without parameters
	Charset string // charset in the header Content-Type, in lower case; "" if the header names none
	Coding  string // the header Content-Encoding
}

// SentOf returns how the body that e stores was sent.
func SentOf(e *segment.Stored) SentAs {
	return SentAs{e.Mime, charset.Declared(message.Header(e.Head, "Content-Type")), message.Codings(e.Head)}
}

// DocumentKey returns the key under which the reading (the extracted text) of the body that e
// stores is filed.
func DocumentKey(e *segment.Stored) readings.Key {
	s := SentOf(e)
	return readings.Key{Body: e.ID, Sent: readings.Sent(s.Mime, s.Charset, s.Coding)}
}

// documents has the list of a snapshot's files of readings (the texts extracted from
// documents). The files are listed when they are first needed.
type documents struct {
	mu       sync.Mutex
	listed   bool
	names    []string            // paths of the files, sorted
	byNumber map[uint32][]string // the paths by the numbers of their db-files; nil until they are first needed
	// bodies has, once it is made, the first eight bytes of the ID of each body that has a
	// reading, sorted. The last bits have another meaning: bodyText is set if a reading of the
	// body has text, and bodyEmpty if a reading has none.
	bodies  []uint64
	allRead bool         // every file of this version could be read, so bodies is complete
	asked   atomic.Int64 // number of calls of Document
}

const (
	bodyText  = 1
	bodyEmpty = 2
	bodyBits  = bodyText | bodyEmpty
)

// list fills d.names with the files of readings. If they are listed already, it does nothing
// unless again is set. The caller holds d.mu.
func (d *documents) list(v *Snapshot, again bool) {
	if d.listed && !again {
		return
	}
	names, err := v.from.files.Folder.DerivedNames(commit.Documents)
	if err != nil {
		v.Warn(err)
	}
	d.names, d.listed, d.byNumber, d.bodies = names, true, nil, nil
}

// documentFiles returns the paths of all files of readings, sorted.
func (v *Snapshot) documentFiles() []string {
	d := v.documents
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list(v, false)
	return d.names
}

// documentFilesOf returns the paths of the files of readings of the db-file with this number.
// If again is set, it lists the archive's files again before.
func (v *Snapshot) documentFilesOf(number uint32, again bool) []string {
	d := v.documents
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list(v, again)
	if d.byNumber == nil {
		d.byNumber = commit.Documents.ByNumber(d.names)
	}
	return d.byNumber[number]
}

// HasDocuments reports whether the archive has files of readings.
func (v *Snapshot) HasDocuments() bool { return len(v.documentFiles()) > 0 }

// inReadings calls find with each file of readings (texts extracted from documents) of
// segment s, until find returns true. source is the index of s among the segments that the
// file covers. If a file is damaged or missing, it may have been replaced: inReadings then
// lists the files again and starts once more. If a file stays damaged, it warns and goes on. The only
// error is one that may pass, see disk.MayPass.
func (v *Snapshot) inReadings(s *segment.Info, find func(f *readings.File, source int) (done bool, err error)) error {
	name := readings.NameOf(s)
	for again := range 2 {
		replaced := false
		for _, path := range v.documentFilesOf(name.Number, again > 0) {
			f, err := v.from.readings(path, again > 0)
			done := false
			if err == nil {
				if source := f.Source(name); source >= 0 {
					done, err = find(f, source)
				}
			}
			if done {
				return nil
			}
			var fault *segment.Error
			switch damaged := errors.As(err, &fault); {
			case disk.MayPass(err):
				return err
			case again == 0 && (damaged || errors.Is(err, fs.ErrNotExist)):
				replaced = true
			case err != nil && !errors.Is(err, readings.ErrOther) && !errors.Is(err, fs.ErrNotExist):
				v.Warn(err)
			}
		}
		if !replaced {
			return nil
		}
	}
	return nil
}

// reading returns the reading (the extracted text) of the document that the entry owner
// stores, or nil if there is none. The parameter at is the position of owner in the
// archive.
func (v *Snapshot) reading(at timeline.Place, owner *segment.Stored) (out []byte, err error) {
	err = v.findReading(at, owner, func(f *readings.File, row readings.Row) (err error) {
		out, err = f.Reading(row)
		return err
	})
	return out, err
}

// documentOf returns the row of a file of readings for the document that the entry owner
// stores. The parameter at is the position of owner in the archive. ok is false if no file
// has a row for it.
func (v *Snapshot) documentOf(at timeline.Place, owner *segment.Stored) (row readings.Row, ok bool, err error) {
	err = v.findReading(at, owner, func(_ *readings.File, found readings.Row) error {
		row, ok = found, true
		return nil
	})
	return row, ok, err
}

// findReading looks for the row for the document that the entry owner stores, and calls
// use with this row and its file. The parameter at is the position of owner in the
// archive. Without such a row it does not call use. If use returns an error, the file was
// replaced or is damaged, and findReading calls use once more with the newly listed files. The only
// error that findReading returns is one that may pass, see disk.MayPass.
func (v *Snapshot) findReading(at timeline.Place, owner *segment.Stored, use func(*readings.File, readings.Row) error) error {
	if !MayBeDocument(owner) || !v.HasDocuments() {
		return nil
	}
	key := DocumentKey(owner)
	return v.inReadings(at.Seg.Info, func(f *readings.File, source int) (bool, error) {
		row, ok := f.Find(source, key)
		if !ok || !row.Read() {
			return ok, nil
		}
		err := use(f, row)
		return err == nil, err
	})
}

// readBodies returns documents.bodies, the sorted list of bodies with readings, and
// documents.allRead. It makes the list at the first call.
func (v *Snapshot) readBodies() (bodies []uint64, all bool) {
	names := v.documentFiles()
	d := v.documents
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bodies != nil {
		return d.bodies, d.allRead
	}
	out := []uint64{}
	d.allRead = true
	for _, name := range names {
		f, err := v.from.readings(name, false)
		if errors.Is(err, readings.ErrOther) {
			continue // its readings are not used
		}
		if err != nil {
			d.allRead = false
			continue // a look-up of one of its readings meets the error
		}
		for _, r := range f.All() {
			switch {
			case !r.Read():
			case r.HasText:
				out = append(out, bodyNumber(r.Body)|bodyText)
			default:
				out = append(out, bodyNumber(r.Body)|bodyEmpty)
			}
		}
	}
	slices.Sort(out)
	n := 0
	for _, x := range out {
		if n > 0 && out[n-1]&^bodyBits == x&^bodyBits {
			out[n-1] |= x
			continue
		}
		out[n], n = x, n+1
	}
	d.bodies = out[:n]
	return d.bodies, d.allRead
}

// bodyNumber returns the number that stands for id in documents.bodies: its first eight
// bytes, with the flag bits at the end set to zero.
func bodyNumber(id segment.ID) uint64 { return binary.BigEndian.Uint64(id[:]) &^ bodyBits }

// DocumentText reports whether an entry that is not a page has a text of a document, an
// empty one, or none. If that is not known, it returns search.FullDocument, so that the
// text is read. The parameter at is the position of the entry. digest is the digest of its
// body; it is zero for an entry that is stored without a body.
func (v *Snapshot) DocumentText(ctx context.Context, at timeline.Place, digest record.Digest) search.DocumentText {
	if digest == (record.Digest{}) {
		return search.FullDocument
	}
	if !v.HasDocuments() {
		return search.NoDocument
	}
	bodies, all := v.readBodies()
	number := bodyNumber(segment.ID(digest[:len(segment.ID{})]))
	i, _ := slices.BinarySearch(bodies, number)
	if i == len(bodies) || bodies[i]&^bodyBits != number {
		if !all {
			return search.FullDocument
		}
		return search.NoDocument
	}
	if bodies[i]&bodyText != 0 {
		return search.FullDocument
	}
	// It has the reading that its owner has, or none.
	e, err := v.Runs.Entry(at)
	if err != nil {
		return search.FullDocument
	}
	owner, where, err := v.Owner(ctx, at, e)
	switch {
	case err != nil:
		return search.FullDocument
	case owner != nil:
		if _, ok, err := v.documentOf(where, owner); err != nil {
			return search.FullDocument
		} else if ok {
			return search.EmptyDocument
		}
	}
	return search.NoDocument
}

// askedMost is the number of calls of Document after which Document checks whether the
// archive has any reading. If it has none, later calls need not read entries. The check is
// not made earlier, because it reads all files of readings, which takes too long for a
// single page.
const askedMost = 64

// readNone reports whether the archive has no reading at all. It is false if a file of
// readings could not be read.
func (v *Snapshot) readNone() bool {
	bodies, all := v.readBodies()
	return len(bodies) == 0 && all
}

// Document returns the reading (the text extracted from a document) of the body of the
// capture ref, in the form of record.Payload.Document. It returns nil if there is none. It
// does not read the body.
func (v *Snapshot) Document(ctx context.Context, ref record.Ref) ([]byte, error) {
	if !v.HasDocuments() || v.documents.asked.Add(1) > askedMost && v.readNone() {
		return nil, ctx.Err()
	}
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return nil, errNoSegment(ref.Segment)
	}
	at := timeline.Place{Seg: s, Run: ref.Run, N: ref.N}
	e, err := v.Runs.Entry(at)
	if err != nil {
		return nil, err
	}
	owner, where, err := v.Owner(ctx, at, e)
	if err != nil || owner == nil {
		return nil, err
	}
	return v.reading(where, owner)
}

// Readings returns the table of the file of readings at the path name, relative to the
// archive's folder.
func (v *Snapshot) Readings(name string) (*readings.File, error) {
	return v.from.readings(name, false)
}

// readingsCacheBytes is how many bytes of tables of readings are kept in memory.
const readingsCacheBytes = 64 << 20

// readings returns the table of the file of readings with this name, from memory if it was read
// before. If again is set, it reads the file again.
func (s *Source) readings(name string, again bool) (*readings.File, error) {
	s.mu.Lock()
	f := s.readingsCache[name]
	s.mu.Unlock()
	if f != nil && !again {
		return f, nil
	}
	f, err := readings.Open(s.files.Folder.Files(), name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.readingsCache[name]; old != nil {
		s.readingsBytes -= old.Memory()
	}
	if s.readingsBytes += f.Memory(); s.readingsBytes > readingsCacheBytes || s.readingsCache == nil {
		s.readingsCache, s.readingsBytes = make(map[string]*readings.File), f.Memory()
	}
	s.readingsCache[name] = f
	return f, nil
}

// colsDocument are the columns that come from the document if a capture is not a page.
const colsDocument = record.ColTitle | record.ColLang

// title returns the title of the page or document of the entry at this position. The entry
// must be stored with a body. m has the entries of its run, from the db-file.
func (o *batcher) title(m *metaAt, at timeline.Place) (string, error) {
	if k := m.pages.TitleAt(int(at.N)); k >= 0 {
		if title := m.pages.Titles()[k]; title != "" || m.bodies == nil {
			return title, nil
		}
	}
	if m.bodies == nil {
		return "", nil
	}
	p := m.pages.Of(at.N)
	err := o.addDocument(&p, m, at, origin{})
	return p.Title, err
}

// addDocument sets the title and the language of p to those of the document, if the body
// of the entry is a document. The parameter at is the position of the entry, and m has the
// entries of its run, from the db-file. For an entry that is stored without a body, the
// parameter from says which entry has the body.
func (o *batcher) addDocument(p *segment.Page, m *metaAt, at timeline.Place, from origin) error {
	if m.bodies == nil || p.BlockCount >= 0 {
		return nil
	}
	if m.bodies[at.N] == (record.Digest{}) { // it is stored without a body
		if at = from.from; at.Seg == nil {
			return nil
		}
	} else if !o.v.HasReading(segment.ID(m.bodies[at.N][:len(segment.ID{})])) {
		return nil
	}
	e, err := o.v.Runs.Entry(at)
	if err == nil {
		var where timeline.Place
		if e, where, err = o.v.Owner(o.ctx, at, e); err == nil && e != nil {
			var row readings.Row
			var ok bool
			if row, ok, err = o.v.documentOf(where, e); ok {
				p.Title, p.Lang = row.Title, row.Lang
			}
		}
	}
	if o.v.skips(err) {
		return nil
	}
	return err
}

// HasReading reports whether the archive may have a reading (a text extracted from a
// document) of the body with this ID. If it reports false, the archive has none. It reports true if
// a file of readings could not be read, because that file may have the reading.
func (v *Snapshot) HasReading(id segment.ID) bool {
	bodies, all := v.readBodies()
	i, _ := slices.BinarySearch(bodies, bodyNumber(id))
	return !all || i < len(bodies) && bodies[i]&^bodyBits == bodyNumber(id)
}
