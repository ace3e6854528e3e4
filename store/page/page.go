// Package page decides which bodies are pages, and says two things about the text
// of a page as a whole: its language, and whether it reports that the document is
// missing. Its subpackages read the body of a page in this order:
//
//	coding   undoes the content codings, such as gzip
//	charset  finds the charset and converts text to UTF-8
//	markup   parses the markup; returns text, links and metadata
package page
