package value

// Copy returns a copy of b that shares no memory with b. The texts of a column share the
// memory of one string, and equal texts of rows that follow each other are the same text.
func (b *Batch) Copy() *Batch {
	c := &Batch{N: b.N, Cols: make([]*Vector, len(b.Cols))}
	for i, v := range b.Cols {
		c.Cols[i] = v.copyOf(b.N)
	}
	return c
}

// copyOf returns a copy of the first n rows of v.
func (v *Vector) copyOf(n int) *Vector {
	c := NewVector(v.Type, n)
	if v.Nulls != nil && v.Type != Null {
		c.Nulls = append([]bool(nil), v.Nulls[:n]...)
	}
	switch v.Type {
	case Bool:
		copy(c.Bools, v.Bools)
	case Int, Time, Duration:
		copy(c.Ints, v.Ints)
	case Float:
		copy(c.Floats, v.Floats)
	case Text, URL:
		copyTexts(c.Texts, v.Texts)
	}
	return c
}

// copyTexts sets dst[i] to a copy of src[i] for each index i of dst.
func copyTexts(dst, src []string) {
	size := 0
	for i := range dst {
		if i == 0 || src[i] != src[i-1] {
			size += len(src[i])
		}
	}
	all := make([]byte, 0, size)
	for i := range dst {
		if i == 0 || src[i] != src[i-1] {
			all = append(all, src[i]...)
		}
	}
	rest, last := string(all), ""
	for i := range dst {
		if i == 0 || src[i] != src[i-1] {
			last, rest = rest[:len(src[i])], rest[len(src[i]):]
		}
		dst[i] = last
	}
}

// Bytes returns an estimate of the memory that the rows of b take, in bytes.
func (b *Batch) Bytes() int64 {
	n := int64(0)
	for _, v := range b.Cols {
		if v.Nulls != nil {
			n += int64(b.N)
		}
		switch v.Type {
		case Bool:
			n += int64(b.N)
		case Int, Time, Duration, Float:
			n += 8 * int64(b.N)
		case Text, URL:
			n += 16 * int64(b.N)
			for i, s := range v.Texts[:b.N] {
				if i == 0 || s != v.Texts[i-1] {
					n += int64(len(s))
				}
			}
		}
	}
	return n
}

// GatherFrom sets the rows of b to copies of rows of several batches: row i of b becomes
// row places[i] % 2³² of batch places[i] / 2³² of src. The batches have columns of the
// types of b, or of the type Null. GatherFrom reuses the memory of b's vectors, so b must
// own that memory.
func (b *Batch) GatherFrom(src []*Batch, places []uint64) {
	b.N = len(places)
	cols := make([]*Vector, len(src))
	for c, v := range b.Cols {
		nulls := false
		for i := range src {
			cols[i] = src[i].Cols[c]
			nulls = nulls || cols[i].Nulls != nil || cols[i].Type == Null
		}
		v.Resize(v.Type, len(places))
		if nulls {
			for i, p := range places {
				v.Set(i, cols[p>>32].At(int(uint32(p))))
			}
			continue
		}
		switch v.Type {
		case Bool:
			for i, p := range places {
				v.Bools[i] = cols[p>>32].Bools[uint32(p)]
			}
		case Int, Time, Duration:
			for i, p := range places {
				v.Ints[i] = cols[p>>32].Ints[uint32(p)]
			}
		case Float:
			for i, p := range places {
				v.Floats[i] = cols[p>>32].Floats[uint32(p)]
			}
		case Text, URL:
			for i, p := range places {
				v.Texts[i] = cols[p>>32].Texts[uint32(p)]
			}
		}
	}
}
