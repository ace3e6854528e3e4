package duplicate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"infomall/exec/dedup"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/relation/result"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/facts"
	"infomall/store/record/task"
)

// The queries for the pages, blocks or images to compare, and for the texts. DEDUP
// compares the main text of a page, because pages of a site also share a frame,
// such as menus, which must not make them similar. If the main text is short,
// DEDUP compares all text. The digest and the kind of the document show whether a page is
// still the one that the last DEDUP compared: a document has no text until it is read.
const (
	comparedPages  = "SELECT url, time, bytes, NULL, digest, truncated, document FROM versions WHERE kind = 'page'"
	pageTexts      = "SELECT url, time, NULL, digest, main, text FROM versions WHERE kind = 'page'"
	comparedImages = "SELECT url, time, bytes, NULL, digest, truncated, imagehash FROM versions WHERE kind = 'page' AND block_count IS NULL AND imagehash IS NOT NULL"
	comparedBlocks = "SELECT url, time, bytes, block, NULL, NULL, NULL FROM blocks"
	blockTexts     = "SELECT url, time, block, digest, text, NULL FROM blocks"
)

const (
	distanceDefault = 3
	// imageDistance is the default distance, in bits, with OF IMAGES. A picture that was scaled or
	// compressed again differs in fewer bits, and two different pictures in more.
	imageDistance     = 10
	similarityDefault = .8
	// keywordsSimilarity is the default similarity with METHOD keywords. It is lower than for other
	// methods, because texts that have the same keywords and half of their shingles in common are
	// about the same.
	keywordsSimilarity = .5
	// shinglesLeast is how many shingles the main text of a page must have. If it has
	// fewer, it is probably a part of the frame, or the page has no single subject. Then
	// all text of the page is compared.
	shinglesLeast = 40
)

// duplication is a DEDUP statement that was checked and is ready to run.
type duplication struct {
	s          *session.Session
	st         *ast.Dedup
	blocks     bool
	images     bool
	method     string
	distance   int
	similarity float64
	asked      session.Within
	there      plan.Node // the query for the pages, blocks or images to compare
	texts      plan.Node // the query for their texts
	env        *expr.Env
}

// Dedup is the statement DEDUP, which finds similar pages, blocks or images and stores
// the result.
var Dedup = session.Declare("DEDUP", session.Writes|session.Works|session.Holds, readDedup)

// readDedup makes a duplication (a DEDUP that is ready to run) of a DEDUP
// statement: it checks the clauses, sets the defaults, and plans the queries.
func readDedup(s *session.Session, st *ast.Dedup) (*duplication, error) {
	if st.Time.Known != nil {
		err := ast.Errorf(st.Time.Known, "DEDUP compares what the archive has now, and takes no KNOWN AT")
		err.Hint = "SELECT … FROM duplicates KNOWN AT t reads the groups that were found by then"
		return nil, err
	}
	env := s.Env()
	d := &duplication{
		s: s, st: st, blocks: st.Of == "blocks", method: cmp.Or(st.Method, methodMinHash), distance: distanceDefault, similarity: similarityDefault,
		asked: session.Within{Scopes: st.Scopes, Time: st.Time}, env: env,
	}
	if d.method == methodKeywords {
		d.similarity = keywordsSimilarity
	}
	if d.images = st.Of == "images"; d.images {
		if err := imageClauses(st); err != nil {
			return nil, err
		}
		d.method, d.distance = methodImageHash, imageDistance
	}
	if st.Distance != nil {
		n, err := expr.ConstantCount(st.Distance, "DISTANCE", env)
		if err != nil {
			return nil, err
		}
		if n > dedup.DistanceMax {
			return nil, ast.Errorf(st.Distance, "DISTANCE takes a whole number from 0 to %d, not %d: fingerprints further apart have nothing to do with each other", dedup.DistanceMax, n)
		}
		if d.distance = int(n); d.method != methodSimHash && !d.images {
			err := ast.Errorf(st.Distance, "%s has no DISTANCE", d.method)
			err.Hint = "write METHOD simhash, or SIMILARITY 0.8"
			return nil, err
		}
	}
	if st.Similarity != nil {
		x, err := expr.ConstantNumber(st.Similarity, "SIMILARITY", env)
		if err != nil {
			return nil, err
		}
		if !(x >= .3 && x <= 1) {
			return nil, ast.Errorf(st.Similarity, "SIMILARITY takes a number from 0.3 to 1, not %v", x)
		}
		d.similarity = x
	}
	there, err := d.asked.Plan(map[string]string{"pages": comparedPages, "blocks": comparedBlocks, "images": comparedImages}[d.what()], env)
	if err != nil {
		return nil, err
	}
	if d.there = there; !d.images {
		d.texts, err = d.textsOf(st.Scopes)
	}
	return d, err
}

// imageClauses returns an error if the statement has a clause that does not go with OF
// IMAGES.
func imageClauses(st *ast.Dedup) error {
	var err *ast.Error
	switch {
	case st.Method != "":
		err = ast.Errorf(st, "DEDUP OF IMAGES has no METHOD: pictures are compared by their column imagehash")
	case st.Similarity != nil:
		err = ast.Errorf(st.Similarity, "DEDUP OF IMAGES has no SIMILARITY: pictures have no words")
	default:
		return nil
	}
	err.Hint = fmt.Sprintf("write DISTANCE %d, or leave the clause out", imageDistance)
	return err
}

