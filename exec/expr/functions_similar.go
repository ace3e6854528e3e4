package expr

import (
	"infomall/exec/dedup"
	"infomall/exec/value"
	"infomall/store/words"
)

// Shingles returns the set of shingles of a text, sorted, as package dedup
// compares them: the hash of each sequence of five words. A text with fewer
// words has one shingle, and a text without words has none.
func Shingles(text string) []uint32 {
	var s dedup.Shingler
	for _, w := range words.Of(text) {
		s.Word(words.Hash(w))
	}
	return s.Set()
}

// similar computes the function similar: the Jaccard similarity of two texts,
// from 0 to 1, as DEDUP computes it. For a text without words it is 0.
func similar(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfFloat(dedup.Jaccard(Shingles(a[0].Text), Shingles(a[1].Text))), nil
}

// prepareSimilar returns an applier that has the shingles of a constant
// argument built in, so that they are computed once. It returns nil if no
// argument is constant.
func prepareSimilar(_ *Env, args []Expr) (applier, error) {
	for i := range args {
		if text, ok := constantText(args, i); ok {
			set := Shingles(text)
			return func(_ *Env, a []value.Value) (value.Value, error) {
				return value.OfFloat(dedup.Jaccard(set, Shingles(a[1-i].Text))), nil
			}, nil
		}
	}
	return nil, nil
}

func simhash(_ *Env, a []value.Value) (value.Value, error) {
	var s words.Simhash
	s.Add(a[0].Text, 1)
	return value.OfInt(int64(s.Sum())), nil
}

// similarFunctions declares the functions that compare texts.
var similarFunctions = []Function{
	{Name: "simhash", Example: `hamming(simhash('one two three'), simhash('one two four')) < 64`, Doc: "A fingerprint of the text. Fingerprints of similar texts differ in few bits; hamming counts them.",
		params: []param{{"text", textKind}}, result: value.Int, apply: simhash},
	{Name: "similar", Example: `similar('a b c d e f', 'a b c d e f')`, Doc: "Similarity of two texts, from 0 to 1: the share of runs of five words in either text that are in both.",
		params: []param{{"a", textKind}, {"b", textKind}}, result: value.Float, prepare: prepareSimilar, apply: similar},
}
