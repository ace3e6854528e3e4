// Package firstseen finds out which texts of pages are new: not seen earlier on any other page
// of the same host. A text is a line or a headline, and is known by its hash.
//
// A Finder gets all pages of some hosts, sorted by URL and time, with the texts of each. It
// sorts the hashes, in temporary files if they are many, and so needs little memory. Then it
// answers for each text that was asked for.
package firstseen
