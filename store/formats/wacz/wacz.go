// Package wacz reads and writes WACZ files. A WACZ file is a zip file with WARC
// files, an index, a list of pages, and a manifest with a digest of each file.
// The package reads versions 1.0 to 1.1.1 and the draft of 1.2.0, and writes
// 1.1.1. Packages warc and arc read the records themselves.
//
//	archive/data.warc.gz         the records
//	indexes/index.cdxj           the index, see package cdx
//	pages/pages.jsonl            the list of pages
//	datapackage.json             the manifest
//	datapackage-digest.json      the digest of the manifest
//
// A file may be damaged. The reader returns every whole record and reports each
// damaged span, even if the directory of the zip file is lost.
package wacz

import (
	"archive/zip"
	"cmp"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"infomall/store/formats/arc"
	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
)

// Options says how Read reads a WACZ file. The zero value works.
type Options struct {
	Source string // path of the WACZ file; Capture.Source is this path joined with the name of the WARC file in it
	Limits message.BodyLimits
}

// Bounds on the size of the files that are decompressed from a zip file.
const (
	manifestMax = 64 << 20 // how many bytes of datapackage.json are read
	// A WARC file that the zip file compresses is decompressed to disk only if
	// it has at most inflateMin bytes, or grows at most ratioMax times. This
	// refuses zip bombs.
	inflateMin = 64 << 20
	ratioMax   = 250
)

// Read yields the captures in r, a WACZ file of size bytes. It reads the WARC files
// in it in the order of their names; Item.Offset is an offset in the WARC file. It
// yields an item with Damage set for each damaged span, and for a WARC file whose
// digest differs from the manifest. An error comes as the last pair: reading r or
// writing to the disk failed, or ctx ended. The receiver owns each item and must close
// the Spool of its capture.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) iter.Seq2[record.Item, error] {
	return func(yield func(record.Item, error) bool) {
		rd := &reader{ctx: ctx, o: o, yield: yield}
		z, err := zip.NewReader(r, size)
		switch {
		case context.Cause(ctx) != nil:
			err = context.Cause(ctx)
		case err != nil:
			err = rd.salvage(r, err)
		default:
			err = rd.files(r, z)
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(record.Item{}, err)
		}
	}
}

// errStop is returned inside this package when the receiver of the captures has
// stopped its iteration.
var errStop = errors.New("stop")

// reader reads one WACZ file.
type reader struct {
	ctx   context.Context
	o     Options
	yield func(record.Item, error) bool
}

func (rd *reader) damage(at int64, format string, args ...any) error {
	if !rd.yield(record.Item{Offset: at, Damage: fmt.Sprintf(format, args...)}, nil) {
		return errStop
	}
	return nil
}

// salvage reads the records of r, a file that the zip reader cannot read. It finds only
// records in WARC files that the zip file stores without compression. why is the error
// of the zip reader, which salvage reports as damage.
func (rd *reader) salvage(r io.ReaderAt, why error) error {
	if err := rd.damage(0, "the zip file has no readable directory (%v): the whole file is searched for records", why); err != nil {
		return err
	}
	is, err := warc.Detect(r)
	if err != nil || !is {
		return err
	}
	return rd.records(warc.Read(rd.ctx, r, warc.Options{Source: rd.o.Source, Limits: rd.o.Limits}), "")
}

// records yields the items of one WARC file to the receiver. name is the name of that
// file, which records puts before each message about damage, unless it is "". records
// returns errStop if the receiver stops.
func (rd *reader) records(items iter.Seq2[record.Item, error], name string) error {
	for it, err := range items {
		if err != nil {
			return err
		}
		if it.Damage != "" && name != "" {
			it.Damage = name + ": " + it.Damage
		}
		if !rd.yield(it, nil) {
			return errStop
		}
	}
	return nil
}

