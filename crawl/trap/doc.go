// Package trap finds the parts of a site that have ever more URLs and nothing
// new, so that a crawl can avoid them: calendars, facets, sort orders, print
// views, mirrored paths, error pages that look like pages.
//
// It judges pages by their content. The number and the depth of pages alone say
// nothing: a list of a thousand pages is no trap if its pages lead to articles.
//
// # Print
//
// A [Print] is the content of one page, as hashes: its pairs of neighbouring
// words, called units, and the names of its images. It leaves out numbers,
// dates, and words of the page's own URL, because a trap can make up any number
// of them.
//
// # Fresh and barren
//
// A page is fresh if it brings something new: at least two units, or an image,
// that no earlier page of the site had. A file that is not HTML is fresh unless
// it is a copy of an earlier one. A page that is not fresh is barren.
//
// # Kind
//
// A kind is the set of URLs of a site that one script or folder seems to serve.
// They differ in numbers, in the values of arguments, and in the last part of
// the path only.
//
// # Debt
//
// A barren page adds a charge to the debt of its kind: 1 if the page differs from
// others in numbers, and more if it is the same as others. A fresh page reduces the debt
// of its own kind and of the kind of the page that links to it. A kind whose
// debt exceeds the limit is a trap: its URLs are kept back, that is, not
// fetched. The constants beside chargeNumbers have the figures.
//
// # Slot
//
// A slot is a place in the URLs of a site that has a value: an argument, or a
// folder. A slot names visits if its value changes with each visit of a crawler
// and not with the page, such as a session id.
//
// A [Site] holds all of this for one host. Its memory is bounded, and it can be
// stored. It is used by one goroutine.
package trap
