package repl

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"infomall/exec/session"
	"infomall/exec/worker"
	"infomall/exec/worker/workertest"
	"infomall/repl/memory"
	"infomall/store/commit"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
)

var scriptsElsewhere = flag.Bool("scripts.elsewhere", false, "run all scripts again with three workers, with archives in a bucket, and with both; some minutes each")

// The variables that say to the program of scripts, and to the program of the manual's examples,
// where its archive is and who computes.
const (
	// workersVariable makes the program ask workers, which run in the same process.
	workersVariable = "INFOMALL_TEST_WORKERS"
	// bucketVariable names a bucket, such as s3://bucket, in which the archives are.
	bucketVariable = "INFOMALL_TEST_BUCKET"
)

var runElsewhere = flag.String("elsewhere", "", "where the tests that run the program in their process have the archive, and who computes: workers, bucket, or workers,bucket")

// bucketServer is the store of the bucket that the flag -elsewhere asks for.
var bucketServer = sync.OnceValue(s3test.New)

// elsewhere is the environment of programs that tests run in their process: of the variables, only those
// for what the flag -elsewhere asks for.
func elsewhere(name string) string {
	for what := range strings.SplitSeq(*runElsewhere, ",") {
		switch {
		case what == "workers" && name == workersVariable:
			return "1"
		case what == "bucket" && name == bucketVariable:
			if bucket := os.Getenv(bucketVariable); bucket != "" {
				return bucket
			}
			os.Setenv("AWS_ENDPOINT_URL", bucketServer().URL)
			os.Setenv("AWS_ACCESS_KEY_ID", "key")
			os.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			return "s3://" + s3test.Bucket
		}
	}
	return ""
}

// needsHere skips a test that has no meaning if the flag -elsewhere puts archives into a bucket. why says
// the reason.
func needsHere(t *testing.T, why string) {
	t.Helper()
	if elsewhere(bucketVariable) != "" {
		t.Skip("not in a bucket: " + why)
	}
}

