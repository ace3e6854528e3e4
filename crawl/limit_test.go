package crawl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"infomall/crawl/report"
)

// raw answers a request with the bytes that write sends, whatever they are.
func raw(write func(conn net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		write(conn)
		time.Sleep(time.Millisecond) // a pipe, unlike a connection, has no deadline to set once its other end is closed
	}
}

// crawlRaw is crawl for a web of raw answers, which may go on for a while.
func (s *simulated) crawlRaw(t *testing.T, o report.CrawlOptions) report.CrawlResult {
	defer time.Sleep(5 * time.Second)
	return s.crawl(t, o)
}

// drip sends a piece each second until nobody reads any more.
func drip(conn net.Conn, piece string) {
	for err := error(nil); err == nil; time.Sleep(time.Second) {
		_, err = conn.Write([]byte(piece))
	}
}

// TestLimitEndsFetches shows that a crawl ends soon after its time is over,
// whatever servers do: the part of a page that came is kept, and a URL that brought
// no answer stays in the frontier.
func TestLimitEndsFetches(t *testing.T) {
	const limit = 20 * time.Second
	page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	fast := strings.Repeat("x", 20<<10)
	for _, c := range []struct {
		name   string
		robots bool // the answer is that for robots.txt
		answer func(conn net.Conn)
		cut    bool // a part of the page is kept
		left   bool // the URL stays in the frontier
	}{
		{name: "a body without end", answer: func(conn net.Conn) {
			conn.Write([]byte(page + "\r\n"))
			drip(conn, fast)
		}, cut: true},
		{name: "a chunked body without end", answer: func(conn net.Conn) {
			conn.Write([]byte(page + "Transfer-Encoding: chunked\r\n\r\n"))
			drip(conn, fmt.Sprintf("%x\r\n%s\r\n", len(fast), fast))
		}, cut: true},
		{name: "headers that drip", answer: func(conn net.Conn) {
			conn.Write([]byte(page))
			drip(conn, "X: y\r\n")
		}, left: true},
		{name: "no answer", answer: func(conn net.Conn) { conn.Read(make([]byte, 1)) }, left: true},
		{name: "robots.txt without end", robots: true, answer: func(conn net.Conn) {
			conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
			drip(conn, fast)
		}, left: true},
		{name: "robots.txt that does not come", robots: true, answer: func(conn net.Conn) { conn.Read(make([]byte, 1)) }, left: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &simulated{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if (r.URL.Path == "/robots.txt") != c.robots {
						io.WriteString(w, "User-agent: *\nDisallow: /sitemap.xml")
						return
					}
					raw(c.answer)(w, r)
				})}
				const u = "http://h0.example/"
				res := s.crawlRaw(t, report.CrawlOptions{Seeds: []string{u}, Workers: 1, MaxTime: limit})
				if res.Elapsed < limit || res.Elapsed > limit+overGrace+time.Second {
					t.Errorf("it ran for %v", res.Elapsed)
				}
				if s.cut[u] != c.cut {
					t.Errorf("the page is kept in part: %v, want %v", s.cut[u], c.cut)
				}
				if left := res.Waiting > 0; left != c.left {
					t.Errorf("%d URLs wait", res.Waiting)
				}
				if want := (report.Ended{Why: "the crawl reached its LIMIT of 20s", Cut: count(c.cut), Left: count(c.left)}); res.Ended != want {
					t.Errorf("ended %+v, want %+v", res.Ended, want)
				}
			})
		})
	}
}

// count is 1 for true.
func count(x bool) int {
	if x {
		return 1
	}
	return 0
}

// slowDeadlines is a connection that takes ten seconds to set a deadline in the
// future.
type slowDeadlines struct{ net.Conn }

func (c slowDeadlines) SetDeadline(t time.Time) error {
	if t.After(time.Now()) {
		time.Sleep(10 * time.Second)
	}
	return c.Conn.SetDeadline(t)
}

// TestLimitMeetsDeadline shows that a limit ends a fetch also if it is reached while
// the fetch sets the deadline of its next read.
func TestLimitMeetsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &simulated{
			wrap: func(c net.Conn) net.Conn { return slowDeadlines{c} },
			handler: raw(func(conn net.Conn) {
				conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
				drip(conn, strings.Repeat("x", 20<<10))
			}),
		}
		res := s.crawlRaw(t, report.CrawlOptions{Seeds: []string{"http://h0.example/"}, IgnoreRobots: true, MaxTime: 14 * time.Second})
		if res.Elapsed > 2*time.Minute {
			t.Errorf("it ran for %v", res.Elapsed)
		}
	})
}

