package grammar

import (
	regexpsyntax "regexp/syntax"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// This file reads calls of functions that other databases have. Each becomes a call of a function of
// this language that does the same.

// hasGroup reports whether the regular expression pattern has a capturing group. It returns
// false if pattern is not a valid regular expression.
func hasGroup(pattern string) bool {
	re, err := regexpsyntax.Parse(pattern, regexpsyntax.Perl)
	return err == nil && re.MaxCap() > 0
}

// sameNames maps the names of functions of other databases to those of the functions here
// that do the same with the same arguments.
var sameNames = map[string]string{
	"char_length": "length", "character_length": "length", "len": "length",
	"substring": "substr", "btrim": "trim", "ucase": "upper", "lcase": "lower", "regexp_substr": "regexp_extract",
	"ifnull": "coalesce", "nvl": "coalesce", "datediff": "date_diff",
	"group_concat": "string_agg", "listagg": "string_agg",
	"bool_or": "max", "logical_or": "max", "bool_and": "min", "every": "min", "logical_and": "min",
	"max_by": "arg_max", "argmax": "arg_max", "min_by": "arg_min", "argmin": "arg_min", "arbitrary": "any_value",
	"mean": "avg", "countif": "count_if", "approx_distinct": "approx_count_distinct",
	"stddev_samp": "stddev", "quantile_disc": "quantile", "approx_quantile": "quantile",
	"pg_size_pretty": "format_bytes", "formatreadablesize": "format_bytes",
}

// sameCall returns the expression of the language that does the same as c, a call of a function
// of another database: date_part('year', x) becomes year(x), and to_char(x, 'YYYY-MM') becomes
// strftime(x, '%Y-%m'). It returns any other call unchanged.
func (p *parser) sameCall(c *ast.Call) ast.Expr {
	if c.Name.Quoted {
		return c
	}
	name := scan.Lower(c.Name.Text)
	if same := sameNames[name]; same != "" {
		c.Name.Text = same
		if same == "string_agg" && len(c.Args) == 1 {
			c.Args = append(c.Args, &ast.String{Span: c.Name.Span, Value: ","})
		}
		return c
	}
	if (name == "array_agg" || name == "list") && len(c.Args) == 1 {
		text := &ast.Cast{Span: c.Name.Span, X: c.Args[0], Type: ast.Name{Span: c.Name.Span, Text: "text"}}
		for i := range c.OrderBy {
			if c.Distinct && c.OrderBy[i].Expr.String() == c.Args[0].String() {
				c.OrderBy[i].Expr = text // the order of DISTINCT texts is that of the texts
			}
		}
		c.Name.Text, c.Args = "string_agg", []ast.Expr{text, &ast.String{Span: c.Name.Span, Value: ", "}}
		return c
	}
	plain := !c.Star && !c.Distinct && c.OrderBy == nil
	switch n := len(c.Args); {
	case !plain:
	case n == 1 && (unitFormats[name] != "" || name == "quarter"):
		return unitOf(c.Name.Span, name, c.Args[0])
	case n == 1 && name == "date":
		return dayOf(c.Name.Span, c.Args[0])
	case n == 1 && (name == "dayname" || name == "monthname"):
		format := map[string]string{"dayname": "%A", "monthname": "%B"}[name]
		c.Name.Text, c.Args = "strftime", append(c.Args, &ast.String{Span: c.Name.Span, Value: format})
	case n == 2 && name == "mod":
		return &ast.Binary{Span: c.Name.Span, Op: "%", OpAt: c.Name.Span, X: c.Args[0], Y: c.Args[1]}
	case n == 2 && name == "date_part":
		if unit, ok := c.Args[0].(*ast.String); ok {
			return unitOf(c.Name.Span, unit.Value, c.Args[1])
		}
	case n == 2 && name == "strftime": // SQLite has the pattern first
		if pattern, ok := c.Args[0].(*ast.String); ok && strings.Contains(pattern.Value, "%") {
			c.Args[0], c.Args[1] = c.Args[1], c.Args[0]
		}
	case (n == 2 || n == 3) && (name == "regexp_match" || name == "regexp_matches"):
		return firstMatch(c)
	case (n == 2 || n == 3) && name == "regexp_like":
		op := "~"
		if flags, ok := lastText(c, 3); ok && flags == "i" {
			op = "~*"
		} else if n == 3 {
			return c
		}
		return &ast.Binary{Span: c.Name.Span, Op: op, OpAt: c.Name.Span, X: c.Args[0], Y: c.Args[1]}
	case n > 1 && name == "concat_ws":
		for i, x := range c.Args {
			if _, constant := x.(*ast.String); !constant {
				c.Args[i] = &ast.Cast{Span: c.Name.Span, X: x, Type: ast.Name{Span: c.Name.Span, Text: "text"}}
			}
		}
	case n == 1 && name == "to_timestamp":
		at := c.Name.Span
		start := &ast.Cast{Span: at, X: &ast.String{Span: at, Value: "1970-01-01T00:00:00Z"}, Type: ast.Name{Span: at, Text: "time"}}
		seconds := &ast.Cast{Span: at, X: c.Args[0], Type: ast.Name{Span: at, Text: "duration"}}
		return &ast.Binary{Span: at, Op: "+", OpAt: at, X: start, Y: seconds}
	case n == 2 && (name == "to_date" || name == "to_timestamp"):
		if pattern, ok := c.Args[1].(*ast.String); ok {
			if format, ok := strftimePattern(pattern.Value); ok {
				c.Name.Text, c.Args[1] = "strptime", &ast.String{Span: pattern.Span, Value: strings.ReplaceAll(format, "%-", "%")}
			}
		}
	case n == 2 && name == "to_char":
		if pattern, ok := c.Args[1].(*ast.String); ok {
			if format, ok := strftimePattern(pattern.Value); ok {
				c.Name.Text, c.Args[1] = "strftime", &ast.String{Span: pattern.Span, Value: format}
			}
		}
	case n == 3 && (name == "if" || name == "iif"):
		when := ast.When{Span: c.Name.Span, Cond: c.Args[0], Then: c.Args[1]}
		return &ast.Case{Span: c.Name.Span, Whens: []ast.When{when}, Else: c.Args[2]}
	case n > 0 && name == "concat":
		return concatenated(c)
	}
	return c
}

// firstMatch returns the first match of a pattern for c, a call of regexp_match or
// regexp_matches: regexp_extract(x, 'pattern'), or regexp_extract(x, 'pattern', 1) if the
// pattern has a group. It returns c unchanged if c asks for all matches.
func firstMatch(c *ast.Call) ast.Expr {
	pattern, ok := c.Args[1].(*ast.String)
	flags, three := lastText(c, 3)
	switch {
	case !ok, len(c.Args) == 3 && (!three || strings.Trim(flags, "i") != ""):
		return c
	case flags != "":
		pattern = &ast.String{Span: pattern.Span, Value: "(?i)" + pattern.Value}
	}
	c.Name.Text, c.Args = "regexp_extract", []ast.Expr{c.Args[0], pattern}
	if hasGroup(pattern.Value) {
		c.Args = append(c.Args, wholeNumber(pattern.Span, 1))
	}
	return c
}

// lastText returns the text of argument n of c, counted from 1. ok is false if c has another
// number of arguments, or if that argument is no constant text.
func lastText(c *ast.Call, n int) (text string, ok bool) {
	if len(c.Args) != n {
		return "", false
	}
	s, ok := c.Args[n-1].(*ast.String)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// squared returns the variance for c, a call of variance or var_samp with its arguments and
// clauses: the square of the same call of stddev. It returns any other call unchanged.
func squared(c *ast.Call) ast.Expr {
	if name := scan.Lower(c.Name.Text); c.Name.Quoted || name != "variance" && name != "var_samp" {
		return c
	}
	c.Name.Text = "stddev"
	again := *c
	return &ast.Binary{Span: c.Span, Op: "*", OpAt: c.Span, X: c, Y: &again}
}

// atSpecialCall reports whether the arguments of a call have the form of TRIM(BOTH 'x' FROM y) or
// POSITION('x' IN y). name is the token before the bracket; the next tokens are those after the
// bracket.
func (p *parser) atSpecialCall(name *lexer.Token) bool {
	switch {
	case scan.IsWord(name, "POSITION"):
		return true
	case !scan.IsWord(name, "TRIM"):
		return false
	case scan.IsKeyword(p.peek(), "FROM"):
		return true
	}
	side := p.peek()
	return (scan.IsWord(side, "BOTH") || scan.IsWord(side, "LEADING") || scan.IsWord(side, "TRAILING")) && !scan.IsOp(p.peekSecond(), ")") && !scan.IsOp(p.peekSecond(), ",")
}

// specialCall reads the arguments of c, for which atSpecialCall is true, up to the bracket at
// their end.
func (p *parser) specialCall(c *ast.Call) error {
	if scan.IsWord(p.peek(), "BOTH") || scan.IsWord(p.peek(), "LEADING") || scan.IsWord(p.peek(), "TRAILING") {
		c.Name.Text = map[string]string{"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[scan.Upper(p.next().Value)]
	}
	if !scan.IsKeyword(p.peek(), "FROM") {
		x, err := p.expr(levelConcat)
		if err != nil {
			return err
		}
		c.Args = []ast.Expr{x}
	}
	position := scan.EqualFold(c.Name.Text, "POSITION")
	if position && p.take("IN") || !position && p.take("FROM") {
		y, err := p.expr(levelOr)
		if err != nil {
			return err
		}
		c.Args = append([]ast.Expr{y}, c.Args...)
		if position {
			c.Name.Text = "strpos"
		}
		return nil
	}
	for p.takeOp(",") { // position(x, y) and trim(both, y) have no special form
		y, err := p.expr(levelOr)
		if err != nil {
			return err
		}
		c.Args = append(c.Args, y)
	}
	return nil
}

// trimFrom reads what follows 'x' in TRIM('x' FROM y), and changes c, the call of TRIM, to
// trim(y, 'x'). It leaves any other call unchanged and reads nothing.
func (p *parser) trimFrom(c *ast.Call) error {
	if c.Name.Quoted || !scan.EqualFold(c.Name.Text, "TRIM") || len(c.Args) != 1 || c.Distinct || !p.take("FROM") {
		return nil
	}
	y, err := p.expr(levelOr)
	c.Args = []ast.Expr{y, c.Args[0]}
	return err
}

// currentTime returns the expression for t, a name that other databases give to the current
// time or day: TODAY for CURRENT_DATE, NOW for CURRENT_TIMESTAMP and LOCALTIMESTAMP. It
// returns nil for any other name, and if a dot comes next. t must be the token that p took
// last.
func (p *parser) currentTime(t *lexer.Token) ast.Expr {
	if scan.IsOp(p.peek(), ".") {
		return nil
	}
	switch scan.Upper(t.Value) {
	case "CURRENT_DATE":
		return &ast.Today{Span: scan.SpanOf(t)}
	case "CURRENT_TIMESTAMP", "LOCALTIMESTAMP":
		return &ast.Now{Span: scan.SpanOf(t)}
	}
	return nil
}

// atEscaped reports whether t, the token that p took last, is the E of a PostgreSQL text
// such as E'a\n': the text must follow directly.
func (p *parser) atEscaped(t *lexer.Token) bool {
	return scan.IsWord(t, "E") && p.peek().Type == scan.String && p.peek().Pos.Offset == t.Pos.Offset+1
}

// escapes maps the letter after a backslash in E'…' to the character that the two mean
// together. Any other character after a backslash means itself.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// escaped reads the text of E'a\n' after its E, and returns it with its escapes replaced.
func (p *parser) escaped() ast.Expr {
	s := scan.Literal(p.next()).(*ast.String)
	var b strings.Builder
	for i := 0; i < len(s.Value); i++ {
		c := s.Value[i]
		if c == '\\' && i+1 < len(s.Value) {
			i++
			c = s.Value[i]
			if other, ok := escapes[c]; ok {
				c = other
			}
		}
		b.WriteByte(c)
	}
	s.Value = b.String()
	return s
}

// concatenated returns the texts of the arguments of c, a call of concat, joined by ||. As in
// PostgreSQL, a NULL counts as an empty text.
func concatenated(c *ast.Call) (joined ast.Expr) {
	at := c.Name.Span
	for i, x := range c.Args {
		if _, constant := x.(*ast.String); !constant {
			text := &ast.Cast{Span: at, X: x, Type: ast.Name{Span: at, Text: "text"}}
			x = &ast.Call{Span: at, Name: ast.Name{Span: at, Text: "coalesce"}, Args: []ast.Expr{text, &ast.String{Span: at}}}
		}
		if i == 0 {
			joined = x
		} else {
			joined = &ast.Binary{Span: at, Op: "||", OpAt: at, X: joined, Y: x}
		}
	}
	return joined
}

// charPatterns maps the parts of patterns of to_char to what strftime has for them. A longer
// part comes before a part with which it begins, such as YYYY before YY.
var charPatterns = []struct{ part, format string }{
	{"FMYYYY", "%Y"}, {"FMMM", "%-m"}, {"FMDDD", "%-j"}, {"FMDD", "%-d"}, {"FMHH24", "%-H"}, {"FMHH12", "%-I"}, {"FMHH", "%-I"}, {"FMMI", "%-M"}, {"FM", ""}, {"TM", ""},
	{"IYYY", "%G"}, {"IW", "%V"}, {"ID", "%u"},
	{"YYYY", "%Y"}, {"YY", "%y"}, {"MM", "%m"}, {"DDD", "%j"}, {"DD", "%d"}, {"HH24", "%H"}, {"HH12", "%I"}, {"HH", "%I"}, {"MI", "%M"}, {"SS", "%S"}, {"AM", "%p"}, {"PM", "%p"},
	{"Month", "%B"}, {"Mon", "%b"}, {"Day", "%A"}, {"Dy", "%a"}, {"%", "%%"},
}

// strftimePattern returns the pattern of strftime that means the same as a pattern of
// to_char. ok is false if strftime cannot express the pattern.
func strftimePattern(pattern string) (format string, ok bool) {
next:
	for pattern != "" {
		for _, p := range charPatterns {
			if rest, found := strings.CutPrefix(pattern, p.part); found {
				format, pattern = format+p.format, rest
				continue next
			}
		}
		if quoted, rest, closed := strings.Cut(strings.TrimPrefix(pattern, `"`), `"`); pattern[0] == '"' && closed {
			format, pattern = format+strings.ReplaceAll(quoted, "%", "%%"), rest
			continue
		}
		if c := pattern[0]; c == '"' || 'A' <= c|0x20 && c|0x20 <= 'z' {
			return "", false
		}
		format, pattern = format+pattern[:1], pattern[1:]
	}
	return format, true
}
