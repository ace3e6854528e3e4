// Package regions finds the place of an IP address in a file that the user has: a QQWry
// file (qqwry.dat) or a MaxMind DB file (.mmdb).
//
// # QQWry
//
// A QQWry file has IPv4 addresses, and texts in GBK. All numbers are little-endian.
//
//	header   offset of the first index entry (4 bytes), offset of the last one (4 bytes)
//	index    entries of 7 bytes, by address: first address of a range (4), offset of its record (3)
//	record   last address of the range (4), then the place and the network
//
// A place or a network is a text that ends with a zero byte. A record can refer to texts
// that stand elsewhere in the file, by a byte 1 or 2 and an offset of 3 bytes:
//
//	1 offset            place and network are both at the offset
//	2 offset            the text is at the offset; the network follows these 4 bytes
package regions
