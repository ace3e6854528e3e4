package serve_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// isolatedEnv is set in a test process that runs in a network of its own.
const isolatedEnv = "INFOMALL_TEST_ISOLATED"

// The addresses of the network of an isolated test. All other addresses reach
// nobody.
const (
	nameServer = "192.0.2.53"
	anyName    = "192.0.2.80" // of all names
	endMark    = "192.0.2.99"
)

// isolated runs the rest of the test in a process of its own, in a new network
// that has nothing but a loopback device, to which every address of the Internet
// leads. It reports whether this is that process; the caller returns if not. The
// test is skipped with -short, without Chromium, and if this machine lets nobody make
// such a network.
func isolated(t *testing.T) bool {
	t.Helper()
	if os.Getenv(isolatedEnv) != "" {
		setUpNetwork(t)
		return true
	}
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	for _, name := range []string{"ip", "chromium"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s on this machine", name)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=21m")
	cmd.Env = append(os.Environ(), isolatedEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Skipf("this machine does not let a test make a network of its own: %v", err)
	}
	err := cmd.Wait()
	t.Logf("in a network of its own:\n%s", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out.Bytes(), []byte("--- SKIP")) {
		t.Skip("skipped in a network of its own")
	}
	return false
}

// setUpNetwork makes all addresses lead to the loopback device, and nameServer the
// server of names.
func setUpNetwork(t *testing.T) {
	t.Helper()
	for _, args := range []string{
		"link set lo up", "route add local 0.0.0.0/0 dev lo", "-6 route add local ::/0 dev lo",
		// WebRTC uses no loopback device.
		"link add name out type veth peer name in", "addr add 10.99.0.1/24 dev out", "link set out up", "link set in up",
	} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil && !strings.HasPrefix(args, "-6") {
			t.Skipf("ip %s: %v: %s", args, err, out)
		}
	}
	names := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(names, []byte("nameserver "+nameServer+"\noptions attempts:1 timeout:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	target, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil {
		t.Skipf("no /etc/resolv.conf: %v", err)
	}
	if err := syscall.Mount(names, target, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("cannot replace %s: %v", target, err)
	}
	if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		t.Logf("no /proc of its own: %v", err)
	}
}

// wire watches the network of an isolated test. It counts what leaves: the start
// of each TCP connection and each UDP packet to an address other than loopback, and
// the start of TCP connections to loopback ports that no part of the test listens
// on.
type wire struct {
	t     *testing.T
	fd    int
	names *net.UDPConn
	ended chan struct{} // closed when the end mark was seen

	mu    sync.Mutex
	ports map[uint16]bool
	seen  []string
}

// watch begins to watch. Names are answered from now on: each name has an address,
// so that the connection after a look-up is seen too.
func watch(t *testing.T) *wire {
	t.Helper()
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(htons(unix.ETH_P_ALL)))
	if err != nil {
		t.Skipf("cannot watch the network: %v", err)
	}
	filter := startsOnly()
	if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}); err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, fd: fd, ended: make(chan struct{}), ports: map[uint16]bool{}}
	if w.names, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(nameServer), Port: 53}); err != nil {
		t.Fatal(err)
	}
	go w.answer()
	go w.read()
	return w
}

func htons(n uint16) uint16 { return n<<8 | n>>8 }

// startsOnly is a filter for packets: the first packet of each TCP connection, and
// all packets of other protocols.
func startsOnly() []unix.SockFilter {
	const (
		ldh  = unix.BPF_LD | unix.BPF_H | unix.BPF_ABS
		ldb  = unix.BPF_LD | unix.BPF_B | unix.BPF_ABS
		ldbx = unix.BPF_LD | unix.BPF_B | unix.BPF_IND
		ldxb = unix.BPF_LDX | unix.BPF_B | unix.BPF_MSH
		jeq  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		and  = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
		ret  = unix.BPF_RET | unix.BPF_K
	)
	return []unix.SockFilter{
		{Code: ldh, K: 12},
		{Code: jeq, K: unix.ETH_P_IP, Jt: 0, Jf: 5},
		{Code: ldb, K: 23},
		{Code: jeq, K: unix.IPPROTO_TCP, Jt: 0, Jf: 9},
		{Code: ldxb, K: 14},
		{Code: ldbx, K: 14 + 13},
		{Code: unix.BPF_JMP | unix.BPF_JA, K: 4},
		{Code: jeq, K: unix.ETH_P_IPV6, Jt: 0, Jf: 6},
		{Code: ldb, K: 20},
		{Code: jeq, K: unix.IPPROTO_TCP, Jt: 0, Jf: 3},
		{Code: ldb, K: 14 + 40 + 13},
		{Code: and, K: 0x12}, // SYN and ACK
		{Code: jeq, K: 0x02, Jt: 0, Jf: 1},
		{Code: ret, K: 256},
		{Code: ret, K: 0},
	}
}

