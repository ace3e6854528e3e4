package block

import "strconv"

// name gives every block its path. The cells of one row are L, C and R. Among
// three other siblings or more the one that holds over half of their bytes is
// C, for centre; those before it are T, for top, and those after it B, for
// bottom. Several on one side are numbered. Other siblings are 1, 2, 3.
func (t *Tree) name() {
	for n := range t.Blocks {
		siblings := t.Children(n)
		prefix := t.Blocks[n].Path
		if prefix != "" {
			prefix += "."
		}
		for i, p := range t.places(siblings) {
			t.Blocks[siblings[i]].Path = prefix + p
		}
	}
}

// places names the siblings' places.
func (t *Tree) places(siblings []int) []string {
	n := len(siblings)
	from, to := 0, n // of the centre
	before, centre, after := "", "", ""
	if c := t.centre(siblings); n > 1 && t.sameRow(siblings) {
		before, centre, after, from, to = "L", "C", "R", 1, n-1
	} else if c >= 0 {
		before, centre, after, from, to = "T", "C", "B", c, c+1
	}
	out := make([]string, 0, n)
	out = number(out, before, from)
	out = number(out, centre, to-from)
	return number(out, after, n-to)
}

// number appends the names of n places on one side.
func number(out []string, side string, n int) []string {
	if n == 1 && side != "" {
		return append(out, side)
	}
	for i := range n {
		out = append(out, side+strconv.Itoa(i+1))
	}
	return out
}

func (t *Tree) sameRow(siblings []int) bool {
	row := t.Blocks[siblings[0]].row
	for _, s := range siblings {
		if t.Blocks[s].row != row {
			return false
		}
	}
	return row != 0
}

// centre returns which of the siblings is the centre, -1 if none is.
func (t *Tree) centre(siblings []int) int {
	if len(siblings) < 3 {
		return -1
	}
	total, largest := 0, 0
	for i, s := range siblings {
		total += len(t.Bytes(s))
		if len(t.Bytes(s)) > len(t.Bytes(siblings[largest])) {
			largest = i
		}
	}
	if 2*len(t.Bytes(siblings[largest])) <= total {
		return -1
	}
	return largest
}