// files reads the records of all WARC files in z, and reports WARC files that
// the manifest lists but z lacks.
func (rd *reader) files(r io.ReaderAt, z *zip.Reader) error {
	digests, err := rd.manifest(z)
	if err != nil {
		return err
	}
	var files []*zip.File
	for _, f := range z.File {
		if isArchive(f.Name) {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	if len(files) == 0 {
		return rd.damage(0, "no WARC file under archive/ in the zip file")
	}
	for _, f := range files {
		if err := rd.file(r, f, digests[f.Name]); err != nil {
			return err
		}
		delete(digests, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		if isArchive(name) {
			if err := rd.damage(0, "%s is listed in datapackage.json, but is not in the zip file", name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isArchive reports whether the file with this name in the zip file is a WARC
// or ARC file under archive/.
func isArchive(name string) bool {
	if !strings.HasPrefix(name, "archive/") {
		return false
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return strings.HasSuffix(name, ".warc") || strings.HasSuffix(name, ".arc")
}

// manifest reads datapackage.json. It returns, for the path of each file that is
// listed there, the sha256 of the file in hexadecimal digits, or "" if none is listed.
// In version 1.0 of WACZ, the digest of a file is in its field stats.
func (rd *reader) manifest(z *zip.Reader) (map[string]string, error) {
	digests := make(map[string]string)
	f, err := z.Open(namePackage)
	if err != nil {
		return digests, rd.damage(0, "no datapackage.json in the zip file: files can't be checked against it")
	}
	defer f.Close()
	var manifest struct {
		Resources []struct {
			Path, Hash string
			Stats      struct{ Hash string }
		}
	}
	if err := json.NewDecoder(io.LimitReader(f, manifestMax)).Decode(&manifest); err != nil {
		return digests, rd.damage(0, "datapackage.json can't be read: %v", err)
	}
	for _, r := range manifest.Resources {
		hash := cmp.Or(r.Hash, r.Stats.Hash)
		if kind, digits, ok := strings.Cut(hash, ":"); ok {
			if hash = digits; kind != "sha256" {
				hash = ""
			}
		}
		digests[r.Path] = strings.ToLower(hash)
	}
	return digests, nil
}

// file reads the records of f, one WARC or ARC file in the zip file r. digest is
// the sha256 of f in the manifest, as hexadecimal digits, or "".
func (rd *reader) file(r io.ReaderAt, f *zip.File, digest string) error {
	at, err := f.DataOffset()
	if err != nil {
		return rd.damage(0, "%s: %v", f.Name, err)
	}
	var in io.ReaderAt = io.NewSectionReader(r, at, int64(f.CompressedSize64))
	zipped, err := f.Open()
	if err != nil {
		return rd.damage(at, "%s: %v", f.Name, err)
	}
	defer zipped.Close()
	c := &content{ctx: rd.ctx, r: zipped, sum: sha256.New()}
	if f.Method == zip.Store {
		_, err = io.Copy(io.Discard, c)
	} else {
		if f.UncompressedSize64 > inflateMin && f.UncompressedSize64/ratioMax > f.CompressedSize64 {
			return rd.damage(at, "%s: it would inflate from %d bytes to %d, and is not read", f.Name, f.CompressedSize64, f.UncompressedSize64)
		}
		var spool *record.Spool
		if spool, err = message.NewSpool(c, rd.o.Limits.TempDir); err == nil {
			defer spool.File.Close()
			in = io.NewSectionReader(spool.File, 0, spool.Size)
		}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Name, err)
	}
	switch got := hex.EncodeToString(c.sum.Sum(nil)); {
	case c.damage != nil:
		err = rd.damage(at, "%s: %v", f.Name, c.damage)
	case digest != "" && got != digest:
		err = rd.damage(at, "%s has the sha256 %s, but datapackage.json says %s", f.Name, got, digest)
	}
	if err != nil {
		return err
	}
	source := path.Join(rd.o.Source, f.Name)
	if name := strings.ToLower(f.Name); strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".arc") {
		return rd.records(arc.Read(rd.ctx, in, arc.Options{Source: source, Limits: rd.o.Limits}), f.Name)
	}
	return rd.records(warc.Read(rd.ctx, in, warc.Options{Source: source, Limits: rd.o.Limits}), f.Name)
}

// content reads one file of the zip file and computes its sha256. If the file is
// damaged, Read stores the error in damage and returns io.EOF.
type content struct {
	ctx    context.Context
	r      io.Reader
	sum    hash.Hash // sha256 of the bytes read so far
	damage error
}

func (c *content) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.sum.Write(p[:n])
	var corrupt flate.CorruptInputError
	var unexpected flate.InternalError // flate also returns this for damaged data
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt) || errors.As(err, &unexpected) {
		c.damage, err = err, io.EOF
	}
	return n, err
}
