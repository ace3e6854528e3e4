package mend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/notes"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Verify reads every file of the archive's present state, or of one pool or a sample, and
// yields one finding for each fault. It checks CURRENT and all existing catalogues, the sizes
// and checksums of all files in force, each record and block, the order of captures, and the
// index against the data. It also checks that everything on which segments depend exists, that
// each body can be put together and has its sha256, and that stored results, indexes of words
// and readings of documents are readable. An error in the last pair is not a fault of the
// archive: it ended the verification early.
//
// If Verify ends early, it records which files it found undamaged, and the next
// Verify of the same kind does not read them again. It takes memory for a few runs
// (captures compressed together), and 16 bytes for each damaged body.
func (m *Maintenance) Verify(ctx context.Context, o task.VerifyOptions) iter.Seq2[task.Finding, error] {
	return func(yield func(task.Finding, error) bool) {
		v, err := m.snapshots.Open(ctx)
		var fault *segment.Error
		switch {
		case errors.As(err, &fault):
			yield(task.Finding{File: fault.File, Offset: fault.Offset, What: fault.Err.Error(), Severity: task.SeverityError, Time: record.NoTime}, nil)
			return
		case errors.Is(err, os.ErrNotExist):
			yield(task.Finding{File: commit.DirCatalog, Offset: -1, What: err.Error(), Severity: task.SeverityError, Time: record.NoTime}, nil)
			return
		case err != nil:
			yield(task.Finding{}, err)
			return
		}
		defer v.Close()
		v.Runs.Shelve(verifyRuns, 1)
		y := &verifier{m: m, v: v, o: o, lost: make(map[segment.ID]bool), yield: func(f task.Finding) error {
			if !yield(f, nil) {
				return snapshot.ErrStop
			}
			return nil
		}}
		err = y.begin()
		if err == nil {
			err = errors.Join(y.run(ctx), y.note())
		}
		if err != nil && !errors.Is(err, snapshot.ErrStop) {
			yield(task.Finding{}, err)
		}
	}
}

// PlanVerify returns what Verify would read with these options. It reads no
// captures.
func (m *Maintenance) PlanVerify(ctx context.Context, o task.VerifyOptions) (task.VerifyPlan, error) {
	var plan task.VerifyPlan
	v, err := m.snapshots.Open(ctx)
	if err != nil {
		return plan, err
	}
	defer v.Close()
	o.Dry = true
	y := &verifier{m: m, v: v, o: o, yield: func(task.Finding) error { return nil }}
	if err := y.begin(); err != nil {
		return plan, err
	}
	plan.Clean = len(y.chosen)
	y.chosen = slices.DeleteFunc(y.chosen, y.isClean)
	plan.Clean -= len(y.chosen)
	if o.Sample > 1 {
		plan.Part, plan.Sample = y.part+1, o.Sample
	}
	add := func(name string, bytes int64) {
		plan.Files, plan.Bytes = append(plan.Files, name), plan.Bytes+bytes
	}
	if v.Pin.Generation > 0 {
		add(commit.FileCurrent, 0)
		add(m.folder.CatalogFile(v.Pin.Generation), 0)
	}
	for _, x := range y.indexes() {
		add(x.Name, x.Bytes)
	}
	for _, f := range v.Pin.CommonFiles() {
		add(f.Name, f.Bytes)
	}
	for _, n := range v.Pin.Names {
		add(n.Name, n.Bytes)
	}
	for _, s := range y.chosen {
		add(s.File, s.Bytes)
	}
	others, err := y.resultFiles()
	if err != nil {
		return plan, err
	}
	for _, d := range derivedFiles {
		files, err := y.derivedFiles(d.Derived)
		if err != nil {
			return plan, err
		}
		others = append(others, files...)
	}
	for _, name := range others {
		if info, err := m.folder.Files().Stat(name); err == nil {
			add(name, info.Size())
		}
	}
	return plan, nil
}

// verifyRuns is how many bytes of decoded runs a verification keeps in memory. It reads
// segments in order, and the bodies of neighbouring URLs have their blocks in the same
// few runs of each older segment.
const verifyRuns = 32 << 20

// verifier is the state of one Verify. Its methods report each fault that they find as a
// finding.
type verifier struct {
	m           *Maintenance
	v           *snapshot.Snapshot
	o           task.VerifyOptions
	yield       func(task.Finding) error
	chosen      []*segment.Info                           // the segments to verify
	done, total int64                                     // bytes of files: read so far, and in all
	found       int                                       // number of findings so far
	lost        map[segment.ID]bool                       // IDs of bodies that cannot be read
	hidden      func(timeline.Place) (catalog.Need, bool) // reports whether a capture was deleted, and captures of which pools need it

	part  int       // number of the part of a sample that is verified, from 0
	clean []uint32  // numbers of db-files found undamaged, by this verification or the one it continues
	whole bool      // the verification has come to its end
	noted time.Time // when the progress was stored last
}

