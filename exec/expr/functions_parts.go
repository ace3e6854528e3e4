package expr

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/exec/value"
)

// right computes the SQL function right, which returns the last n characters. As in
// PostgreSQL, a negative n leaves out the first -n characters.
func right(_ *Env, a []value.Value) (value.Value, error) {
	s, n := a[0].Text, a[1].Int
	from := -n
	if n >= 0 {
		from = int64(utf8.RuneCountInString(s)) - n
	}
	return value.OfText(s[runesEnd(s, from):]), nil
}

// strpos computes the SQL function strpos.
func strpos(_ *Env, a []value.Value) (value.Value, error) {
	at := strings.Index(a[0].Text, a[1].Text)
	if at < 0 {
		return value.OfInt(0), nil
	}
	return value.OfInt(int64(utf8.RuneCountInString(a[0].Text[:at])) + 1), nil
}

// pad returns the code of lpad, if left is set, or of rpad: it adds characters to a text
// until the text has a given length. It cuts a longer text to that length.
func pad(left bool) applier {
	return func(_ *Env, a []value.Value) (value.Value, error) {
		s, n, fill := a[0].Text, max(a[1].Int, 0), " "
		if len(a) > 2 {
			fill = a[2].Text
		}
		missing := n - int64(utf8.RuneCountInString(s))
		switch {
		case missing <= 0:
			return value.OfText(s[:runesEnd(s, n)]), nil
		case fill == "":
			return a[0], nil
		case missing > int64(repeatBytesMax/utf8.UTFMax):
			return value.Value{}, fmt.Errorf("a text of %d characters is too long; at most %d KB", n, repeatBytesMax>>10)
		}
		filling := strings.Repeat(fill, int(missing)/utf8.RuneCountInString(fill)+1)
		filling = filling[:runesEnd(filling, missing)]
		if left {
			return value.OfText(filling + s), nil
		}
		return value.OfText(s + filling), nil
	}
}

// trimBy returns the code of ltrim or rtrim, which removes characters from one end of a
// text. It uses the function blanks if the call names no characters, and otherwise the
// function characters.
func trimBy(blanks func(string, func(rune) bool) string, characters func(s, cutset string) string) applier {
	return func(_ *Env, a []value.Value) (value.Value, error) {
		if len(a) == 1 {
			return value.OfText(blanks(a[0].Text, unicode.IsSpace)), nil
		}
		return value.OfText(characters(a[0].Text, a[1].Text)), nil
	}
}

// initcap computes the function initcap.
func initcap(_ *Env, a []value.Value) (value.Value, error) {
	inside := false
	return value.OfText(strings.Map(func(r rune) rune {
		first := !inside
		inside = unicode.IsLetter(r) || unicode.IsDigit(r)
		if first {
			return unicode.ToTitle(r)
		}
		return unicode.ToLower(r)
	}, a[0].Text)), nil
}

// reverse computes the function reverse.
func reverse(_ *Env, a []value.Value) (value.Value, error) {
	s := a[0].Text
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, size := utf8.DecodeLastRuneInString(s)
		out, s = append(out, s[len(s)-size:]...), s[:len(s)-size]
	}
	return value.OfText(string(out)), nil
}

// translate computes the SQL function translate. It replaces each character of the
// argument from by the character at the same position of the argument to. A character
// without such a counterpart is deleted.
func translate(_ *Env, a []value.Value) (value.Value, error) {
	from, to := []rune(a[1].Text), []rune(a[2].Text)
	table := make(map[rune]rune, len(from))
	for i, r := range from {
		if _, again := table[r]; again {
			continue
		}
		table[r] = -1
		if i < len(to) {
			table[r] = to[i]
		}
	}
	return value.OfText(strings.Map(func(r rune) rune {
		if other, ok := table[r]; ok {
			return other
		}
		return r
	}, a[0].Text)), nil
}

