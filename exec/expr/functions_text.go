package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/message"
)

// textMax bounds the length, in bytes, of a text that a function returns.
// Without it, a chain of calls of replace could fill the memory from a short
// text.
const textMax = 256 << 20

// concatFunction computes the operator ||, which joins two texts. A query
// cannot call it by name.
var concatFunction = &Function{
	Name: "||", Doc: "The concatenation of both texts.",
	params: []param{{"a", textKind}, {"b", textKind}}, result: value.Text,
	apply: concat,
}

func concat(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfText(a[0].Text + a[1].Text), nil
}

// formatBytes computes the function format_bytes.
func formatBytes(_ *Env, a []value.Value) (value.Value, error) {
	n, err := value.Rounded(math.Trunc(a[0].Number()))
	return value.OfText(value.Size(n.Int)), err
}

func lower(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfText(strings.ToLower(a[0].Text)), nil
}

func upper(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfText(strings.ToUpper(a[0].Text)), nil
}

func length(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(utf8.RuneCountInString(a[0].Text))), nil
}

// substr computes the function substr as SQL defines it: positions before the
// first character count towards the length, so substr('abc', 0, 2) is 'a'.
func substr(_ *Env, a []value.Value) (value.Value, error) {
	s, from := a[0].Text, a[1].Int
	if len(a) > 2 {
		if a[2].Int < 0 {
			return value.Value{}, fmt.Errorf("the length can't be %d", a[2].Int)
		}
		if end, ok := Ints("+", from, a[2].Int); ok {
			s = s[:runesEnd(s, end-1)]
		}
	}
	return value.OfText(s[runesEnd(s, from-1):]), nil
}

// runesEnd returns the byte offset in s after its first n characters. If s has
// fewer, it returns len(s); if n is negative, 0.
func runesEnd(s string, n int64) int {
	if n >= int64(len(s)) {
		return len(s)
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

func trim(_ *Env, a []value.Value) (value.Value, error) {
	if len(a) == 1 {
		return value.OfText(strings.TrimSpace(a[0].Text)), nil
	}
	return value.OfText(strings.Trim(a[0].Text, a[1].Text)), nil
}

func replace(_ *Env, a []value.Value) (value.Value, error) {
	s, old, with := a[0].Text, a[1].Text, a[2].Text
	if old == "" {
		return a[0], nil
	}
	if grown := len(s) + strings.Count(s, old)*(len(with)-len(old)); grown > textMax {
		return value.Value{}, tooLong(grown)
	}
	return value.OfText(strings.ReplaceAll(s, old, with)), nil
}

// tooLong returns the error that a text of n bytes is longer than textMax.
func tooLong(n int) error {
	return fmt.Errorf("a text of %d bytes is too long; at most %d MB", n, textMax>>20)
}

func splitPart(_ *Env, a []value.Value) (value.Value, error) {
	s, sep, n := a[0].Text, a[1].Text, a[2].Int
	if n == 0 {
		return value.Value{}, errors.New("parts count from 1, or from -1 at the end")
	}
	parts := []string{s}
	if sep != "" {
		parts = strings.Split(s, sep)
	}
	if n < 0 {
		n += int64(len(parts)) + 1
	}
	if n < 1 || n > int64(len(parts)) {
		return value.OfText(""), nil
	}
	return value.OfText(parts[n-1]), nil
}

func startsWith(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfBool(strings.HasPrefix(a[0].Text, a[1].Text)), nil
}

func endsWith(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfBool(strings.HasSuffix(a[0].Text, a[1].Text)), nil
}

// compilePattern compiles a regular expression that is an argument of a
// function. The error has no position; the caller adds that of the call.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	re, err := compileRegexp(pattern, ast.Span{})
	if err != nil {
		return nil, err
	}
	return re, nil
}

// preparePattern compiles the second argument as a regular expression, so that this
// happens once and not for each row. It returns a function that calls f with the compiled
// pattern. It returns nil if that argument is not constant.
func preparePattern(args []Expr, f func(*regexp.Regexp, []value.Value) (value.Value, error)) (applier, error) {
	pattern, ok := constantText(args, 1)
	if !ok {
		return nil, nil
	}
	re, err := compilePattern(pattern)
	if err != nil {
		return nil, err
	}
	return func(_ *Env, a []value.Value) (value.Value, error) { return f(re, a) }, nil
}

// applyPattern compiles the pattern a[1], and returns the result of f for it and a.
func applyPattern(a []value.Value, f func(*regexp.Regexp, []value.Value) (value.Value, error)) (value.Value, error) {
	re, err := compilePattern(a[1].Text)
	if err != nil {
		return value.Value{}, err
	}
	return f(re, a)
}

func prepareExtract(_ *Env, args []Expr) (applier, error) { return preparePattern(args, extract) }

func regexpExtract(_ *Env, a []value.Value) (value.Value, error) { return applyPattern(a, extract) }

// extract returns the first match of re in the text a[0], or if a[2] is given,
// the group with this number in that match. It returns NULL if there is no
// match or the group took no part in it.
func extract(re *regexp.Regexp, a []value.Value) (value.Value, error) {
	group := int64(0)
	if len(a) > 2 {
		group = a[2].Int
	}
	if group < 0 || group > int64(re.NumSubexp()) {
		return value.Value{}, fmt.Errorf("no group %d in %q, which has %d", group, re, re.NumSubexp())
	}
	found := re.FindStringSubmatchIndex(a[0].Text)
	if found == nil || found[2*group] < 0 {
		return value.Value{}, nil
	}
	return value.OfText(a[0].Text[found[2*group]:found[2*group+1]]), nil
}

// prepareReplace returns an applier for regexp_replace that has a constant
// pattern with constant flags compiled, so that this happens once. It returns
// nil if the pattern or the flags are not constant.
func prepareReplace(_ *Env, args []Expr) (applier, error) {
	pattern, ok := constantText(args, 1)
	flags, flagsKnown := constantText(args, 3)
	if !ok || len(args) > 3 && !flagsKnown {
		return nil, nil
	}
	re, count, err := compileReplace(pattern, flags)
	if err != nil {
		return nil, err
	}
	return func(_ *Env, a []value.Value) (value.Value, error) { return replaceMatches(re, count, a) }, nil
}

func regexpReplace(_ *Env, a []value.Value) (value.Value, error) {
	flags := ""
	if len(a) > 3 {
		flags = a[3].Text
	}
	re, count, err := compileReplace(a[1].Text, flags)
	if err != nil {
		return value.Value{}, err
	}
	return replaceMatches(re, count, a)
}

// compileReplace compiles a pattern with the flags of regexp_replace. count is
// how many matches the flags ask to replace: 1, or -1 for all.
func compileReplace(pattern, flags string) (re *regexp.Regexp, count int, err error) {
	count = 1
	for _, flag := range flags {
		switch flag {
		case 'g':
			count = -1
		case 'i':
			pattern = "(?i)" + pattern
		default:
			return nil, 0, fmt.Errorf("no flag %q; there are g (all) and i (case aside)", flag)
		}
	}
	re, err = compilePattern(pattern)
	return re, count, err
}

// replaceMatches returns the text a[0] with the first count matches of re, or
// all if count is -1, replaced by the template a[2]. The error says that the
// result is too long.
func replaceMatches(re *regexp.Regexp, count int, a []value.Value) (value.Value, error) {
	s, template := a[0].Text, goTemplate(a[2].Text)
	var out []byte
	last := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, count) {
		out = append(out, s[last:m[0]]...)
		out = re.ExpandString(out, template, s, m)
		last = m[1]
		if len(out) > textMax {
			return value.Value{}, tooLong(len(out))
		}
	}
	return value.OfText(string(append(out, s[last:]...))), nil
}

