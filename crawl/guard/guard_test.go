package guard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"infomall/store/urlkey"
)

// TestCheck tests the first and the last address of each block, the addresses
// next to it, and ALLOW PRIVATE.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		addrs   string
		kind    string // "" for let through
		private bool   // let through with ALLOW PRIVATE
	}{
		{"1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 162.105.129.12 169.253.255.255 169.255.0.0", "", true},
		{"172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255", "", true},
		{"2000:: 2001:200:: 2001:da8::1 2001:db7:ffff:: 2001:db9:: 2003:: 2400:: 2606:2800:220:1:: 3ffe:ffff:: 3fff:1000::", "", true},
		{"::ffff:162.105.129.12", "", true},
		{"0.0.0.0 0.1.2.3 0.255.255.255 :: ::ffff:0.0.0.0", "of this network", false},
		{"10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 fc00:: fd12:3456::1 fdff:ffff:: fec0::1", "private", true},
		{"::ffff:10.0.0.1 ::ffff:a00:1 ::ffff:192.168.1.1", "private", true},
		{"127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1", "loopback", true},
		{"169.254.0.0 169.254.169.254 fe80::1 fe80::1%eth0 febf:ffff::", "link-local", true},
		{"100.64.0.0 100.127.255.255", "shared by a provider's customers", true},
		{"192.0.0.0 192.0.0.9 192.0.0.170 2001:2::1 2001:10:: 2001:20:: 2001:1ff:ffff::", "for protocols", true},
		{"192.0.2.1 198.51.100.1 203.0.113.255 2001:db8::1 3fff:: 3fff:fff:ffff::", "for documentation", true},
		{"198.18.0.0 198.19.255.255", "for benchmarks", true},
		{"192.88.99.1", "a 6to4 relay", true},
		{"224.0.0.1 239.255.255.255 ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast", false},
		{"240.0.0.0 255.255.255.255", "reserved", false},
		{"64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::a00:1 64:ff9b:1:ffff::1", "an IPv4 address behind a translator (NAT64)", true},
		{"2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2", "an IPv4 address in a tunnel (Teredo)", true},
		{"2002:: 2002:7f00:1:: 2002:a00:1::1", "an IPv4 address in a tunnel (6to4)", true},
		{"::2 ::7f00:1 ::10.0.0.1", "an IPv4 address in a form out of use", false},
		{"::ffff:0:127.0.0.1 ::ffff:0:a00:1", "an IPv4 address behind a translator", true},
		{"100::1", "where packets are discarded", false},
		{"5f00::1", "for segment routing", false},
		{"64:ff9c:: 200::1 1fff:ffff:: 4000::1 8000::1 e000::1 fe00::1", "not allocated to hosts", false},
	} {
		for s := range strings.FieldsSeq(c.addrs) {
			a := netip.MustParseAddr(s)
			var refused *RefusedError
			got := ""
			if errors.As(Guard{}.Check(a), &refused) {
				got = refused.Kind
			}
			if got != c.kind {
				t.Errorf("%s is %q, want %q", s, got, c.kind)
			}
			if err := (Guard{Private: true}).Check(a); (err == nil) != c.private {
				t.Errorf("%s with ALLOW PRIVATE: %v, want let through %v", s, err, c.private)
			}
		}
	}
}

// TestMessages shows the error messages for refused addresses.
func TestMessages(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80":          "address 127.0.0.1 is loopback: a crawl connects to it only with ALLOW PRIVATE",
		"[::ffff:10.0.0.1]:80":  "address 10.0.0.1 is private: a crawl connects to it only with ALLOW PRIVATE",
		"[fe80::1%eth0]:80":     "address fe80::1 is link-local: a crawl connects to it only with ALLOW PRIVATE",
		"255.255.255.255:65535": "address 255.255.255.255 is reserved: no site can be there",
	} {
		if err := control(Guard{})("tcp", addr, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", addr, err, want)
		}
	}
}

// network is the network behind the guard in a test: an HTTP server on every
// loopback address, and a name server whose answers the test sets.
type network struct {
	port   string
	visits atomic.Int64
	dns    net.PacketConn

	mu      sync.Mutex
	answers []netip.Addr // of all names, one after the other, the last for ever
}

// name makes the name server return answers for every name.
func (n *network) name(answers ...netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers = answers
}

// answer returns an address of the kind that a DNS question asks for; ok is
// false if there is none.
func (n *network) answer(kind uint16) (a netip.Addr, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a = n.answers[0]
	if ok = a.Is4() && kind == 1 || a.Is6() && kind == 28; ok && len(n.answers) > 1 {
		n.answers = n.answers[1:]
	}
	return a, ok
}

func newNetwork(t *testing.T) *network {
	n := &network{}
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	_, n.port, _ = net.SplitHostPort(l.Addr().String())
	// A connection is a visit, whether or not a request follows.
	server := &http.Server{
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }),
		ConnState: func(_ net.Conn, s http.ConnState) { n.visit(s) },
	}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	if n.dns, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go n.serveNames()
	t.Cleanup(func() { n.dns.Close() })
	return n
}

func (n *network) visit(s http.ConnState) {
	if s == http.StateNew {
		n.visits.Add(1)
	}
}

// serveNames answers questions for addresses until the connection is closed.
func (n *network) serveNames() {
	buf := make([]byte, 512)
	for {
		size, from, err := n.dns.ReadFrom(buf)
		if err != nil {
			return
		}
		q := buf[:size]
		end := 12
		for q[end] != 0 {
			end += 1 + int(q[end])
		}
		kind := binary.BigEndian.Uint16(q[end+1:])
		answer := append([]byte(nil), q[:end+5]...)
		copy(answer[2:12], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0})
		if addr, ok := n.answer(kind); ok {
			answer[7] = 1
			answer = append(answer, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(addr.AsSlice())))
			answer = append(answer, addr.AsSlice()...)
		}
		n.dns.WriteTo(answer, from)
	}
}

