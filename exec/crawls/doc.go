// Package crawls has the statements about crawls: CRAWL, PAUSE CRAWL, RESUME CRAWL, STOP
// CRAWL, SET WORKERS, ADD and TRACE. A session.Crawler does the crawling; this package
// reads the clauses and chooses what is due.
//
// # Words
//
// A visit of a page is a capture of it, or a fetch that found it as it was before. A page
// is due if CRAWL DUE would visit it now, because by the visits so far it has probably
// changed. The frontier of a crawl is the URLs that it has still to fetch.
package crawls
