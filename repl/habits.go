package repl

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"infomall/lang"
	"infomall/lang/ast"
)

// csvWithHeader matches the end of a \copy of psql that asks for CSV with the names of the
// columns in the first line, as this program always writes it.
var csvWithHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\s+(WITH\s+)?(CSV(\s+HEADER)?|\(\s*FORMAT\s+CSV\s*(,\s*HEADER(\s+TRUE)?\s*)?\))$`)
})

// habit returns the statement that a line at the prompt means. word is a line that users of other
// shells type without a semicolon: a command of psql or sqlite3, such as \d name, or a whole
// statement that shows a list, a description or help. For \timing and the like it returns the
// command of this shell. It returns "" for any other line.
func habit(word string) string {
	word = strings.TrimRight(word, "; ")
	command, name := firstWord(word)
	switch command {
	case `\d`, `\dt`, `\d+`, `\dt+`, ".tables", ".schema":
		if name == "" {
			return "SHOW RELATIONS"
		}
		return "DESCRIBE " + name
	case `\copy`:
		return "COPY " + csvWithHeader().ReplaceAllString(name, "")
	case `\timing`:
		return ".timer " + cmp.Or(name, "on")
	case `\x`:
		return map[bool]string{true: ".mode auto", false: ".mode vertical"}[strings.EqualFold(name, "off")]
	case `\H`:
		return ".mode html"
	case `\i`, `\ir`:
		return ".read " + name
	case `\o`:
		return strings.TrimSpace(".output " + name)
	case `\s`:
		return ".history"
	case `\a`:
		return ".mode tsv"
	case `\pset`:
		return setting(name)
	case `\sv`, `\sv+`:
		return "SHOW VIEWS"
	case `\df`, `\df+`:
		if name == "" {
			return "SHOW FUNCTIONS"
		}
		return "DESCRIBE " + name
	case `\dv`, `\dv+`, `\dm`:
		return "SHOW VIEWS"
	case `\l`, `\l+`, `\list`:
		return "SHOW POOLS"
	case `\set`:
		if variable, value := firstWord(name); value != "" {
			return "SET $" + variable + " = " + value
		}
	case "?", `\?`, `\h`, `\help`:
		return "HELP " + name
	}
	if lower := strings.ToLower(word); lower == "describe" || lower == "desc" {
		return "SHOW RELATIONS"
	}
	st, err := lang.ParseOne(word, "")
	if err != nil {
		return ""
	}
	switch st.(type) {
	case *ast.Show, *ast.Describe, *ast.Help:
		return word
	}
	return ""
}

// setting returns the command of this shell that does what \pset does with the arguments args, such
// as "null -" or "format csv". It returns "" if there is none.
func setting(args string) string {
	name, value := firstWord(args)
	switch name {
	case "null":
		return ".nullvalue " + value
	case "format":
		return ".mode " + value
	case "expanded", "x":
		return map[bool]string{true: ".mode auto", false: ".mode vertical"}[strings.EqualFold(value, "off")]
	case "pager":
		return ".pager " + cmp.Or(value, "on")
	case "t", "tuples_only":
		return ".headers " + map[bool]string{true: "on", false: "off"}[strings.EqualFold(value, "off")]
	case "columns":
		return ".width " + cmp.Or(value, "auto")
	}
	return ""
}

// unknownSending matches a line that ends a statement in a way of psql that this shell does not
// have, such as \gset.
var unknownSending = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^\\']*\S\s*\\(watch|gdesc|gset|gexec|crosstabview)\b[^']*$`)
})

// sending matches a line that ends a statement as psql or MySQL allow it, and this shell too: by
// \g, \g FILE, \g (format=csv), \gx or \G.
var sending = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*?);?\s*\\(g|gx|G)(?:\s+(?:\(format=(\w+)\)|([^\s(]\S*)))?\s*;?\s*$`)
})

// sent returns a line whose statement the user has ended by \g, \gx or \G, with a semicolon in
// place of the command. mode is the format that the line asks for, and file the file that its
// result goes to; both may be "". ok is false for any other line.
func sent(line string) (statement, mode, file string, ok bool) {
	m := sending().FindStringSubmatch(line)
	if m == nil && unknownSending().MatchString(line) {
		return line + ";", "", "", true // parsing it gives an error that says what to write
	}
	if m == nil {
		return "", "", "", false
	}
	if mode = m[3]; m[2] != "g" {
		mode = "vertical"
	}
	return m[1] + ";", mode, m[4], true
}

// isLeaving reports whether word is a command with which users of other shells
// leave the shell, such as exit.
func isLeaving(word string) bool {
	switch strings.ToLower(strings.TrimRight(word, "; ")) {
	case "exit", "quit", `\q`, ".exit":
		return true
	}
	return false
}

// isCommand reports whether line is a command of this shell or another one,
// such as quit or .mode csv. A statement that was begun does not go on with
// such a line.
func isCommand(line string) bool {
	word := strings.TrimSpace(line)
	name, _ := dotArguments(word)
	switch {
	case isLeaving(word), strings.EqualFold(word, "help"), word == "?", strings.HasPrefix(word, `\`), foreignDots[name] != "":
		return true
	}
	for _, c := range dotCommands() {
		if c.name == name {
			return true
		}
	}
	return false
}