// begin sets y.chosen to the segments to read: all segments, those of a pool, or those of one
// part of a sample.
func (y *verifier) begin() error {
	all, err := y.segments()
	if err != nil {
		return err
	}
	if y.o.Sample > 1 && y.o.Stateless {
		return errors.New("VERIFY SAMPLE stores in the archive which part is next, but this session is read-only")
	}
	if err := y.recall(); err != nil {
		return err
	}
	for _, s := range all {
		if y.o.Sample < 2 || int(s.ID)%y.o.Sample == y.part {
			y.chosen = append(y.chosen, s)
		}
	}
	return nil
}

// indexes returns the index files of the chosen segments.
func (y *verifier) indexes() []catalog.IndexFile {
	used := make(map[string]bool)
	for _, s := range y.chosen {
		used[s.Index] = true
	}
	return slices.DeleteFunc(slices.Clone(y.v.Pin.Indexes), func(x catalog.IndexFile) bool { return !used[x.Name] })
}

func (y *verifier) run(ctx context.Context) error {
	if err := y.small(ctx); err != nil {
		return err
	}
	if err := y.dangling(); err != nil {
		return err
	}
	if err := y.unsorted(); err != nil {
		return err
	}
	if err := y.misnamed(); err != nil {
		return err
	}
	for _, s := range y.chosen {
		if !y.isClean(s) {
			y.total += s.Bytes
		}
	}
	for _, x := range y.indexes() {
		y.total += x.Bytes
	}
	for _, f := range y.v.Pin.CommonFiles() {
		y.total += f.Bytes
	}
	for _, n := range y.v.Pin.Names {
		y.total += n.Bytes
	}
	damaged := make(map[string]bool)
	for _, x := range y.indexes() {
		why, err := y.sum(ctx, x.Name, x.Bytes, x.CRC)
		if err != nil {
			return err
		}
		if why != "" {
			damaged[x.Name] = true
			if err := y.report(task.Finding{File: x.Name, Offset: -1, What: why, Time: record.NoTime}); err != nil {
				return err
			}
		}
	}
	if err := y.names(ctx); err != nil {
		return err
	}
	for _, r := range y.v.Pin.Removals {
		why, err := y.sum(ctx, r.Name, r.Bytes, r.CRC)
		if err != nil {
			return err
		}
		if why != "" {
			// Without the catalogue it is unknown what should exist.
			return y.report(task.Finding{File: r.Name, Offset: -1, What: why, Severity: task.SeverityError, Time: record.NoTime})
		}
	}
	if err := y.blockList(ctx); err != nil {
		return err
	}
	hidden, err := y.v.HiddenNeeds()
	if err != nil {
		return err
	}
	y.hidden = hidden
	// A damaged index is not searched: its pages may form a circle.
	for _, s := range y.v.Pin.Segments {
		if damaged[s.Index] {
			y.v.Runs.ReadAlone(s)
		}
	}
	for _, s := range y.chosen {
		if y.isClean(s) {
			continue
		}
		found, lost := y.found, len(y.lost)
		if err := y.segment(ctx, s); err != nil {
			return err
		}
		if y.found == found && len(y.lost) == lost && !damaged[s.Index] {
			y.clean = append(y.clean, s.Number())
		}
		if err := y.noteNow(); err != nil {
			return err
		}
	}
	if len(y.lost) > 0 {
		for _, s := range y.chosen {
			if err := y.holdersOf(ctx, y.v.Runs.Reader(s)); err != nil {
				return err
			}
		}
	}
	if err := y.derived(ctx); err != nil {
		return err
	}
	if err := y.results(ctx); err != nil {
		return err
	}
	y.whole = true
	return nil
}

// blockList verifies the file of the block-list.
func (y *verifier) blockList(ctx context.Context) error {
	f := y.v.Pin.Blocked
	if f.Name == "" {
		return nil
	}
	why, err := y.sum(ctx, f.Name, f.Bytes, f.CRC)
	if err != nil {
		return err
	}
	if _, err := y.m.folder.ReadBlockList(y.v.Pin.Catalog); why == "" && err != nil {
		if disk.MayPass(err) {
			return err
		}
		why = causeOf(err).Error()
	}
	if why == "" {
		return nil
	}
	return y.report(task.Finding{File: f.Name, Offset: -1, What: why, Severity: task.SeverityError, Time: record.NoTime})
}

