package office

import (
	"strconv"
	"strings"
)

// Number returns the number n as lists write it. format is '1' for decimal digits, '0'
// for two digits at least, 'a' or 'A' for letters, and 'i' or 'I' for Roman numerals.
// Numbers that a format does not have are written in decimal digits.
func Number(n int, format byte) string {
	if n > 0 && n < 5000 {
		switch format {
		case 'a', 'A':
			return strings.Repeat(string(format+byte((n-1)%26)), 1+(n-1)/26)
		case 'i':
			return strings.ToLower(roman(n))
		case 'I':
			return roman(n)
		case '0':
			if n < 10 {
				return "0" + strconv.Itoa(n)
			}
		}
	}
	return strconv.Itoa(n)
}

// roman returns n, from 1 to 4999, in Roman numerals.
func roman(n int) string {
	var out strings.Builder
	for _, r := range []struct {
		value int
		text  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= r.value; n -= r.value {
			out.WriteString(r.text)
		}
	}
	return out.String()
}
