// Package trap finds the parts of a site that go on without end and bring
// nothing new, so that a crawl can keep away from them: calendars, facets, sort
// orders, print views, mirrored paths, error pages that look like pages.
//
// It judges pages by their content. The number and the depth of pages say
// nothing: a list of a thousand pages is no trap if its pages lead to articles.
//
// # Print
//
// A [Print] is what one page says, as hashes: its pairs of neighbouring words
// and the names of its images. Numbers, dates, and words of the page's own URL
// are left out, because a trap makes up as many of them as it likes.
//
// # Kind
//
// A kind is the set of URLs of a site that one script or folder seems to
// answer: they differ in numbers, in the values of arguments, and in the last
// part of the path.
//
// # Debt
//
// A page that brings nothing new is charged to its kind; the charge is 1 for a
// page that differs from others in numbers, and more for a page that is the same
// as others. A page that brings something new pays off debt of its own kind and
// of the kind of the page that led to it. A kind whose debt exceeds the limit
// is a trap: its URLs are kept back. See charge for the figures.
//
// A [Site] holds all this for one host. Its memory is bounded, and it can be
// stored. It is used by one goroutine.
package trap