// allow names ports of loopback that the test itself listens on.
func (w *wire) allow(ports ...uint16) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range ports {
		w.ports[p] = true
	}
}

// read reads packets until it sees the end mark.
func (w *wire) read() {
	defer close(w.ended)
	b := make([]byte, 512)
	for {
		n, from, err := unix.Recvfrom(w.fd, b, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			w.t.Errorf("watching the network: %v", err)
			return
		}
		if at, ok := from.(*unix.SockaddrLinklayer); ok && at.Pkttype == unix.PACKET_OUTGOING {
			continue // Each packet on loopback is seen twice.
		}
		if w.packet(b[:n]) {
			return
		}
	}
}

// packet counts one packet. It reports whether the packet is the end mark.
func (w *wire) packet(b []byte) (end bool) {
	var protocol byte
	var to net.IP
	var payload []byte
	switch {
	case len(b) >= 34 && binary.BigEndian.Uint16(b[12:]) == unix.ETH_P_IP:
		protocol, to, payload = b[23], net.IP(b[30:34]), b[min(len(b), 14+int(b[14]&15)*4):]
	case len(b) >= 54 && binary.BigEndian.Uint16(b[12:]) == unix.ETH_P_IPV6:
		protocol, to, payload = b[20], net.IP(b[38:54]), b[54:]
	default:
		return false
	}
	if len(payload) < 8 {
		return false
	}
	source, port := binary.BigEndian.Uint16(payload), binary.BigEndian.Uint16(payload[2:])
	w.mu.Lock()
	defer w.mu.Unlock()
	what := ""
	switch protocol {
	case unix.IPPROTO_TCP:
		if to.IsLoopback() && w.ports[port] {
			return false
		}
		what = fmt.Sprintf("TCP connection to %s", net.JoinHostPort(to.String(), fmt.Sprint(port)))
	case unix.IPPROTO_UDP:
		switch {
		case to.String() == endMark:
			return true
		case to.IsLoopback(), source == 53 && port != 53:
			return false
		case port == 53:
			what = "look-up of " + queryName(payload[8:])
		default:
			what = fmt.Sprintf("UDP packet to %s", net.JoinHostPort(to.String(), fmt.Sprint(port)))
		}
	case unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6, unix.IPPROTO_IGMP, unix.IPPROTO_HOPOPTS:
		return false // the kernel's own: nobody listens, or who is there
	default:
		what = fmt.Sprintf("packet of protocol %d to %s", protocol, to)
	}
	w.seen = append(w.seen, what)
	return false
}

// queryName returns the name that a query of the Domain Name System asks for.
func queryName(query []byte) string {
	var labels []string
	for i := 12; i < len(query) && query[i] != 0; {
		n := int(query[i])
		labels = append(labels, string(query[i+1:min(len(query), i+1+n)]))
		i += 1 + n
	}
	return strings.Join(labels, ".")
}

// answer answers queries for names: each name has the address anyName.
func (w *wire) answer() {
	b := make([]byte, 1500)
	for {
		n, from, err := w.names.ReadFromUDP(b)
		if err != nil {
			return // closed
		}
		if n < 17 {
			continue
		}
		end := 12
		for end < n && b[end] != 0 {
			end += int(b[end]) + 1
		}
		end += 5
		if end > n {
			continue
		}
		reply := append([]byte(nil), b[:end]...)
		reply[2], reply[3] = 0x81, 0x80
		copy(reply[4:12], []byte{0, 1, 0, 0, 0, 0, 0, 0})
		if binary.BigEndian.Uint16(b[end-4:]) == 1 { // A
			reply[7] = 1
			reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
			reply = append(reply, net.ParseIP(anyName).To4()...)
		}
		w.names.WriteToUDP(reply, from)
	}
}

// left returns what has left since the last call. It sees everything that was sent
// before the call.
func (w *wire) left() []string {
	w.t.Helper()
	c, err := net.Dial("udp4", endMark+":9")
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("the end mark")); err != nil {
		w.t.Fatal(err)
	}
	select {
	case <-w.ended:
	case <-time.After(time.Minute):
		w.t.Fatal("the end mark never arrived")
	}
	w.mu.Lock()
	seen := w.seen
	w.seen, w.ended = nil, make(chan struct{})
	w.mu.Unlock()
	go w.read()
	return seen
}
