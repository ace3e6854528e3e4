// Package markup parses the markup of a page and returns its text, links and
// metadata. All functions are pure functions over bytes; they do not know where
// a body comes from. Bodies may be wrong or hostile: time and memory are bounded.
//
// # Words
//
//	tree       the markup of a body as ranges of its bytes; a node is one range
//	fold       to turn white space into single spaces and layout breaks, and to
//	           resolve character references such as &amp;
//	raw        text that has no character references, such as the content of script
//	target     the address of a link, as written in the page
//	reference  a link without the text at and around it
//	packed     a list of links as bytes, the form in which links are stored
package markup