// copyPlace copies the files of the archive that a program made at the path from, as another program
// would. A program finds the copy at the path to.
func copyPlace(t *testing.T, to, from string) {
	t.Helper()
	if _, err := os.Stat(from); err == nil {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	bucket := elsewhere(bucketVariable)
	if bucket == "" {
		return
	}
	ctx := t.Context()
	source, err := s3.Open(ctx, bucket+from)
	if err != nil {
		t.Fatal(err)
	}
	target, err := s3.Open(ctx, bucket+to)
	if err != nil {
		t.Fatal(err)
	}
	for info, err := range source.List(ctx, "", true) {
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := source.Get(ctx, info.Name, 0, -1, "")
		if err == nil {
			_, err = target.PutBytes(ctx, info.Name, b, s3.Always)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// mainElsewhere does what Main does, with the workers and the bucket that the variables ask for.
func mainElsewhere(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	bucket, workers := getenv(bucketVariable), getenv(workersVariable)
	if bucket == "" && workers == "" {
		return Main(ctx, args, stdin, stdout, stderr, getenv)
	}
	memory.AllowGarbage()
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, openArchive: openPlace}
	if workers != "" {
		p.stdout = &withoutWorkers{w: stdout}
		askParts(p)
	}
	if bucket != "" {
		p.openArchive = func(path string, warn func(error)) (session.Archive, io.Closer, error) {
			path, err := filepath.Abs(path)
			if err != nil {
				return nil, nil, err
			}
			if _, err := os.Stat(filepath.Join(path, commit.FileCurrent)); err == nil {
				return openPlace(path, warn) // a copy of the archive, in a folder
			}
			os.Setenv("INFOMALL_S3_FOLDER", path)
			return openPlace(bucket+path, warn)
		}
	}
	return p.main(ctx, args)
}

// askParts makes p ask three workers in this process, for four parts of each query.
func askParts(p *program) {
	p.workers = func(o *session.Options) session.Workers {
		return fourParts{worker.NewAsker(workertest.New(o.Archive, 3, forParts(o.Archive, o.Settings)), worker.Options{})}
	}
}

// fourParts divides every question into four parts.
type fourParts struct{ *worker.Asker }

func (fourParts) Parts(float64) (parts, least int) { return 4, 0 }

// withoutWorkers leaves out the last line of a plan, which says what workers do. Scripts compare
// plans, and have no workers.
type withoutWorkers struct{ w io.Writer }

var workersLine = regexp.MustCompile(`(?m)^"?workers: .*\n`)

func (o *withoutWorkers) Write(b []byte) (int, error) {
	if _, err := o.w.Write(workersLine.ReplaceAll(b, nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// inBucket says which commands of scripts fail if the archive is in a bucket: how many of a script at most,
// and why. Commands that are not the first to fail may fail because an earlier one did.
var inBucket = map[string]struct {
	failures int
	why      string
}{
	"archive_missing":       {3, "the messages have the archive's folder"},
	"cost":                  {4, "EXPLAIN estimates without a sample if the archive is in a bucket"},
	"definitions":           {4, "the script damages a file of the archive's folder"},
	"delete":                {2, "the messages have the archive's folder"},
	"delete_forever":        {1, "the messages have the archive's folder"},
	"drop":                  {1, "the messages have the archive's folder"},
	"export":                {1, "the page has the archive's folder"},
	"graph_pagerank":        {1, "the script removes a file of the archive's folder"},
	"move_pool":             {15, "an archive in a bucket has no tier"},
	"query_damage":          {17, "the script removes a file of the archive's folder"},
	"query_subquery":        {1, "EXPLAIN estimates without a sample if the archive is in a bucket"},
	"query_terms":           {1, "EXPLAIN estimates without a sample if the archive is in a bucket"},
	"recover":               {6, "the script reads a file of the archive's folder"},
	"reindex":               {9, "the script damages a file of the archive's folder"},
	"repair":                {7, "the script damages a file of the archive's folder"},
	"rules":                 {1, "the messages have the archive's folder"},
	"schedule_after_import": {1, "the plan has the archive's folder"},
	"status":                {2, "the messages have the archive's folder"},
	"verify":                {8, "the script damages a file of the archive's folder, and a plan has the folder"},
}

// TestScriptsElsewhere runs all scripts as TestScripts does, but with three workers, with archives in a
// bucket, and with both. The rows must be the same; inBucket lists what differs, and why. The bucket is
// that of the variables INFOMALL_TEST_BUCKET and AWS_…, or of a server in this process.
func TestScriptsElsewhere(t *testing.T) {
	if !*scriptsElsewhere {
		t.Skip("-scripts.elsewhere runs all scripts with workers and with a bucket")
	}
	env := make(map[string]string)
	for _, name := range []string{bucketVariable, "AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		env[name] = os.Getenv(name)
	}
	if env[bucketVariable] == "" {
		env = map[string]string{bucketVariable: "s3://" + s3test.Bucket, "AWS_ENDPOINT_URL": s3test.Start(t).URL, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
	}
	for _, mode := range []struct {
		name            string
		workers, bucket bool
	}{{"workers", true, false}, {"bucket", false, true}, {"both", true, true}} {
		env := maps.Clone(env)
		if mode.workers {
			env[workersVariable] = "1"
		}
		if !mode.bucket {
			delete(env, bucketVariable)
		}
		t.Run(mode.name, func(t *testing.T) { // ends when its parallel tests have
			p := scriptParams(t, env)
			p.ContinueOnError = true
			testscript.RunT(&lenient{T: t, failures: mode.bucket}, p)
		})
	}
}

// lenient is a test of a script, or of all scripts, in which commands fail as inBucket says.
type lenient struct {
	*testing.T
	failures bool // whether inBucket holds
	log      bytes.Buffer
}

// Verbose is whether the log has the commands that do not fail.
func (l *lenient) Verbose() bool { return false }

// Run runs a script, and judges the commands that fail.
func (l *lenient) Run(name string, f func(testscript.T)) {
	l.T.Run(name, func(t *testing.T) {
		one := &lenient{T: t, failures: l.failures}
		ended := false
		defer func() {
			known := inBucket[name]
			n := strings.Count(one.log.String(), "\nFAIL: ")
			switch {
			case n > known.failures || n > 0 && !l.failures:
				t.Errorf("failed commands: %d, and %d may fail (%s)\n%s", n, known.failures, known.why, one.log.String())
			case n > 0:
				t.Logf("failed commands: %d: %s", n, known.why)
			case !ended && !t.Skipped():
				t.Error(one.log.String())
			}
		}()
		f(one)
		ended = true
	})
}

// Log keeps the log of a script until it is judged.
func (l *lenient) Log(args ...any) {
	for _, a := range args {
		fmt.Fprintf(&l.log, "\n%v", a)
	}
}

// FailNow ends the goroutine of a script that has failed.
func (l *lenient) FailNow() { l.T.SkipNow() }
