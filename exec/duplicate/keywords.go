package duplicate

import (
	"context"
	"encoding/binary"
	"strings"

	"infomall/exec/dedup"
	"infomall/store/words"
)

// appendTerms appends to dst the words of the first dedup.KeywordCharacters
// characters of a text, each with its number of occurrences. In Chinese, which
// has no spaces, each pair of neighbouring letters is a word. termsOf reads the
// words back.
func appendTerms(dst []byte, text string) []byte {
	var terms dedup.Terms
	n, end := 0, 0
	letter := "" // the last word, if it is a letter of Chinese
	for at, w := range words.Of(text) {
		if n += len([]rune(w)); n > dedup.KeywordCharacters {
			break
		}
		r := []rune(w)[0]
		switch {
		case !words.Ideograph(r):
			terms.Word(w)
			letter = ""
		case letter != "" && at == end:
			terms.Word(letter + w)
			letter = w
		default:
			letter = w
		}
		end = at + len(w)
	}
	for _, t := range terms.List() {
		dst = binary.AppendUvarint(dst, uint64(len(t.Word)))
		dst = append(dst, t.Word...)
		count := uint64(t.Count) << 1
		if t.Name {
			count |= 1
		}
		dst = binary.AppendUvarint(dst, count)
	}
	return dst
}

// termsOf reads back the words of page x, with their numbers of occurrences,
// from the temporary file to which appendTerms wrote them.
func (c *comparison) termsOf(x *compared) (terms []dedup.Term, err error) {
	p, err := c.printOf(x)
	if err != nil {
		return nil, err
	}
	raw := string(p.numbers)
	for len(raw) > 0 {
		size, n := binary.Uvarint([]byte(raw[:min(len(raw), binary.MaxVarintLen64)]))
		word := raw[n : n+int(size)]
		raw = raw[n+int(size):]
		count, n := binary.Uvarint([]byte(raw[:min(len(raw), binary.MaxVarintLen64)]))
		raw = raw[n:]
		terms = append(terms, dedup.Term{Word: word, Count: uint32(count >> 1), Name: count&1 != 0})
	}
	return terms, nil
}

// byKeywords finds candidates for duplicates: pages with the same keywords. It
// joins the pages of confirmed candidates into groups. A keyword weighs less if
// many of the compared pages have it.
func (c *comparison) byKeywords(ctx context.Context) error {
	c.corpus = dedup.NewCorpus(words.Hash)
	for i := range c.list {
		if c.list[i].state < remembered {
			continue
		}
		terms, err := c.termsOf(&c.list[i])
		if err != nil {
			return err
		}
		c.corpus.Add(terms)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return c.byNumbers(ctx, func(x *compared, dst []uint64) ([]uint64, error) {
		keywords, err := c.keywords(x)
		return append(dst, words.Hash(keywords)), err
	})
}

// keywords returns the keywords of a page, separated by spaces.
func (c *comparison) keywords(x *compared) (string, error) {
	terms, err := c.termsOf(x)
	return strings.Join(c.corpus.Keywords(terms, nil), " "), err
}

// keywordsOf returns the keywords of a group, separated by spaces. These are the keywords of the
// representative of the group, whose index is first. It returns "" if the method does not use
// keywords.
func (c *comparison) keywordsOf(first uint32) (string, error) {
	if c.corpus == nil {
		return "", nil
	}
	return c.keywords(&c.list[first])
}
