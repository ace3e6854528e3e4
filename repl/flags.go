package repl

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"infomall/exec/rowio"
	"infomall/repl/serve"
)

// input is one script to run, from the command line.
type input struct {
	command bool // text has statements; if false, text is a file name, or - for standard input
	text    string
}

// options holds the values of the flags and arguments of the command line.
type options struct {
	Archive      string            `short:"a" placeholder:"DIR" help:"The archive's folder, or s3://BUCKET/PREFIX; else $$INFOMALL_ARCHIVE, else ./archive."`
	Command      string            `short:"c" type:"statements" placeholder:"TEXT" help:"Run these statements. May be repeated and mixed with files: all run in the order given."`
	File         string            `short:"f" type:"script" placeholder:"FILE" help:"Run this script; - is standard input. The same as FILE without -f."`
	Format       string            `placeholder:"F" help:"Format of results: ${formats}. A terminal gets table; a file of -o the format that its name ends with, as in urls.json; all else csv."`
	Output       string            `short:"o" placeholder:"FILE" help:"Write results to this file; with %d in its name, as in page-%d, each result to a file of its own."`
	Param        map[string]string `placeholder:"NAME=VALUE" mapsep:"none" help:"Give $$NAME a value. May be repeated."`
	Header       bool              `negatable:"" default:"true" help:"Name the columns in csv and tsv."`
	CSVSafe      bool              `name:"csv-safe" help:"Put ' before text in csv and tsv that a spreadsheet would take for a formula."`
	Last         bool              `help:"Print only the last result."`
	Init         string            `placeholder:"FILE" help:"Run this script first, printing none of its results."`
	RC           bool              `name:"rc" negatable:"" default:"true" help:"Let the shell run $$XDG_CONFIG_HOME/infomall/rc first."`
	ReadOnly     bool              `help:"Refuse statements that write to the archive."`
	Yes          bool              `help:"Let DROP and DELETE remove captures without asking, and queries cost more than warn_cost."`
	Daemon       bool              `help:"Run scheduled statements when they are due, until interrupted."`
	Serve        string            `placeholder:"ADDR" help:"Serve the archive on the web, read-only, until interrupted: replay, calendar, search and APIs. Without ADDR at ${serveAddr}."`
	MCP          bool              `name:"mcp" help:"Answer a client of the Model Context Protocol, such as a language model, on standard input and output, read-only."`
	Fetcher      string            `placeholder:"URL" help:"Take part in the crawls that CRAWL … ON 'URL' began with these NATS servers, until interrupted."`
	ServeOrigin  string            `placeholder:"ORIGIN" help:"With --serve: the origin by which browsers reach it through a proxy, such as https://archive.example."`
	ReplayAddr   string            `placeholder:"ADDR" help:"With --serve: the address of archived pages; else the next port."`
	ReplayOrigin string            `placeholder:"ORIGIN" help:"With --serve: the origin of archived pages through a proxy; a * is one for each site, as in https://*.replay.example."`
	ReplayProxy  string            `placeholder:"ADDR" help:"Serve the archive as an HTTP proxy, until interrupted: a browser or emulator that uses it sees the web of the time --at. Without ADDR at ${proxyAddr}."`
	At           string            `placeholder:"TIME" help:"With --replay-proxy: the time of the web that it shows, such as 2008-07-10; else the latest."`
	CORS         []string          `name:"cors" placeholder:"ORIGIN" help:"With --serve: let pages of this origin call the APIs; * lets all. May be repeated."`
	AccessLog    string            `placeholder:"FILE" help:"With --serve: log requests to this file, in the Common Log Format; - is standard error."`
	QueryTimeout time.Duration     `placeholder:"TIME" default:"30s" help:"With --serve and --mcp: the longest time of a statement."`
	QueryMemory  string            `placeholder:"SIZE" help:"With --serve and --mcp: the memory of a statement, such as 256MB; else that of the setting memory."`
	QueryRows    int64             `placeholder:"N" default:"1000000" help:"With --serve: the most rows of an answer."`
	NATS         string            `name:"nats" placeholder:"URL" help:"Let workers compute parts of queries: the processes that --worker has started at the same NATS servers. Several URLs are separated by commas."`
	Worker       string            `placeholder:"URL" help:"Compute parts of queries for processes that --nats has started, until interrupted. It needs the same archive."`
	Check        bool              `help:"Read and plan all statements, report what is wrong with them and run none."`
	KeepGoing    bool              `help:"Go on after a statement that failed."`
	FailOnEmpty  bool              `help:"End with status 1 if a query gave no rows."`
	FailOnRows   bool              `help:"End with status 1 if a query gave rows."`
	Quiet        bool              `short:"q" help:"No notes, summaries and progress on standard error."`
	Verbose      bool              `short:"v" help:"Let IMPORT list each damaged place."`
	Color        string            `enum:"auto,always,never" default:"auto" help:"Colour in tables: auto, always or never."`
	Version      bool              `help:"Print the version."`
	Help         bool              `short:"h" help:"Print this help."`

	inputs []input // the values of -c and -f, and bare file names, in the order given
}

