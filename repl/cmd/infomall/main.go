// Command infomall is a web archive you query in SQL. Package repl has the code.
package main

import (
	"context"
	"os"

	"infomall/repl"
)

func main() {
	os.Exit(repl.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
