package render

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// names returns the names in a folder.
func names(t *testing.T, path string) []string {
	t.Helper()
	list, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range list {
		all = append(all, e.Name())
	}
	return all
}

// TestSweep removes the folders of processes that have ended, and nothing else.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	lives, err := newFolder(temp, "")
	if err != nil {
		t.Fatal(err)
	}
	gone, err := newFolder(temp, "")
	if err != nil {
		t.Fatal(err)
	}
	gone.lock.Close() // as the end of the process does
	if err := os.MkdirAll(filepath.Join(gone.profile(), "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"other", "infomall-import-1"} {
		if err := os.Mkdir(filepath.Join(temp, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweep(temp); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(lives.path), "infomall-import-1", "other"}
	if got := names(t, temp); !slices.Equal(got, want) {
		t.Errorf("after the sweep there is %q, want %q", got, want)
	}
	if err := lives.remove(); err != nil {
		t.Fatal(err)
	}
	if err := sweep(filepath.Join(temp, "absent")); err != nil {
		t.Error(err)
	}
}

// TestProfile copies a profile without caches and locks, and leaves it as it was.
func TestProfile(t *testing.T) {
	user := t.TempDir()
	for _, name := range []string{"Local State", "SingletonLock", "Default/Cookies", "Default/Cache/x", "Default/Local Storage/leveldb/LOCK", "Default/Local Storage/leveldb/000003.log"} {
		path := filepath.Join(user, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	f, err := newFolder(t.TempDir(), user)
	if err != nil {
		t.Fatal(err)
	}
	defer f.remove()
	if got, want := names(t, f.profile()), []string{"Default", "Local State"}; !slices.Equal(got, want) {
		t.Errorf("the copy has %q, want %q", got, want)
	}
	if got, want := names(t, filepath.Join(f.profile(), "Default")), []string{"Cookies", "Local Storage"}; !slices.Equal(got, want) {
		t.Errorf("the copy has %q, want %q", got, want)
	}
	if err := os.WriteFile(filepath.Join(f.profile(), "Default", "Cookies"), []byte("new"), 0o600); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(filepath.Join(user, "Default", "Cookies")); string(b) != "Default/Cookies" {
		t.Errorf("the profile of the user was changed to %q", b)
	}
	temp := t.TempDir()
	for _, bad := range []string{filepath.Join(user, "absent"), filepath.Join(user, "Local State")} {
		if _, err := newFolder(temp, bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("a profile at %s: %v", bad, err)
		}
	}
	if got := names(t, temp); len(got) > 0 {
		t.Errorf("after an error there is %q", got)
	}
}

// TestReadRules reads rules and refuses lines that are none.
func TestReadRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# rules\n\nall\tbutton.agree, #ok\nnews\t#accept\tNews.Example\nwords\t~mehr|weiter\n")
	got, err := ReadRules(path, "rules")
	want := []Rule{{"all", "button.agree, #ok", "", ""}, {"news", "#accept", "", "news.example"}, {"words", "", "mehr|weiter", ""}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for text, part := range map[string]string{
		"a\n":                                    ":1: \"a\" is no rule",
		"# x\na\tb\tc\td\n":                      ":2: ",
		"a\t\tc\n":                               ":1: ",
		"a\t~\n":                                 ":1: ",
		"a\tb\thttp://c/\n":                      "is no host",
		"a\tb\n\na\tc\n":                         ":3: the name \"a\" is that of the rule in line 1",
		"a\t\xff\n":                              "UTF-8",
		"a\t" + strings.Repeat("x", ruleLineMax): ":1: ",
	} {
		write(text)
		if _, err := ReadRules(path, "rules"); err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestStartErrors checks the errors of a browser that cannot run.
func TestStartErrors(t *testing.T) {
	temp := t.TempDir()
	if _, err := Start(t.Context(), Options{Temp: temp, Path: filepath.Join(temp, "absent")}); err == nil || !strings.Contains(err.Error(), "SET browser =") {
		t.Errorf("without a browser: %v", err)
	}
	t.Setenv("PATH", temp)
	if path, err := Find(""); err == nil {
		t.Logf("there is a browser at %s", path)
	} else if !strings.Contains(err.Error(), "install Chromium") {
		t.Errorf("without a browser: %v", err)
	}
	program := filepath.Join(temp, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho start >> $0.log; exit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if _, err := Start(t.Context(), Options{Temp: temp, Path: program}); err == nil || !strings.Contains(err.Error(), "SET browser_sandbox = off") {
			t.Errorf("as root: %v", err)
		}
	}
	if _, err := Start(t.Context(), Options{Temp: temp, Path: program, NoSandbox: true}); err == nil || !strings.Contains(err.Error(), program) {
		t.Errorf("a program that is no browser: %v", err)
	}
	if got := names(t, temp); !slices.Equal(got, []string{"program", "program.log"}) {
		t.Errorf("after errors there is %q", got)
	}
	if starts, err := os.ReadFile(program + ".log"); err != nil || strings.Count(string(starts), "start") != startTries {
		t.Errorf("the program was started %q, %v; want %d times", starts, err, startTries)
	}
}

// TestStartAgain starts a browser whose first start fails.
func TestStartAgain(t *testing.T) {
	o := testOptions(t)
	browser, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	o.Path = filepath.Join(t.TempDir(), "browser")
	script := "#!/bin/sh\nif ! [ -e $0.log ]; then touch $0.log; exit 3; fi\nexec " + browser + " \"$@\"\n"
	if err := os.WriteFile(o.Path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	w := &web{pages: map[string]string{"https://a.test/": "<p>shown"}}
	if s, err := startPool(t, o).Show(t.Context(), Page{URL: "https://a.test/", Send: w.send}); err != nil || s.Text != "shown" {
		t.Errorf("%v, %v", s, err)
	}
}

// TestProfileName shows that a profile is copied whatever the name of its folder.
func TestProfileName(t *testing.T) {
	for _, name := range []string{"My Cache", "Singleton"} {
		from, to := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), "to")
		if err := os.Mkdir(from, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"Cookies", "CacheFile"} {
			if err := os.WriteFile(filepath.Join(from, file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := copyProfile(to, from); err != nil {
			t.Fatal(err)
		}
		if got := names(t, to); !slices.Equal(got, []string{"Cookies"}) {
			t.Errorf("%s: copied %v, want Cookies", name, got)
		}
	}
}
