package exec

import (
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// DropMetadata is the statement DROP METADATA.
var DropMetadata = Declare("DROP METADATA", Writes, readDropMetadata)

// readDropMetadata reads the clauses of a DROP METADATA statement.
func readDropMetadata(s *Session, st *ast.DropMetadata) (*removal, error) {
	return &removal{s, task.KindMetadata, &st.Name}, s.CheckDefined(task.KindMetadata, &st.Name)
}
