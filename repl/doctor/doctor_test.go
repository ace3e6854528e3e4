package doctor

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"infomall/exec/worker/natstest"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
)

// checked returns the lines of the checks of a place by the names of the checks, and how many
// failed.
func checked(t *testing.T, place string) (lines map[string]string, failed int) {
	t.Helper()
	var out strings.Builder
	failed, err := Check(context.Background(), &out, place)
	if err != nil {
		t.Fatal(err)
	}
	lines = map[string]string{}
	for _, line := range strings.Split(out.String(), "\n")[1:] {
		if len(line) > 35 {
			lines[strings.TrimSpace(line[9:33])] = strings.TrimSpace(line[2:7]) + " " + line[35:]
		}
	}
	return lines, failed
}

// bucketOf lets clients find the store, and returns a URL in it.
func bucketOf(t *testing.T, s *s3test.Server) string {
	t.Setenv("AWS_ENDPOINT_URL_S3", s.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return s3.Scheme + s3test.Bucket + "/archive"
}

// TestBucket checks a store that keeps its promises. Nothing is left in it.
func TestBucket(t *testing.T) {
	s := s3test.Start(t)
	lines, failed := checked(t, bucketOf(t, s))
	if failed != 0 || len(lines) != 13 {
		t.Errorf("%d failed, %d lines: %q", failed, len(lines), lines)
	}
	for name, line := range lines {
		if !strings.HasPrefix(line, "ok ") {
			t.Errorf("%s: %s", name, line)
		}
	}
	if left := s.Objects(); len(left) > 0 {
		t.Errorf("left in the bucket: %q", left)
	}
}

// TestBucketBreaksPromises shows which lines say so when a store breaks a promise.
func TestBucketBreaksPromises(t *testing.T) {
	for _, c := range []struct {
		name  string
		store func(s *s3test.Server)
		want  map[string]string // how the line of a check begins
	}{
		{"conditions ignored, late lists, clock", func(s *s3test.Server) {
			s.IgnoreConditions, s.StaleLists = true, 1
			s.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		}, map[string]string{
			"If-None-Match: *":         "FAILS the store ignores the condition",
			"If-Match":                 "FAILS the store ignores the condition",
			"If-Match, in a race":      "FAILS in round 1 of 20 both writers won",
			"If-None-Match, in a race": "FAILS in round 1 of 20 both writers won",
			"parts":                    "FAILS If-None-Match: * for an object in parts: the store ignores the condition",
			"list after write":         "note 5 of 5 lists lack the object",
			"clock":                    "FAILS the clocks are 1h0m",
		}},
		{"no ranges, clock", func(s *s3test.Server) {
			s.SetFault(func(r *http.Request, _ int) s3test.Fault { r.Header.Del("Range"); return s3test.Works })
			s.Now = func() time.Time { return time.Now().Add(time.Minute) }
		}, map[string]string{"ranges": "FAILS the store sends whole objects", "clock": "note the clocks are "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s3test.Start(t)
			c.store(s)
			lines, failed := checked(t, bucketOf(t, s))
			want := 0
			for name, line := range lines {
				if strings.HasPrefix(line, "FAILS") {
					want++
				}
				begin, bad := c.want[name]
				if bad && !strings.HasPrefix(line, begin) || !bad && !strings.HasPrefix(line, "ok ") {
					t.Errorf("%s: %s; want %s", name, line, begin)
				}
			}
			if failed != want {
				t.Errorf("%d failed, and %d lines say so", failed, want)
			}
		})
	}
}

// TestNoBucket shows that a place that cannot be reached gives one line.
func TestNoBucket(t *testing.T) {
	s := s3test.Start(t)
	lines, failed := checked(t, strings.Replace(bucketOf(t, s), s3test.Bucket, "none", 1))
	if line := lines["list"]; failed != 1 || len(lines) != 1 || !strings.Contains(line, "the bucket does not exist") {
		t.Errorf("%d failed: %q", failed, lines)
	}
}

// TestNATS checks one server, and a cluster of three. Nothing is left on them.
func TestNATS(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			c := natstest.Start(t, nodes)
			for range 2 { // the second time, nothing is there from the first
				lines, failed := checked(t, c.URLs())
				if failed != 0 || len(lines) != 12 {
					t.Errorf("%d failed, %d lines: %q", failed, len(lines), lines)
				}
				for name, line := range lines {
					want := "ok "
					if name == "sync to disk" || name == "replicas" && nodes == 1 {
						want = "note "
					}
					if !strings.HasPrefix(line, want) {
						t.Errorf("%s: %s", name, line)
					}
				}
			}
		})
	}
}

// TestPayload shows what the doctor says of the largest message that servers take.
func TestPayload(t *testing.T) {
	for most, want := range map[int64]verdict{
		64 << 10: failed, 260<<10 - 1: failed, 260 << 10: note, 512 << 10: note, 904<<10 - 1: note, 904 << 10: ok, 1 << 20: ok,
	} {
		if got, text := payload(most); got != want || !strings.Contains(text, fmt.Sprint(most)) {
			t.Errorf("of %d bytes it says %s %s, want %s", most, got, text, want)
		}
	}
}

// TestCancelled shows that a cancelled check says so and removes what it has made.
func TestCancelled(t *testing.T) {
	s := s3test.Start(t)
	place := bucketOf(t, s)
	ctx, cancel := context.WithCancelCause(context.Background())
	s.SetFault(func(_ *http.Request, n int) s3test.Fault {
		if n == 20 {
			cancel(os.ErrDeadlineExceeded)
		}
		return s3test.Works
	})
	var out strings.Builder
	if _, err := Check(ctx, &out, place); err != os.ErrDeadlineExceeded {
		t.Errorf("got %v", err)
	}
	if left := s.Objects(); len(left) > 0 {
		t.Errorf("left in the bucket: %q", left)
	}
}