// TestLimitEndsLookups shows that a crawl ends soon after its time is over while a
// name is looked up and while a connection is made.
func TestLimitEndsLookups(t *testing.T) {
	hang := func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for _, name := range []string{"lookup", "connect"} {
		synctest.Test(t, func(t *testing.T) {
			s := &simulated{handler: http.NotFoundHandler()}
			env := Env{
				Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
					if name == "lookup" {
						return nil, hang(ctx)
					}
					return s.lookup(ctx, host)
				},
				Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) { return nil, hang(ctx) },
			}
			o := report.CrawlOptions{
				Name: "slow", Statement: "CRAWL", Seeds: []string{"http://h0.example/"}, Depth: -1, AllowPrivate: true, Agent: "infomall", MaxTime: 3 * time.Second,
			}
			res, err := Run(t.Context(), forgetful{newArchive(t), s}, o, Env{Lookup: env.Lookup, Dial: env.Dial})
			if err != nil {
				t.Fatal(err)
			}
			if res.Elapsed > o.MaxTime+overGrace+time.Second || res.Waiting != 1 || res.Ended.Left != 1 {
				t.Errorf("%s: it ran for %v, %d URLs wait, ended %+v", name, res.Elapsed, res.Waiting, res.Ended)
			}
		})
	}
}

// TestStopEndsFetches shows that STOP ends what is under way too.
func TestStopEndsFetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const u = "http://h0.example/"
		s := &simulated{a: newArchive(t)}
		begun := time.Now()
		s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw(func(conn net.Conn) {
				conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
				if time.Since(begun) < time.Second {
					if err := s.a.OrderCrawl(t.Context(), "simulated", func(o *report.CrawlOrders) { o.Stop = true }); err != nil {
						t.Error(err)
					}
				}
				drip(conn, strings.Repeat("x", 20<<10))
			})(w, r)
		})
		res := s.crawlRaw(t, report.CrawlOptions{Seeds: []string{u}, IgnoreRobots: true})
		if res.State != report.CrawlStopped || res.Elapsed > 5*time.Second || !s.cut[u] || res.Ended.Cut != 1 {
			t.Errorf("%+v after %v; the page is kept in part: %v", res.Ended, res.Elapsed, s.cut[u])
		}
	})
}

// TestLimitOfBytes shows that a limit of bytes ends a body without end, and no page
// that is a little over it.
func TestLimitOfBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		size int // of the page; 0 is without end
		cut  bool
	}{{"a page", 50 << 10, false}, {"no end", 0, true}} {
		synctest.Test(t, func(t *testing.T) {
			const u = "http://h0.example/"
			const over = 1 << 20 // what may come after the limit
			s := &simulated{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				piece := make([]byte, 10<<10)
				for n := 0; c.size == 0 || n < c.size; n += len(piece) {
					if _, err := w.Write(piece); err != nil {
						return
					}
				}
			})}
			res := s.crawlRaw(t, report.CrawlOptions{Seeds: []string{u}, IgnoreRobots: true, MaxBytes: 10 << 10})
			if s.cut[u] != c.cut || res.Bytes > over+64<<10 || res.Ended.Cut != count(c.cut) {
				t.Errorf("%s: %d bytes are kept, in part: %v; ended %+v", c.name, res.Bytes, s.cut[u], res.Ended)
			}
		})
	}
}

// TestDrip shows that a body that comes too slowly is let go in a minute, and that
// its host then goes on; and that one that is only slow comes whole.
func TestDrip(t *testing.T) {
	for _, c := range []struct{ bytes, seconds int }{{100, 1 << 30}, {500, 40}} {
		synctest.Test(t, func(t *testing.T) {
			var next time.Duration
			s := &simulated{}
			s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/next" {
					next = time.Since(s.begun)
					return
				}
				for i := 0; i < c.seconds; i++ {
					if _, err := w.Write(make([]byte, c.bytes)); err != nil {
						return
					}
					http.NewResponseController(w).Flush()
					time.Sleep(time.Second)
				}
			})
			s.crawlRaw(t, report.CrawlOptions{Seeds: []string{"http://h0.example/", "http://h0.example/next"}, IgnoreRobots: true})
			if got, want := s.cut["http://h0.example/"], c.seconds > 40; got != want || next > 90*time.Second {
				t.Errorf("%d bytes a second: the page is kept in part: %v, want %v; the next page after %v", c.bytes, got, want, next)
			}
		})
	}
}

