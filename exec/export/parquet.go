package export

import (
	"io"

	"infomall/exec/rowio"
)

// parquet is the format Parquet.
var parquet = &format{name: "parquet", suffixes: []string{".parquet"}, packed: true, rows: func(w io.Writer, _ rowTarget) (rowio.Writer, error) {
	return rowio.NewParquet(w), nil
}}
