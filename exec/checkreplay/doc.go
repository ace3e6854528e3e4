// Package checkreplay has the statement CHECK REPLAY. It opens pages of the archive in
// replay, in a browser, and compares each with what the crawl saw of it.
//
// # Words
//
//	seen      what the crawl saw of a page: the document after load if the archive has
//	          one, otherwise the response of the server
//	part      a URL that a page asks for when it is shown, such as an image
//	missing   a part that is not in the archive
//
// The package knows no browser and no server: session.Replay shows the pages.
package checkreplay
