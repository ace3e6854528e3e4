package record

// Known describes the last capture of a URL that an archive has, for a crawler that
// fetches the URL again.
type Known struct {
	Time      Time // NoTime if the archive has none
	Visited   Time // time of the last "not modified" answer after Time, or Time if there is none
	Status    int
	Kind      Kind
	Truncated bool
	Bytes     int64 // size of the body; -1 if it is not known
	Ref       Ref   // identifies the capture, to read its payload
}
