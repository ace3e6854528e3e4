package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// helpFields are the lines of the help of CRAWL on the fields of forms.
const helpFields = "field = name = values\nvalues = 'text' | $name | ('text', …) | FILE 'text' | (query)\n"

// formFieldSyntax is one item after FORMS.
type formFieldSyntax struct {
	source
	Name  lexer.Token   `parser:"@( Ident | Quoted ) '='" names:"none"`
	File  *textSyntax   `parser:"( 'FILE' @@" names:"file"`
	Query querySyntax   `parser:"| '(' ( @@"`
	List  []*textSyntax `parser:"  | @@ ( ',' @@ )* ) ')'"`
	Text  *textSyntax   `parser:"| @@ )"`
}

// formFields returns the nodes of the items after FORMS. It reports to b a name that
// comes twice.
func formFields(b *builder, list []*formFieldSyntax) (fields []ast.FormField) {
	seen := make(map[string]bool)
	for _, s := range list {
		f := ast.FormField{Span: s.span(), Name: scan.Name(&s.Name), List: texts(s.List)}
		if seen[f.Name.Text] {
			b.fail(f.Name.Span, "FORMS gives values for "+f.Name.Text+" twice", "write one list: "+f.Name.Text+" = ('a', 'b')")
		}
		seen[f.Name.Text] = true
		switch {
		case s.File != nil:
			f.File = s.File.expr()
		case s.Query != nil:
			f.Query = s.Query.tree()
		case s.Text != nil:
			f.List = []ast.Expr{s.Text.expr()}
		}
		fields = append(fields, f)
	}
	return fields
}
