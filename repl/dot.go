package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"infomall/exec/rowio"
	"infomall/lang/ast"
	"infomall/lang/cells"
	"infomall/repl/printer"
)

// dotCommand is a command of the shell about the shell's own state, such as
// .mode.
type dotCommand struct {
	name, args, help string
	run              func(s *shell, ctx context.Context, arg string) error
}

// dotCommands returns the dot commands in the order of .help. It is a function
// because the command .help itself uses the list.
func dotCommands() []dotCommand {
	return []dotCommand{
		{".headers", "on|off", "name the columns in csv and tsv", (*shell).dotHeaders},
		{".help", "", "show this list; HELP is about statements", (*shell).dotHelp},
		{".history", "[N]", "show the last N entries, 20 by default", (*shell).dotHistory},
		{".last", "[FORMAT]", "show the last result again, in another format", (*shell).dotLast},
		{".mode", "[FORMAT]", "format of results: auto, " + strings.Join(rowio.Formats(), ", "), (*shell).dotMode},
		{".nullvalue", "TEXT", "what tables show for NULL", (*shell).dotNullValue},
		{".once", "FILE", "write the next result to a file, or as |COMMAND to a command", (*shell).dotOnce},
		{".output", "[FILE]", "write results to a file or a |COMMAND, or to the terminal again", (*shell).dotOutput},
		{".pager", "[auto|on|off]", "$PAGER, or " + printer.PagerDefault + ", for results taller than the window, for all, for none", (*shell).dotPager},
		{".quit", "", "leave; so does Ctrl-D", (*shell).dotQuit},
		{".read", "FILE", "run a script", (*shell).dotRead},
		{".timer", "on|off", "say how long each statement took", (*shell).dotTimer},
		{".top", "[CRAWL]", "show the crawls, their hosts and alerts, each second until q or Ctrl-C", (*shell).dotTop},
		{".width", "[N|auto]", "width of tables in cells; auto is the window's", (*shell).dotWidth},
	}
}

// foreignDots maps a dot command of another shell, such as .tables, to a hint:
// what to type instead.
var foreignDots = map[string]string{
	".tables":    "write SHOW RELATIONS;",
	".schema":    "write DESCRIBE versions;",
	".columns":   "write DESCRIBE versions;",
	".indexes":   "write EXPLAIN to see what a query reads",
	".databases": "write SHOW POOLS;",
	".show":      "write SHOW SETTINGS;",
	".import":    "write IMPORT 'file';",
	".dump":      "write COPY POOL ALL TO 'dir';",
	".backup":    "write COPY POOL ALL TO 'dir';",
	".open":      "infomall -a DIR opens another archive",
	".exit":      "write .quit",
	".parameter": "write SET $name = value;",
}

// dot runs the dot command in line, such as ".mode csv". For an unknown command
// it returns an error with a hint.
func (s *shell) dot(ctx context.Context, line string) error {
	name, arg := dotArguments(line)
	var names []string
	for _, c := range dotCommands() {
		if c.name != name {
			names = append(names, c.name)
			continue
		}
		if arg == "" && c.args != "" && !strings.HasPrefix(c.args, "[") {
			return fmt.Errorf("%s needs %s", c.name, c.args)
		}
		return c.run(s, ctx, arg)
	}
	if instead := foreignDots[name]; instead != "" {
		return fmt.Errorf("no command %s; %s", name, instead)
	}
	if near := ast.Nearest(name, names); near != "" {
		return fmt.Errorf("no command %s; did you mean %s?", name, near)
	}
	return fmt.Errorf("no command %s; .help lists them", name)
}

// dotArguments splits a line into the dot command and its argument, from which
// it removes quotes. For ".mode csv" it returns ".mode" and "csv".
func dotArguments(line string) (command, arg string) {
	command, arg = firstWord(line)
	if n := len(arg); n >= 2 && (arg[0] == '\'' || arg[0] == '"') && arg[n-1] == arg[0] {
		arg = arg[1 : n-1]
	}
	return command, arg
}

// firstWord splits a line into its first word and the rest, both without blanks and tabs around
// them.
func firstWord(line string) (word, rest string) {
	word = strings.TrimSpace(line)
	if at := strings.IndexFunc(word, unicode.IsSpace); at >= 0 {
		return word[:at], strings.TrimSpace(word[at:])
	}
	return word, ""
}

// reportedError is an error that was already shown to the user.
type reportedError struct{ error }

func (e *reportedError) Unwrap() error { return e.error }

func (s *shell) dotHelp(context.Context, string) error {
	for _, c := range dotCommands() {
		s.tell("%-22s %s", c.name+" "+c.args, c.help)
	}
	s.tell("Keys: Tab completes, Ctrl-C cancels, Ctrl-D leaves, Up and Down recall, Ctrl-R searches what was entered.")
	return nil
}

