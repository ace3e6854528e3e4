package ast

// A SizeUnit is a unit in which sizes are written.
type SizeUnit struct {
	Name  string
	Bytes int64
}

// SizeUnits are all units of sizes, powers of 1024, the largest first.
var SizeUnits = []SizeUnit{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}}

// UnitBytes returns how many bytes the unit of a name has, such as 1024 for KB; 0 if
// there is no such unit.
func UnitBytes(name string) int64 {
	for _, u := range SizeUnits {
		if u.Name == name {
			return u.Bytes
		}
	}
	return 0
}
