package relation

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/facts"
	"infomall/store/memo"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/match"
)

// foundBlock is the stored block of a page that answers the search query best.
type foundBlock struct {
	ref  record.Ref
	of   *match.Query
	best search.Best
	// block has the text to show. It is nil if the page has to be read for it.
	block *shownBlock
	// snippet is an excerpt of the block if the block alone matches the search query, otherwise one of
	// the whole page. It is nil if the page has to be read for it.
	snippet *string
	err     error // the error of reading block and snippet
}

// shownBlock is what a finding shows of a block. It is the same for every search query.
type shownBlock struct {
	line   string // its text, as expr.OneLine returns it
	marked bool   // line lacks marks that the text has
	topic  string
}

// shownKey is the key under which Snapshot.Memo, a cache, holds a shownBlock: the state of the
// archive, the version, and the index of the block. The index wholePage stands for the whole page.
type shownKey struct {
	state string
	ref   record.Ref
	place int
}

const wholePage = -1

// found returns the block of the current row that answers the search query best, without reading
// the page. It returns nil if the page has to be read to find the block.
func (l *LateRow) found() (*foundBlock, error) {
	if l.reader.Plain || !l.request.Ranks() || !keptTree(l.request) {
		return nil, nil
	}
	if i := l.row - l.shownFrom; i < 0 || i >= len(l.shown) {
		if err := l.showAhead(); err != nil {
			return nil, err
		}
	}
	b := l.shown[l.row-l.shownFrom]
	return b, b.err
}

// showAheadRows is for how many rows showAhead reads blocks, and showAheadAtOnce how many it reads
// at the same time.
const (
	showAheadRows   = 32
	showAheadAtOnce = 2
)

// showAhead sets l.shown to the blocks of the current row and the next ones. It reads several at the
// same time. On two cores, a search takes a seventh less time by that.
func (l *LateRow) showAhead() error {
	r, n := l.reader, l.request
	if r.state == "" {
		r.state = r.Snapshot.State()
	}
	to := min(l.row+showAheadRows, len(l.hidden[0].Ints))
	l.shownFrom, l.shown = l.row, make([]*foundBlock, 0, to-l.row)
	var stored []*foundBlock
	from := n.whole() // the captures that the search query was put to
	for row := l.row; row < to; row++ {
		b := &foundBlock{of: n.Question}
		l.shown = append(l.shown, b)
		if l.hidden[0].IsNull(row) {
			continue
		}
		b.ref = Ref(l.hidden, row)
		answer, best, err := r.answerOf(l.ctx, from, n.Question, b.ref, true)
		if err != nil {
			return err
		}
		if answer == match.Yes && best.Says != nil {
			b.best = best
		}
		if b.best.Stored {
			stored = append(stored, b)
		}
	}
	// Neighbouring pages share stored data, so each goroutine gets neighbours.
	slices.SortFunc(stored, func(a, b *foundBlock) int { return compareRefs(a.ref, b.ref) })
	var wait sync.WaitGroup
	for part := range slices.Chunk(stored, max(1, (len(stored)+showAheadAtOnce-1)/showAheadAtOnce)) {
		wait.Go(func() {
			for _, b := range part {
				b.read(l.ctx, r, n.Asks("snippet"))
			}
		})
	}
	wait.Wait()
	return l.ctx.Err()
}

// read sets b.block and, if snippet is set, b.snippet. If that fails, it sets b.err.
func (b *foundBlock) read(ctx context.Context, r *Reader, snippet bool) {
	b.block, b.err = r.shown(ctx, b.ref, &b.best, b.best.Place)
	if !snippet || b.block == nil {
		return
	}
	in := b.block
	if !in.marked && !b.of.Matches(in.line) {
		in, b.err = r.shown(ctx, b.ref, &b.best, wholePage)
	}
	if in != nil && !in.marked {
		text := expr.SnippetOf(in.line, b.of)
		b.snippet = &text
	}
}

// compareRefs compares captures by the places at which they are stored.
func compareRefs(a, b record.Ref) int {
	return cmp.Or(cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Run, b.Run), cmp.Compare(a.N, b.N))
}

// shown returns what a finding shows of a block of a version, without reading the page. place is
// the index of the block, or wholePage. The result is nil if the page has to be read.
func (r *Reader) shown(ctx context.Context, ref record.Ref, best *search.Best, place int) (*shownBlock, error) {
	key := shownKey{r.state, ref, place}
	if b, ok := memo.Get[*shownBlock](r.Snapshot.Memo(), key); ok {
		return b, nil
	}
	var topic, text string
	if place == wholePage {
		leaves, as, ok, err := r.Snapshot.Leaves(ctx, nil, ref)
		if err != nil || !ok {
			return nil, err
		}
		var all strings.Builder
		for _, l := range leaves {
			part, err := r.Snapshot.LeafText(l, as)
			if err != nil {
				return nil, nil // reading the page returns the same error
			}
			all.WriteString(part)
			all.WriteByte('\n')
		}
		text = all.String()
	} else {
		block, err := r.Snapshot.Block(ctx, ref, facts.KeptLevel, place)
		if err != nil || block == nil {
			return nil, err
		}
		topic, text = about.TopicAndTextOf(block, best.Reading.Charset, best.Reading.Plain)
	}
	b := &shownBlock{line: expr.OneLine(text), topic: topic}
	b.marked = strings.Contains(text, value.MarkFrom) || strings.Contains(text, value.MarkTo)
	r.Snapshot.Memo().Put(key, b, int64(len(b.line)+len(topic))+int64(unsafe.Sizeof(*b)))
	return b, nil
}

// snippetValue returns the snippet of the row. ok is false if the page has to be read.
func (b *foundBlock) snippetValue(*LateRow) (_ value.Value, ok bool, err error) {
	if b.snippet == nil {
		return value.Value{}, false, nil
	}
	return value.OfText(*b.snippet), true, nil
}

// section returns NULL, because a page of the web has no sections as a document has.
func (b *foundBlock) section(*LateRow) (_ value.Value, ok bool, err error) {
	return value.Value{}, true, nil
}

func (b *foundBlock) labelName(*LateRow) (_ value.Value, ok bool, err error) {
	return value.OfText(b.best.Label.String()), true, nil
}

func (b *foundBlock) topic(*LateRow) (_ value.Value, ok bool, err error) {
	return value.TextOrNull(b.block.topic), true, nil
}

// ofFound returns the code of a late column of the relation findings. stored computes the value
// from the stored block that answers the search query best. If there is no such block, or stored
// returns false, f computes the value from the response of the row's last version.
func ofFound(stored func(*foundBlock, *LateRow) (v value.Value, ok bool, err error), f func(*response, *match.Query) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		b, err := l.found()
		if err != nil {
			return value.Value{}, err
		}
		if b != nil && b.block != nil {
			if v, ok, err := stored(b, l); ok || err != nil {
				return v, err
			}
		}
		res, err := l.response()
		if err != nil || res.blocks() == nil {
			return value.Value{}, err
		}
		q := l.request.Question
		if res.found.of != q && b != nil && b.best.Says != nil {
			res.found = foundIn{q, b.best} // that spares counting the words of the page
		}
		return f(res, q), nil
	}
}
