package expr

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/exec/regions"
	"infomall/exec/regions/regionstest"
)

// TestRegion binds ip_region with and without a file of regions, and computes it.
func TestRegion(t *testing.T) {
	b := testBinder()
	faults := func(want map[string]string) {
		t.Helper()
		for text, fault := range want {
			if _, err := b.Bind(parseExpr(t, text)); err == nil || !strings.Contains(err.Error(), fault) {
				t.Errorf("%s: %v, want %s", text, err, fault)
			}
		}
	}
	faults(map[string]string{
		`ip_region(text)`:                 "ip_region: there is no file of regions: write SET regions = 'qqwry.dat'",
		`ip_region('9.1.1.1', 'land')`:    `there is no part "land": write 'place', 'code', 'country', 'region', 'city' or 'network'`,
		`ip_region('9.1.1.1', text)`:      "the part is the same for all rows: write it in quotes",
		`ip_region('9.1.1.1', 'x', text)`: "the language is the same for all rows: write it in quotes",
	})
	name := filepath.Join(t.TempDir(), "qqwry.dat")
	file := regionstest.QQWry(regionstest.Range{First: "9.0.0.0", Last: "9.255.255.255", Place: "美国", Network: "IBM"})
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.Env.Regions, err = regions.Open(name); err != nil {
		t.Fatal(err)
	}
	faults(map[string]string{
		`ip_region(text, 'city')`:        `has no part "city": write 'place' or 'network'`,
		`ip_region(text, 'place', 'de')`: `has no names in the language "de": write 'zh-CN'`,
	})
	for text, want := range map[string]string{
		`ip_region('9.1.1.1')`:            "美国",
		`ip_region('9.1.1.1', 'NETWORK')`: "IBM",
		`ip_region('8.1.1.1')`:            "",
		`ip_region('10.1.1.1')`:           "",
		`ip_region(NULL)`:                 "",
	} {
		e, err := b.Bind(parseExpr(t, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := evaluate(e, nil)
		if err != nil || got.Text != want || got.IsNull() != (want == "") {
			t.Errorf("%s is %v, %v, want %q", text, got, err, want)
		}
	}
}
