package regions

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/exec/regions/regionstest"
)

// someQQWry is a QQWry file that has each form of record.
func someQQWry() []byte {
	return regionstest.QQWry(
		regionstest.Range{First: "0.0.0.0", Last: "1.0.0.255", Place: "IANA", Network: " CZ88.NET"},
		regionstest.Range{First: "9.0.0.0", Last: "9.255.255.255", Place: "美国", Network: "IBM", Form: regionstest.Inline},
		regionstest.Range{First: "58.14.0.0", Last: "58.14.0.255", Place: "北京市 海淀区", Network: "电信", Form: regionstest.PlaceFar},
		regionstest.Range{First: "162.105.0.0", Last: "162.105.255.255", Place: "北京市", Network: "北京大学", Form: regionstest.BothFar},
		regionstest.Range{First: "202.112.0.0", Last: "202.112.0.7", Place: "北京市 海淀区", Network: "电信", Form: regionstest.AllFar},
		regionstest.Range{First: "202.112.0.8", Last: "202.112.0.8", Place: "上海市", Network: "ignored", Form: regionstest.NoNetwork},
		regionstest.Range{First: "223.255.0.0", Last: "255.255.255.255", Place: "IANA保留地址", Network: "CZ88.NET", Form: regionstest.AllFar},
	)
}

// someMaxMind is a MaxMind file with records like those of MaxMind, and like those of makers
// that have texts in place of names by language.
func someMaxMind() []byte {
	names := func(en, zh string) regionstest.Map {
		return regionstest.Map{"names": regionstest.Map{"en": en, "zh-CN": zh}}
	}
	china := names("China", "中国")
	china["iso_code"] = "CN"
	return regionstest.MaxMind([]string{"en", "zh-CN", "de"}, map[string]regionstest.Map{
		"162.105.0.0/16": {"country": china, "subdivisions": []any{names("Beijing", "北京市")}, "city": names("Beijing", "北京")},
		"9.0.0.0/8":      {"country": regionstest.Map{"iso_code": "US"}, "autonomous_system_organization": "IBM"},
		"2001:da8::/32":  {"country": china, "traits": regionstest.Map{"isp": "CERNET"}},
		"81.169.0.0/17":  {"country": "Germany", "country_code": "DE", "region": "Berlin", "city": "Berlin", "as_name": "Strato AG"},
	})
}

// open writes a file of regions and opens it.
func open(t testing.TB, file []byte) (*File, error) {
	name := filepath.Join(t.TempDir(), "regions")
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return Open(name)
}

