// Package pagetest provides pages for tests to read: drawn at random, made to be
// slow, and from the shared test data. Only tests import it.
package pagetest

import (
	"archive/tar"
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// HTMLType is the Content-Type of the pages that the functions of this package
// make.
const HTMLType = "text/html; charset=utf-8"

// Shared returns the folder of shared test data. It skips the test if there is no
// such folder.
func Shared(t testing.TB) string {
	t.Helper()
	root := Root()
	if root == "" {
		t.Skip("no test data beside the checkout (INFOMALL_SHARED names its folder)")
	}
	return root
}

// Root returns the folder of shared test data: the folder data in the folder that
// INFOMALL_SHARED names, or shared/data beside the checkout. It returns "" if the
// folder does not exist.
func Root() string {
	root := os.Getenv("INFOMALL_SHARED")
	if root == "" {
		_, file, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "shared")
	}
	root = filepath.Join(root, "data")
	if _, err := os.Stat(root); err != nil {
		return ""
	}
	return root
}

// Bodies returns the contents of the files in a zstd-compressed tar whose names
// end in suffix. path names the tar.
func Bodies(t testing.TB, path, suffix string) [][]byte {
	t.Helper()
	_, bodies := Files(t, path, suffix)
	return bodies
}

// Files returns the names and the contents of the files in a zstd-compressed tar
// whose names end in suffix. path names the tar.
func Files(t testing.TB, path, suffix string) (names []string, bodies [][]byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(bufio.NewReader(f), zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names, bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, suffix) {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names, bodies = append(names, h.Name), append(bodies, body)
	}
}

// Bundle calls f with the content of every file that any commit of a git bundle
// has. bundle is the path of the bundle. Bundle skips the test if there is no
// git.
func Bundle(t *testing.T, bundle string, f func(body []byte)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("no git to read the bundle with: %v", err)
	}
	repo := filepath.Join(t.TempDir(), "r.git")
	if out, err := exec.Command("git", "clone", "-q", "--bare", bundle, repo).CombinedOutput(); err != nil {
		t.Fatalf("clone %s: %v\n%s", bundle, err, out)
	}
	cmd := exec.Command("git", "-C", repo, "cat-file", "--batch", "--batch-all-objects", "--unordered")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for r := bufio.NewReaderSize(pipe, 1<<20); ; {
		head, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(head) // name, type, size
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, size+1)
		if _, err := io.ReadFull(r, body); err != nil {
			t.Fatal(err)
		}
		if fields[1] == "blob" {
			f(body[:size])
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
