package define

import (
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// DropMetadata is the statement DROP METADATA, which removes a metadata column.
var DropMetadata = session.Declare("DROP METADATA", session.Writes, readDropMetadata)

// readDropMetadata makes a removal of a DROP METADATA statement. It returns an
// error if the metadata column is not defined.
func readDropMetadata(s *session.Session, st *ast.DropMetadata) (*removal, error) {
	return &removal{s, task.KindMetadata, &st.Name}, s.CheckDefined(task.KindMetadata, &st.Name)
}
