// Package page reads the body of one captured page: it finds the content coding
// and the charset, parses the markup, and returns text, links, metadata and
// fingerprints. All functions are pure functions over bytes; they do not know
// where a body comes from. Bodies may be wrong or hostile, so a declaration
// that the bytes contradict is ignored, and time and memory are bounded.
//
// # Words
//
//	coding     a compression named in Content-Encoding, such as gzip
//	tree       the markup of a body as ranges of its bytes; a node is one range
//	fold       to turn white space into single spaces and layout breaks, and to
//	           resolve character references such as &amp;
//	raw        text that has no character references, such as the content of script
//	target     the address of a link, as written in the page
//	reference  a link without the text at and around it
//	cost       -4 ln p of a character with probability p; the charset in which a
//	           text costs least is the most likely one
//	sample     the bytes of a body that are used to compare charsets
package page
