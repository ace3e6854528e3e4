package define

import (
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// DropMetadata is the statement DROP METADATA.
var DropMetadata = session.Declare("DROP METADATA", session.Writes, readDropMetadata)

// readDropMetadata reads the clauses of a DROP METADATA statement.
func readDropMetadata(s *session.Session, st *ast.DropMetadata) (*removal, error) {
	return &removal{s, task.KindMetadata, &st.Name}, s.CheckDefined(task.KindMetadata, &st.Name)
}