// results verifies the files of stored results, such as rankings.
func (y *verifier) results(ctx context.Context) error {
	names, err := y.resultFiles()
	if err != nil {
		return err
	}
	for _, name := range names {
		err := y.m.notes.CheckResult(ctx, name)
		if disk.MayPass(err) {
			return err
		}
		if err == nil || errors.Is(err, os.ErrNotExist) {
			continue // or it was dropped meanwhile
		}
		if err := y.report(task.Finding{File: name, Offset: -1, What: causeOf(err).Error(), Time: record.NoTime}); err != nil {
			return err
		}
	}
	return nil
}

// causeOf returns err without the name of the damaged file: if err wraps a *segment.Error, the
// result is the error inside it.
func causeOf(err error) error {
	var fault *segment.Error
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// resultFiles returns the paths of the files of stored results to verify. If only
// one pool is verified, there are none, because results belong to no pool.
func (y *verifier) resultFiles() (list []string, err error) {
	if y.o.Pool != "" {
		return nil, nil
	}
	all, err := y.m.notes.ResultFiles()
	for i, name := range all {
		if y.o.Sample < 2 || i%y.o.Sample == y.part {
			list = append(list, name)
		}
	}
	return list, err
}

// small verifies the small files that every VERIFY reads: all existing catalogues, FORMAT.txt,
// and the file with views, metadata and saved queries.
func (y *verifier) small(ctx context.Context) error {
	if y.v.Pin.Generation == 0 {
		return nil
	}
	warn := func(file string, err error) error {
		return y.report(task.Finding{File: file, Offset: -1, What: err.Error(), Time: record.NoTime})
	}
	numbers, err := y.m.folder.Generations()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		err := y.m.folder.CheckCatalog(n)
		if err == nil || errors.Is(err, os.ErrNotExist) { // another process may have deleted it meanwhile
			continue
		}
		if disk.MayPass(err) {
			return err
		}
		what := "this catalogue is not in force, and is damaged: remove the file"
		if n == y.v.Pin.Generation {
			what = "this catalogue is damaged, but CURRENT has its content: the next statement that changes the archive writes a new one"
		}
		if err := warn(y.m.folder.CatalogFile(n), fmt.Errorf("%s: %w", what, causeOf(err))); err != nil {
			return err
		}
	}
	_, err = y.m.notes.Definitions(ctx)
	if disk.MayPass(err) {
		return err
	}
	if err != nil {
		if err := warn(notes.FileDefinitions, causeOf(err)); err != nil {
			return err
		}
	}
	b, err := disk.ReadFile(y.m.folder.Files(), commit.FileFormat)
	if err == nil {
		err = commit.CheckFormat(b)
	}
	if disk.MayPass(err) {
		return err
	}
	if err != nil {
		return warn(commit.FileFormat, err)
	}
	return nil
}

