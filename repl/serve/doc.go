// Package serve is the archive on the web. It has two listeners. The interface has
// the pages that ask (calendar, search, query) and the APIs. Replay sends archived
// pages, which may be hostile, from origins of their own. A third listener, if it is
// asked for, is an HTTP proxy that sends captures without rewriting them.
//
// Nothing here writes to the archive. Each request opens a snapshot of its own, so
// that it sees what other processes have imported or deleted, and closes it before
// the answer ends.
//
// # Words
//
//	interface  the listener with the pages and the APIs
//	replay     the listener with archived pages; its part replay rewrites them
//	family     the URLs that are looked up together: http and https, with and
//	           without www, with and without a slash at the end
//	label      the first part of the host name of a replayed site's origin
//	bar        the part of the interface above the frame with the archived page
//	view       what a replayed page shows besides itself: its changes, or its blocks
//	part       an image, style sheet, script or frame that a page loads
//	proxy      the listener that is an HTTP proxy for the web of one time
//	target     what the path of a request names: a time, a modifier and a URL
package serve