// TestBrokenBodies shows that the crawl asks once more for a page whose body ends
// too soon, and keeps the second answer.
func TestBrokenBodies(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	for _, c := range []struct{ name, answer, want string }{
		{"cut before its length", page + "Content-Length: 100\r\n\r\nbroken", "broken"},
		{"chunks without their end", page + "Transfer-Encoding: chunked\r\n\r\n6\r\nbroken\r\n", "broken"},
		{"a chunk that is cut", page + "Transfer-Encoding: gzip, chunked\r\n\r\n6\r\nbroken\r\n10\r\nand", "brokenand"},
	} {
		for _, heals := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				const u = "http://h0.example/"
				asked := 0
				s := &simulated{handler: raw(func(conn net.Conn) {
					if asked++; asked > 1 && heals {
						conn.Write([]byte(page + "Content-Length: 5\r\n\r\nwhole"))
						return
					}
					conn.Write([]byte(c.answer))
				})}
				res := s.crawlRaw(t, report.CrawlOptions{Seeds: []string{u}, IgnoreRobots: true})
				want := map[bool]string{true: "whole", false: c.want}[heals]
				if got := string(s.kept[u]); got != want || s.cut[u] == heals || asked != 2 || res.Fetched != 1 {
					t.Errorf("%s, heals %v: %q is kept, in part: %v, after %d requests", c.name, heals, got, s.cut[u], asked)
				}
			})
		}
	}
}

// TestBrokenRobots shows that a robots.txt that comes in part is asked for once
// more before all is denied.
func TestBrokenRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := &simulated{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				return
			}
			if asked++; asked > 1 {
				fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
				return
			}
			raw(func(conn net.Conn) { conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser")) })(w, r)
		})}
		res := s.crawlRaw(t, report.CrawlOptions{Seeds: []string{"http://h0.example/"}})
		if res.Fetched != 1 || asked != 2 {
			t.Errorf("%d pages are fetched after %d requests for robots.txt", res.Fetched, asked)
		}
	})
}

// TestTransferCodings shows that a body is read to the end of its chunks however
// its transfer codings are written.
func TestTransferCodings(t *testing.T) {
	for _, coding := range []string{
		"Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: gzip,Chunked ",
		"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
	} {
		synctest.Test(t, func(t *testing.T) {
			const u = "http://h0.example/"
			s := &simulated{handler: raw(func(conn net.Conn) {
				conn.Write([]byte("HTTP/1.1 200 OK\r\n" + coding + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
				bufio.NewReader(conn).ReadByte() // until it is closed
			})}
			res := s.crawlRaw(t, report.CrawlOptions{Seeds: []string{u}, IgnoreRobots: true, Delay: 0})
			if got := string(s.kept[u]); got != "hello" || s.cut[u] || res.Elapsed > time.Second {
				t.Errorf("%s: %q is kept, in part: %v, after %v", coding, got, s.cut[u], res.Elapsed)
			}
		})
	}
}

// TestTransferCodedText shows that the text of a page is read whose transfer coding is
// gzip: its link is followed.
func TestTransferCodedText(t *testing.T) {
	for _, codings := range []string{"Transfer-Encoding: gzip, chunked", "Content-Encoding: gzip\r\nTransfer-Encoding: GZip\r\nTransfer-Encoding: chunked"} {
		synctest.Test(t, func(t *testing.T) {
			body := gzipped(t, "<a href=/B>B</a>")
			if strings.HasPrefix(codings, "Content") {
				body = gzipped(t, string(body))
			}
			s := &simulated{handler: raw(func(conn net.Conn) {
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", codings, len(body), body)
				bufio.NewReader(conn).ReadByte() // until it is closed
			})}
			s.crawlRaw(t, report.CrawlOptions{Seeds: []string{"http://h0.example/A"}, IgnoreRobots: true})
			if _, ok := s.kept["http://h0.example/B"]; !ok {
				t.Errorf("%s: the link is not followed", codings)
			}
		})
	}
}
