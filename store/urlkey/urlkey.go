package urlkey

// Range is the keys k with From <= k < To. An empty To has no upper bound.
type Range struct {
	From, To string
}
