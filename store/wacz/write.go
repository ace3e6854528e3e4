package wacz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"infomall/store/cdx"
	"infomall/store/record"
	"infomall/store/warc"
)

// WriterOptions say how a Writer writes. The zero value works.
type WriterOptions struct {
	Title    string      // of the collection
	Software string      // such as "infomall/1.0"
	Now      record.Time // when the file is made
	TempDir  string      // for the list of pages; "" is os.TempDir()
}

// The names of the files that a Writer makes.
const (
	nameWARC    = "archive/data.warc.gz"
	nameIndex   = "indexes/index.cdxj"
	namePages   = "pages/pages.jsonl"
	namePackage = "datapackage.json"
	nameDigest  = "datapackage-digest.json"
)

// version is that of the specification that files are written to.
const version = "1.1.1"

// Writer writes captures as a WACZ file: one WARC file, its index, the list of
// pages and what says so of the whole. Captures of a URL should come together
// and in order of time, as warc.Writer has it.
type Writer struct {
	zip   *zip.Writer
	o     WriterOptions
	warc  *warc.Writer
	part  *part // that is being written
	parts []resource
	spool *record.Spool // of the pages
	pages *bufio.Writer
}

// resource is a file as datapackage.json lists it.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// part is a file on its way into the zip file.
type part struct {
	w    io.Writer
	sum  hash.Hash
	size int64
	path string
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.sum.Write(b[:n])
	p.size += int64(n)
	return n, err
}

// NewWriter returns a Writer to w, which it never closes. It ends with Finish,
// or with Close without having finished.
func NewWriter(w io.Writer, o WriterOptions) (*Writer, error) {
	out := &Writer{zip: zip.NewWriter(w), o: o}
	var err error
	if out.spool, err = record.NewSpool(bytes.NewReader(nil), o.TempDir); err != nil {
		return nil, err
	}
	out.pages = bufio.NewWriter(out.spool.File)
	out.page(map[string]string{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"})
	if err := out.begin(nameWARC, zip.Store); err != nil {
		out.Close()
		return nil, err
	}
	out.warc, err = warc.NewWriter(out.part, warc.WriterOptions{Filename: "data.warc.gz", Software: o.Software, Now: o.Now})
	if err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// begin begins a file of the zip file.
func (w *Writer) begin(path string, method uint16) error {
	f, err := w.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: w.o.Now.Std()})
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	w.part = &part{w: f, sum: sha256.New(), path: path}
	return nil
}

// end lists the file that was begun last.
func (w *Writer) end() {
	w.parts = append(w.parts, resource{
		Name: w.part.path[bytes.LastIndexByte([]byte(w.part.path), '/')+1:], Path: w.part.path,
		Hash: "sha256:" + hex.EncodeToString(w.part.sum.Sum(nil)), Bytes: w.part.size,
	})
}

// Write writes one capture and returns its entry of the index.
func (w *Writer) Write(s *record.Stored) (cdx.Entry, error) {
	at, err := w.warc.Write(s)
	if err != nil {
		return cdx.Entry{}, err
	}
	e := cdx.Entry{
		URL: s.URL, AskedURL: s.AskedURL, Time: s.Time, Mime: s.MediaType(), Status: s.Status, Revisit: at.Revisit,
		Digest: at.Payload, Length: at.Length, Offset: at.Offset, File: "data.warc.gz",
	}
	if !at.Revisit && e.Mime == "text/html" && (e.Status == 0 || e.Status == 200) {
		ts := s.Time.Std().Format(time.RFC3339Nano)
		id := sha1.Sum([]byte(s.AskedURL + " " + ts))
		page := map[string]string{"id": hex.EncodeToString(id[:8]), "url": s.AskedURL, "ts": ts}
		if s.Title != "" {
			page["title"] = s.Title
		}
		err = w.page(page)
	}
	return e, err
}

// page adds a line to the list of pages.
func (w *Writer) page(fields map[string]string) error {
	line, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if _, err := w.pages.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the list of pages to a temporary file: %w", err)
	}
	return nil
}

// Finish writes what follows the captures. The lines of index are those of the
// entries that Write returned, sorted.
func (w *Writer) Finish(index iter.Seq2[[]byte, error]) error {
	w.end()
	if err := w.begin(nameIndex, zip.Deflate); err != nil {
		return err
	}
	for line, err := range index {
		if err == nil {
			_, err = w.part.Write(line)
		}
		if err != nil {
			return err
		}
	}
	w.end()
	if err := w.begin(namePages, zip.Deflate); err != nil {
		return err
	}
	err := w.pages.Flush()
	if err == nil {
		_, err = w.spool.File.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(w.part, w.spool.File)
	}
	if err != nil {
		return fmt.Errorf("copy the list of pages: %w", err)
	}
	w.end()
	if err := w.manifest(); err != nil {
		return err
	}
	return w.zip.Close()
}

// manifest writes what says what the file holds.
func (w *Writer) manifest() error {
	data, err := json.MarshalIndent(struct {
		Profile   string     `json:"profile"`
		Version   string     `json:"wacz_version"`
		Title     string     `json:"title,omitempty"`
		Created   string     `json:"created"`
		Software  string     `json:"software,omitempty"`
		Resources []resource `json:"resources"`
	}{"data-package", version, w.o.Title, w.o.Now.Std().Format(time.RFC3339), w.o.Software, w.parts}, "", "  ")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	digest, err := json.MarshalIndent(struct {
		Path string `json:"path"`
		Hash string `json:"hash"`
	}{namePackage, "sha256:" + hex.EncodeToString(sum[:])}, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{namePackage, data}, {nameDigest, digest}} {
		if err := w.begin(f.path, zip.Deflate); err != nil {
			return err
		}
		if _, err := w.part.Write(f.data); err != nil {
			return err
		}
	}
	return nil
}

// Close removes what is on disk beside the file. It finishes nothing.
func (w *Writer) Close() error { return w.spool.File.Close() }
