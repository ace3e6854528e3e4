// Command jieba packs the list of words that package cut carries. It reads
// jieba.dict.utf8, the dictionary of nodejieba 3.5.8 (MIT licence, see
// LICENSE.jieba), whose lines are a word, its frequency and a part of speech. It also
// reads a table of traditional letters and their simplified letters, in pairs.
//
//	npm pack nodejieba@3.5.8 && tar xzf nodejieba-3.5.8.tgz
//	go run ./store/words/cut/list/jieba \
//	    -words package/submodules/cppjieba/dict/jieba.dict.utf8 \
//	    -simplified store/words/match/simplified.txt -o store/words/cut/words.bin
//
// # Which words are kept
//
// A word is kept if its frequency is at least 4 and all its characters are letters of
// package list. So 149,000 of 349,000 words stay; nearly all others have the frequency
// 3, which the list gives to words that were never counted. Traditional letters become
// simplified ones; the frequencies of words that become the same are added up.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"infomall/store/words/cut/list"
)

// sourceSum is the SHA-256 of jieba.dict.utf8 of nodejieba 3.5.8.
const sourceSum = "3043b77068e09c9904f27cad82f12b6ebe9dbdb5aeff3b25e45ab7f9c1122b55"

// frequencyLeast is the least frequency of a word that is kept.
const frequencyLeast = 4

func main() {
	log.SetFlags(0)
	wordsName := flag.String("words", "", "file of words and frequencies")
	simplifiedName := flag.String("simplified", "", "file of pairs of letters, traditional and simplified")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := run(*wordsName, *simplifiedName, *out); err != nil {
		log.Fatal(err)
	}
}

func run(wordsName, simplifiedName, out string) error {
	words, err := os.ReadFile(wordsName)
	if err != nil {
		return err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(words)); sum != sourceSum {
		return fmt.Errorf("%s has the SHA-256 %s, but jieba.dict.utf8 of nodejieba 3.5.8 has %s", wordsName, sum, sourceSum)
	}
	pairs, err := os.ReadFile(simplifiedName)
	if err != nil {
		return err
	}
	costs, err := costsOf(string(words), simplifier(string(pairs)))
	if err != nil {
		return fmt.Errorf("read %s: %w", wordsName, err)
	}
	packed, err := list.Pack(costs)
	if err != nil {
		return err
	}
	fmt.Printf("words: %d, bytes: %d\n", len(costs), len(packed))
	return os.WriteFile(out, []byte(packed), 0o666)
}

// simplifier returns a function that turns a traditional letter into its simplified form. pairs
// has lines of letters: each traditional letter is followed by its simplified form. Lines that
// begin with # are comments.
func simplifier(pairs string) func(rune) rune {
	to := make(map[rune]rune)
	for line := range strings.Lines(pairs) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		letters := []rune(strings.TrimSpace(line))
		for i := 0; i+1 < len(letters); i += 2 {
			to[letters[i]] = letters[i+1]
		}
	}
	return func(r rune) rune {
		if simple, ok := to[r]; ok {
			return simple
		}
		return r
	}
}

// costsOf parses the lines of jieba's list: a word, its frequency and its part of speech. It
// returns the costs of the words that are kept in the packed list.
func costsOf(lines string, simplify func(rune) rune) (map[string]uint8, error) {
	frequencies, all := make(map[string]int), 0
	number := 0
	for line := range strings.Lines(lines) {
		number++
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %d is not a word, a frequency and a part of speech: %q", number, line)
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if n < frequencyLeast || strings.ContainsFunc(fields[0], other) {
			continue
		}
		frequencies[strings.Map(simplify, fields[0])] += n
		all += n
	}
	costs := make(map[string]uint8, len(frequencies))
	for word, n := range frequencies {
		if strings.ContainsFunc(word, other) {
			continue // Its simplified letter has no place in a list.
		}
		costs[word] = list.CostOf(n, all)
	}
	return costs, nil
}

func other(r rune) bool { return r < list.FirstLetter || r > list.LastLetter }
