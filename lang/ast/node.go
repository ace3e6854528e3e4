// Package ast defines the syntax tree of the query language. The tree is plain
// data: package lang parses source into it, and package exec/plan makes plans
// from it.
//
// The folder is a list: each family of nodes has its own file, such as crawl.go.
//
// Each node holds its position in the source. Its String method returns
// canonical source: keywords in upper case, one space between words, brackets
// only where they are needed. That source parses to an equal tree.
//
// # Words
//
// A clause is a part of a statement that begins with a keyword, such as LIMIT
// 10. A scope selects URLs: a host, a domain or the beginning of a URL. A
// period is a literal such as 2008-06, which means the whole month. A capture
// is one stored response of a URL. A version covers successive captures of a
// URL with the same content. A pool is the storage unit of an archive, with a
// name and a directory of its own.
//
// The comment of each statement type gives its syntax: [x] is optional, (a | b)
// is a choice, and … repeats what precedes it.
package ast

// Pos is a position in a source text. Line and Column count from 1, Column in
// characters. Offset counts bytes from 0. The zero Pos means that the position
// is not known.
type Pos struct {
	Filename string
	Offset   int
	Line     int
	Column   int
}

// Span is the range of a source text from Start up to, not including, End.
type Span struct {
	Start, End Pos
}

// At returns s. Every type that embeds a Span thus has the method At of Node.
func (s Span) At() Span { return s }

// Node is any part of the tree: a statement, an expression or a clause. Only
// types of this package are Nodes.
type Node interface {
	At() Span // the source text of the node
	// String returns the node as canonical source.
	String() string
	// print writes the node as canonical source.
	print(p *printer)
	// children appends the direct child nodes to l, in the order in which they
	// are printed, and returns the longer list. A Name is not a node but a part
	// of its node.
	children(l nodes) nodes
}

// Statement is one statement of the language. Only types of this package
// implement it. Each of these types is declared, with its methods, in the file
// of its family. Package lang/grammar lists how they are written, and package
// exec what each of them does.
type Statement interface {
	Node
	statement()
}

// Name is an identifier. Text has no quotes and keeps the case of the source:
// for "my view" it is my view.
type Name struct {
	Span
	Text   string
	Quoted bool // the name was written in double quotes
}

func (n *Name) String() string {
	var p printer
	p.name(n)
	return p.String()
}
