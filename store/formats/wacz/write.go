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

	"infomall/store/formats/cdx"
	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// WriterOptions says what a Writer writes beside the captures. The zero value
// works.
type WriterOptions struct {
	Title    string      // title of the collection
	Software string      // name of the writing program, such as "infomall/1.0"
	Now      record.Time // the present time, which is stored in the file
	TempDir  string      // folder of a temporary file for the list of pages; "" is os.TempDir()
}

// Names of the files in the zip file that a Writer writes.
const (
	nameWARC    = "archive/data.warc.gz"
	nameIndex   = "indexes/index.cdxj"
	namePages   = "pages/pages.jsonl"
	namePackage = "datapackage.json"
	nameDigest  = "datapackage-digest.json"
)

// version is the version of the WACZ specification that a Writer follows.
const version = "1.1.1"

// Writer writes captures to a WACZ file: one WARC file, its index, the list of
// pages and the manifest. The captures of a URL should be written in a row and in
// order of time, so that the WARC file need not repeat equal bodies.
type Writer struct {
	zip   *zip.Writer
	o     WriterOptions
	warc  *warc.Writer
	part  *part         // the file in the zip file that is being written
	parts []resource    // the files in the zip file that are complete
	spool *record.Spool // the temporary file with the list of pages
	pages *bufio.Writer // writes to spool
}

// resource is the entry of one file in datapackage.json, the manifest.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// part is one file in the zip file while it is being written, with its size and
// digest so far.
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

// NewWriter returns a Writer that writes a WACZ file to w; it never closes w.
// The caller calls Finish to complete the file, and then Close in any case.
func NewWriter(w io.Writer, o WriterOptions) (*Writer, error) {
	out := &Writer{zip: zip.NewWriter(w), o: o}
	var err error
	if out.spool, err = message.NewSpool(bytes.NewReader(nil), o.TempDir); err != nil {
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

// begin starts the next file in the zip file, called path and compressed by method.
// The file becomes w.part.
func (w *Writer) begin(path string, method uint16) error {
	f, err := w.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: w.o.Now.Std()})
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	w.part = &part{w: f, sum: sha256.New(), path: path}
	return nil
}

// end completes w.part, the current file in the zip file: it adds the file's name,
// size and digest to w.parts, for the manifest.
func (w *Writer) end() {
	w.parts = append(w.parts, resource{
		Name: w.part.path[bytes.LastIndexByte([]byte(w.part.path), '/')+1:], Path: w.part.path,
		Hash: "sha256:" + hex.EncodeToString(w.part.sum.Sum(nil)), Bytes: w.part.size,
	})
}

// Write writes one capture to the WARC file. If the capture is an HTML page, Write also
// adds it to the list of pages, except if a browser made the HTML by rendering a page. It
// returns the capture's entry for the index, and the identifier of its record.
func (w *Writer) Write(s *message.Stored) (e cdx.Entry, id string, err error) {
	at, err := w.warc.Write(s)
	if err != nil {
		return cdx.Entry{}, "", err
	}
	e = cdx.Entry{
		URL: s.URL, AskedURL: s.AskedURL, Time: s.Time, Mime: s.MediaType(), Status: s.Status, Revisit: at.Revisit,
		Digest: at.Payload, Length: at.Length, Offset: at.Offset, File: "data.warc.gz",
	}
	if _, shown := urlkey.Shown(s.URL); !shown && !at.Revisit && e.Mime == "text/html" && (e.Status == 0 || e.Status == 200) {
		ts := s.Time.Std().Format(time.RFC3339Nano)
		id := sha1.Sum([]byte(s.AskedURL + " " + ts))
		page := map[string]string{"id": hex.EncodeToString(id[:8]), "url": s.AskedURL, "ts": ts}
		if s.Title != "" {
			page["title"] = s.Title
		}
		err = w.page(page)
	}
	return e, at.ID, err
}

// page adds a line to the list of pages: a JSON object with fields.
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

// File is a further file in a WACZ file.
type File struct {
	Path  string                   // in the WACZ file, such as "provenance/rows.jsonl"
	Write func(to io.Writer) error // writes the content
}

// Finish writes the index, the list of pages, the further files in more, and the
// manifest, and completes the zip file. index yields the lines of the index, sorted;
// they are the lines of the entries that Write has returned.
func (w *Writer) Finish(index iter.Seq2[[]byte, error], more ...File) error {
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
	for _, f := range more {
		if err := w.begin(f.Path, zip.Deflate); err != nil {
			return err
		}
		if err := f.Write(w.part); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
		w.end()
	}
	if err := w.manifest(); err != nil {
		return err
	}
	return w.zip.Close()
}

// manifest writes datapackage.json, which lists the other files, and its
// digest.
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

// Close removes the temporary file of the Writer. It does not complete the WACZ
// file.
func (w *Writer) Close() error { return w.spool.File.Close() }
