// Package crc32c computes the checksum of everything that infomall writes: CRC-32 with the
// polynomial of Castagnoli, which processors compute by themselves.
package crc32c

import (
	"hash"
	"hash/crc32"
)

var table = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum of b.
func Sum(b []byte) uint32 { return crc32.Checksum(b, table) }

// Add returns the checksum of some bytes followed by b. sum is the checksum of the bytes before
// b, or 0 if there are none.
func Add(sum uint32, b []byte) uint32 { return crc32.Update(sum, table, b) }

// New returns a hash that computes the same checksum as Sum for all bytes written to it.
func New() hash.Hash32 { return crc32.New(table) }
