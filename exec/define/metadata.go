package define

import (
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Metadata is the statement CREATE METADATA, which defines a metadata column: a
// further column of a relation, computed by an expression.
var Metadata = session.Declare("CREATE METADATA", session.Writes|session.Anywhere, readCreateMetadata)

// readCreateMetadata makes a definition of a CREATE METADATA statement. It
// checks the expression of the column.
func readCreateMetadata(s *session.Session, st *ast.CreateMetadata) (*definition, error) {
	_, err := plan.MetadataType(&st.Name, st.On, st.Expr, s.Env())
	return &definition{s, named(task.KindMetadata, &st.Name, st, s.Env()), &st.Name, st.Replace}, err
}
