// Package show has the statements about single captures of a page: SHOW PAGE, SHOW ROBOTS,
// DIFF and BLAME. Each names a URL and a time. It uses the last capture of the URL that is
// not after that time. BLAME also reads the versions before it.
package show