// concatWS computes the function concat_ws.
func concatWS(_ *Env, a []value.Value) (value.Value, error) {
	if a[0].IsNull() {
		return value.Value{}, nil
	}
	var parts []string
	for _, v := range a[1:] {
		if !v.IsNull() {
			parts = append(parts, v.Text)
		}
	}
	return value.OfText(strings.Join(parts, a[0].Text)), nil
}

func octetLength(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(len(a[0].Text))), nil
}

func prepareCount(_ *Env, args []Expr) (applier, error) { return preparePattern(args, matches) }

func regexpCount(_ *Env, a []value.Value) (value.Value, error) { return applyPattern(a, matches) }

// matches returns the number of matches of re in the text a[0]. Matches do not overlap.
func matches(re *regexp.Regexp, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(len(re.FindAllStringIndex(a[0].Text, -1)))), nil
}

// partFunctions declares the functions that take parts of texts or join texts.
var partFunctions = []Function{
	{Name: "concat_ws", Example: `concat_ws(', ', 'Lanshan', NULL, 'Library')`, Doc: "The texts, with separator between them. A NULL is left out.",
		params: []param{{"separator", textKind}, {"s", textKind}}, many: true, nulls: true, result: value.Text, apply: concatWS},
	{Name: "initcap", Example: `initcap('lan river POST')`, Doc: "The text with each word in lower case after a first letter in upper case.",
		params: []param{{"s", textKind}}, result: value.Text, apply: initcap},
	{Name: "lpad", Example: `lpad('7', 3, '0')`, Doc: "The text with characters added before it, blanks if none are given, until it has length characters; a longer one is cut.",
		params: []param{{"s", textKind}, {"length", intKind}, {"fill", textKind}}, min: 2, result: value.Text, apply: pad(true)},
	{Name: "ltrim", Example: `ltrim('xxa', 'x')`, Doc: "The text without blanks, or without the given characters, at its beginning.",
		params: []param{{"s", textKind}, {"characters", textKind}}, min: 1, result: value.Text, apply: trimBy(strings.TrimLeftFunc, strings.TrimLeft)},
	{Name: "octet_length", Example: `octet_length('图书馆')`, Doc: "The number of bytes in the text, as UTF-8.",
		params: []param{{"s", textKind}}, result: value.Int, apply: octetLength},
	{Name: "regexp_count", Example: `regexp_count('a1b22', '[0-9]+')`, Doc: "How often the pattern (RE2) matches in s.",
		params: []param{{"s", textKind}, {"pattern", textKind}}, result: value.Int, prepare: prepareCount, apply: regexpCount},
	{Name: "reverse", Example: `reverse('abc')`, Doc: "The text from its last character to its first.",
		params: []param{{"s", textKind}}, result: value.Text, apply: reverse},
	{Name: "right", Example: `right('2008-06-15', 2)`, Doc: "The last n characters of s; if n is negative, all but the first -n.",
		params: []param{{"s", textKind}, {"n", intKind}}, result: value.Text, apply: right},
	{Name: "rpad", Example: `rpad('a', 3, '.')`, Doc: "The text with characters added after it, blanks if none are given, until it has length characters; a longer one is cut.",
		params: []param{{"s", textKind}, {"length", intKind}, {"fill", textKind}}, min: 2, result: value.Text, apply: pad(false)},
	{Name: "rtrim", Example: `rtrim('http://a.cn/', '/')`, Doc: "The text without blanks, or without the given characters, at its end.",
		params: []param{{"s", textKind}, {"characters", textKind}}, min: 1, result: value.Text, apply: trimBy(strings.TrimRightFunc, strings.TrimRight)},
	{Name: "strpos", Also: "instr", Example: `strpos('lanshan', 'shan')`, Doc: "The place of the first character of part in s, from 1; 0 if s does not contain it.",
		params: []param{{"s", textKind}, {"part", textKind}}, result: value.Int, apply: strpos},
	{Name: "translate", Example: `translate('a/b?c', '/?', '__')`, Doc: "s with each character of from replaced by the character at the same place of to, or deleted if there is none.",
		params: []param{{"s", textKind}, {"from", textKind}, {"to", textKind}}, result: value.Text, apply: translate},
}
