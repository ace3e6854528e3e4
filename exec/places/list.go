package places

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"infomall/store/packed"
	"infomall/store/record/task"
)

// ListName is the name of the stored result, of kind task.ResultGazetteer, that holds the user's
// list of places.
const ListName = "gazetteer"

// Rows returns the rows of the result that stores a user's list of places, in the order of the
// list.
func Rows(list []Place) []task.ResultRow {
	rows := make([]task.ResultRow, len(list))
	for i := range list {
		p := &list[i]
		var b []byte
		for _, text := range []string{p.Name, p.Chinese, p.Kind, p.Country} {
			b = packed.AppendSized(b, text)
		}
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(p.Latitude))
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(p.Longitude))
		b = binary.AppendUvarint(b, uint64(len(p.Variants)))
		for _, v := range p.Variants {
			b = packed.AppendSized(b, v)
		}
		rows[i] = task.ResultRow{Key: binary.BigEndian.AppendUint32(nil, uint32(i)), Value: b}
	}
	return rows
}

// parse returns the place in a row that Rows made. The place shares no memory with the row. The
// error says that the row is damaged.
func parse(row task.ResultRow) (Place, error) {
	r := packed.Reader{B: row.Value}
	p := Place{Name: r.Text(), Chinese: r.Text(), Kind: r.Text(), Country: r.Text(), Latitude: r.Float(), Longitude: r.Float(), User: true}
	for range r.Count() {
		p.Variants = append(p.Variants, r.Text())
	}
	if r.Bad || len(r.B) > 0 {
		return p, fmt.Errorf("the list of places has a damaged row of %d bytes", len(row.Value))
	}
	p.Variants = slices.Clip(p.Variants)
	return p, nil
}

// Stored returns a gazetteer with the places that the program knows and those of a user's list.
// rows are the stored rows of the list.
func Stored(rows []task.ResultRow) (*Gazetteer, error) {
	list := make([]Place, 0, len(rows))
	for _, row := range rows {
		p, err := parse(row)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return Shipped(), nil
	}
	return Shipped().With(list), nil
}