// control returns a function for net.Dialer that asks a guard about each
// address before anything is sent to it.
func control(g Guard) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connect to %q: it is no address with a port: %w", address, err)
		}
		return g.Check(a.Addr())
	}
}

// client returns an HTTP client that dials through a guard. Hosts under .public
// stand for the web: each answers at once, with a redirect to the URL in its
// query.
func (n *network) client(g Guard) *http.Client {
	d := &net.Dialer{
		Timeout:  time.Minute,
		Control:  control(g),
		Resolver: n.resolver(),
	}
	return &http.Client{Transport: web{&http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}, Timeout: time.Minute}
}

type web struct{ rest http.RoundTripper }

func (w web) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Hostname(), ".public") {
		return w.rest.RoundTrip(r)
	}
	to, err := urlkey.Resolve(r.URL.String(), r.URL.Query().Get("to"))
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 302, Request: r, Body: http.NoBody, Header: http.Header{"Location": {to}}}, nil
}

// spellings returns the ways to write an address as the host of a URL.
func spellings(a netip.Addr) []string {
	if a.Is6() {
		return []string{"[" + a.String() + "]", "[" + a.StringExpanded() + "]"}
	}
	b := a.As4()
	n := binary.BigEndian.Uint32(b[:])
	return []string{
		a.String(),
		fmt.Sprint(n),
		fmt.Sprintf("0x%x", n),
		fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%d.%d", b[0], n&0xffffff),
		fmt.Sprintf("%%%x%s", a.String()[0], a.String()[1:]),
		fmt.Sprintf("[::ffff:%s]", a),
		fmt.Sprintf("[::ffff:%x:%x]", n>>16, n&0xffff),
		fmt.Sprintf("[64:ff9b::%x:%x]", n>>16, n&0xffff),
		fmt.Sprintf("[2002:%x:%x::1]", n>>16, n&0xffff),
		fmt.Sprintf("[2001:0:4136:e378:8000:63bf:%x:%x]", ^n>>16, ^n&0xffff),
	}
}

// inside returns a random address of a block.
func inside(r *rand.Rand, p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= byte(r.IntN(2)) << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// TestNoConnection tries to reach a server that listens on every loopback
// address, in more than two thousand cases. They have addresses of every block
// in every spelling, requested directly, through a redirect, and through names,
// some of which had a public address before. No connection may be made, and
// each must be refused by the guard and not by chance.
func TestNoConnection(t *testing.T) {
	n := newNetwork(t)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	client := n.client(Guard{})
	ran := 0
	refuse := func(what, url string) {
		t.Helper()
		ran++
		canonical, err := urlkey.Canonical(url)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		resp, err := client.Get(canonical)
		if err == nil {
			resp.Body.Close()
		}
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %s: %v, want it refused by the guard", what, url, err)
		}
	}
	addrs := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}
	for _, s := range special {
		for range 4 {
			addrs = append(addrs, inside(r, s.Prefix))
		}
	}
	public := netip.MustParseAddr("162.105.129.12")
	n.name(public)
	for _, a := range addrs {
		for _, host := range spellings(a) {
			refuse("address", "http://"+host+":"+n.port+"/")
			refuse("redirect", "http://a.public/?to=http://"+strings.ReplaceAll(host, "%", "%25")+":"+n.port+"/")
		}
		for range 3 {
			n.name(a)
			refuse("name", fmt.Sprintf("http://n%d.example:%s/", r.Uint32(), n.port))
			refuse("redirect to a name", fmt.Sprintf("http://a.public/?to=http://n%d.example:%s/", r.Uint32(), n.port))
		}
	}
	// A name answers with a public address while it is looked at and with
	// another when it is connected to.
	for _, a := range addrs {
		n.name(public, a)
		name := fmt.Sprintf("r%d.example", r.Uint32())
		first, err := n.resolver().LookupNetIP(t.Context(), "ip4", name)
		if err != nil || first[0] != public {
			t.Fatalf("%s: %v, %v, want %v", name, first, err, public)
		}
		refuse("rebound name", "http://"+name+":"+n.port+"/")
	}
	for _, host := range []string{"localhost", "LOCALHOST.", "ip6-localhost"} {
		n.name(addrs[0])
		refuse("name of this machine", "http://"+host+":"+n.port+"/")
	}
	t.Logf("%d cases", ran)
	if ran < 2000 || n.visits.Load() != 0 {
		t.Errorf("%d connections in %d cases, want none in 2,000", n.visits.Load(), ran)
	}
	// The server was there all the time.
	resp, err := n.client(Guard{Private: true}).Get("http://127.0.0.1:" + n.port + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if n.visits.Load() != 1 {
		t.Errorf("%d connections with ALLOW PRIVATE, want 1", n.visits.Load())
	}
}

func (n *network) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("udp", n.dns.LocalAddr().String())
	}}
}

// FuzzCheck compares the allowed addresses with the standard library's view of
// addresses, which allows more.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"127.0.0.1:80", "[::1]:80", "[::ffff:10.0.0.1]:1", "[fe80::1%a]:80", "x:1", "", "[2002::]:0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if control(Guard{})("tcp", address, nil) != nil {
			return
		}
		a := netip.MustParseAddrPort(address).Addr().Unmap()
		if !a.IsGlobalUnicast() || a.IsPrivate() {
			t.Errorf("%s is let through", address)
		}
	})
}
