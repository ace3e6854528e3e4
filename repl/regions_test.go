package repl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"infomall/exec/regions/regionstest"
)

// writeRegions is the command regions of a script: it writes a QQWry file and a MaxMind file,
// both with a network in Beijing and one in the United States.
func writeRegions(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: regions QQWRY MAXMIND")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), qqwry(), 0o666))
	names := func(en, zh string) regionstest.Map {
		return regionstest.Map{"names": regionstest.Map{"en": en, "zh-CN": zh}}
	}
	china, us, beijing := names("China", "中国"), names("United States", "美国"), names("Beijing", "北京")
	china["iso_code"], us["iso_code"] = "CN", "US"
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), regionstest.MaxMind([]string{"en", "zh-CN"}, map[string]regionstest.Map{
		"162.105.0.0/16": {"country": china, "city": beijing},
		"9.0.0.0/8":      {"country": us},
	}), 0o666))
}

// qqwry returns a QQWry file with a network in Beijing and one in the United States.
func qqwry() []byte {
	return regionstest.QQWry(
		regionstest.Range{First: "9.0.0.0", Last: "9.255.255.255", Place: "美国", Network: " CZ88.NET", Form: regionstest.AllFar},
		regionstest.Range{First: "162.105.0.0", Last: "162.105.255.255", Place: "北京市 海淀区", Network: "北京大学", Form: regionstest.PlaceFar},
	)
}

// regionsFile returns the path of a new QQWry file, for tests of saved queries.
func regionsFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "qqwry.dat")
	if err := os.WriteFile(name, qqwry(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
