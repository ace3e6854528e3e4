// Package replay rewrites archived pages so that a browser shows them from the
// archive, and only from the archive. All functions are pure functions of bytes,
// times and addresses: they read no files, no clock and no network. The server
// around them looks captures up and sends the results. Bodies may be wrong or
// hostile: time and memory are linear in the length of a body.
//
// # Words
//
//	address    the path of an archived URL on the replay server, such as
//	           /20080710120000im_/http://www.pku.edu.cn/logo.gif
//	modifier   the part of an address that says what the browser wants the URL
//	           for: letters and "_", such as im_ for an image
//	page       the archived document that a body is, or that a body belongs to
//	requisite  what a page is made of: images, style sheets, scripts
//	kind       what a body is for the rewriter: a document, a style sheet, …
//	hint       a link element that asks the browser to connect to another site
//	           early: preconnect, dns-prefetch, prefetch, prerender
//	view       what a page shows besides itself: changes, or blocks
//	mark       a part of a page that a view outlines
//	bar        the part of the interface above the frame with the archived page
//	first script  our script, which runs in each document before all others
//
// # Which time an address has
//
// Links, frames and forms keep the time that the reader asked for. Requisites
// have the time of the capture of their page, so that a page of June never has a
// style sheet of July. So do the requisites of a style sheet.
//
// # What keeps a page inside
//
// Three layers, each of which covers what the others cannot:
//
//	policy        the Content-Security-Policy that Policy returns: the browser
//	              itself refuses every request to another origin; only kinds of
//	              documents that get the first script may run scripts
//	rewriting     HTML, CSS and Rewrite turn addresses in markup into replay
//	              addresses, and remove hints, which no policy covers
//	first script  corrects the addresses that scripts set, and removes the
//	              connections that no policy covers, such as WebRTC
//
// In a document without the first script, other scripts could do what they want. So no
// such document may run scripts:
//
//   - Frames must come from our server.
//   - The windows of empty frames are changed before a script can use them.
//   - A policy for trusted types drops documents that javascript: addresses would make.
//   - A document that is not rewritten is sent as plain text to a browser that would
//     show it.
//
// The service worker is for convenience only: it corrects the paths that
// scripts make, such as /api/x. It stores nothing. So is the first script of
// workers, worker-first.js: it corrects the addresses that workers load.
//
// # Messages to the bar
//
// The first script of the page in the bar's frame posts messages to the
// interface's origin. Each is an object with the key infomall:
//
//	{infomall: "page", url, asked, captured, title}  a page has loaded
//	{infomall: "open", url, asked}                   the page wants a new window
//
// asked and captured are times of 14 digits; asked is "" for the latest capture.
// A receiver must check that event.source is its frame, and treat url as text:
// hostile pages can post the same messages.
package replay
