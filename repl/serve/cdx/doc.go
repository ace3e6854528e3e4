// Package cdx answers questions about captures in the forms of a CDX server: that of
// the Wayback Machine, that of pywb, and the XML of OpenWayback. It reads a snapshot
// and writes lines; the server around it speaks HTTP.
//
// # Words
//
//	exact, prefix, host, domain  how a URL is matched
//	filter    leaves out lines by the value of a field
//	collapse  leaves out a line if a field is as in the line before
//	place     where a line is in the answer, so that the next request goes on there
package cdx
