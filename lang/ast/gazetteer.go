package ast

// DropGazetteer is the statement DROP GAZETTEER. It removes the list of places that IMPORT …
// FORMAT places has read.
type DropGazetteer struct {
	Span
}

func (*DropGazetteer) statement() {}

func (s *DropGazetteer) String() string { return text(s) }

func (s *DropGazetteer) print(p *printer) { p.WriteString("DROP GAZETTEER") }

func (*DropGazetteer) children(l nodes) nodes { return l }