// dangling reports chosen segments that depend on segments or pools that are not in
// force.
func (y *verifier) dangling() error {
	has := y.v.Pin.Holdings()
	for _, s := range y.chosen {
		var missing []string
		for _, p := range s.Depends {
			if !has.Pools[p] {
				missing = append(missing, "pool "+p)
			}
		}
		for _, id := range s.Uses {
			if !has.Segments[id] {
				missing = append(missing, fmt.Sprintf("segment %d", id))
			}
		}
		if len(missing) == 0 {
			continue
		}
		err := y.report(task.Finding{
			Pool: s.Pool, File: s.File, Offset: -1, Severity: task.SeverityError, Time: record.NoTime,
			What: "it depends on pools or segments that are not in force: " + strings.Join(missing, ", "),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unsorted reports db-files of a static pool whose ranges of keys overlap; in such a pool each
// db-file must begin after the one before it ends. It also reports db-files with captures of URLs
// that their pool does not take.
func (y *verifier) unsorted() error {
	byKey := slices.Clone(y.chosen)
	slices.SortStableFunc(byKey, func(a, b *segment.Info) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), strings.Compare(a.FirstKey, b.FirstKey))
	})
	var last *segment.Info
	for _, s := range byKey {
		if s.Captures == 0 {
			continue
		}
		what := ""
		if last != nil && last.Pool == s.Pool && y.v.Pin.IsStatic(s.Pool) && s.FirstKey <= last.LastKey {
			what = fmt.Sprintf("its pool is static, but it begins before %s ends: together they are not one sorted run", last.File)
		}
		if !y.v.Pin.Takes(s.Pool, s.FirstKey) || !y.v.Pin.Takes(s.Pool, s.LastKey) {
			what = "it has captures of URLs that its pool does not take"
		}
		last = s
		if what == "" {
			continue
		}
		err := y.report(task.Finding{Pool: s.Pool, File: s.File, Offset: -1, Severity: task.SeverityError, Time: record.NoTime, What: what})
		if err != nil {
			return err
		}
	}
	return nil
}

// misnamed reports the pools that are not named after a month.
func (y *verifier) misnamed() error {
	for _, pool := range y.v.Pin.MisnamedPools() {
		if y.o.Pool != "" && y.o.Pool != pool {
			continue
		}
		err := y.report(task.Finding{Pool: pool, File: filepath.Join(commit.DirPools, pool), Offset: -1, What: catalog.Misnamed(pool).Error(), Severity: task.SeverityError, Time: record.NoTime})
		if err != nil {
			return err
		}
	}
	return nil
}

// segments returns the segments of the pool to verify, or all segments if no pool is
// named. If there is no such pool, the error is a *task.NoPoolError.
func (y *verifier) segments() ([]*segment.Info, error) {
	if y.o.Pool == "" {
		return y.v.Pin.Segments, nil
	}
	var out []*segment.Info
	none := &task.NoPoolError{Name: y.o.Pool}
	for _, s := range y.v.Pin.Segments {
		if s.Pool == y.o.Pool {
			out = append(out, s)
		}
		if n := len(none.Pools); n == 0 || none.Pools[n-1] != s.Pool {
			none.Pools = append(none.Pools, s.Pool)
		}
	}
	if out == nil {
		return nil, none
	}
	return out, nil
}

// names verifies the names files, which say where the blocks of merged segments are
// now.
func (y *verifier) names(ctx context.Context) error {
	for _, n := range y.v.Pin.Names {
		pool := filepath.Base(filepath.Dir(n.Name))
		if y.o.Pool != "" && y.o.Pool != pool {
			continue
		}
		why, err := y.sum(ctx, n.Name, n.Bytes, n.CRC)
		if err == nil && why == "" {
			if _, e := body.ReadNames(y.m.folder, n); e != nil {
				why, err = e.Error(), passing(e)
			}
		}
		if err != nil {
			return err
		}
		if why != "" {
			if err := y.report(task.Finding{Pool: pool, File: n.Name, Offset: -1, What: why, Severity: task.SeverityError, Time: record.NoTime}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (y *verifier) report(f task.Finding) error {
	y.found++
	return y.yield(f)
}

// sum reads a whole file, given by its path in the archive's folder, and compares it
// with the size and crc32c in the catalogue. why says what is wrong; it is "" if the
// file is undamaged. The error is set if ctx ended, or if a later read may succeed (see
// disk.MayPass).
func (y *verifier) sum(ctx context.Context, name string, size int64, crc uint32) (why string, err error) {
	f, err := y.m.folder.Files().Open(name)
	if err != nil {
		return err.Error(), passing(err)
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	n, sum := int64(0), uint32(0)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		m, err := f.Read(buf)
		n += int64(m)
		sum = crc32c.Add(sum, buf[:m])
		y.done += int64(m)
		if y.o.Progress != nil {
			y.o.Progress(y.done, y.total)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err.Error(), passing(err)
		}
	}
	switch {
	case n != size:
		return fmt.Sprintf("the file has %d bytes, the catalogue says %d", n, size), nil
	case !segment.SumIs(sum, crc):
		return fmt.Sprintf("crc32c is %08x, the catalogue says %08x", sum, crc), nil
	}
	return "", nil
}

// segment verifies the db-file of one segment, and its index.
func (y *verifier) segment(ctx context.Context, info *segment.Info) error {
	why, err := y.sum(ctx, info.File, info.Bytes, info.CRC)
	if err != nil {
		return err
	}
	s, before := y.v.Runs.Reader(info), y.found
	found := func(f segment.Fault) error {
		row := task.Finding{Pool: info.Pool, File: info.File, Offset: f.Offset, What: f.Err.Error(), Severity: task.SeverityError, Time: record.NoTime}
		if f.Index {
			row.File, row.Severity = info.Index, task.SeverityWarning
		}
		if f.Lost != nil {
			if _, hidden := y.hidden(timeline.Place{Seg: s, Run: f.Run, N: f.N}); !hidden {
				row.URL, row.Time = urlkey.URL(f.Lost.Key), f.Lost.Time
			}
			if f.Lost.Body == segment.BodyOwn {
				y.lost[f.Lost.ID] = true
			}
		}
		return y.report(row)
	}
	err = s.Check(ctx, found, func(n uint32, r *segment.Run) error { return y.bodies(ctx, s, n, r) })
	if err != nil {
		return err
	}
	if why != "" && y.found == before {
		// If a record is damaged, that finding says more.
		return y.report(task.Finding{Pool: info.Pool, File: info.File, Offset: -1, What: why, Severity: task.SeverityError, Time: record.NoTime})
	}
	return nil
}

// bodies verifies the bodies of the entries in r, which is run n of segment s. If an entry stores
// its body itself, bodies puts the body together. Otherwise it looks for the entry that stores the
// body. It reports each capture whose body cannot be read, and adds the IDs of such bodies to
// y.lost.
func (y *verifier) bodies(ctx context.Context, s *segment.Reader, n uint32, r *segment.Run) error {
	y.v.Runs.Remember(s, n, r)
	entries, err := r.Meta.Entries()
	if err != nil {
		return err // Unreachable: Check has decoded the entries.
	}
	for i := range entries {
		e := &entries[i]
		var fault error
		switch {
		case e.Body == segment.BodyNone || y.gone(timeline.Place{Seg: s, Run: n, N: uint32(i)}):
			continue
		case e.Body == segment.BodyOwn:
			for _, err := range y.v.Runs.Pieces(ctx, e) {
				fault = err
			}
			if fault != nil && !disk.MayPass(fault) {
				y.lost[e.ID] = true
			}
		case i > 0 && entries[i-1].Key == e.Key && entries[i-1].ID == e.ID && !y.gone(timeline.Place{Seg: s, Run: n, N: uint32(i - 1)}):
			continue // found with the entry before
		default:
			_, _, fault = y.v.Owner(ctx, timeline.Place{Seg: s, Run: n, N: uint32(i)}, e)
			var damage *segment.Error
			if errors.As(fault, &damage) && damage.File != s.Info.File {
				y.lost[e.ID] = true
				continue // that file is reported, and this entry with those that need it
			}
		}
		if err := cmp.Or(ctx.Err(), passing(fault)); err != nil {
			return err
		}
		if fault == nil {
			continue
		}
		if err := y.lostCapture(timeline.Place{Seg: s, Run: n, N: uint32(i)}, e, "the body cannot be read: "+fault.Error()); err != nil {
			return err
		}
	}
	return nil
}

// gone reports whether the capture at a place was deleted and no other capture has its
// body from it. It is no fault if the body of such a capture is missing: another deleted
// capture may have stored the body, and a merge may have dropped that one.
func (y *verifier) gone(at timeline.Place) bool {
	n, hidden := y.hidden(at)
	return hidden && n == catalog.NeedNone
}

// lostCapture reports that the body of entry e cannot be read. The parameter at is the place of
// e, and what says why. If the capture was deleted, the report does not name it.
func (y *verifier) lostCapture(at timeline.Place, e *segment.Stored, what string) error {
	f := task.Finding{
		Pool: at.Seg.Info.Pool, File: at.Seg.Info.File, Offset: -1, What: what, Severity: task.SeverityError, URL: urlkey.URL(e.Key), Time: e.Time,
	}
	if _, hidden := y.hidden(at); hidden {
		f.URL, f.Time, f.What = "", record.NoTime, "the body of a deleted capture cannot be read"
	}
	return y.report(f)
}

// holdersOf reports each capture of segment s whose body cannot be read because another capture,
// which stores the body, is damaged. y.lost has the IDs of the damaged bodies.
func (y *verifier) holdersOf(ctx context.Context, s *segment.Reader) error {
	return s.Check(ctx, func(segment.Fault) error { return nil }, func(n uint32, r *segment.Run) error {
		entries, err := r.Meta.Entries()
		if err != nil {
			return err // Unreachable: Check has decoded the entries.
		}
		for i := range entries {
			e := &entries[i]
			if e.Body != segment.BodyHeld && e.Body != segment.BodyElsewhere || !y.lost[e.ID] || y.gone(timeline.Place{Seg: s, Run: n, N: uint32(i)}) {
				continue
			}
			if err := y.lostCapture(timeline.Place{Seg: s, Run: n, N: uint32(i)}, e, "the body cannot be read: the capture that has it is damaged"); err != nil {
				return err
			}
		}
		return nil
	})
}
