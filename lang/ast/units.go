package ast

// A SizeUnit is a unit of a size literal, such as the KB of 64KB.
type SizeUnit struct {
	Name  string // in upper case
	Bytes int64
}

// SizeUnits lists all units of sizes, the largest first. Each is a power of 1024.
var SizeUnits = []SizeUnit{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}}

// UnitBytes returns the number of bytes in the size unit of a name, such as 1024
// for KB. It returns 0 if there is no such unit. The name is in upper case.
func UnitBytes(name string) int64 {
	for _, u := range SizeUnits {
		if u.Name == name {
			return u.Bytes
		}
	}
	return 0
}
