package exec

import (
	"fmt"
	"strings"

	"infomall/exec/plan"
	"infomall/lang"
	"infomall/lang/ast"
)

// help gives the syntax of a statement, or what a relation, a function or a
// setting is; without a topic, what there is help about.
func (s *Session) help(st *ast.Help) (*Result, error) {
	var text string
	switch {
	case st.Topic == "":
		text = helpOverview()
	default:
		text = s.helpOn(st.Topic)
	}
	if text == "" {
		return nil, plan.UnknownName(st, "help on", st.Topic, "", helpTopics())
	}
	return &Result{Kind: ResultText, Bytes: strings.NewReader(text), Close: func() {}}, nil
}

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

// helpOn is the help on one topic, or "".
func (s *Session) helpOn(topic string) string {
	if g := lang.Grammar(topic); g != "" {
		text := strings.TrimRight(g, "\n") + "\n"
		for _, example := range lang.Examples(topic) {
			text += "\n" + example + "\n"
		}
		return text
	}
	if r := plan.FindRelation(topic); r != nil {
		return helpRelation(r)
	}
	if f := plan.FindFunction(topic); f != nil {
		return f.Signature() + "\n\n" + f.Doc + "\n"
	}
	if k := setting(topic); k != nil {
		return fmt.Sprintf("SET %s = %s\n\n%s\n", k.name, k.get(&s.Settings), k.doc)
	}
	return ""
}

func helpRelation(r *plan.Relation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: a row is %s\n\n", r.Name, r.Doc)
	for i := range r.Columns {
		c := &r.Columns[i]
		fmt.Fprintf(&b, "  %-16s %-8s %s\n", c.Name, c.Type, c.Doc)
	}
	return b.String()
}

func helpTopics() []string {
	topics := append([]string{}, lang.Topics()...)
	topics = append(topics, plan.RelationNames()...)
	for _, f := range plan.Functions() {
		topics = append(topics, f.Name)
	}
	return append(topics, settingNames()...)
}
