// Package column encodes and decodes columns: the values of one property of
// consecutive entries of a segment, in the form that takes the fewest bytes.
//
// # Words
//
//	column    integers or strings, encoded together; the first byte is the form
//	form      how the values are encoded: as one value for all, as packed bits, as
//	          differences, as a list of distinct values with positions in it
//	packed    numbers of the same width in bits, without gaps
//	key       the SURT of a URL with its scheme; the keys of a column are sorted
//	ending    the last bytes of a key: scheme and file extension; the rest is the stem
//
// A column has all that decoding needs, except for the number of values, which the
// caller must know. Decoders return ErrDamaged for bytes that no encoder writes.
// store/FORMAT.md draws the forms.
//
// The package knows nothing of captures, runs or segments.
package column