// The methods of DEDUP.
const (
	methodMinHash     = "minhash"
	methodSimHash     = "simhash"
	methodKeywords    = "keywords"
	methodContainment = result.Quotations
	methodImageHash   = result.ImageHash
)

// textsOf plans the query for the texts of the pages or blocks in the given
// scopes, at the time in the statement.
func (d *duplication) textsOf(scopes []ast.Scope) (plan.Node, error) {
	asked := d.asked
	asked.Scopes = scopes
	return asked.Plan(map[bool]string{false: pageTexts, true: blockTexts}[d.blocks], d.env)
}

// what returns the kind of things that the statement compares: "pages", "blocks" or
// "images", as OF names them.
func (d *duplication) what() string { return cmp.Or(d.st.Of, "pages") }

// Run finds the duplicates and stores them in the archive. Its result has one
// row, with the totals.
func (d *duplication) Run(ctx context.Context) (*session.Result, error) {
	begun, s, env := time.Now(), d.s, d.env
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := newComparison(ctx, d, s.Runner(snap, "dedup"))
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.compare(ctx, d.printsMade()); err != nil {
		return nil, err
	}
	found, stats, err := c.duplicates(ctx)
	if err != nil {
		return nil, err
	}
	kept := task.Result{Kind: task.ResultDuplicates, Name: d.what(), Computed: env.Now, AsOf: env.Now, Statement: d.st.String()}
	if kept, err = s.Archive().SaveResult(ctx, kept, duplicateRows(found)); err != nil {
		return nil, err
	}
	if err := c.savePrints(ctx, kept); err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("of"), session.Text("method"), session.Whole("compared"), session.Whole("read"), session.Whole("groups"), session.Whole("duplicates"), session.Whole("exact"),
		session.Whole("bytes"), session.Whole("saved"), session.Whole("ms"))
	t.Add(value.OfText(d.what()), value.OfText(d.method), value.OfInt(int64(c.comparable())), value.OfInt(c.texts), value.OfInt(stats.groups),
		value.OfInt(stats.duplicates), value.OfInt(stats.exact), value.OfInt(stats.bytes), value.OfInt(stats.saved), value.OfInt(time.Since(begun).Milliseconds()))
	res := t.Work(session.Count{Rows: 1, Bytes: stats.bytes}, nil)
	res.Notes, err = storedNotes(ctx, snap)
	return res, err
}

// storedNotes returns a note for the user: how many bytes the bodies of the archive have, and how
// many they take on disk, because similar bodies share space there. It returns nil for an archive
// without bodies.
func storedNotes(ctx context.Context, snap relation.Snapshot) ([]string, error) {
	pools, err := snap.Pools(ctx)
	var bytes, stored int64
	for _, p := range pools {
		bytes += p.Bytes
		stored += p.StoredBytes
	}
	if err != nil || bytes == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("all bodies of the archive have %d bytes and take %d on disk, %.1f %%", bytes, stored, 100*float64(stored)/float64(bytes))}, nil
}

// Would returns the lines for EXPLAIN: how texts would be compared, how many
// are known from the last DEDUP, and the plans of the queries, with the pools
// that they would read.
func (d *duplication) Would(ctx context.Context) ([]string, error) {
	s := d.s
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var how string
	switch d.method {
	case methodMinHash:
		how = fmt.Sprintf("compare by %s of MinHash, confirm what shares %v of its shingles", value.Counted(dedup.NewBands(d.similarity).Count(), "band"), d.similarity)
	case methodSimHash:
		const such = 1_000_000
		how = fmt.Sprintf("compare fingerprints that differ in %s at most, confirm what shares %v of its shingles; among a million: %s",
			value.Counted(d.distance, "bit"), d.similarity, dedup.Plan(such, d.distance))
	case methodKeywords:
		how = fmt.Sprintf("compare by the %d keywords that weigh most, confirm what shares %v of its shingles", dedup.KeywordsOfText, d.similarity)
	case methodImageHash:
		how = fmt.Sprintf("compare perceptual hashes that differ in %s at most", value.Counted(d.distance, "bit"))
	case methodContainment:
		how = fmt.Sprintf("compare by a quarter of all shingles, confirm if one has %v of those of the other", d.similarity)
	}
	lines := []string{how}
	if before, err := keptPrints(ctx, snap, d, d.printsMade()); err != nil {
		return nil, err
	} else if before != nil {
		lines = append(lines, fmt.Sprintf("read only texts that are not among the %d compared at %s", before.Rows, s.Stamp(before.Computed)))
	}
	plans := []plan.Node{d.there}
	if !d.images {
		plans = append(plans, d.texts)
	}
	would, err := s.ReadLines(ctx, snap, plans...)
	return append(lines, would...), err
}

// printsMade returns a text that describes the rules by which prints are made
// and compared, for example "minhash 0.8 3 all text of short pages, extractor
// 7". Prints that were made by other rules cannot be reused.
func (d *duplication) printsMade() string {
	made := fmt.Sprintf("%s %v %d all text of short pages, extractor %d", d.method, d.similarity, d.distance, facts.Extractor)
	if d.blocks {
		made += fmt.Sprintf(" profile %s level %d", d.s.Settings().Profile, d.s.Settings().CutLevel())
	}
	return made
}