// goTemplate returns the replacement s, in which \1 stands for a matched group
// and \& for the whole match, in the template syntax of package regexp.
func goTemplate(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$':
			b.WriteString("$$")
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		default:
			i++
			switch c := s[i]; {
			case '0' <= c && c <= '9':
				b.WriteString("${" + string(rune(c)) + "}")
			case c == '&':
				b.WriteString("${0}")
			case c == '\\':
				b.WriteByte('\\')
			default:
				b.WriteString(`\` + string(rune(c)))
			}
		}
	}
	return b.String()
}

func md5Of(_ *Env, a []value.Value) (value.Value, error) {
	sum := md5.Sum([]byte(a[0].Text))
	return value.OfText(hex.EncodeToString(sum[:])), nil
}

func sha1Of(_ *Env, a []value.Value) (value.Value, error) {
	sum := sha1.Sum([]byte(a[0].Text))
	return value.OfText(hex.EncodeToString(sum[:])), nil
}

func sha256Of(_ *Env, a []value.Value) (value.Value, error) {
	sum := sha256.Sum256([]byte(a[0].Text))
	return value.OfText(hex.EncodeToString(sum[:])), nil
}

// repeatBytesMax is the size in bytes of the longest text that repeat makes. The results for the
// rows of a batch are in memory at once.
const repeatBytesMax = 1 << 16

// repeat computes the function repeat.
func repeat(_ *Env, a []value.Value) (value.Value, error) {
	s, n := a[0].Text, max(a[1].Int, 0)
	if s == "" {
		return a[0], nil
	}
	if n > int64(repeatBytesMax/len(s)) {
		return value.Value{}, fmt.Errorf("a text repeated %d times is too long; at most %d KB", n, repeatBytesMax>>10)
	}
	return value.OfText(strings.Repeat(s, int(n))), nil
}

// header computes the function header: the value of a response header. An empty
// header gives NULL, like a missing one, because message.Header does not
// distinguish the two.
func header(_ *Env, a []value.Value) (value.Value, error) {
	v := message.Header([]byte(a[0].Text), a[1].Text)
	if v == "" {
		return value.Value{}, nil
	}
	return value.OfText(v), nil
}

// textFunctions declares the functions that take texts.
var textFunctions = []Function{
	{Name: "ends_with", Example: `ends_with('a.htm', '.htm')`, Doc: "Whether s ends with suffix.",
		params: []param{{"s", textKind}, {"suffix", textKind}}, result: value.Bool, apply: endsWith},
	{Name: "format_bytes", Example: `format_bytes(1536)`, Doc: "A number of bytes for people, in the largest unit that is not above it; units are powers of 1024.",
		params: []param{{"x", numberKind}}, result: value.Text, apply: formatBytes},
	{Name: "header", Example: `header(headers, 'server') FROM versions LIMIT 1`, Doc: "The value of a response header, whose name may be in upper or lower case.",
		params: []param{{"headers", textKind}, {"name", textKind}}, result: value.Text, apply: header},
	{Name: "length", Example: `length('图书馆')`, Doc: "The number of characters in the text.",
		params: []param{{"s", textKind}}, result: value.Int, apply: length},
	{Name: "lower", Example: `lower('ABC')`, Doc: "The text in lower case.",
		params: []param{{"s", textKind}}, result: value.Text, apply: lower},
	{Name: "md5", Example: `md5('a')`, Doc: "The md5 of the text's bytes as hexadecimal digits.",
		params: []param{{"s", textKind}}, result: value.Text, apply: md5Of},
	{Name: "regexp_extract", Example: `regexp_extract('tel 2318', '[0-9]+')`, Doc: "The first match of the pattern (RE2) in s, or one group of it; NULL if there is no match.",
		params: []param{{"s", textKind}, {"pattern", textKind}, {"group", intKind}}, min: 2, result: value.Text, prepare: prepareExtract, apply: regexpExtract},
	{Name: "regexp_replace", Example: `regexp_replace('a-b-c', '-', '+', 'g')`, Doc: "s with the first match of the pattern (RE2) replaced; flag g replaces all, flag i ignores case; \\1 in the replacement is group 1.",
		params: []param{{"s", textKind}, {"pattern", textKind}, {"with", textKind}, {"flags", textKind}}, min: 3, result: value.Text, prepare: prepareReplace, apply: regexpReplace},
	{Name: "repeat", Example: `repeat('*', 3)`, Doc: "The text n times, one after the other; '' if n is 0 or less.",
		params: []param{{"s", textKind}, {"n", intKind}}, result: value.Text, apply: repeat},
	{Name: "replace", Example: `replace('a-b', '-', '+')`, Doc: "s with every occurrence of old replaced by new.",
		params: []param{{"s", textKind}, {"old", textKind}, {"new", textKind}}, result: value.Text, apply: replace},
	{Name: "sha1", Example: `sha1('a')`, Doc: "The sha1 of the text's bytes as hexadecimal digits.",
		params: []param{{"s", textKind}}, result: value.Text, apply: sha1Of},
	{Name: "sha256", Example: `sha256('a')`, Doc: "The sha256 of the text's bytes as hexadecimal digits, as in the column digest of a body.",
		params: []param{{"s", textKind}}, result: value.Text, apply: sha256Of},
	{Name: "split_part", Example: `split_part('a/b/c', '/', -1)`, Doc: "The n-th part of s between separators, counted from 1, or from the end if n is negative (-1 is the last); '' if there is none.",
		params: []param{{"s", textKind}, {"separator", textKind}, {"n", intKind}}, result: value.Text, apply: splitPart},
	{Name: "starts_with", Example: `starts_with('http://a.cn/', 'http://')`, Doc: "Whether s begins with prefix.",
		params: []param{{"s", textKind}, {"prefix", textKind}}, result: value.Bool, apply: startsWith},
	{Name: "substr", Example: `substr('abcdef', 2, 3)`, Doc: "The characters of s from position start (the first is 1); to the end if length is omitted.",
		params: []param{{"s", textKind}, {"start", intKind}, {"length", intKind}}, min: 2, result: value.Text, apply: substr},
	{Name: "trim", Example: `trim('  a ')`, Doc: "The text without blanks, or without the given characters, at both ends.",
		params: []param{{"s", textKind}, {"characters", textKind}}, min: 1, result: value.Text, apply: trim},
	{Name: "upper", Example: `upper('abc')`, Doc: "The text in upper case.",
		params: []param{{"s", textKind}}, result: value.Text, apply: upper},
}
