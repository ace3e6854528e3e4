// Package list packs Chinese words and their costs into one string, and finds words in
// that string without decoding it. So a program can carry a large list, and start
// without reading it.
//
// # Words
//
//	letter  a character from U+3400 to U+9FFF; every word of a list is of letters alone
//	cost    how rare a word is, in tenths of a bit: 10 × log2(all words ÷ this word)
//	node    a word of the list, or the beginning of one
//	root    a node of one letter
//	inner   said of a node that is the beginning of a longer one
//
// # What a packed list looks like
//
// The nodes are numbered by their length, and nodes of the same length by their
// letters. The nodes that continue an inner node by one letter then follow each other,
// and they follow those that continue the inner node before it. All numbers are little
// endian.
//
//	4            n, the number of nodes
//	4            m, the number of inner nodes
//	12 × 432     one bit per letter: it is a root
//	12 × ⌈n/64⌉  one bit per node: it is inner
//	n            cost of each node; 0 if the node is not a word
//	2 × n        last letter of each node
//	3 × (m+1)    for each inner node, the first node that continues it; at the end n
//
// Bits come in groups of 64: 8 bytes of bits, then 4 bytes that say how many bits are
// set in the groups before. The number of set bits before a bit (its rank) is the
// number of a root, or the place of an inner node among the starts.
//
// This is a tree of letters, stored level by level as in G. Jacobson, "Space-efficient
// static trees and graphs" (1989). The starts stand in place of his search for the n-th
// bit. A node of the list of 149,000 words takes 4.3 bytes.
package list

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// FirstLetter and LastLetter are the first and the last letter that words may have.
const FirstLetter, LastLetter = 0x3400, 0x9fff

// LettersMax is the largest number of letters of a word.
const LettersMax = 16

const (
	groupBits  = 64
	groupBytes = 12
	rootBytes  = (LastLetter - FirstLetter + 1) / groupBits * groupBytes
	headBytes  = 8
)

// errPacked is returned if a string is no packed list.
var errPacked = errors.New("not a packed list of words")

// List is a packed list of words. The zero value has no word. Any number of goroutines
// may use it.
type List struct {
	nodes                               int
	roots, inner, costs, labels, starts string
}

// Open returns the List in a packed string. It checks only lengths, so its time does not depend
// on the number of words.
func Open(packed string) (List, error) {
	if len(packed) < headBytes {
		return List{}, errPacked
	}
	n, m := int(le32(packed, 0)), int(le32(packed, 4))
	groups := (n + groupBits - 1) / groupBits
	rest := packed[headBytes:]
	if len(rest) != rootBytes+groups*groupBytes+n+2*n+3*(m+1) {
		return List{}, errPacked
	}
	l := List{nodes: n}
	for _, part := range []struct {
		to   *string
		size int
	}{{&l.roots, rootBytes}, {&l.inner, groups * groupBytes}, {&l.costs, n}, {&l.labels, 2 * n}, {&l.starts, 3 * (m + 1)}} {
		*part.to, rest = rest[:part.size], rest[part.size:]
	}
	return l, nil
}

// Root returns the node of the words that begin with a letter: the root of their tree. It
// returns -1 if no word begins with the letter.
func (l *List) Root(letter rune) int {
	if letter < FirstLetter || letter > LastLetter || l.nodes == 0 {
		return -1
	}
	n, ok := rank(l.roots, int(letter-FirstLetter))
	if !ok {
		return -1
	}
	return n
}

// Next returns the node that continues a node by one letter. It returns -1 if there is
// none.
func (l *List) Next(node int, letter rune) int {
	k, ok := rank(l.inner, node)
	if !ok {
		return -1
	}
	from, to := le24(l.starts, 3*k), le24(l.starts, 3*k+3)
	for from < to {
		mid := int(uint(from+to) >> 1)
		switch label := l.label(mid); {
		case label < letter:
			from = mid + 1
		case label > letter:
			to = mid
		default:
			return mid
		}
	}
	return -1
}

// Cost returns the cost of the word at a node, or 0 if the node is only the beginning of words.
func (l *List) Cost(node int) uint8 { return l.costs[node] }

func (l *List) label(node int) rune {
	return rune(l.labels[2*node]) | rune(l.labels[2*node+1])<<8
}

// rank returns how many bits are set before bit i, and whether bit i is set.
func rank(groups string, i int) (int, bool) {
	at := i / groupBits * groupBytes
	set, bit := le64(groups, at), uint64(1)<<(i%groupBits)
	return int(le32(groups, at+8)) + bits.OnesCount64(set&(bit-1)), set&bit != 0
}

