// Package cut finds the words of Chinese text, which puts no spaces between words. All
// its functions are pure.
//
// # Words
//
//	letter  a Chinese letter, such as 学
//	word    one letter or more that belong together, such as 大学
//	run     letters that follow each other without anything between them
//	cost    how rare a word is, see package list
//	fold    to write a letter in the form that the list of words has: a traditional
//	        letter becomes the simplified one
//
// # How a run is cut
//
// Among all ways to cut a run into words of the list and single letters, Of takes one
// with the least sum of costs. This is the most probable way if each word occurs by
// itself with its frequency (a unigram model); the way is found letter by letter, as
// A. Viterbi described in "Error bounds for convolutional codes" (1967). J. Sun's
// program jieba cuts in the same way. A letter that is no word of the list costs more
// than any word. If two ways have the same cost, the longer last word wins.
//
// The words that package words finds are kept together or kept apart as they are: a
// word of other letters, such as a Latin word or a number, is never cut, and
// punctuation, a space or a line break always ends a word. Letters of other scripts
// without spaces, such as kana and Thai, stay single.
//
// # The list of words
//
// words.bin has the words and frequencies of nodejieba 3.5.8, which the program in
// list/jieba packed. LICENSE.jieba is the licence of nodejieba.
package cut
