package repl

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"infomall/exec/rowio"
	"infomall/lang"
	"infomall/repl/printer"
	"infomall/store/document/child"
)

// tools maps the first argument of the command line to a tool: a part of the
// program that does not run statements. A tool needs no archive. It gets the
// other arguments and returns the exit status.
var tools = map[string]func(p *program, args []string) int{
	"fmt":        (*program).format,
	"completion": (*program).completion,
	"man":        (*program).man,
	"doctor":     (*program).doctor,

	child.Argument: (*program).readDocuments, // only the program itself gives it
}

// toolNames returns the names of the tools for users, in the order in which the help
// shows them.
func toolNames() []string { return []string{"fmt", "completion", "man", "doctor"} }

// format prints scripts in the layout of lang.Format, and returns the exit
// status; it is the tool fmt. args are the names of the files; without args it
// reads stdin.
func (p *program) format(args []string) int {
	if len(args) == 0 {
		args = []string{"-"}
	}
	status := statusDone
	for _, name := range args {
		text, err := scriptText(name, p.stdin)
		if err != nil {
			return p.usage(err)
		}
		out, err := formatScript(text, name)
		if err != nil {
			p.report(step{script: parseScript(name, text)}, err)
			status = statusFailed
			continue
		}
		if _, err := io.WriteString(p.stdout, out); err != nil {
			err = &printer.OutputError{Err: err}
			if !printer.IsClosedPipe(err) {
				p.say("infomall: %v", err)
			}
			return statusOf(err)
		}
	}
	return status
}

// readMark is put before a line .read FILE while a script is formatted. It
// turns the line into a comment that no script can contain otherwise.
const readMark = "--\x01"

// formatScript returns the text of a script in the layout of lang.Format. Lines
// .read FILE stay unchanged. name is the name of the script in messages.
func formatScript(text, name string) (string, error) {
	_, reads := splitReads(text)
	var b strings.Builder
	done := 0
	for _, r := range reads {
		b.WriteString(text[done:r.from] + readMark)
		done = r.from
	}
	b.WriteString(text[done:])
	out, err := lang.Format(b.String(), name)
	return strings.ReplaceAll(out, readMark, ""), err
}

// completion prints a script that makes bash, zsh or fish complete the command
// line of infomall. It returns the exit status.
func (p *program) completion(args []string) int {
	write := map[string]func(io.Writer){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	if len(args) != 1 || write[args[0]] == nil {
		return p.usage(fmt.Errorf("write infomall completion bash, zsh or fish"))
	}
	write[args[0]](p.stdout)
	return statusDone
}

// flagValues returns the values that the flag f allows, or nil if f allows any
// value.
func flagValues(f *kong.Flag) []string {
	switch f.Name {
	case "format":
		return rowio.Formats()
	case "color":
		return f.EnumSlice()
	}
	return nil
}

// takesFile reports whether the value of the flag f is the path of a file, and
// takesFolder whether it is the path of a folder.
func takesFile(f *kong.Flag) bool   { return slices.Contains([]string{"file", "output", "init"}, f.Name) }
func takesFolder(f *kong.Flag) bool { return f.Name == "archive" }

// spellings returns all ways to write the flag f, such as --quiet and -q.
func spellings(f *kong.Flag) []string {
	list := []string{"--" + f.Name}
	if f.Tag.Negatable != "" {
		list = append(list, "--no-"+f.Name)
	}
	if f.Short != 0 {
		list = append(list, "-"+string(f.Short))
	}
	return list
}

// plainHelp returns the help text of the flag f as it is shown: with $ for the
// $$ of the struct tag.
func plainHelp(f *kong.Flag) string { return strings.ReplaceAll(f.Help, "$$", "$") }

func bashCompletion(w io.Writer) {
	var all []string
	var cases strings.Builder
	for _, f := range flags() {
		all = append(all, spellings(f)...)
		if f.IsBool() {
			continue
		}
		reply := "COMPREPLY=()"
		switch {
		case flagValues(f) != nil:
			reply = fmt.Sprintf(`COMPREPLY=($(compgen -W "%s" -- "$cur"))`, strings.Join(flagValues(f), " "))
		case takesFile(f):
			reply = `COMPREPLY=($(compgen -f -- "$cur"))`
		case takesFolder(f):
			reply = `COMPREPLY=($(compgen -d -- "$cur"))`
		}
		fmt.Fprintf(&cases, "    %s) %s; return ;;\n", strings.Join(spellings(f), "|"), reply)
	}
	fmt.Fprintf(w, `# bash completion of infomall: source <(infomall completion bash)
_infomall() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  case $prev in
%s    completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$cur")); return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "%s" -- "$cur"))
    return
  fi
  COMPREPLY=($(compgen -f -- "$cur"))
  if ((COMP_CWORD == 1)); then
    COMPREPLY+=($(compgen -W "%s" -- "$cur"))
  fi
}
complete -o filenames -F _infomall infomall
`, cases.String(), strings.Join(all, " "), strings.Join(toolNames(), " "))
}

func zshCompletion(w io.Writer) {
	fmt.Fprintf(w, `#compdef infomall
# zsh completion of infomall: infomall completion zsh > a folder of $fpath/_infomall
_infomall_first() { _alternative 'tools:tool:(%s)' 'files:script:_files' }
_arguments -s \
`, strings.Join(toolNames(), " "))
	quote := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`)
	for _, f := range flags() {
		value := ""
		switch {
		case f.IsBool():
		case flagValues(f) != nil:
			value = ":value:(" + strings.Join(flagValues(f), " ") + ")"
		case takesFile(f):
			value = ":file:_files"
		case takesFolder(f):
			value = ":folder:_files -/"
		default:
			value = ":value: "
		}
		for _, s := range spellings(f) {
			fmt.Fprintf(w, "  '*%s[%s]%s' \\\n", s, quote.Replace(plainHelp(f)), value)
		}
	}
	fmt.Fprint(w, "  '1:tool or script:_infomall_first' \\\n  '*:script:_files'\n")
}

func fishCompletion(w io.Writer) {
	fmt.Fprintln(w, "# fish completion of infomall: infomall completion fish | source")
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	for _, f := range flags() {
		line := "complete -c infomall -l " + f.Name
		if f.Short != 0 {
			line += " -s " + string(f.Short)
		}
		switch {
		case f.IsBool():
		case flagValues(f) != nil:
			line += " -x -a '" + strings.Join(flagValues(f), " ") + "'"
		case takesFile(f):
			line += " -r -F"
		case takesFolder(f):
			line += " -x -a '(__fish_complete_directories)'"
		default:
			line += " -x"
		}
		fmt.Fprintf(w, "%s -d '%s'\n", line, quote.Replace(plainHelp(f)))
		if f.Tag.Negatable != "" {
			fmt.Fprintf(w, "complete -c infomall -l no-%s -d '%s'\n", f.Name, quote.Replace("Not: "+plainHelp(f)))
		}
	}
	fmt.Fprintf(w, "complete -c infomall -n __fish_is_first_arg -a '%s'\n", strings.Join(toolNames(), " "))
	fmt.Fprintln(w, "complete -c infomall -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'")
}
