package render

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// hostileScript tries every way past the proxy that a page has: addresses of this machine,
// files, UDP. The parameters are the ports of a listener of TCP and of one of UDP.
const hostileScript = `
	const tcp = %d, udp = %d, tries = [];
	fetch("/hold"); // is answered after /done
	for (const host of ["127.0.0.1", "localhost", "[::1]"]) tries.push(fetch("http://" + host + ":" + tcp + "/secret", {mode: "no-cors"}));
	tries.push(fetch("http://169.254.169.254/latest/meta-data/", {mode: "no-cors"}));
	tries.push(fetch("file:///etc/passwd"), fetch("https://127.0.0.1:" + tcp + "/"));
	navigator.sendBeacon("http://127.0.0.1:" + tcp + "/beacon", "x");
	for (const rel of ["preconnect", "dns-prefetch", "prefetch"]) {
		const l = document.createElement("link");
		l.rel = rel;
		l.href = "http://127.0.0.1:" + tcp + "/" + rel;
		document.head.append(l);
	}
	for (const src of ["file:///etc/passwd", "chrome://version/", "ftp://127.0.0.1:" + tcp + "/"]) {
		const f = document.createElement("iframe");
		f.src = src;
		document.body.append(f);
	}
	try {
		const t = new WebTransport("https://127.0.0.1:" + udp + "/");
		t.closed.catch(() => 0);
		tries.push(t.ready);
	} catch {}
	tries.push(new Promise((done) => {
		const s = new WebSocket("ws://127.0.0.1:" + tcp + "/socket");
		s.onopen = s.onerror = done;
	}));
	const connect = (urls) => new Promise((done) => {
		const p = new RTCPeerConnection({iceServers: [{urls, username: "u", credential: "c"}]});
		p.createDataChannel("x");
		p.onicecandidate = (e) => { if (e.candidate && e.candidate.candidate) found.append(" candidate " + e.candidate.candidate) };
		p.onicegatheringstatechange = () => p.iceGatheringState === "complete" && done();
		p.createOffer().then((o) => p.setLocalDescription(o));
	});
	connect(["turn:127.0.0.1:" + tcp + "?transport=tcp"]); // gives up after a long time
	tries.push(connect(["stun:127.0.0.1:" + udp, "turn:127.0.0.1:" + udp]));
	Promise.allSettled(tries).then((l) => fetch("/done?" + l.map((x) => x.status[0]).join("")));
`

// TestHostilePage shows a page that tries to reach this machine and others beside the
// proxy. A listener of TCP and one of UDP on loopback must get nothing, and only what the
// page asks for may come to Send.
func TestHostilePage(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	port := tcp.Addr().(*net.TCPAddr).Port
	script := fmt.Sprintf(hostileScript, port, udp.LocalAddr().(*net.UDPAddr).Port)
	w := &web{pages: map[string]string{"https://a.test/": "<p id=found>page<script src=/a.js></script>", "https://a.test/a.js": script}}
	done := make(chan struct{})
	w.answer = func(r *Request) (*Response, error) {
		switch {
		case strings.HasPrefix(r.URL, "https://a.test/done"):
			close(done)
		case r.URL == "https://a.test/hold":
			<-done
		}
		return nil, nil
	}
	p := startPool(t, testOptions(t))
	s, err := p.Show(t.Context(), Page{URL: "https://a.test/", Send: w.send})
	if err != nil {
		t.Fatal(err)
	}
	refused := p.refuser.count()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("the page asked for %q and found %q; %d requests of the browser itself were refused; sockets %q", w.asked(), s.Text, refused, s.Sockets)
	if !slices.ContainsFunc(w.asked(), func(a string) bool { return strings.HasPrefix(a, "https://a.test/done?") }) {
		t.Error("the page did not try everything")
	}
	if !slices.Contains(w.asked(), fmt.Sprintf("http://127.0.0.1:%d/secret", port)) {
		t.Error("a request to loopback did not come to Send")
	}
	for _, address := range w.asked() {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains([]string{"a.test", "127.0.0.1", "localhost", "::1", "169.254.169.254"}, u.Hostname()) {
			t.Errorf("%s was asked for, which is not of the page", address)
		}
	}
	if strings.Contains(s.Text, "candidate") || strings.Contains(string(s.DOM), "root:") {
		t.Errorf("the page found %s", s.DOM)
	}
	// The browser has ended. The first connection and the first packet now are our own.
	own, err := net.Dial("tcp", tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(own, "own")
	own.Close()
	c, err := tcp.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b, err := io.ReadAll(c); err != nil || string(b) != "own" {
		t.Errorf("a connection beside the proxy sent %q, %v", b, err)
	}
	mark, err := net.Dial("udp", udp.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer mark.Close()
	io.WriteString(mark, "own")
	b := make([]byte, 2000)
	if n, from, err := udp.ReadFrom(b); err != nil || string(b[:n]) != "own" {
		t.Errorf("a packet beside the proxy came from %v: %q, %v", from, b[:n], err)
	}
}