func le24(s string, i int) int {
	s = s[i : i+3]
	return int(s[0]) | int(s[1])<<8 | int(s[2])<<16
}

func le32(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func le64(s string, i int) uint64 { return uint64(le32(s, i)) | uint64(le32(s, i+4))<<32 }

// All ranges over the words of the list with their costs, in the order of their letters.
func (l *List) All() iter.Seq2[string, uint8] {
	return func(yield func(string, uint8) bool) {
		for letter := rune(FirstLetter); letter <= LastLetter; letter++ {
			if node := l.Root(letter); node >= 0 && !l.under(node, string(letter), yield) {
				return
			}
		}
	}
}

// under yields the words of the list that begin with word, the letters of the
// node. It returns false if yield does.
func (l *List) under(node int, word string, yield func(string, uint8) bool) bool {
	if c := l.Cost(node); c > 0 && !yield(word, c) {
		return false
	}
	k, ok := rank(l.inner, node)
	if !ok {
		return true
	}
	for next := le24(l.starts, 3*k); next < le24(l.starts, 3*k+3); next++ {
		if !l.under(next, word+string(l.label(next)), yield) {
			return false
		}
	}
	return true
}

// CostOf returns the cost of a word that occurs n times among all words of texts. Both
// numbers must be positive.
func CostOf(n, all int) uint8 {
	cost := math.Round(10 * math.Log2(float64(all)/float64(n)))
	return uint8(min(max(cost, 1), 255))
}

// Pack returns a packed list of words with their costs, each from 1 to 255. Equal words
// and costs give equal bytes. Pack returns an error if a word is empty, has more than
// LettersMax letters or other characters than letters, or costs 0.
func Pack(costs map[string]uint8) (string, error) {
	words := make([][]rune, 0, len(costs))
	for word, cost := range costs {
		letters := []rune(word)
		other := slices.ContainsFunc(letters, func(r rune) bool { return r < FirstLetter || r > LastLetter })
		if len(letters) == 0 || len(letters) > LettersMax || other || cost == 0 || !utf8.ValidString(word) {
			return "", fmt.Errorf("word %q with cost %d cannot be in a list", word, cost)
		}
		words = append(words, letters)
	}
	slices.SortFunc(words, slices.Compare)

	var nodeCosts, labels, starts []byte
	var inner []bool
	roots := make([]bool, LastLetter-FirstLetter+1)
	for size := 1; len(words) > 0; size++ {
		// words are those of at least size letters. Each of their beginnings of size
		// letters is a node.
		var longer [][]rune
		var before []rune // the node before
		for i := 0; i < len(words); {
			node := words[i][:size]
			if size == 1 {
				roots[node[0]-FirstLetter] = true
			} else if before == nil || !slices.Equal(before[:size-1], node[:size-1]) {
				starts = put24(starts, len(nodeCosts))
			}
			nodeCosts = append(nodeCosts, costs[string(node)])
			labels = append(labels, byte(node[size-1]), byte(node[size-1]>>8))
			count := len(longer)
			for ; i < len(words) && slices.Equal(words[i][:size], node); i++ {
				if len(words[i]) > size {
					longer = append(longer, words[i])
				}
			}
			inner = append(inner, len(longer) > count)
			before = node
		}
		words = longer
	}
	starts = put24(starts, len(nodeCosts))

	n, m := len(nodeCosts), len(starts)/3-1
	packed := put32(put32(nil, n), m)
	packed = appendGroups(appendGroups(packed, roots), inner)
	packed = append(packed, nodeCosts...)
	packed = append(packed, labels...)
	return string(append(packed, starts...)), nil
}

func put24(dst []byte, n int) []byte { return append(dst, byte(n), byte(n>>8), byte(n>>16)) }

func put32(dst []byte, n int) []byte {
	return append(dst, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

// appendGroups appends bits in groups, as the package comment draws them.
func appendGroups(dst []byte, set []bool) []byte {
	before := 0
	for group := range slices.Chunk(set, groupBits) {
		var mask uint64
		for i, b := range group {
			if b {
				mask |= 1 << i
			}
		}
		dst = put32(put32(dst, int(uint32(mask))), int(mask>>32))
		dst = put32(dst, before)
		before += bits.OnesCount64(mask)
	}
	return dst
}
