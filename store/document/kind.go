package document

// Kind is a family of formats that one package reads.
type Kind struct {
	Name string // such as "pdf"
	// Is reports whether the body is of this kind. It looks at the bytes first,
	// and at Input.Mime only if the bytes of several kinds look alike, such as
	// CSV and plain text. It takes little time, because it does not read the
	// whole body.
	Is func(in *Input) bool
	// Prepare opens what Read needs, such as a library that takes long to open.
	// It is nil if there is nothing to open. If Prepare was not called, Read
	// opens it.
	Prepare func() error
	// Read reads the body into b. An error says why nothing more could be read;
	// everything that was added to b before stays.
	Read func(b *Builder, in *Input) error
}
