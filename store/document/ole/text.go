package ole

import (
	"strconv"
	"strings"

	"infomall/store/page/charset"
)

// UTF16 returns text in UTF-16 (little-endian) as UTF-8. An odd byte at the end is
// left out.
func UTF16(b []byte) string { return decodeUTF16(b) }

// Text returns text of a Windows code page, such as 1252 or 936, as UTF-8. Text of
// code page 1200 is UTF-16. An unknown code page is read as 1252.
func Text(b []byte, codePage int) string {
	if codePage == unicodePage {
		return UTF16(b)
	}
	ascii := true
	for _, c := range b {
		ascii = ascii && c < 0x80
	}
	if ascii {
		return string(b)
	}
	return string(charset.ToUTF8(b, charsetOf(codePage)))
}

// WithoutSymbols returns s without the characters of symbol fonts, such as bullets and
// arrows. Office keeps them from U+F000 to U+F0FF, where they are no text.
func WithoutSymbols(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0xf000 && r <= 0xf0ff {
			return -1
		}
		return r
	}, s)
}

const unicodePage = 1200

// charsetOf returns the name that package charset has for a code page.
func charsetOf(codePage int) string {
	switch codePage {
	case 65001:
		return charset.UTF8
	case 936, 54936:
		return "gb18030"
	case 950, 10002:
		return "big5"
	case 932, 10001:
		return "shift_jis"
	case 949, 1361:
		return "euc-kr"
	case 874:
		return "windows-874"
	case 866, 855, 852, 850, 437, 862:
		if codePage == 866 {
			return "ibm866"
		}
		return "ibm" + strconv.Itoa(codePage)
	case 10000, 32768:
		return "macintosh"
	case 10007:
		return "x-mac-cyrillic"
	case 20866:
		return "koi8-r"
	case 28591:
		return "windows-1252"
	}
	if codePage >= 1250 && codePage <= 1258 {
		return "windows-" + strconv.Itoa(codePage)
	}
	return "windows-1252"
}

// PageOfLanguage returns the Windows code page of a language identifier ([MS-LCID]),
// such as 936 for 0x0804 (Chinese of the People's Republic).
func PageOfLanguage(lid int) int {
	switch lid {
	case 0x0404, 0x0c04, 0x1404:
		return 950
	case 0x0804, 0x1004:
		return 936
	case 0x0c1a, 0x1c1a: // Serbian in Cyrillic letters
		return 1251
	}
	switch lid & 0x3ff {
	case 0x11:
		return 932
	case 0x12:
		return 949
	case 0x1e:
		return 874
	case 0x05, 0x0e, 0x15, 0x18, 0x1a, 0x1b, 0x1c, 0x24:
		return 1250
	case 0x02, 0x19, 0x22, 0x23, 0x2f, 0x3f, 0x40, 0x44:
		return 1251
	case 0x08:
		return 1253
	case 0x1f, 0x2c, 0x43:
		return 1254
	case 0x0d:
		return 1255
	case 0x01, 0x20, 0x29:
		return 1256
	case 0x25, 0x26, 0x27:
		return 1257
	case 0x2a:
		return 1258
	}
	return 1252
}