// TestFlat looks up addresses in a file in the form of MaxMind that has codes of countries, and
// no names and no languages.
func TestFlat(t *testing.T) {
	f, err := open(t, regionstest.MaxMind([]string{}, map[string]regionstest.Map{
		"162.105.0.0/16": {"country_code": "CN"},
		"81.169.0.0/17":  {"country_code": "DE", "state1": "Brandenburg", "city": "Potsdam"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ip, part, language, want string }{
		{"162.105.1.1", Place, "zh-CN", "CN"},
		{"162.105.1.1", Place, "", "CN"},
		{"162.105.1.1", "country", "", ""},
		{"81.169.1.1", Place, "", "DE Brandenburg Potsdam"},
		{"81.169.1.1", "region", "", "Brandenburg"},
	} {
		find, err := f.Finder(c.part, c.language)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := find(c.ip); got != c.want || err != nil {
			t.Errorf("%s of %s in %q is %q, %v; want %q", c.part, c.ip, c.language, got, err, c.want)
		}
	}
}

// TestFind looks up the first and last addresses of ranges and their neighbours in files of
// both formats, in all parts and languages.
func TestFind(t *testing.T) {
	q, err := open(t, someQQWry())
	if err != nil {
		t.Fatal(err)
	}
	m, err := open(t, someMaxMind())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f                        *File
		ip, part, language, want string
	}{
		{q, "1.0.0.1", Place, "", "IANA"},
		{q, "1.0.0.1", "network", "", ""},
		{q, "1.0.1.0", Place, "", ""},
		{q, "8.255.255.255", Place, "", ""},
		{q, "9.0.0.0", Place, "", "美国"},
		{q, "9.255.255.255", "network", "zh-cn", "IBM"},
		{q, "58.13.255.255", Place, "", ""},
		{q, "58.14.0.0", Place, "", "北京市 海淀区"},
		{q, "58.14.0.255", "network", "", "电信"},
		{q, "58.14.1.0", Place, "", ""},
		{q, "162.105.129.12", Place, "zh-CN", "北京市"},
		{q, "162.105.129.12", "network", "", "北京大学"},
		{q, "::ffff:162.105.129.12", "network", "", "北京大学"},
		{q, "202.112.0.7", Place, "", "北京市 海淀区"},
		{q, "202.112.0.7", "network", "", "电信"},
		{q, "202.112.0.8", Place, "", "上海市"},
		{q, "202.112.0.8", "network", "", ""},
		{q, "202.112.0.9", Place, "", ""},
		{q, "223.255.1.1", Place, "", "IANA保留地址"},
		{q, "223.255.1.1", "network", "", ""},
		{q, "255.255.255.255", Place, "", ""},
		{q, "0.0.0.1", Place, "", ""},
		{q, "2001:da8::1", Place, "", ""},
		{q, "www.pku.edu.cn", Place, "", ""},
		{q, "", Place, "", ""},
		{m, "162.105.129.12", Place, "", "China Beijing"},
		{m, "162.105.129.12", Place, "zh-CN", "中国 北京市 北京"},
		{m, "162.105.129.12", Place, "de", "China Beijing"},
		{m, "162.105.129.12", "country", "ZH-cn", "中国"},
		{m, "162.105.129.12", "code", "", "CN"},
		{m, "162.105.129.12", "region", "", "Beijing"},
		{m, "162.105.129.12", "city", "zh-CN", "北京"},
		{m, "162.105.129.12", "network", "", ""},
		{m, "::ffff:162.105.1.1", "code", "", "CN"},
		{m, "162.106.0.0", Place, "", ""},
		{m, "9.1.1.1", Place, "", "US"},
		{m, "9.1.1.1", "code", "", "US"},
		{m, "9.1.1.1", "network", "", "IBM"},
		{m, "2001:da8::1", Place, "", "China"},
		{m, "2001:da8::1", "network", "", "CERNET"},
		{m, "2001:da9::1", Place, "", ""},
		{m, "81.169.1.1", Place, "", "Germany Berlin"},
		{m, "81.169.1.1", "code", "", "DE"},
		{m, "81.169.1.1", "region", "", "Berlin"},
		{m, "81.169.1.1", "network", "", "Strato AG"},
		{m, "10.0.0.1", Place, "", ""},
		{m, "fd00::1", Place, "", ""},
	} {
		find, err := c.f.Finder(c.part, c.language)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time, the address is remembered
			if got, err := find(c.ip); got != c.want || err != nil {
				t.Errorf("%s: %s of %s in %q is %q, %v; want %q", c.f.data.kind(), c.part, c.ip, c.language, got, err, c.want)
			}
		}
	}
	for _, c := range []struct {
		f                    *File
		part, language, want string
	}{
		{q, "city", "", `is a QQWry file and has no part "city": write 'place' or 'network'`},
		{q, Place, "de", `has no names in the language "de": write 'zh-CN'`},
		{m, Place, "fr", `has no names in the language "fr": write 'en', 'zh-CN' or 'de'`},
	} {
		if _, err := c.f.Finder(c.part, c.language); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Finder(%q, %q): %v, want %s", c.part, c.language, err, c.want)
		}
	}
}

// TestRemembered finds more addresses than a function of Finder remembers.
func TestRemembered(t *testing.T) {
	f, err := open(t, someQQWry())
	if err != nil {
		t.Fatal(err)
	}
	find, err := f.Finder(Place, "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*foundMax + 3 {
		if got, err := find(fmt.Sprintf("9.0.%d.%d", i/256, i%256)); got != "美国" || err != nil {
			t.Fatalf("address %d: %q, %v", i, got, err)
		}
	}
}

// TestOpenErrors opens what is no file of regions.
func TestOpenErrors(t *testing.T) {
	q, m := someQQWry(), someMaxMind()
	unsorted := bytes.Clone(q)
	copy(unsorted[len(unsorted)-7:], unsorted[len(unsorted)-14:len(unsorted)-10])
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":    {nil, "this is no file of regions: write the name of a qqwry.dat or .mmdb file"},
		"text":     {[]byte("a text that is longer than a header"), "this is no file of regions"},
		"cut":      {q[:len(q)-1], "this is no file of regions"},
		"unsorted": {unsorted, "its index is damaged: entry 7 is not above the one before"},
		"cut mmdb": {m[:len(m)-9], "the .mmdb file is damaged"},
	} {
		if _, err := open(t, c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

// TestDamage changes each byte of small files and looks addresses up. A changed file may have
// other regions, and may be refused, but must not stop the program.
func TestDamage(t *testing.T) {
	found := 0
	for _, file := range [][]byte{someQQWry(), someMaxMind()} {
		random := rand.New(rand.NewPCG(1, 2))
		for i := range file {
			for _, b := range []byte{1, 0xFF, byte(random.Uint32())} {
				damaged := bytes.Clone(file)
				damaged[i] = b
				data, err := parse(damaged)
				if err != nil {
					continue
				}
				f := &File{"damaged", data}
				for _, part := range data.parts() {
					find, err := f.Finder(part, "")
					if err != nil {
						t.Fatal(err)
					}
					for _, ip := range []string{"9.0.0.0", "58.14.0.1", "162.105.129.12", "202.112.0.7", "223.255.1.1", "81.169.1.1", "2001:da8::1"} {
						text, err := find(ip)
						if err != nil && !strings.Contains(err.Error(), "damaged is damaged where it describes "+ip) {
							t.Fatalf("byte %d = %d: %v", i, b, err)
						}
						if text != "" {
							found++
						}
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("nothing was found at all")
	}
}
