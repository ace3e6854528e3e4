// Package natstest runs NATS servers with JetStream in the process of a test. The servers
// listen on ports of this machine that were free, and keep their streams in a folder of
// the test.
package natstest

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// startWait is how long a node may take until it takes connections, and a cluster until it
// has a leader of JetStream. Nothing waits that long unless the machine is stuck.
const startWait = time.Minute

// portTries is how many sets of ports Start tries. Another process may take a port between
// the moment Start finds it free and the moment a node listens on it.
const portTries = 5

// Cluster is one NATS server, or several that form a cluster. Nodes are numbered from 0.
// One goroutine at a time may call the methods.
type Cluster struct {
	t     testing.TB
	nodes []*node
}

// node is one server of a Cluster.
type node struct {
	options server.Options // with the ports, so that the node can start again
	server  *server.Server // nil while the node is dead
}

// Start starts the given number of nodes, 1 or 3, and waits until all take connections and,
// if there are 3, until JetStream has a leader. The nodes end with the test.
func Start(t testing.TB, nodes int) *Cluster {
	t.Helper()
	dir := t.TempDir()
	var err error
	for range portTries {
		c := &Cluster{t: t}
		if err = c.start(dir, nodes); err == nil {
			t.Cleanup(c.stop)
			return c
		}
		c.stop()
	}
	t.Fatalf("start %d NATS nodes: %v", nodes, err)
	return nil
}

// URLs returns the addresses of all nodes as one text, separated by commas, such as
// "nats://127.0.0.1:4222,nats://127.0.0.1:4223". Dead nodes are among them.
func (c *Cluster) URLs() string {
	list := make([]string, len(c.nodes))
	for i := range c.nodes {
		list[i] = c.URL(i)
	}
	return strings.Join(list, ",")
}

// URL returns the address of one node, such as "nats://127.0.0.1:4222".
func (c *Cluster) URL(node int) string {
	o := &c.nodes[node].options
	return "nats://" + net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
}

// Kill ends a node. It closes the node's connections without a word to the clients. The
// node keeps its files, and Restart starts it again.
func (c *Cluster) Kill(node int) {
	n := c.nodes[node]
	if n.server == nil {
		return
	}
	n.server.Shutdown()
	n.server.WaitForShutdown()
	n.server = nil
}

// Restart starts a node that Kill ended, on the same ports and files, and waits until it
// takes connections. A node that runs stays as it is.
func (c *Cluster) Restart(node int) {
	c.t.Helper()
	var err error
	for range portTries {
		if err = c.nodes[node].start(); err == nil {
			return
		}
	}
	c.t.Fatalf("restart NATS node %d: %v", node, err)
}

// Heard returns a channel that has a token after a message with this subject was sent, until the
// test ends.
func (c *Cluster) Heard(subject string) <-chan struct{} {
	c.t.Helper()
	conn, err := nats.Connect(c.URLs(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(conn.Close)
	heard := make(chan struct{}, 1)
	_, err = conn.Subscribe(subject, func(*nats.Msg) {
		select {
		case heard <- struct{}{}:
		default:
		}
	})
	if err = errors.Join(err, conn.Flush()); err != nil {
		c.t.Fatal(err)
	}
	return heard
}

// start starts the nodes and waits until they are ready. Their files are in folders of dir.
func (c *Cluster) start(dir string, nodes int) error {
	ports, err := freePorts(2 * nodes)
	if err != nil {
		return err
	}
	var routes []*url.URL
	for i := range nodes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + strconv.Itoa(ports[nodes+i])})
	}
	for i := range nodes {
		o := server.Options{
			ServerName: fmt.Sprintf("node%d", i), Host: "127.0.0.1", Port: ports[i],
			NoLog: true, NoSigs: true,
			JetStream: true, StoreDir: filepath.Join(dir, fmt.Sprintf("node%d-%d", i, ports[i])),
			JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30,
		}
		if nodes > 1 {
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[nodes+i]}
			o.Routes = routes
		}
		c.nodes = append(c.nodes, &node{options: o})
	}
	for _, n := range c.nodes {
		if err := n.begin(); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		if err := n.ready(); err != nil {
			return err
		}
	}
	if nodes > 1 {
		return c.awaitLeader()
	}
	return nil
}

// awaitLeader waits until a node is the leader of JetStream and has heard from all others.
func (c *Cluster) awaitLeader() error {
	for end := time.Now().Add(startWait); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, n := range c.nodes {
			if n.server.JetStreamIsLeader() && len(n.server.JetStreamClusterPeers()) == len(c.nodes) {
				return nil
			}
		}
	}
	return fmt.Errorf("JetStream has no leader after %v", startWait)
}

// stop ends all nodes.
func (c *Cluster) stop() {
	for i := range c.nodes {
		c.Kill(i)
	}
}

// start starts the node and waits until it takes connections. If that fails, the node is
// dead.
func (n *node) start() error {
	if n.server != nil {
		return nil
	}
	err := n.begin()
	if err == nil {
		err = n.ready()
	}
	if err != nil && n.server != nil {
		n.server.Shutdown()
		n.server = nil
	}
	return err
}

// begin starts the node and does not wait.
func (n *node) begin() error {
	o := n.options // the server changes its options
	s, err := server.NewServer(&o)
	if err != nil {
		return err
	}
	n.server = s
	s.Start()
	return nil
}

// ready waits until the node takes connections.
func (n *node) ready() error {
	for end := time.Now().Add(startWait); time.Now().Before(end); {
		if n.server.ReadyForConnections(100 * time.Millisecond) {
			return nil
		}
		if !n.server.Running() {
			break
		}
	}
	return fmt.Errorf("no connection to the node on port %d", n.options.Port)
}

// freePorts returns ports of this machine that nobody listens on.
func freePorts(count int) ([]int, error) {
	var ports []int
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // only at the end, so that all ports differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
