package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
)

// Help is the statement HELP, which prints help on a topic.
var Help = session.Declare("HELP", session.Answers|session.Anywhere, readHelp)

// help is the text that a HELP statement prints.
type help string

// readHelp makes the text that a HELP statement prints: the syntax of a
// statement, or what a relation, a function or a setting is. Without a topic it
// is the list of topics. An unknown topic is an error.
func readHelp(s *session.Session, st *ast.Help) (help, error) {
	text := helpOverview()
	if st.Topic != "" {
		text = helpOn(st.Topic, s.Env(), s.Settings())
	}
	if text == "" {
		err := expr.UnknownName(st, "help on", st.Topic, "", helpTopics())
		if err.Hint == "" {
			err.Hint = "HELP alone lists the topics"
		}
		return "", err
	}
	return help(text), nil
}

// Run returns the text as the result of the statement.
func (h help) Run(context.Context) (*session.Result, error) {
	return &session.Result{Kind: session.ResultText, Bytes: strings.NewReader(string(h)), Close: func() {}}, nil
}

// Would returns one line for EXPLAIN.
func (h help) Would(context.Context) ([]string, error) { return wouldPrint() }

// wouldPrint returns the line for EXPLAIN of a statement that prints what the
// program knows and reads no archive.
func wouldPrint() ([]string, error) {
	return []string{"prints what the program knows, and reads no archive"}, nil
}

// helpOverview returns the text of HELP without a topic: the list of topics.
func helpOverview() string {
	var b strings.Builder
	b.WriteString("Statements end with ; and these are the topics of HELP:\n\n")
	for _, t := range lang.Topics() {
		b.WriteString("  HELP " + t + "\n")
	}
	b.WriteString("\nHELP and DESCRIBE also take a relation, a function or a setting;\n" +
		"SHOW RELATIONS, SHOW FUNCTIONS and SHOW SETTINGS list them.\n")
	return b.String()
}

// helpOn returns the help on one topic, or "" if there is none. A topic is a statement, a relation,
// a function, a setting, or a word of a statement. env evaluates the example of a function, and set
// has the value that the example of a setting shows.
func helpOn(topic string, env *expr.Env, set *session.Settings) string {
	if g := Syntax(topic); g != "" {
		text := strings.TrimRight(g, "\n") + "\n"
		for _, example := range lang.Examples(topic) {
			text += "\n" + example + "\n"
		}
		if r := all.Find(topic); r != nil { // EVENTS makes the rows of events
			text += "\n" + helpRelation(r)
		}
		return text
	}
	if r := all.Find(topic); r != nil {
		return helpRelation(r)
	}
	if f := expr.FindFunction(topic); f != nil {
		statement, result := Example(f, env)
		if result != "" {
			statement += " -- " + result
		}
		return f.Signature() + "\n\n" + f.Doc + "\n\n" + statement + "\n"
	}
	if k := session.SettingNamed(topic); k != nil {
		return SetExample(k, set) + "\n\n" + k.Doc + "\n"
	}
	switch list := strings.ToUpper(topic); list {
	case "RELATIONS", "COLUMNS", "FUNCTIONS", "SETTINGS", "QUERIES", "VIEWS":
		return "SHOW " + list + " lists them.\n"
	}
	return helpOnWord(topic)
}

// SetExample returns the statement that sets the setting k to the value that it has
// in s, such as SET timezone = 'UTC';.
func SetExample(k *session.Setting, s *session.Settings) string {
	text := "SET " + k.Name + " = " + k.Get(s) + ";"
	if _, err := lang.ParseOne(text, ""); err != nil {
		text = "SET " + k.Name + " = " + (&ast.String{Value: k.Get(s)}).String() + ";"
	}
	return text
}

// helpOnWord returns the syntax of the first statement whose syntax contains all these words,
// such as EACH or CRAWL DUE, with an example of it. Statements that begin with the first word come
// before the others. The result is "" if there is no such statement.
func helpOnWord(asked string) string {
	words := strings.Fields(asked)
	begins := func(topic string) bool { return hasWord(strings.Fields(topic)[:1], words[0]) }
	best := ""
	for _, t := range lang.Topics() {
		if all := textWords(Syntax(t)); slices.ContainsFunc(words, func(w string) bool { return !hasWord(all, w) }) {
			continue
		}
		if best == "" || begins(t) && !begins(best) {
			best = t
		}
	}
	if best == "" {
		return ""
	}
	text := "In " + best + ":\n\n" + strings.TrimRight(Syntax(best), "\n") + "\n"
	if example := lang.ExampleWith(best, asked); example != "" {
		text += "\n" + example + "\n"
	}
	return text
}

// textWords returns the words of a text, without digits and punctuation.
func textWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// hasWord reports whether the list has this word, in any case of letters, or its singular.
func hasWord(list []string, word string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.EqualFold(w, word) || strings.EqualFold(w+"s", word) })
}

// helpRelation returns the help on a relation: what a row of it is, one line per
// column, and an example.
func helpRelation(r *relation.Relation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: a row is %s\n\n", r.Name, r.Doc)
	for i := range r.Columns {
		c := &r.Columns[i]
		fmt.Fprintf(&b, "  %-16s %-8s %s\n", c.Name, c.Type, c.Doc)
	}
	if example := lang.ExampleOf(r.Name); example != "" {
		b.WriteString("\n" + example + "\n")
	}
	return b.String()
}

// helpTopics returns all topics of HELP apart from words of statements: the
// statements, relations, functions and settings.
func helpTopics() []string {
	topics := append([]string{}, lang.Topics()...)
	topics = append(topics, all.Names()...)
	for _, f := range expr.Functions() {
		topics = append(topics, f.Name)
	}
	return append(topics, session.SettingNames()...)
}
