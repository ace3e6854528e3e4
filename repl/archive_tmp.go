package repl

import (
	"context"
	"errors"

	"infomall/store/record"
)

func (a archive) Import(context.Context, record.ImportOptions) ([]record.ImportResult, error) {
	return nil, errors.New("not linked yet")
}
