package mend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"infomall/store/body"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/document"
	"infomall/store/page"
	"infomall/store/page/coding"
	"infomall/store/readings"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
)

// DocumentReader extracts text from documents such as PDFs. Only one goroutine calls it at a
// time.
type DocumentReader interface {
	// Read reads the body in.Body as a document. It returns nil if the body is no document of a
	// known kind. If the body is a document that cannot be read, Reason of the result says why.
	// An error means that no body can be read at all, or is the error of ctx.
	Read(ctx context.Context, in *document.Input) (*document.Document, error)
}

// A file of readings is published when documentsBytes bytes of bodies were read for it or it has as
// many bytes of readings, when it has documentsRows rows, or after documentsTime. If the process
// ends, the documents in published files need not be read again.
const (
	documentsBytes = 64 << 20
	documentsRows  = 1 << 17 // they take 20 MB of memory
	documentsTime  = 30 * time.Second
)

// documentBytesMax is the size in bytes, after content-decoding, above which a body is not
// read as a document.
const documentBytesMax = 64 << 20

// leadBytes is how many bytes of a document's text are read to guess its language.
const leadBytes = 16 << 10

// reindexDocuments carries out REINDEX DOCUMENTS for one pool or for all pools: it reads the
// documents that were not read yet, or were read by another version of the program. If another
// process is reading documents, it does nothing. It also does nothing without a DocumentReader.
func (m *Maintenance) reindexDocuments(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error) {
	if m.documents == nil {
		return nil, nil
	}
	p, err := m.folder.Pin()
	if err != nil {
		return nil, err
	}
	p.Release() // the segments are chosen below
	if pools := p.PoolNames(); o.Pool != "" && !slices.Contains(pools, o.Pool) {
		return nil, &task.NoPoolError{Name: o.Pool, Pools: pools}
	}
	d := &documentRun{reindex: &reindex{m: m, o: o, results: make(map[string]*task.ReindexResult)}, reader: m.documents}
	err = d.all(ctx)
	return d.list(), err
}

// documentRun writes files of readings (texts extracted from documents). It reads the documents of
// an archive, or only copies readings of replaced db-files into files of the new db-files.
type documentRun struct {
	*reindex
	reader DocumentReader // nil if readings are only copied
	v      *snapshot.Snapshot

	usable  []string                 // the files of readings that can be used
	inForce map[uint32]readings.Name // the db-files in force, by number
	from    map[uint32]uint32        // by number of a db-file: the first run of which not all documents have readings

	b     *readings.Builder // builds the current file of readings; nil if there is none
	out   *countingWriter   // counts the bytes of that file
	file  disk.File         // that file
	tmp   string            // its path
	read  int64             // how many bytes of bodies were read for it
	begun time.Time         // when it was begun
}

// all reads all documents that have no reading yet, including those of captures that are imported
// while it runs.
func (d *documentRun) all(ctx context.Context) error {
	if d.o.Dry {
		_, err := d.once(ctx, 0)
		return err
	}
	p, err := d.m.folder.Pin()
	if err != nil {
		return err
	}
	p.Release()
	if p.Generation == 0 {
		return nil // there is no archive
	}
	unlock, free, err := d.m.folder.LockDocuments()
	if err != nil || !free {
		return err
	}
	defer unlock()
	for seen := uint64(0); ; {
		now, err := d.once(ctx, seen)
		if err != nil || now == seen {
			return err
		}
		seen = now
	}
}

// once reads the documents that have no reading yet in the present state of the archive, and
// returns the number of that generation. If the present generation is seen, or if all documents
// have readings, once reads nothing and returns seen.
func (d *documentRun) once(ctx context.Context, seen uint64) (generation uint64, err error) {
	if d.v, err = d.m.snapshots.Open(ctx); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.v.Close()) }()
	if d.v.Pin.Generation == seen {
		return seen, nil
	}
	d.v.Runs.Shelve(wordsShelf, 2)
	bad, _, err := d.survey()
	if err != nil {
		return 0, err
	}
	var due []*segment.Info
	for _, s := range d.v.Pin.Segments {
		if int(d.from[s.Number()]) < s.Runs && (d.o.Pool == "" || s.Pool == d.o.Pool) {
			due = append(due, s)
			d.total += s.Bytes
			d.count(s)
			d.result(s.Pool).IndexBytes -= s.IndexBytes // it stays
		}
	}
	if len(due) == 0 || d.o.Dry {
		return seen, nil
	}
	slices.SortFunc(due, func(a, b *segment.Info) int { return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID)) })
	return d.v.Pin.Generation, d.write(ctx, d.m.folder.NewWriter, func() error {
		defer d.abandon()
		for _, s := range due {
			if err := d.segment(ctx, s); err != nil {
				return errors.Join(err, d.publish())
			}
		}
		if err := d.publish(); err != nil {
			return err
		}
		if err := d.join(); err != nil {
			return err
		}
		return d.remove(bad)
	})
}

// segment reads the documents of a segment, beginning with the first run of which not all documents
// have readings.
func (d *documentRun) segment(ctx context.Context, s *segment.Info) error {
	from := d.from[s.Number()]
	if err := d.begin(readings.NameOf(s), from); err != nil {
		return err
	}
	whole := true
	defer func() {
		if d.b != nil {
			d.b.Drop()
		}
	}()
	for n := from; n < uint32(s.Runs); n++ {
		ok, err := d.run(ctx, s, n)
		if err != nil {
			return err
		}
		if whole = whole && ok; whole {
			d.b.Cover(n + 1)
		}
		if d.o.Progress != nil {
			d.o.Progress(d.done+s.Bytes*int64(n+1)/int64(s.Runs), d.total)
		}
		if d.read < documentsBytes && !full(d.b) && d.m.now().Sub(d.begun) < documentsTime || n+1 == uint32(s.Runs) {
			continue
		}
		if err := d.publish(); err != nil {
			return err
		}
		if err := d.begin(readings.NameOf(s), n+1); err != nil {
			return err
		}
	}
	d.done += s.Bytes
	return nil
}

