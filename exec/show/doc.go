// Package show has the statements about a single page: SHOW PAGE, SHOW ROBOTS, DIFF, BLAME
// and SHOW STORY. The first four name a URL and a time. Each uses the last capture of the
// URL that is not after that time. BLAME also reads the versions before it. SHOW STORY
// reads all versions of a URL up to the end of its range of time. Package life compares the
// versions, and package draw makes the pictures; this package finds the captures and makes the rows.
package show