const description = `
A web archive you query in SQL. Files hold statements; - is standard input, and a pipe there needs no -.
On a terminal, without anything to run, it opens the shell.

infomall fmt FILE… prints scripts in their canonical form. infomall completion (bash | zsh | fish) prints what completes
this command line there, infomall man the manual page: infomall man | man -l -
infomall doctor (s3://BUCKET/PREFIX | nats://HOST:PORT)… checks what these stores really do, and says what fails.
infomall doctor --compose prints a file for Docker Compose that starts infomall on several machines.

Exit status: 0 done, 1 a statement failed, 2 wrong command line or no such script, 4 no archive is there, it cannot be used or a disk is full, 130 interrupted.`

// parseOptions parses the arguments of the command line into options. If they
// ask for help, it also prints the help to out.
func parseOptions(args []string, out io.Writer) (*options, error) {
	o := &options{}
	collect := func(command bool) kong.MapperFunc {
		return func(ctx *kong.DecodeContext, _ reflect.Value) error {
			var text string
			if err := ctx.Scan.PopValueInto("value", &text); err != nil {
				return err
			}
			o.inputs = append(o.inputs, input{command: command, text: text})
			return nil
		}
	}
	parser := newParser(o, out, collect)
	ctx, err := parser.Parse(spellOut(args, parser.Model.Flags))
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, flagHint(args))
	}
	if o.Help {
		err = ctx.PrintUsage(false)
	}
	return o, err
}

// flagHint returns what to write instead of the first of args that is a flag of another shell,
// such as --html. Otherwise it says where the flags are listed.
func flagHint(args []string) string {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case !strings.HasPrefix(arg, "-"):
		case name == "line":
			return "write --format vertical"
		case name == "noheader":
			return "write --no-header"
		case arg == "-F", name == "field-separator", name == "separator":
			return "csv is separated by commas, and tsv by tabs: write --format tsv"
		case arg == "-P", name == "pset":
			return "write --format F"
		case name == "box", name == "column":
			return "write --format table"
		case name == "command", name == "cmd":
			return "write -c 'statements'"
		case arg == "-d", name == "dbname", name == "db", name == "database":
			return "write -a DIR"
		case name == "readonly":
			return "write --read-only"
		case arg == "-l", name == "list":
			return "write -c 'SHOW POOLS'"
		}
	}
	return "infomall --help lists the flags"
}