// run adds the readings of the documents in run n of segment s to the current file. ok is false if
// a document got no reading, because it is damaged, or because d only copies existing readings.
func (d *documentRun) run(ctx context.Context, s *segment.Info, n uint32) (ok bool, err error) {
	r := d.v.Runs.Reader(s)
	meta, err := d.v.Runs.Meta(r, n)
	if err != nil {
		return false, d.passOver(err)
	}
	if meta.Len() == 0 {
		return true, nil
	}
	pages, err := meta.Pages(record.ColCounts)
	if err != nil {
		return false, d.passOver(err)
	}
	if pages.AllRead() {
		return true, nil // decoding the entries would take a hundredth of the time of an import of small pages
	}
	entries, err := meta.Entries()
	if err != nil {
		return false, d.passOver(err)
	}
	ok = true
	for i := range entries {
		e := &entries[i]
		if !snapshot.MayBeDocument(e) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		found, err := d.add(ctx, e)
		if err != nil {
			return false, err
		}
		ok = ok && found
	}
	return ok, nil
}

// passOver returns err, unless err means that the archive is damaged. For damage it only warns and
// returns nil, so that the caller skips what is damaged.
func (d *documentRun) passOver(err error) error {
	if !body.IsDamage(err) {
		return err
	}
	d.v.Warn(err)
	return nil
}

// add adds the reading of the document whose body entry e stores to the current file. It copies the
// reading from another file if one has it, and otherwise reads the document. ok is false if the
// body is damaged, or if d only copies existing readings and there is none.
func (d *documentRun) add(ctx context.Context, e *segment.Stored) (ok bool, err error) {
	key := snapshot.DocumentKey(e)
	if d.b.Has(key) {
		return true, nil
	}
	if done, err := d.bring(key); done || err != nil {
		return done, err
	}
	if d.reader == nil {
		return false, nil
	}
	doc := document.New()
	if e.Bytes > record.LargeBody {
		doc.Reason = fmt.Sprintf("larger than %d MB: it is not read", documentBytesMax>>20)
		return true, d.b.Add(key, doc)
	}
	stored, err := d.v.Runs.Body(ctx, e)
	if err != nil {
		return false, d.passOver(err)
	}
	d.read += int64(len(stored))
	sent := snapshot.SentOf(e)
	decoded, err := coding.Decode(stored, sent.Coding, documentBytesMax)
	if err != nil {
		doc.Reason = err.Error()
		return true, d.b.Add(key, doc)
	}
	if doc, err = d.reader.Read(ctx, &document.Input{Body: decoded, Mime: sent.Mime, Charset: sent.Charset, Limits: document.Limits{Time: d.o.DocumentTime}}); err != nil {
		return false, err
	}
	if doc != nil {
		complete(doc)
	}
	return true, d.b.Add(key, doc)
}

// complete cuts the title of document d if it is very long. It guesses the language of d if d does
// not name one, or names a language that its text cannot be in.
func complete(d *document.Document) {
	if n := readings.TitleBytes; len(d.Title) > n {
		for !utf8.RuneStart(d.Title[n]) {
			n--
		}
		d.Title = d.Title[:n]
	}
	var lead strings.Builder
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if lead.Len() >= leadBytes {
				break
			}
			lead.WriteString(p.Text[:min(len(p.Text), leadBytes)])
			lead.WriteByte('\n')
		}
	}
	d.Lang = page.LangFor(d.Lang, strings.ToValidUTF8(lead.String(), ""))
}

// bring looks in d.usable for a file with a reading that has this key. If there is one, bring
// copies the reading to the current file. done is false if there is none.
func (d *documentRun) bring(key readings.Key) (done bool, err error) {
	for _, name := range d.usable {
		f, err := d.v.Readings(name)
		if disk.MayPass(err) {
			return false, err
		}
		if err != nil {
			continue // another process has removed it
		}
		for source := range f.Sources {
			row, ok := f.Find(source, key)
			if !ok {
				continue
			}
			err := d.b.Copy(f, row)
			if err == nil {
				return true, nil
			}
			var fault *segment.Error
			if !errors.As(err, &fault) && !errors.Is(err, fs.ErrNotExist) {
				return false, err
			}
		}
	}
	return false, nil
}

// full reports whether the file of readings that b builds has as many bytes or rows as a file
// should have.
func full(b *readings.Builder) bool { return b.Bytes() >= documentsBytes || b.Len() >= documentsRows }

// begin begins the readings of a db-file in the current file of readings. The parameter of is the
// db-file, and from is the number of the first run whose documents will be added. If there is no
// current file, or it has readings of commit.DerivedMost db-files, begin first begins a new file.
func (d *documentRun) begin(of readings.Name, from uint32) error {
	if d.b != nil && len(d.b.Sources()) == commit.DerivedMost {
		if err := d.publish(); err != nil {
			return err
		}
	}
	if d.b == nil {
		if err := d.create(); err != nil {
			return err
		}
	}
	d.b.Begin(of, from)
	return nil
}
