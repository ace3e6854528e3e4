// Package match says which texts the words of a query match, and where. The
// operator MATCH, its marks in a text and its excerpts all follow from this one
// package.
//
// # Words
//
//	fold     to write a letter in the form in which letters are compared
//	term     a piece of a text as MATCH sees it, folded, with its place in the text
//	run      letters of scripts without spaces that follow each other, such as 北京大学
//	joined   said of a term that directly follows the term before it in a run
//	query    a search query: what a user writes after MATCH
//	phrase   terms that must follow each other
//	stem     what the forms of a word have in common, see package stem
//
// # What a term is
//
// A text is read in Unicode's form NFKC, with full case folding. Soft hyphens and
// letters without width are left out. Latin and Greek letters lose their marks,
// Hebrew and Arabic ones their points; ё becomes е, ı becomes i, and a traditional
// Chinese letter becomes the simplified one. A term is then either a word, which is a
// run of letters, marks and digits, or one letter of a script that puts no spaces
// between words: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese. Every other
// character separates words, except for an apostrophe between two letters, which is left
// out. A blank or line break between two Chinese or Japanese letters is left out too.
package match