func (s *shell) dotHistory(_ context.Context, arg string) error {
	n := 20
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 0 {
			return fmt.Errorf(".history needs a number, not %q", arg)
		}
	}
	for _, e := range s.history.Entries[max(0, len(s.history.Entries)-n):] {
		s.tell("%s  %s", e.Time.Local().Format("2006-01-02 15:04"), strings.ReplaceAll(e.Text, "\n", "\n                  "))
	}
	return nil
}

// tell prints a line on the terminal, even if results go to a file. Control
// characters in the line are escaped.
func (s *shell) tell(format string, args ...any) {
	s.terminal.Begin(context.Background())
	fmt.Fprintln(s.terminal, cells.Lines(fmt.Sprintf(format, args...)))
	_ = s.terminal.End() // if the terminal is gone, the shell ends soon
}

func (s *shell) dotMode(ctx context.Context, arg string) error {
	if arg == "" {
		s.tell("%s", s.session.Settings().Mode)
		return nil
	}
	return s.set(ctx, "mode", cmp.Or(foreignModes[strings.ToLower(arg)], arg))
}

// foreignModes maps the formats of results of other shells to those of this one that print the same.
var foreignModes = map[string]string{
	"line": "vertical", "lines": "vertical", "expanded": "vertical", "column": "table", "columns": "table", "box": "table", "duckbox": "table", "aligned": "table", "wrapped": "table",
	"list": "tsv", "tabs": "tsv", "unaligned": "tsv", "jsonlines": "jsonl", "ndjson": "jsonl",
}

// dotWidth sets the width of tables to arg, a number of cells or auto. Without
// arg it shows the width.
func (s *shell) dotWidth(ctx context.Context, arg string) error {
	if arg == "" {
		arg = "auto"
		if w := s.session.Settings().Width; w > 0 {
			arg = strconv.Itoa(w)
		}
		s.tell("%s", arg)
		return nil
	}
	return s.set(ctx, "width", arg)
}

// dotPager sets the setting pager to arg: auto, on or off. Without arg it shows
// the setting and the pager program.
func (s *shell) dotPager(ctx context.Context, arg string) error {
	g := s.terminal.Pager
	switch {
	case g == nil:
		return errors.New("results do not go to a terminal, so no pager shows them")
	case arg == "":
		s.tell("%s (%s)", g.When(), g.Command())
		return nil
	}
	return s.set(ctx, "pager", arg)
}

// dotLast shows the last result again, in the format arg, or in the current
// format if arg is "".
func (s *shell) dotLast(ctx context.Context, arg string) error {
	ctx, release := s.signals.During(ctx)
	defer release()
	err := stopped(ctx, s.printer.ShowAgain(ctx, strings.ToLower(arg)))
	if s.once {
		s.closeFile()
	}
	return err
}

func (s *shell) dotNullValue(ctx context.Context, arg string) error {
	return s.set(ctx, "nullvalue", arg)
}

func (s *shell) dotTimer(ctx context.Context, arg string) error {
	return onOff(".timer", arg, &s.session.Settings().Timer)
}

func (s *shell) dotHeaders(_ context.Context, arg string) error {
	return onOff(".headers", arg, &s.printer.Header)
}

// set changes a setting in the way of the statement SET, including its checks.
func (s *shell) set(ctx context.Context, name, value string) error {
	st := &ast.Set{Name: ast.Name{Text: name}, Value: &ast.String{Value: value}}
	result, err := s.session.Run(ctx, st)
	if err != nil {
		return err
	}
	result.Close()
	return nil
}

func (s *shell) dotOnce(_ context.Context, arg string) error { return s.openFile(arg, true) }

func (s *shell) dotOutput(_ context.Context, arg string) error {
	if arg == "" {
		s.closeFile()
		return nil
	}
	return s.openFile(arg, false)
}

func (s *shell) dotRead(ctx context.Context, arg string) error {
	script, err := readScript(arg, strings.NewReader(""))
	if err != nil {
		return err
	}
	if err := s.runScript(ctx, script); err != nil {
		return &reportedError{err}
	}
	return nil
}

func (s *shell) dotQuit(context.Context, string) error {
	s.left = true
	return nil
}

// onOff sets to to true if arg is on, and to false if it is off; yes, no, true, false, 1 and 0
// count too. For any other arg it changes nothing, and returns an error that names the dot command.
func onOff(command, arg string, to *bool) error {
	switch strings.ToLower(arg) {
	case "on", "yes", "true", "1":
		*to = true
	case "off", "no", "false", "0":
		*to = false
	default:
		return fmt.Errorf("%s needs on or off, not %q", command, arg)
	}
	return nil
}
