package repl

import (
	"strings"
	"testing"

	"infomall/exec"
	"infomall/exec/query"
	"infomall/exec/relation/all"
	"infomall/exec/session"
	"infomall/lang"
)

// TestHelpHasExamples shows that HELP of each statement, relation and setting ends
// with an example. Those of statements and relations are of the manual, which
// TestManual runs; those of functions are run by TestManualTables. Those of settings
// are run here.
func TestHelpHasExamples(t *testing.T) {
	s := exec.New(session.Options{Archive: endless{}, Settings: session.DefaultSettings()})
	help := func(topic string) string {
		st, err := lang.ParseOne("HELP "+topic, "")
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Run(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := res.Bytes.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, topic := range lang.Topics() {
		if list := lang.Examples(topic); len(list) == 0 || !strings.Contains(help(topic), "\n"+list[0]+"\n") {
			t.Errorf("HELP %s has no example", topic)
		}
	}
	for _, name := range all.Names() {
		if example := lang.ExampleOf(name); example == "" || !strings.HasSuffix(help(name), "\n"+example+"\n") {
			t.Errorf("HELP %s has no example", name)
		}
	}
	for _, k := range session.AllSettings() {
		if all.Find(k.Name) != nil {
			continue // HELP workers is about the relation
		}
		example := query.SetExample(&k, s.Settings())
		if !strings.HasPrefix(help(k.Name), example+"\n") {
			t.Errorf("HELP %s does not begin with %s", k.Name, example)
		}
		st, err := lang.ParseOne(example, "")
		if err == nil {
			_, err = s.Run(t.Context(), st)
		}
		if err != nil {
			t.Errorf("%s: %v", example, err)
		}
	}
}