// newParser returns a parser that parses the command line into o. collect(true)
// must return the function that receives each value of -c, and collect(false)
// the function for -f.
func newParser(o *options, out io.Writer, collect func(command bool) kong.MapperFunc) *kong.Kong {
	parser, err := kong.New(o,
		kong.Name("infomall [FILE | -]…"),
		kong.Description(strings.TrimSpace(description)),
		kong.NoDefaultHelp(),
		kong.Vars{"formats": strings.Join(rowio.Formats(), " "), "serveAddr": serve.AddrDefault, "proxyAddr": serve.ProxyAddrDefault},
		kong.NamedMapper("statements", collect(true)),
		kong.NamedMapper("script", collect(false)),
		kong.Writers(out, out),
	)
	if err != nil {
		panic(fmt.Sprintf("repl: command line: %v", err)) // a tag of options is wrong
	}
	return parser
}

// flags returns all flags of the command line, for the manual page and for
// shell completion.
func flags() []*kong.Flag {
	none := func(bool) kong.MapperFunc { return func(*kong.DecodeContext, reflect.Value) error { return nil } }
	return newParser(&options{}, io.Discard, none).Model.Flags
}

// spellOut returns the arguments args in a form that the library kong cannot
// misunderstand. The value of a flag is joined to its long name, because the
// value may begin with a dash or be empty. A bare file name becomes --file,
// because kong accepts bare arguments only if they follow each other.
func spellOut(args []string, flags []*kong.Flag) []string {
	valued := map[string]string{} // long name by spelling, of flags with a value
	for _, f := range flags {
		if f.IsBool() {
			continue
		}
		valued["--"+f.Name] = f.Name
		if f.Short != 0 {
			valued["-"+string(f.Short)] = f.Name
		}
	}
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			for _, file := range args[i+1:] {
				out = append(out, "--file="+file)
			}
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			out = append(out, "--file="+arg)
			continue
		}
		// Short flags may be joined: -qc TEXT means -q -c TEXT.
		for !strings.HasPrefix(arg, "--") && len(arg) > 2 {
			if name, ok := valued[arg[:2]]; ok {
				out = append(out, "--"+name+"="+arg[2:])
				arg = ""
				break
			}
			out = append(out, ours(arg[:2])...)
			arg = "-" + arg[2:]
		}
		name, ok := valued[arg]
		address := map[string]string{"serve": serve.AddrDefault, "replay-proxy": serve.ProxyAddrDefault}[name]
		switch {
		case address != "" && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")):
			out = append(out, "--"+name+"="+address)
		case ok && i+1 < len(args):
			i++
			out = append(out, "--"+name+"="+args[i])
		case arg != "":
			out = append(out, ours(arg)...)
		}
	}
	return out
}

// ours returns the flags of infomall that mean what arg, a flag of psql or of another shell,
// means there: --format=csv for --csv. It returns any other argument unchanged.
func ours(arg string) []string {
	switch name := strings.TrimLeft(arg, "-"); {
	case strings.HasPrefix(arg, "--") && slices.Contains(rowio.Formats(), name):
		return []string{"--format=" + name}
	case arg == "-x", arg == "--expanded":
		return []string{"--format=vertical"}
	case arg == "-H":
		return []string{"--format=html"}
	case arg == "-A", arg == "--no-align":
		return []string{"--format=tsv"}
	case arg == "-t", arg == "--tuples-only":
		return []string{"--format=tsv", "--no-header"}
	case arg == "-X", arg == "--no-psqlrc":
		return []string{"--no-rc"}
	}
	return []string{arg}
}

// historyPath returns the path of the history file by the XDG rules, or "" if getenv gives no
// folder for this file.
func historyPath(getenv func(string) string) string {
	return userFile(getenv, "XDG_STATE_HOME", ".local/state", "history")
}

// userFile returns the path of a file with the given name in the program's own
// folder. That folder is below the folder that the environment variable names,
// such as XDG_STATE_HOME. If the variable has no absolute path, it is below the
// folder fallback in the home folder. If there is no home folder either,
// userFile returns "".
func userFile(getenv func(string) string, variable, fallback, name string) string {
	dir := getenv(variable)
	if !filepath.IsAbs(dir) {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, fallback)
	}
	return filepath.Join(dir, "infomall", name)
}
